"""Lays the faults that are on over pods, installations of HAMi and the licence. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from gpuatlas.demo.fault_kind import Fault, switched_on
from gpuatlas.demo.fault_kinds import BY_NAME
from gpuatlas.demo.patterns import DAY
from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.demo.state import PodState
from gpuatlas.demo.state_layer import HamiState, LicenceState

_YEAR: Final = 365 * DAY

Pods = tuple[PodState, ...]


def faults_at(scenario: Scenario, specs: Sequence[FaultSpec], at: float) -> list[Fault]:
    """The faults that are not over, with their rows, in the order of their beginnings."""
    return [
        switched_on(BY_NAME[spec.name], spec, at=at, oldest=scenario.since)
        for spec in specs
        if spec.until is None or at < spec.until
    ]


def with_pod_faults(pods: Pods, faults: Sequence[Fault]) -> Pods:
    """The pods as faults of tenants leave them."""
    for fault in faults:
        effect = fault.kind.on_pod
        struck = _tenant(pods, fault) if effect else None
        if effect and struck:
            changed = effect(struck, fault)
            pods = tuple(changed if pod is struck else pod for pod in pods)
    return pods


def _tenant(pods: Pods, fault: Fault) -> PodState | None:
    """The pod that the fault means, by namespace and name among those of its card."""
    held = [
        pod
        for pod in pods
        if pod.holds
        and pod.place
        and pod.place.node == fault.spec.node
        and fault.spec.card in pod.place.cards
    ]
    number = int(fault.number("tenant"))
    return held[number] if number < len(held) else None


def with_added_pods(pods: Pods, faults: Sequence[Fault], scenario: Scenario, seed: int) -> Pods:
    """The pods and those that faults bring, by namespace and name."""
    added = [
        pod
        for fault in faults
        if fault.kind.adds_pods
        for pod in fault.kind.adds_pods(scenario.node(fault.spec.node), fault, seed)
    ]
    if not added:
        return pods
    return tuple(sorted((*pods, *added), key=lambda pod: (pod.workload.namespace, pod.name)))


def with_added_workloads(scenario: Scenario, pods: Pods) -> Scenario:
    """The scenario with the workloads of pods that faults brought."""
    known = {workload.key for workload in scenario.workloads}
    added = {pod.workload.key: pod.workload for pod in pods if pod.workload.key not in known}
    if not added:
        return scenario
    return replace(scenario, workloads=(*scenario.workloads, *added.values()))


def installations(scenario: Scenario, faults: Sequence[Fault]) -> tuple[HamiState, ...]:
    """Each HAMi with the faults of its nodes."""
    found = []
    for release in scenario.hami:
        hami = HamiState(release=release, scheduler_version=release.version)
        for fault in faults:
            effect = fault.kind.on_installation
            if effect and scenario.node(fault.spec.node).hami == release:
                hami = effect(hami, fault)
        found.append(hami)
    return tuple(found)


def licence_at(scenario: Scenario, faults: Sequence[Fault], at: float) -> LicenceState | None:
    """The licence, which is renewed for two years whenever one year is left of it."""
    if scenario.licence is None:
        return None
    years = (at - scenario.since) // _YEAR
    licence = LicenceState(spec=scenario.licence, ends_at=scenario.since + (years + 2) * _YEAR)
    for fault in faults:
        if fault.kind.on_licence:
            licence = fault.kind.on_licence(licence, fault)
    return licence

"""Builds the cluster of one instant: pure, and the same for the same scenario, seed and instant."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from gpuatlas.demo import sensors
from gpuatlas.demo.fault_kind import Fault
from gpuatlas.demo.lifecycle import jobs_of, pods_at
from gpuatlas.demo.randomness import hexadecimal, uuid
from gpuatlas.demo.scenario import FaultSpec, NodeSpec, Scenario, ScenarioError
from gpuatlas.demo.services import served
from gpuatlas.demo.state import (
    CardState,
    EndpointState,
    InstanceState,
    NodeState,
    PodState,
    TenantState,
    World,
    service_subject,
)
from gpuatlas.demo.struck import (
    faults_at,
    installations,
    licence_at,
    with_added_pods,
    with_added_workloads,
    with_pod_faults,
)
from gpuatlas.demo.usage import tenants_of

_HEADROOM_MIB: Final = 64  # the last bit of a card that no allocation gets
_DRIVER_MIB: Final = 4  # in use on a card without tenants
# GPU instance ids by the number of compute slices, as drivers number them on Hopper.
_INSTANCE_NUMBERS: Final[Mapping[int, tuple[int, ...]]] = {
    1: (7, 8, 9, 10, 11, 12, 13),
    2: (3, 4, 5, 6),
    3: (1, 2),
    4: (1, 2),
    7: (0,),
}
_COMPUTE_SLICES: Final = 7

Holders = Mapping[tuple[str, int], Sequence[tuple[PodState, int]]]


def build_world(
    scenario: Scenario, *, seed: int, at: float, faults: Sequence[FaultSpec] | None = None
) -> World:
    """The cluster at `at` (Unix seconds). `faults` None means those of the scenario.

    Faults that are over by then count for what counters have lost by them.

    Raises ScenarioError for an instant before the scenario begins.
    """
    if at < scenario.since:
        msg = (
            f"instant {at:.0f} lies before the scenario's `since`, {scenario.since:.0f}: "
            "choose a later one, or set `since` earlier"
        )
        raise ScenarioError(msg)
    given = tuple(scenario.faults if faults is None else faults)
    active = faults_at(scenario, given, at)
    pods = with_added_pods(
        with_pod_faults(pods_at(scenario, seed, at), active), active, scenario, seed
    )
    holders = _holders(pods)
    nodes = tuple(
        _node(node, holders, active, scenario=scenario, seed=seed, at=at) for node in scenario.nodes
    )
    missing = {node.spec.name for node in nodes if node.plugin == "missing"}
    return World(
        scenario=with_added_workloads(scenario, pods),
        seed=seed,
        at=at,
        nodes=nodes,
        pods=pods,
        jobs=jobs_of(pods),
        endpoints=_endpoints(scenario, active, missing, pods),
        hami=installations(scenario, active),
        licence=licence_at(scenario, active, at),
        faults=given,
    )


def _holders(pods: Sequence[PodState]) -> Holders:
    """(node, card) → the pods that hold it, with the card's position in the pod's list."""
    holders: dict[tuple[str, int], list[tuple[PodState, int]]] = {}
    for pod in pods:
        if pod.place and pod.holds:
            for position, card in enumerate(pod.place.cards):
                holders.setdefault((pod.place.node, card), []).append((pod, position))
    return holders


def _node(
    spec: NodeSpec,
    holders: Holders,
    faults: Sequence[Fault],
    *,
    scenario: Scenario,
    seed: int,
    at: float,
) -> NodeState:
    cards = []
    for index in range(spec.count):
        pods = holders.get((spec.name, index), ())
        card = _card(spec, index, pods, scenario=scenario, seed=seed, at=at)
        cards.append(_with_card_faults(card, faults))
    node = NodeState(spec=spec, uid=uuid("node", seed, spec.name), cards=tuple(cards))
    for fault in faults:
        if fault.kind.on_node and fault.spec.node == spec.name:
            node = fault.kind.on_node(node, fault)
    return node


def _with_card_faults(card: CardState, faults: Sequence[Fault]) -> CardState:
    for fault in faults:
        struck = (fault.spec.node, fault.spec.card) == (card.node.name, card.index)
        if fault.kind.on_card and struck:
            card = fault.kind.on_card(card, fault)
    return card


def _card(
    spec: NodeSpec,
    index: int,
    pods: Sequence[tuple[PodState, int]],
    *,
    scenario: Scenario,
    seed: int,
    at: float,
) -> CardState:
    instances = _instances(spec, index, pods, seed=seed, at=at)
    tenants: tuple[TenantState, ...] = ()
    if instances:
        used = sum(instance.used_mib for instance in instances)
        compute = sum(
            instance.compute * _slices(instance.profile) / _COMPUTE_SLICES for instance in instances
        )
    else:
        capacity = spec.card.memory_mib - spec.card.reserved_mib - _HEADROOM_MIB
        tenants = tenants_of(pods, capacity_mib=capacity, seed=seed, at=at)
        used = _DRIVER_MIB + sum(tenant.resident_mib for tenant in tenants)
        compute = min(1.0, sum(tenant.compute for tenant in tenants))
    return CardState(
        node=spec,
        index=index,
        uuid=_card_uuid(spec, index, seed),
        pci_bus_id=f"00000000:{0x10 + 0x0B * index:02X}:00.0",
        tenants=tenants,
        instances=instances,
        used_mib=used,
        compute=compute,
        sensors=sensors.healthy(spec, index, compute, scenario=scenario, seed=seed, at=at),
    )


def _card_uuid(spec: NodeSpec, index: int, seed: int) -> str:
    if spec.card.vendor == "ascend":
        digits = hexadecimal(40, "card", seed, spec.name, index).upper()
        return "-".join(digits[start : start + 8] for start in range(0, 40, 8))
    return f"GPU-{uuid('card', seed, spec.name, index)}"


def _slices(profile: str) -> int:
    return int(profile.split("g.", maxsplit=1)[0])


def _instances(
    spec: NodeSpec, index: int, pods: Sequence[tuple[PodState, int]], *, seed: int, at: float
) -> tuple[InstanceState, ...]:
    instances: list[InstanceState] = []
    for slot, profile in enumerate(spec.mig.get(index, ())):
        mine = [(pod, place) for pod, place in pods if pod.place and pod.place.slot == slot]
        memory = spec.card.mig[profile]
        tenants = tenants_of(mine, capacity_mib=memory - _HEADROOM_MIB, seed=seed, at=at)
        taken = [instance.number for instance in instances]
        instances.append(
            InstanceState(
                number=next(n for n in _INSTANCE_NUMBERS[_slices(profile)] if n not in taken),
                uuid=f"MIG-{uuid('instance', seed, spec.name, index, slot)}",
                profile=profile,
                memory_mib=memory,
                used_mib=12 + sum(tenant.resident_mib for tenant in tenants),
                compute=min(1.0, sum(tenant.compute for tenant in tenants)),
                tenants=tenants,
            )
        )
    return tuple(instances)


def _endpoints(
    scenario: Scenario,
    faults: Sequence[Fault],
    without_plugin: Collection[str],
    pods: Sequence[PodState],
) -> tuple[EndpointState, ...]:
    healthy = [
        *(
            EndpointState(kind="dcgm", subject=node.name)
            for node in scenario.nodes
            if node.dcgm_exporter
        ),
        # The monitor knows NVIDIA's cards only.
        *(
            EndpointState(
                kind="hami-monitor",
                subject=node.name,
                behaviour="gone" if node.name in without_plugin else "ok",
            )
            for node in scenario.nodes
            if node.hami and node.card.vendor == "nvidia"
        ),
        *(EndpointState(kind="hami-scheduler", subject=hami.release) for hami in scenario.hami),
        *(EndpointState(kind="node-exporter", subject=node.name) for node in scenario.nodes),
        *_services(scenario, pods),
    ]
    return tuple(_with_endpoint_faults(endpoint, faults, scenario) for endpoint in healthy)


def _services(scenario: Scenario, pods: Sequence[PodState]) -> Iterator[EndpointState]:
    """A server answers once it is ready."""
    there = {(pod.workload.key, pod.ordinal): pod.ready for pod in pods if pod.holds}
    for workload, ordinal in served(scenario):
        ready = there.get((workload.key, ordinal))
        yield EndpointState(
            kind="service",
            subject=service_subject(workload, ordinal),
            behaviour="gone" if ready is None else "ok" if ready else "refuses",
        )


def _with_endpoint_faults(
    endpoint: EndpointState, faults: Sequence[Fault], scenario: Scenario
) -> EndpointState:
    for fault in faults:
        if not fault.kind.on_endpoint:
            continue
        about, node = fault.text("endpoint"), fault.spec.node
        hami = scenario.node(node).hami
        subject = (hami.release if hami else "") if about == "hami-scheduler" else node
        if endpoint.key == (about, subject):
            endpoint = fault.kind.on_endpoint(endpoint, fault)
    return endpoint

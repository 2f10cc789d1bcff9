"""Checks that the parts of a scenario fit together: places exist, nothing is handed out twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from gpuatlas.demo.fault_kinds import BY_NAME as FAULT_KINDS
from gpuatlas.demo.fault_kinds import complaint
from gpuatlas.demo.fields import suggest
from gpuatlas.demo.scenario import (
    EXTENDED,
    FROM_TEMPLATE,
    NodeSpec,
    Place,
    Runs,
    Scenario,
    ScenarioError,
    Sharing,
    Waits,
    WorkloadSpec,
)
from gpuatlas.demo.scenario_links import claim_rules, queue_rules

# Cards of which several pods may each be promised a part.
_PROMISING: Final = frozenset({Sharing.HAMI, Sharing.VOLCANO, Sharing.KAI})
_MIG_COMPUTE_SLICES: Final = 7  # facts/k8s.md 1.3: at most seven instances of one slice each


def check(scenario: Scenario, file: str) -> None:
    """Raise ScenarioError with the first thing that does not fit."""
    rules = (_names, _layouts, queue_rules, claim_rules, _places, _promises, _double_use, _faults)
    for complaints in rules:
        for text in complaints(scenario):
            msg = f"{file}: {text}"
            raise ScenarioError(msg)


def _names(scenario: Scenario) -> Iterator[str]:
    for what, names in (
        ("nodes", [node.name for node in scenario.nodes]),
        ("workloads", [workload.key for workload in scenario.workloads]),
        ("hami", [release.release for release in scenario.hami]),
        ("queues", [f"{queue.namespace}/{queue.name}" for queue in scenario.queues]),
        ("claims", [f"{claim.namespace}/{claim.name}" for claim in scenario.claims]),
    ):
        for name in names:
            if names.count(name) > 1:
                yield f"{what}: '{name}' is there twice; give each its own name"
    if not scenario.nodes:
        yield "nodes: there must be at least one"


def _layouts(scenario: Scenario) -> Iterator[str]:
    for node in scenario.nodes:
        for card, profiles in node.mig.items():
            where = f"node {node.name}: mig.{card}"
            if card not in range(node.count):
                yield f"{where}: the node has cards 0 to {node.count - 1}"
            if sum(int(profile.split("g.")[0]) for profile in profiles) > _MIG_COMPUTE_SLICES:
                yield f"{where}: more than {_MIG_COMPUTE_SLICES} compute slices"
            if sum(node.card.mig[profile] for profile in profiles) > node.card.memory_mib:
                yield f"{where}: more memory than the card has, {node.card.memory_mib} MiB"


def _places(scenario: Scenario) -> Iterator[str]:
    nodes = {node.name: node for node in scenario.nodes}
    for workload in scenario.workloads:
        yield from _lifetime(workload)
        for place in workload.places:
            where = f"workload {workload.key}: places"
            if place.node not in nodes:
                yield f"{where}: there is no node '{place.node}'{suggest(place.node, nodes)}"
                return
            for text in _place(nodes[place.node], place, workload):
                yield f"{where}: {text}"


def _lifetime(workload: WorkloadSpec) -> Iterator[str]:
    where = f"workload {workload.key}"
    if isinstance(workload.lives, Waits) != (not workload.places):
        yield f"{where}: needs either places, or lives: {{waits_hours: …}}"
    if isinstance(workload.lives, Waits) != bool(workload.requests):
        yield f"{where}: requests belong to workloads that wait, and these need them"
    runs = isinstance(workload.lives, Runs)
    waits = isinstance(workload.lives, Waits)
    if (workload.kind in {"Job", "CronJob"}) != runs and not waits:
        yield f"{where}: a {workload.kind} {'cannot have' if runs else 'needs'} every_minutes"


def _place(node: NodeSpec, place: Place, workload: WorkloadSpec) -> Iterator[str]:
    if max(place.cards) >= node.count:
        yield f"node {node.name} has cards 0 to {node.count - 1}, not {max(place.cards)}"
        return
    yield from _ask(node, workload)
    if (node.sharing is Sharing.DRA) != bool(workload.claim):
        yield f"claim belongs to DRA nodes, and these need it ({node.name})"
    if workload.watches:
        return
    instances = node.mig.get(place.cards[0], ())
    slots = node.slots if node.sharing is Sharing.TIME_SLICING else len(instances)
    if slots and place.slot not in range(slots):
        yield f"card {place.cards[0]} of {node.name} needs a slot from 0 to {slots - 1}"
    if not slots and place.slot is not None:
        yield f"card {place.cards[0]} of {node.name} is not cut: take the slot away"
    if slots and len(place.cards) > 1:
        yield "a pod takes one MIG instance or time slice, or whole cards"


def _ask(node: NodeSpec, workload: WorkloadSpec) -> Iterator[str]:
    """KAI's cards can be asked for whole too: without an `ask`."""
    if node.sharing is not Sharing.KAI and (node.sharing in _PROMISING) != bool(workload.ask):
        yield f"ask belongs to HAMi nodes and their like, and these need it ({node.name})"
    if node.sharing is not Sharing.KAI and workload.ask and workload.ask.share:
        yield f"a share can be asked for on KAI's nodes only, and {node.name} is none"


def _promises(scenario: Scenario) -> Iterator[str]:
    for node in scenario.nodes:
        if node.sharing is Sharing.KAI:
            yield from _shares(scenario, node)
        if node.sharing not in {Sharing.HAMI, Sharing.VOLCANO}:
            continue
        for card in range(node.count):
            tenants = [
                workload
                for workload in scenario.workloads
                for place in workload.places
                if place.node == node.name and card in place.cards
            ]
            where = f"node {node.name}, card {card}"
            promised = sum(tenant.ask.memory_mib for tenant in tenants if tenant.ask)
            if promised > node.schedulable_mib:
                yield f"{where}: {promised} MiB promised of {node.schedulable_mib} schedulable"
            cores = sum(tenant.ask.cores for tenant in tenants if tenant.ask)
            if cores > node.card.cores:
                yield f"{where}: {cores} cores promised of {node.card.cores}"
            if len(tenants) > node.slots:
                yield f"{where}: {len(tenants)} tenants, and it takes {node.slots}"


def _shares(scenario: Scenario, node: NodeSpec) -> Iterator[str]:
    for card in range(node.count):
        parts = [
            workload.ask.part_of(node.card) if workload.ask else 1.0
            for workload, place in _all_places(scenario.workloads)
            if place.node == node.name and card in place.cards
        ]
        if sum(parts) > 1:
            yield f"node {node.name}, card {card}: {sum(parts):.2f} of it are promised"


def _double_use(scenario: Scenario) -> Iterator[str]:
    shared = {node.name for node in scenario.nodes if node.sharing in _PROMISING}
    taken: dict[tuple[str, int, int | None], str] = {
        (claim.node, claim.card, claim.slot): f"{claim.namespace}/{claim.name}"
        for claim in scenario.claims
    }
    for workload, place in _all_places(scenario.workloads):
        holder = f"{workload.namespace}/{workload.claim}" if workload.claim else workload.key
        if workload.claim in {FROM_TEMPLATE, EXTENDED}:
            holder = workload.key
        free = place.node in shared or workload.watches
        for card in () if free else place.cards:
            key = (place.node, card, place.slot)
            by_claim = holder != workload.key and taken.get(key) == holder
            if key in taken and not by_claim:
                where = f"card {card} of {place.node}"
                where += "" if place.slot is None else f", slot {place.slot}"
                yield f"workload {workload.key}: {where} is taken by {taken[key]}"
            taken[key] = holder


def _all_places(workloads: Iterable[WorkloadSpec]) -> Iterator[tuple[WorkloadSpec, Place]]:
    for workload in workloads:
        for place in workload.places:
            yield workload, place


def _faults(scenario: Scenario) -> Iterator[str]:
    for fault in scenario.faults:
        if fault.name not in FAULT_KINDS:
            yield f"faults: there is no fault '{fault.name}'{suggest(fault.name, FAULT_KINDS)}"
            return
        text = complaint(fault, scenario)
        if text:
            yield f"faults: {text}"

"""Checks what workloads say of queues and claims: that they exist and fit the place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpuatlas.demo.fields import suggest
from gpuatlas.demo.scenario import (
    ADMIN,
    EXTENDED,
    FROM_TEMPLATE,
    ClaimSpec,
    QueueSystem,
    Scenario,
    Sharing,
    WorkloadSpec,
)
from gpuatlas.demo.shapes import SHAPES

_WAYS: Final = (FROM_TEMPLATE, EXTENDED, ADMIN)
# Schedulers that place nothing on their nodes without a queue of theirs.
_SCHEDULERS: Final = frozenset({Sharing.KAI, Sharing.VOLCANO})


def queue_rules(scenario: Scenario) -> Iterator[str]:
    """Queues have parents that exist, and workloads name queues that can take them."""
    names = {queue.name for queue in scenario.queues}
    for queue in scenario.queues:
        where = f"queue {queue.name}"
        if queue.parent and queue.parent not in names:
            yield f"{where}: there is no queue '{queue.parent}'{suggest(queue.parent, names)}"
        if queue.namespace and not (queue.system is QueueSystem.KUEUE and queue.parent):
            yield f"{where}: only a queue of kueue with a parent has a namespace"
    for workload in scenario.workloads:
        for text in _queue_of(scenario, workload, names):
            yield f"workload {workload.key}: {text}"


def _queue_of(scenario: Scenario, workload: WorkloadSpec, names: set[str]) -> Iterator[str]:
    queue = scenario.queue_of(workload)
    if workload.queue and queue is None:
        yield f"there is no queue '{workload.queue}'{suggest(workload.queue, names)}"
    if queue and queue.system is QueueSystem.KUEUE and not queue.namespace:
        yield f"'{queue.name}' has no namespace: name a local queue"
    if queue and queue.system is QueueSystem.KUEUE and workload.kind not in SHAPES:
        yield f"kueue takes jobs of operators here, not a {workload.kind}"
    sharing = {node.name: node.sharing for node in scenario.nodes}
    for place in workload.places:
        wanted = sharing.get(place.node)
        if wanted in _SCHEDULERS and (queue is None or queue.system.value != wanted.value):
            yield f"{place.node} needs a queue of {wanted}"


def claim_rules(scenario: Scenario) -> Iterator[str]:
    """Claims are for cards that are there, and workloads name claims at their own place."""
    for claim in scenario.claims:
        for text in _claim(scenario, claim):
            yield f"claim {claim.name}: {text}"
    for workload in scenario.workloads:
        if workload.claim and workload.claim not in _WAYS:
            yield from _shared(scenario, workload)


def _claim(scenario: Scenario, claim: ClaimSpec) -> Iterator[str]:
    nodes = {node.name: node for node in scenario.nodes if node.sharing is Sharing.DRA}
    node = nodes.get(claim.node)
    if node is None:
        yield f"there is no DRA node '{claim.node}'{suggest(claim.node, nodes)}"
        return
    if claim.card >= node.count:
        yield f"{node.name} has cards 0 to {node.count - 1}, not {claim.card}"
    slots = len(node.mig.get(claim.card, ()))
    if slots and claim.slot not in range(slots):
        yield f"card {claim.card} of {node.name} needs a slot from 0 to {slots - 1}"
    if not slots and claim.slot is not None:
        yield f"card {claim.card} of {node.name} is not cut: take the slot away"


def _shared(scenario: Scenario, workload: WorkloadSpec) -> Iterator[str]:
    where = f"workload {workload.key}"
    known = {(claim.namespace, claim.name): claim for claim in scenario.claims}
    claim = known.get((workload.namespace, workload.claim))
    if claim is None:
        names = [*_WAYS, *(name for _, name in known)]
        yield f"{where}: there is no claim '{workload.claim}'{suggest(workload.claim, names)}"
        return
    for place in workload.places:
        if (place.node, place.cards, place.slot) != (claim.node, (claim.card,), claim.slot):
            yield f"{where}: its place is not that of its claim '{claim.name}'"

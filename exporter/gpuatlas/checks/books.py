"""S14: promises, registrations, the scheduler's books and other views must agree. Pure.

Facts: facts/hami.md 1.2 (books), 6.4 (A7, A9, A10, A11), 6.5, 9 nos. 7, 8, 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from gpuatlas.checks.context import HAMI, CheckContext
from gpuatlas.checks.layer_inputs import DEPLOYMENTS, unread
from gpuatlas.checks.leaders import no_leader, scheduler_object, two_leaders
from gpuatlas.checks.overdrawn import MIG_MODE, forged, over_schedulable, unknown_cards
from gpuatlas.checks.pledges import Place, Pledge, Pledges, chosen_pledges, least, plain_sum
from gpuatlas.checks.release import is_since
from gpuatlas.checks.soft import SOFT_LAYERS
from gpuatlas.checks.verdict import unread_pods, verdict
from gpuatlas.model.checks import CheckResult, Finding, MissingInput
from gpuatlas.model.devices import Promise
from gpuatlas.model.pages import SchedulerDevice, SchedulerPage
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.snapshot import Allocation
from gpuatlas.model.targets import HAMI_SCHEDULER
from gpuatlas.model.units import MIB

CHECK: Final = "S14"
# Four rounds of pages: an older page is another time's books.
BOOKS_MAX_AGE_SECONDS: Final = 120.0
# The scheduler counts in MiB (facts/hami.md 1.2, S3).
BOOKS_TOLERANCE: Final = MIB
# One scheduler that lost track is wrong about many cards: the rest are counted in the last finding.
NAMED_CARDS: Final = 5
_NEW_NAMES: Final = (2, 9)
_LEASES: Final = "leases.coordination.k8s.io"
# `Rejection.source` of what the readers of annotations refused.
_ANNOTATIONS: Final = "hami-annotations"
_NO_BOOKS: Final = (
    "no current page of a leading HAMi scheduler: let gpuatlas, or the Prometheus that it reads, "
    "reach port 9395 of the scheduler's pods"
)


def inconsistent(context: CheckContext) -> CheckResult:
    """Cards promised twice, promises of nothing, views that differ, two leaders or none."""
    nodes = [name for name, layers in context.layers.items() if layers & SOFT_LAYERS]
    pledges = chosen_pledges(context.observations.pods.values())
    unreadable = list(_unreadable(context, nodes))
    findings = [
        *_of_promises(context, nodes, pledges),
        *_condensed(list(_books_differ(context, pledges, {lack.node for lack in unreadable}))),
        *_views_differ(context, nodes),
        *two_leaders(context),
        *no_leader(context),
    ]
    missing = [*unread_pods(context, CHECK), *_unread(context), *unreadable]
    return verdict(CHECK, nodes, findings, missing)


def _of_promises(
    context: CheckContext, nodes: Iterable[str], pledges: Pledges
) -> Iterator[Finding]:
    for name in nodes:
        node = context.nodes.get(name)
        if node is not None:
            yield from over_schedulable(context, node, pledges)
            yield from unknown_cards(context, node, pledges)
            yield from forged(context, node)


def _books(context: CheckContext) -> Iterator[SchedulerPage]:
    """Pages that show cards and are of now."""
    for page in context.observations.schedulers:
        if page.devices and context.now - page.at <= BOOKS_MAX_AGE_SECONDS:
            yield page


def _books_differ(
    context: CheckContext, pledges: Pledges, unreadable: set[str]
) -> Iterator[Finding]:
    """Cards of which the scheduler believes something else than the annotations say."""
    hard = _hard_cards(context)
    for page in _books(context):
        for (node, card), device in sorted(page.devices.items()):
            if node not in context.nodes or node in unreadable or (node, card) in hard:
                continue
            own = pledges.get(Place(HAMI, node, card), ())
            if not _agree(device, own):
                yield _difference(context, page, device, own)


def _hard_cards(context: CheckContext) -> frozenset[tuple[str, str]]:
    """Cards in mode `mig`, whose books count templates."""
    return frozenset(
        (name, device.card)
        for name, node in context.nodes.items()
        for registration in node.registrations
        for device in registration.devices
        if device.mode == MIG_MODE
    )


def _agree(device: SchedulerDevice, own: Sequence[Pledge]) -> bool:
    """Versions differ in how init containers are counted: each way to count is right."""
    booked = device.allocated_bytes
    if booked is None or any(pledge.promise.partition for pledge in own):
        return True
    sums = (least(own, _memory), plain_sum(own, _memory))
    return min(sums) - BOOKS_TOLERANCE <= booked <= max(sums) + BOOKS_TOLERANCE


def _memory(promise: Promise) -> int | None:
    return promise.memory_bytes


def _difference(
    context: CheckContext, page: SchedulerPage, device: SchedulerDevice, own: Sequence[Pledge]
) -> Finding:
    if is_since(page.version, _NEW_NAMES):
        name, labels = "hami_gpu_memory_allocated_bytes", ("node", "device_uuid")
    else:
        name, labels = "GPUDeviceMemoryAllocated", ("nodeid", "deviceuuid")
    sample = f'{name}{{{labels[0]}="{device.node}",{labels[1]}="{device.card}"}}'
    promised = plain_sum(own, _memory)
    return Finding(
        check=CHECK,
        signal="books-differ",
        object=scheduler_object(context) or f"Node/{device.node}",
        node=device.node,
        card=device.card,
        source=f"metric {name}",
        record=f"{sample} {device.allocated_bytes}; the annotations promise {promised}",
    )


def _condensed(findings: Sequence[Finding]) -> Iterator[Finding]:
    yield from findings[: NAMED_CARDS - 1]
    rest = findings[NAMED_CARDS - 1 :]
    if len(rest) > 1:
        yield replace(rest[0], node="", card="", count=len(rest))
    else:
        yield from rest


def _views_differ(context: CheckContext, nodes: Iterable[str]) -> Iterator[Finding]:
    """Containers of which two sources name different cards."""
    wanted = set(nodes)
    for allocation in context.snapshot.allocations():
        if allocation.conflicts and allocation.node in wanted:
            yield _conflict(context, allocation)


def _conflict(context: CheckContext, allocation: Allocation) -> Finding:
    others = ", ".join(f"{o.evidence} says {o.card}" for o in allocation.conflicts)
    pod = context.pods_by_key.get((allocation.namespace, allocation.pod))
    return Finding(
        check=CHECK,
        signal="views-differ",
        object=context.owner(pod) if pod else f"Pod/{allocation.namespace}/{allocation.pod}",
        node=allocation.node,
        card=allocation.card,
        namespace=allocation.namespace,
        pod=allocation.pod,
        source=f"{allocation.evidence} and {allocation.conflicts[0].evidence}",
        record=f"container {allocation.container}: {allocation.evidence} says {allocation.card}, "
        f"{others}",
    )


def _unreadable(context: CheckContext, nodes: Iterable[str]) -> Iterator[MissingInput]:
    """Nodes with a record that could not be read: what it promises or registers is not known."""
    for name in nodes:
        node = context.nodes.get(name)
        refused = _first(node.rejections if node else ()) or next(
            filter(None, (_first(p.rejections) for p in context.pods_by_node.get(name, ()))), None
        )
        if refused is not None:
            yield MissingInput(
                check=CHECK,
                input="annotation",
                node=name,
                reason=f"{refused.where}: {refused.message}",
            )


def _first(rejections: Iterable[Rejection]) -> Rejection | None:
    return next((r for r in rejections if r.source == _ANNOTATIONS), None)


def _unread(context: CheckContext) -> Iterator[MissingInput]:
    """What is missing for the whole of HAMi: its books, its Leases and who should renew them."""
    if not context.hami_nodes:
        return
    if not any(_books(context)):
        why = context.observations.silent.get((HAMI_SCHEDULER, ""), "")
        reason = ": ".join(filter(None, (why, _NO_BOOKS)))
        yield MissingInput(check=CHECK, input=f"{HAMI_SCHEDULER} page", reason=reason)
    yield from unread(context, CHECK, _LEASES, DEPLOYMENTS)

"""The pods of a pool: what each does and what it needs of one card. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gpuatlas.advice.pools import Pool
from gpuatlas.advice.work import MEMORY_AHEAD, Work, work_of
from gpuatlas.model.mig_models import compute_of, mig_model
from gpuatlas.model.readings import Known, value_of
from gpuatlas.model.snapshot import (
    Allocation,
    Card,
    PartitionKind,
    Snapshot,
    Workload,
    WorkloadId,
)

# Parts whose size is a limit in force: a pod that runs in one proves that it fits.
_LIMITED: Final = frozenset({PartitionKind.VGPU, PartitionKind.MIG})


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """One pod of the pool.

    `cards` counts distinct cards. `need` is the most memory that it uses on one card, or the limit
    within which a program runs that takes its memory ahead; None where neither is known, and then
    `ahead` says that the program takes memory ahead. `compute` is the most of one card that it
    uses, None where nobody measures it. `gang`: it starts only together with others.
    """

    namespace: str
    workload: WorkloadId | None
    runtime: str
    work: Work
    cards: int
    need: int | None
    ahead: bool
    compute: float | None
    gang: bool = False


def tenants_of(pool: Pool, owners: Owners) -> tuple[Tenant, ...]:
    """The pods that hold a part of the pool's cards, by namespace and name."""
    cards = {card.id: card for card in pool.cards}
    by_pod: dict[tuple[str, str], list[Allocation]] = defaultdict(list)
    for held in (*pool.allocations, *pool.unplaced):
        by_pod[held.namespace, held.pod].append(held)
    return tuple(_tenant(pod, held, cards, owners) for pod, held in sorted(by_pod.items()))


class Owners:
    """Workloads by pod, looked up namespace by namespace and only where pods are."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._namespaces = snapshot.namespaces
        self._found: dict[str, Mapping[str, Workload]] = {}

    def of(self, namespace: str, pod: str) -> Workload | None:
        """The workload of a pod, None where the snapshot does not tell."""
        if namespace not in self._found:
            self._found[namespace] = self._index(namespace)
        return self._found[namespace].get(pod)

    def _index(self, name: str) -> Mapping[str, Workload]:
        namespace = self._namespaces.get(name)
        if namespace is None:
            return {}
        workloads = {workload.id: workload for workload in namespace.workloads}
        return {p.pod: workloads[p.workload] for p in namespace.pods if p.workload in workloads}


def _tenant(
    pod: tuple[str, str], held: Sequence[Allocation], cards: Mapping[str, Card], owners: Owners
) -> Tenant:
    workload = owners.of(*pod)
    runtime = workload.runtime if workload else "unknown"
    takes_ahead = _takes_ahead(workload)
    need = _need(held, cards, takes_ahead=takes_ahead)
    return Tenant(
        namespace=pod[0],
        workload=workload.id if workload else None,
        runtime=runtime,
        work=work_of(workload.id.kind if workload else "", runtime),
        cards=len({allocation.card for allocation in held}),
        need=need,
        ahead=takes_ahead and need is None,
        compute=_compute(held, cards),
        gang=workload is not None and (workload.gang_min_members or 0) > 1,
    )


def _takes_ahead(workload: Workload | None) -> bool:
    """By what the spec says of it, else by what its runtime does unasked."""
    if workload is None:
        return False
    if workload.memory_ahead_setting:
        return workload.memory_ahead != 0
    return workload.runtime in MEMORY_AHEAD


def _need(
    held: Iterable[Allocation], cards: Mapping[str, Card], *, takes_ahead: bool
) -> int | None:
    """The most on one card; None as soon as one card's share is unknown."""
    by_card: dict[str, int] = defaultdict(int)
    for allocation in held:
        size = _limit(allocation, cards.get(allocation.card)) if takes_ahead else _used(allocation)
        if size is None:
            return None
        by_card[allocation.card] += size
    return max(by_card.values(), default=None)


def _used(allocation: Allocation) -> int | None:
    """The larger of the driver's and the sharing layer's view, as sizing has it (DESIGN 7)."""
    views = (allocation.memory_resident, allocation.memory_counted)
    return max((view.value for view in views if isinstance(view, Known)), default=None)


def _limit(allocation: Allocation, card: Card | None) -> int | None:
    parts = {part.id: part.kind for part in card.partitions} if card else {}
    if parts.get(allocation.partition) not in _LIMITED:
        return None
    return value_of(allocation.memory_reserved)


def _compute(held: Iterable[Allocation], cards: Mapping[str, Card]) -> float | None:
    """The most of one card; None as soon as a part is unknown."""
    found: list[float] = []
    for allocation in held:
        share = _share(allocation, cards.get(allocation.card))
        if share is None:
            return None
        found.append(share)
    return max(found, default=None)


def _share(allocation: Allocation, card: Card | None) -> float | None:
    """Of the card: an only tenant works as much as its card, an instance is measured by itself."""
    own = value_of(allocation.compute_utilization)
    if card is None:
        return own
    if own is None:
        return value_of(card.compute_utilization) if value_of(card.tenants) == 1 else None
    part = next((p for p in card.partitions if p.id == allocation.partition), None)
    if part is not None and part.kind is PartitionKind.MIG:
        own *= compute_of(part.profile, mig_model(card.model))
    return own

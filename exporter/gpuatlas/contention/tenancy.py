"""Which workloads share a card, or one hard partition of it. Pure.

A card that was shared a while ago is looked at as well: how its last tenant fares alone is what
its other minutes are compared with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.readings import Known
from gpuatlas.model.snapshot import (
    Allocation,
    Card,
    NodeSnapshot,
    Partition,
    PartitionKind,
    Snapshot,
    WorkloadId,
)

_WHOLE: Final = ""
_TWO: Final = 2

Owners = Mapping[tuple[str, str], WorkloadId]
Place = tuple[str, str, str]
"""Node, card and hard partition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedCard:
    """A card on which at least two workloads hold something, or did not long ago.

    `instance` is the hard partition that they share, "" where it is the card. `held` are the
    allocations of each workload, those of all its pods together.
    """

    card: Card
    instance: str
    held: Mapping[WorkloadId, tuple[Allocation, ...]]

    @property
    def place(self) -> Place:
        """What tells it from all others."""
        return (self.card.node, self.card.id, self.instance)

    @property
    def is_shared(self) -> bool:
        """Whether at least two workloads are on it now."""
        return len(self.held) >= _TWO


def shared_cards(
    snapshot: Snapshot,
    owns: Callable[[str], bool] = lambda node: True,
    before: Collection[Place] = (),
) -> Iterator[SharedCard]:
    """The shared cards of the nodes that `owns` takes, by node and card.

    `before` are places that were shared a while ago: with one workload they are given as well.
    """
    owners = owners_of(snapshot)
    for name in sorted(snapshot.nodes):
        if owns(name):
            yield from _of_node(snapshot.nodes[name], owners, before)


def pods_on_shared_cards(shared: Iterable[SharedCard]) -> frozenset[tuple[str, str]]:
    """(namespace, name) of the pods on these cards."""
    return frozenset(
        (held.namespace, held.pod)
        for card in shared
        for allocations in card.held.values()
        for held in allocations
    )


def owners_of(snapshot: Snapshot) -> Owners:
    """(namespace, pod) → its workload."""
    return {
        (pod.namespace, pod.pod): pod.workload
        for namespace in snapshot.namespaces.values()
        for pod in namespace.pods
    }


def _of_node(node: NodeSnapshot, owners: Owners, before: Collection[Place]) -> Iterator[SharedCard]:
    by_card: dict[str, list[Allocation]] = defaultdict(list)
    for allocation in node.allocations:
        by_card[allocation.card].append(allocation)
    for card in node.cards:
        for shared in _of_card(card, by_card.get(card.id, ()), owners):
            if shared.is_shared or shared.place in before:
                yield shared


def _of_card(card: Card, held: Iterable[Allocation], owners: Owners) -> Iterator[SharedCard]:
    hard = {part.id for part in card.partitions if _is_hard(part)}
    groups: dict[str, dict[WorkloadId, list[Allocation]]] = {}
    for allocation in held:
        instance = allocation.partition if allocation.partition in hard else _WHOLE
        tenants = groups.setdefault(instance, {})
        tenants.setdefault(_owner(allocation, owners), []).append(allocation)
    for instance in sorted(groups):
        tenants = groups[instance]
        ordered = {workload: tuple(tenants[workload]) for workload in sorted(tenants, key=_key)}
        yield SharedCard(card=card, instance=instance, held=ordered)


def _is_hard(part: Partition) -> bool:
    """MIG instances and other parts with memory of their own: their tenants share nothing."""
    if part.kind is PartitionKind.WHOLE:
        return False
    return part.kind is PartitionKind.MIG or isinstance(part.memory_physical, Known)


def _owner(allocation: Allocation, owners: Owners) -> WorkloadId:
    """The pod itself where its workload is not known."""
    pod = (allocation.namespace, allocation.pod)
    return owners.get(pod) or WorkloadId(
        namespace=allocation.namespace, api_group="", kind="Pod", name=allocation.pod
    )


def _key(workload: WorkloadId) -> tuple[str, str, str, str]:
    return (workload.namespace, workload.kind, workload.name, workload.api_group)

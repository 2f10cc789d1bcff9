"""Where limits depend on an interposer inside the container: soft shares, and who holds them. Pure.

HAMi's interposer (also Volcano's and, with its isolator, KAI's) is for NVIDIA cards, the Ascend
plugin has one for soft splitting. The modes `mig` and `mps`, and the other vendors' shares, know no
interposer: their cards are not looked at here (facts/hami.md 2.2, 6.3 I13; facts/errata.md, KAI).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from gpuatlas.checks.context import HAMI, CheckContext
from gpuatlas.checks.readings import NamedReading
from gpuatlas.model.objects import Container, Node, Pod
from gpuatlas.model.snapshot import Allocation, Card, PartitionKind, Sharing

VOLCANO: Final = str(Sharing.VOLCANO)
KAI: Final = str(Sharing.KAI)
SOFT_LAYERS: Final = frozenset({HAMI, VOLCANO, KAI})
_SOFT_PARTS: Final = frozenset({str(PartitionKind.VGPU), str(PartitionKind.FRACTION)})
_HARD_PARTS: Final = frozenset({PartitionKind.MIG, PartitionKind.MPS})
# facts/hami.md 2.1: the Ascend plugin says so on nodes that it splits in software.
_ASCEND_SOFT: Final = ("hami-vnpu-core", "true")


class Tenancy(NamedTuple):
    """A running container's soft share of a card."""

    pod: Pod
    allocation: Allocation
    card: Card


def is_split_in_software(node: Node) -> bool:
    """Whether the Ascend plugin keeps the tenants of the node's cards apart by its interposer."""
    key, value = _ASCEND_SOFT
    return node.annotations.get(key) == value


def is_soft(context: CheckContext, card: Card) -> bool:
    """Whether an interposer keeps the tenants of the card apart."""
    if str(card.sharing) not in SOFT_LAYERS or any(p.kind in _HARD_PARTS for p in card.partitions):
        return False
    if card.vendor == "ascend":
        node = context.nodes.get(card.node)
        return node is not None and is_split_in_software(node)
    return card.vendor == "nvidia"


def soft_nodes(context: CheckContext) -> tuple[str, ...]:
    """Names of the nodes with soft shares, sorted.

    A node of such a layer whose cards nobody names now is one: its tenants are still there.
    """
    return tuple(
        name
        for name, layers in sorted(context.layers.items())
        if layers & SOFT_LAYERS and _has_soft_cards(context, name)
    )


def _has_soft_cards(context: CheckContext, node: str) -> bool:
    joined = context.snapshot.nodes.get(node)
    cards = joined.cards if joined is not None else ()
    shared = [card for card in cards if str(card.sharing) in SOFT_LAYERS]
    return not shared or any(is_soft(context, card) for card in shared)


def soft_tenancies(context: CheckContext) -> Iterator[Tenancy]:
    """All soft shares that containers hold now, by node and card.

    An init container gives its share back before the others start, and nobody measures it.
    """
    for card in context.snapshot.cards():
        if not is_soft(context, card):
            continue
        for allocation in context.allocations_by_card.get((card.node, card.id), ()):
            pod = context.pods_by_key.get((allocation.namespace, allocation.pod))
            if pod is None or not pod.holds or pod.node != card.node:
                continue
            if allocation.partition in _SOFT_PARTS and not _is_init(pod, allocation.container):
                yield Tenancy(pod, allocation, card)


def running(pod: Pod) -> Mapping[str, Container]:
    """The containers that run for the pod's whole life, by name."""
    return {container.name: container for container in pod.containers if container.kind != "init"}


def _is_init(pod: Pod, name: str) -> bool:
    return bool(name) and name not in running(pod)


def readings_of(context: CheckContext, tenancy: Tenancy) -> tuple[NamedReading, ...]:
    """What the node's monitor counts for the share.

    Where the layer does not say which container has it, the whole pod's readings on the card count,
    if the pod has no other share of that card (as `join.counted` has it).
    """
    pod, allocation, card = tenancy
    found = context.monitors.on_card(pod.key, card.id)
    if allocation.container:
        return tuple(r for r in found if r.container == allocation.container)
    shares = context.allocations_by_card[card.node, card.id]
    alone = sum((a.namespace, a.pod) == pod.key for a in shares) == 1
    names = running(pod)
    return tuple(r for r in found if r.container in names) if alone else ()


def limit_of(readings: tuple[NamedReading, ...]) -> int | None:
    """Bytes that the interposer lets the share have; 0 means no limit, None that nobody says.

    Of several containers the sum; one without a limit makes the whole unlimited.
    """
    limits = [reading.value.limit_bytes for reading in readings]
    known = [limit for limit in limits if limit is not None]
    if not limits or len(known) < len(limits):
        return None
    return 0 if 0 in known else sum(known)

"""The inputs of the nodes' safe overcommit ratio. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.sizing import NodeDemand
from gpuatlas.model.snapshot import Sharing
from gpuatlas.sources.history import names
from gpuatlas.sources.history.daily import Daily
from gpuatlas.sources.history.labels import CardKey, NodeKey
from gpuatlas.sources.history.present import Present

WorkloadName = tuple[str, str, str]
"""Namespace, kind and name."""

# Layers that promise parts of a card's memory; elsewhere nothing could be promised twice.
_LAYERS: Final = frozenset({Sharing.HAMI, Sharing.VOLCANO, Sharing.KAI})
_NO_SIZE: Final = Unknown("the memory of one of its cards is not known: no driver metrics")
_NO_PROMISES: Final = Unknown("what is promised on one of its cards is not known")
_NO_DEMAND: Final = Unknown(f"nothing was recorded: {names.DEMAND} has no series of it")
_NO_HOST: Final = Unknown(f"nothing was recorded: {names.HOST_AVAILABLE} has no series of it")


def demands_of(present: Present, daily: Daily, at: float) -> tuple[NodeDemand, ...]:
    """The nodes on which a sharing layer promises memory, by cluster and name.

    No layer that we know tells whether it moves idle tenants' memory to the host; the open-source
    ones do not (facts/hami.md 5.6).
    """
    return tuple(
        NodeDemand(
            node=node.node,
            cluster=node.cluster,
            sharing=sharing,
            allocated=_of_cards(node, present, present.card_allocated, _NO_PROMISES, at),
            physical=_of_cards(node, present, present.card_memory, _NO_SIZE, at),
            demand=_over_days(daily.demand.get(node), max, _NO_DEMAND, names.DEMAND),
            host_available=_over_days(
                daily.host_available.get(node), min, _NO_HOST, names.HOST_AVAILABLE
            ),
            cards=_cards_of(node, present),
            days=round(sum(daily.demand_known.get(node, {}).values()), 3),
        )
        for node, sharing in sorted(present.node_sharing.items())
        if _LAYERS & set(sharing.split(","))
    )


def _of_cards(
    node: NodeKey, present: Present, values: Mapping[CardKey, int], unknown: Unknown, at: float
) -> Reading[int]:
    """The sum over all cards of a node, unknown where it is of one of them."""
    cards = present.node_cards.get(node, set())
    known = [values[card] for card in cards if card in values]
    return Known(sum(known), at, "recorded") if cards and len(known) == len(cards) else unknown


def _cards_of(node: NodeKey, present: Present) -> tuple[tuple[int, int], ...]:
    """Physical and promised memory of each card, none where that of one is not known."""
    physical, promised = present.card_memory, present.card_allocated
    cards = sorted(present.node_cards.get(node, ()))
    if not all(card in physical and card in promised for card in cards):
        return ()
    return tuple((physical[card], promised[card]) for card in cards)


def _over_days(
    row: Mapping[float, int] | None,
    worst: Callable[[Iterable[int]], int],
    unknown: Unknown,
    name: str,
) -> Reading[int]:
    if not row:
        return unknown
    value = worst(row.values())
    return Known(value, max(at for at, each in row.items() if each == value), name)


def promises_of(present: Present) -> dict[NodeKey, dict[WorkloadName, int]]:
    """Node → workload → bytes of the largest promise that one of its containers has on one card."""
    found: defaultdict[NodeKey, dict[WorkloadName, int]] = defaultdict(dict)
    for node, workload, memory in _promises(present):
        row = found[node]
        row[workload] = max(row.get(workload, 0), memory)
    return dict(found)


def _promises(present: Present) -> Iterator[tuple[NodeKey, WorkloadName, int]]:
    for container, held in present.held.items():
        memory = present.reserved.get(container)
        if memory:
            workload = container.workload
            for card in {one.card for one in held}:
                yield NodeKey(card.cluster, card.node), workload[1:], memory

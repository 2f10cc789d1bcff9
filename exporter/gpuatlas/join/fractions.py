"""Holdings of KAI's fractions: parts of a card that only the scheduler's book-keeping keeps apart.

The pod's labels and annotations are the tenant's to write. A group names a card only by way of the
reservation pod on the same node, which lives where tenants cannot create pods (facts/k8s.md 1.9).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from gpuatlas.join.holding import Holding
from gpuatlas.join.places import NodeView
from gpuatlas.model.claims import Fraction
from gpuatlas.model.objects import Pod
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.snapshot import Evidence, PartitionKind

# Portions are written with a few digits: three thirds may add up to a little more than 1.
_ROUNDING: Final = 0.001
RECEIVED: Final = "Fraction"  # KAI writes it together with the label of the group
_VENDOR: Final = "nvidia"  # KAI shares cards of no other vendor


def fraction_holdings(pod: Pod, fraction: Fraction, view: NodeView) -> Iterator[Holding]:
    """The pod's parts of cards, and one holding without a card for those that nothing names."""
    groups = fraction.groups if fraction.received == RECEIVED else ()
    cards = {
        reservation.card: group
        for group in groups
        if (reservation := view.inputs.groups.get(group)) is not None
        and reservation.card in view.cards
    }
    for card in sorted(cards):
        yield Holding(
            pod=pod,
            container=fraction.container,
            init=False,
            vendor=_VENDOR,
            card=card,
            kind=PartitionKind.FRACTION,
            partition=str(PartitionKind.FRACTION),
            evidence=Evidence.RESERVATION,
            memory_bytes=fraction.memory_bytes,
            portion=fraction.portion,
        )
    missing = fraction.devices - len(cards)
    if missing > 0:
        yield Holding(
            pod=pod,
            container=fraction.container,
            init=False,
            vendor=_VENDOR,
            card="",
            kind=PartitionKind.FRACTION,
            partition="",
            evidence=Evidence.UNKNOWN,
            reason=_why(fraction, view),
            count=missing,
            contender=False,
        )


def _why(fraction: Fraction, view: NodeView) -> str:
    if fraction.received != RECEIVED:
        return f"its annotation received-resource-type does not say that KAI gave it a {RECEIVED}"
    if not fraction.groups:
        return "it asks KAI for a part of a card and carries no label runai-gpu-group"
    group = next((g for g in fraction.groups if g not in view.inputs.groups), fraction.groups[0])
    return f"no reservation pod of KAI on node {view.node.name} names a card for group {group}"


def unnamed_reservations(view: NodeView) -> list[Holding]:
    """KAI's reservations that hold one of the node's cards and do not say which.

    KAI writes the card on the pod once that runs. They are no tenants, but no card that could be
    theirs is free.
    """
    return [
        Holding(
            pod=pod,
            container="",
            init=False,
            vendor=_VENDOR,
            card="",
            kind=PartitionKind.FRACTION,
            partition="",
            evidence=Evidence.UNKNOWN,
            reason="KAI holds a card with it and nothing says which",
        )
        for pod in view.inputs.pods
        if pod.holds and pod.reservation is not None and pod.reservation.card not in view.cards
    ]


def oversubscribed(holdings: Iterable[Holding]) -> dict[str, Rejection]:
    """Cards whose fractions add up to more than the card: somebody changed an annotation.

    KAI places no more than one card's worth, so the sum says nothing; whose figure is wrong nobody
    can tell.
    """
    portions: dict[str, float] = defaultdict(float)
    for holding in holdings:
        if holding.card and holding.portion is not None:
            portions[holding.card] += holding.portion
    return {
        card: Rejection(
            "join",
            "fractions-exceed-card",
            f"card {card}",
            f"KAI fractions of {total:.2f} cards in all: an annotation gpu-fraction was changed "
            "after the pod was placed",
        )
        for card, total in portions.items()
        if total > 1 + _ROUNDING
    }

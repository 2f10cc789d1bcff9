"""Which card each of KAI's groups has, by its reservation pods. Pure; nothing here raises."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from gpuatlas.model.claims import Reservation
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.units import clean_text

GroupKey = tuple[str, str]

SOURCE: Final = "kai"
CONTRADICTION: Final = "contradiction"


def cards_of_groups(
    reservations: Iterable[Reservation],
) -> tuple[Mapping[GroupKey, Reservation], tuple[Rejection, ...]]:
    """(node, group) → the reservation that names the group's card there.

    By node, because a tenant can write any group on its own pod: it counts where the card is. Two
    reservations of one group in different places (facts/errata.md, KAI) are reported; where both
    are on one node the group has no card. `reservations` are those of pods that hold their card
    (`Pod.holds`).
    """
    places: dict[str, dict[tuple[str, str], Reservation]] = defaultdict(dict)
    for found in sorted(reservations, key=lambda r: (r.group, r.namespace, r.pod)):
        if found.card and found.node:
            places[found.group].setdefault((found.node, found.card), found)
    cards: dict[GroupKey, Reservation] = {}
    rejections = []
    for group, found_at in places.items():
        on_node = Counter(node for node, _ in found_at)
        cards |= {(n, group): found for (n, _), found in found_at.items() if on_node[n] == 1}
        if len(found_at) > 1:
            rejections.append(_different_cards(group, found_at.values()))
    return cards, tuple(rejections)


def _different_cards(group: str, reservations: Iterable[Reservation]) -> Rejection:
    pods = ", ".join(f"{found.pod} on {found.node}" for found in reservations)
    message = f"reservations of one group name different cards: {pods}"
    where = clean_text(f"group {group}")
    return Rejection(SOURCE, CONTRADICTION, where, clean_text(message))

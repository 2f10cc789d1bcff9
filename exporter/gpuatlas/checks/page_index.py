"""Which cards the driver lists on which node, by the DCGM pages. Pure.

A page that names no node of its own is of the node on which the join found its cards.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gpuatlas.model.pages import CardReading, DcgmPage


class Listed(NamedTuple):
    """A card on a DCGM page, and the page's name for messages."""

    reading: CardReading
    target: str


def listed_cards(
    pages: Iterable[DcgmPage], node_of_card: Mapping[str, str]
) -> Mapping[str, Mapping[str, Listed]]:
    """Node → card → how a DCGM page lists it."""
    found: dict[str, dict[str, Listed]] = defaultdict(dict)
    for page in pages:
        for card, reading in page.cards.items():
            node = page.node or node_of_card.get(card, "")
            if node:
                found[node].setdefault(card, Listed(reading, page.target))
    return dict(found)

"""One card on several pages: two exporters on a node, or two scrapes of one.

Both the operator's exporter and a cloud's own may run, and a Prometheus may scrape one exporter by
two jobs (facts/dcgm.md 1.2). Their values are of different instants and must not be mixed.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from gpuatlas.model.pages import CardReading, DcgmPage

# (node, card); the node is "" where no two nodes name the card.
_Place: TypeAlias = tuple[str, str]
_DISPUTED: Final = 2


def _values(card: CardReading) -> int:
    return len(card.fields) + sum(len(instance.fields) for instance in card.instances)


def without_repeats(pages: Sequence[DcgmPage]) -> tuple[DcgmPage, ...]:
    """The pages in their order, each card only where most is said of it, of equals on the newest.

    Pages of two nodes are no repeats of each other: whose card it is, is the join's to say, and the
    page that says more must not take it from its node. A page of which nothing is left is dropped.
    """
    nodes: dict[str, set[str]] = {}
    for page in pages:
        for name in page.cards:
            nodes.setdefault(name, set()).update({page.node} - {""})
    best: dict[_Place, tuple[int, float, int]] = {}
    for index, page in enumerate(pages):
        for name, card in page.cards.items():
            place = _place(page, name, nodes)
            rank = (_values(card), page.at, -index)
            best[place] = max(best.get(place, rank), rank)
    kept = {
        (-index, place[1])
        for place, (_, _, index) in best.items()
        if place[0] or len(nodes[place[1]]) < _DISPUTED
    }
    reduced = (_reduced(page, index, kept) for index, page in enumerate(pages))
    return tuple(page for page in reduced if page is not None)


def _place(page: DcgmPage, card: str, nodes: Mapping[str, set[str]]) -> _Place:
    """What repeats of one card have in common: the node, where several nodes name the card."""
    return (page.node if len(nodes[card]) >= _DISPUTED else "", card)


def _reduced(page: DcgmPage, index: int, kept: Container[tuple[int, str]]) -> DcgmPage | None:
    cards = {name: card for name, card in page.cards.items() if (index, name) in kept}
    if len(cards) == len(page.cards):
        return page
    return replace(page, cards=cards) if cards else None

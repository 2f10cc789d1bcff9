"""One card on several pages: two exporters on a node, or two scrapes of one.

Both the operator's exporter and a cloud's own may run, and a Prometheus may scrape one exporter by
two jobs (facts/dcgm.md 1.2). Their values are of different instants and must not be mixed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gpuatlas.model.pages import CardReading, DcgmPage


def _values(card: CardReading) -> int:
    return len(card.fields) + sum(len(instance.fields) for instance in card.instances)


def without_repeats(pages: Sequence[DcgmPage]) -> tuple[DcgmPage, ...]:
    """The pages in their order, each card only where most is said of it, of equals on the newest.

    A page of which nothing is left is dropped.
    """
    best: dict[str, tuple[int, float, int]] = {}
    for index, page in enumerate(pages):
        for name, card in page.cards.items():
            rank = (_values(card), page.at, -index)
            best[name] = max(best.get(name, rank), rank)
    kept = (_reduced(page, index, best) for index, page in enumerate(pages))
    return tuple(page for page in kept if page is not None)


def _reduced(
    page: DcgmPage, index: int, best: Mapping[str, tuple[int, float, int]]
) -> DcgmPage | None:
    cards = {name: card for name, card in page.cards.items() if best[name][2] == -index}
    if len(cards) == len(page.cards):
        return page
    return replace(page, cards=cards) if cards else None

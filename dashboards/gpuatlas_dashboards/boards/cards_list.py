"""Every card in a row of its own, to be sorted and filtered."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.boards import cards_queries as queries
from gpuatlas_dashboards.boards.cards_chain import workload_links
from gpuatlas_dashboards.links import BoardId, Link, board_url, column
from gpuatlas_dashboards.panels.fields import (
    Cell,
    Field,
    state_codes,
    step,
    without_domain,
    without_vendor,
)
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.transformations import columns, merge
from gpuatlas_dashboards.texts.shapes.cards import CardsTexts
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.tokens import Colour, Unit
from gpuatlas_dashboards.workload_variables import KEY

# Full, and promised beyond.
_SHARES: Final = [step(Colour.USED), step(Colour.OVERCOMMITTED, 1.0001)]


def card_list(texts: CardsTexts, language: Language, *, height: int) -> Panel:
    """The cards that the map shows, worst first."""
    shared = language.shared.columns
    names = {"Value #cards": shared["state"]}
    names |= {name: shared[name] for name in ("node", "index", "model", "sharing")}
    names |= {"Value #tenants": shared["tenants"]}
    names |= {f"Value #{name}": texts.columns[name] for name in ("promised", "resident", "compute")}
    names |= {"card": "UUID"}
    return table(
        texts.list,
        [
            Query(expr=queries.LISTED, ref="cards", table=True),
            *(Query(expr=e, ref=n, table=True) for n, e in queries.LISTED_VALUES.items()),
        ],
        Look(
            unit=Unit.TEXT,
            transformations=[merge(), *columns(list(names), names)],
            fields=[
                Field(
                    name=shared["state"],
                    width=120,
                    cell=Cell.BACKGROUND,
                    cell_options={"mode": "basic"},
                    mappings=[state_codes(language.shared.states)],
                    links=[_open(texts, language)],
                ),
                Field(name=shared["node"], width=140, mappings=[without_domain()]),
                Field(name=shared["index"], width=80),
                Field(name=shared["model"], width=150, mappings=[without_vendor()]),
                Field(name=shared["sharing"], width=100),
                Field(name=shared["tenants"], unit=Unit.CARDS, width=120),
                *(_share(texts.columns[n]) for n in ("promised", "resident", "compute")),
                Field(name="UUID", links=[_open(texts, language)], custom={"minWidth": 150}),
            ],
        ),
        width=24,
        height=height,
        sort=shared["state"],
        descending=True,
        filterable=True,
    )


def unplaced(texts: CardsTexts, language: Language, *, height: int) -> Panel:
    """Pods that hold a card or a share, and nobody can tell of which."""
    shared = language.shared.columns
    names = {name: shared[name] for name in ("node", "namespace", "workload", "pod", "container")}
    return table(
        texts.unplaced,
        [Query(expr=queries.UNPLACED, table=True)],
        Look(
            unit=Unit.TEXT,
            transformations=columns([*names, KEY], names),
            fields=workload_links(texts, language, widths={"workload": 250, "pod": 350}),
        ),
        width=24,
        height=height,
        filterable=True,
    )


def _share(name: str) -> Field:
    return Field(
        name=name,
        unit=Unit.RATIO,
        decimals=0,
        low=0,
        high=1,
        cell=Cell.GAUGE,
        cell_options={"mode": "basic", "valueDisplayMode": "text"},
        thresholds=_SHARES,
        width=120,
    )


def _open(texts: CardsTexts, language: Language) -> Link:
    url = board_url(BoardId.CARDS, language.suffix, keep=("node", "state"), card=column("UUID"))
    return Link(title=texts.open_card, url=url)

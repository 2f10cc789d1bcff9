"""The map: a row for each node, a tile for each card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas_dashboards.boards import cards_queries as queries
from gpuatlas_dashboards.links import BoardId, Link, board_url, column
from gpuatlas_dashboards.panels.fields import (
    Cell,
    Field,
    Match,
    blank,
    state_codes,
    state_text,
    text_of_pattern,
    without_domain,
    without_vendor,
)
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.transformations import convert, join_by, matrix, organise, sort_by
from gpuatlas_dashboards.texts.shapes.cards import CardsTexts
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.tokens import STATE_COLOURS, State, Unit

# Most nodes have 4 or 8 cards, the largest 16; a card beyond stands there without a link.
MOST_LINKED: Final = 16
_MOST: Final = 64


def card_map(texts: CardsTexts, language: Language, *, width: int, height: int) -> Panel:
    """Every card by node and index."""
    return table(
        texts.map,
        [
            Query(expr=queries.NODES, ref="nodes", table=True),
            Query(expr=queries.TILES, ref="tiles", table=True),
            Query(expr=queries.TILE_CARDS, ref="cards", table=True),
        ],
        Look(
            unit=Unit.TEXT,
            transformations=[
                convert("index", "number", ref="tiles"),
                sort_by("index", ref="tiles"),
                matrix(row="row", column="index", value="tile", ref="tiles"),
                matrix(row="row", column="slot", value="card", ref="cards"),
                organise(rename={"row\\index": "row", "row\\slot": "row"}, drop=["Time"]),
                join_by("row"),
                organise(first=["node", *map(str, range(_MOST)), "model", "Value #nodes"]),
            ],
            fields=[*_node_columns(texts, language), *_tile_columns(texts, language)],
        ),
        width=width,
        height=height,
        sort=language.shared.columns["node"],
        min_width=82,
        frozen=1,
    )


def _node_columns(texts: CardsTexts, language: Language) -> list[Field]:
    shared = language.shared
    only_node = board_url(
        BoardId.CARDS, language.suffix, keep=("card", "state"), node=column("node")
    )
    return [
        Field(name="row", hidden=True),
        Field(
            name="node",
            title=shared.columns["node"],
            mappings=[without_domain()],
            custom={"minWidth": 110},
            links=[Link(title=texts.only_node, url=only_node)],
        ),
        Field(
            name="model",
            title=shared.columns["model"],
            width=140,
            mappings=[without_vendor()],
        ),
        Field(
            name="Value #nodes",
            title=texts.columns["worst"],
            width=110,
            align="left",
            cell=Cell.BACKGROUND,
            cell_options={"mode": "basic"},
            mappings=[state_codes(shared.states)],
        ),
        Field(name="/^card /", match=Match.REGEX, hidden=True),
    ]


def _tile_columns(texts: CardsTexts, language: Language) -> list[Field]:
    words = language.shared.states
    tile = Field(
        name="/^\\d+$/",
        match=Match.REGEX,
        align="left",
        cell=Cell.BACKGROUND,
        cell_options={"mode": "basic"},
        empty=" ",
        mappings=[
            *blank(),
            *(
                mapping
                for state in State
                for mapping in (
                    text_of_pattern(
                        f"/^{state}\\|([1-9]\\d*)$/",
                        f"{_tile_text(state, words)} $1",
                        STATE_COLOURS[state],
                    ),
                    text_of_pattern(
                        f"/^{state}\\|.*$/", _tile_text(state, words), STATE_COLOURS[state]
                    ),
                )
            ),
        ],
    )
    links = [
        Field(
            name=str(index),
            links=[
                Link(
                    title=texts.open_card,
                    url=board_url(
                        BoardId.CARDS,
                        language.suffix,
                        keep=("node", "state"),
                        card=column(f"card {index}"),
                    ),
                )
            ],
        )
        for index in range(MOST_LINKED)
    ]
    return [tile, *links]


def _tile_text(state: State, words: Mapping[State, str]) -> str:
    """The word; only a failed card has room for its mark as well."""
    return state_text(state, words) if state is State.FAILED else words[state]

"""The chosen check: what it finds, why it fires or cannot look, where, and who feels it."""

from __future__ import annotations

from gpuatlas_dashboards.boards.checks_findings import (
    SINCE,
    index_field,
    node_field,
)
from gpuatlas_dashboards.boards.checks_findings_queries import advice_keys, findings, pods
from gpuatlas_dashboards.boards.checks_queries import title_keys
from gpuatlas_dashboards.boards.checks_tables import page_field
from gpuatlas_dashboards.boards.checks_words import ChecksWords
from gpuatlas_dashboards.links import Link, runbook_url
from gpuatlas_dashboards.panels import check_mappings
from gpuatlas_dashboards.panels.fields import Field, text_of_pattern
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query, query_of
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.stat import Say, state_tile
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.transformations import columns, highest, join_rows, sort_by
from gpuatlas_dashboards.scopes import CHECK
from gpuatlas_dashboards.signals import check
from gpuatlas_dashboards.tokens import Unit


def chosen_state(words: ChecksWords, *, width: int, height: int) -> Panel:
    """A tile with its state."""
    return state_tile(
        words.board.chosen,
        query_of(check.STATE, CHECK, instant=True),
        check_mappings.check_state_codes(words.shared.check_states),
        width=width,
        height=height,
        say=Say.VALUE,
    )


def chosen_title(words: ChecksWords, *, width: int, height: int) -> Panel:
    """What it finds, with the way to its runbook."""
    board = words.board
    return table(
        board.finds,
        [Query(expr=title_keys(), table=True)],
        Look(
            unit=Unit.TEXT,
            transformations=columns(["finds", "page"]),
            fields=[
                Field(
                    name="finds",
                    wrap=True,
                    mappings=[
                        text_of_pattern(rf"/^{id_}\|.*$/", title)
                        for id_, title in words.catalogue.titles.items()
                    ],
                    links=[Link(title=board.open_runbook, url=runbook_url("page"))],
                ),
                page_field(),
            ],
        ),
        width=width,
        height=height,
        header=False,
    )


def chosen_advice(words: ChecksWords, *, width: int, height: int) -> Panel:
    """What to do about each signal that fires, and about each input that is missing."""
    board = words.board
    mappings = [
        *check_mappings.with_places(words.advice, ()),
        *(text_of_pattern(pattern, text) for pattern, text in board.lacks.items()),
    ]
    return table(
        board.advice,
        [Query(expr=advice_keys(CHECK), table=True)],
        Look(
            unit=Unit.TEXT,
            transformations=[sort_by("Value", descending=True), *columns(["advice"])],
            fields=[Field(name="advice", wrap=True, mappings=mappings)],
        ),
        width=width,
        height=height,
        header=False,
    )


def chosen_places(words: ChecksWords, *, width: int, height: int) -> Panel:
    """Where it fires, with a row for each pod that feels it."""
    board, of_check = words.board, 'check=~"$check"'
    place = ("who", "node", "index", "card")
    return table(
        board.places,
        [
            Query(expr=findings(of_check), ref="findings", table=True),
            Query(expr=pods(of_check), ref="pods", table=True),
        ],
        Look(
            unit=Unit.TEXT,
            transformations=[
                highest(place, "Value #findings", ref="findings"),
                join_rows("who"),
                *columns(["node", "index", "owner", SINCE, "card"]),
            ],
            fields=[
                node_field(words, width=80),
                index_field(words),
                Field(name="card", hidden=True),
                Field(
                    name="owner",
                    title=board.pods,
                    wrap=True,
                    mappings=[check_mappings.texts(board.nobody_named)],
                ),
                Field(
                    name=SINCE,
                    title=words.language.of(check.SINCE).title,
                    unit=Unit.AGO,
                    width=118,
                ),
            ],
        ),
        width=width,
        height=height,
    )

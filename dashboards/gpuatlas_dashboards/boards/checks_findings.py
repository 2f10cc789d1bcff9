"""Everything that fires: a row for each finding, with its pods, its record and what to do."""

from __future__ import annotations

from gpuatlas_dashboards.boards import checks_findings_queries as queries
from gpuatlas_dashboards.boards.checks_tables import page_field, signal_field
from gpuatlas_dashboards.boards.checks_words import ChecksWords
from gpuatlas_dashboards.links import BoardId, Link, board_url, column
from gpuatlas_dashboards.panels import check_mappings
from gpuatlas_dashboards.panels.fields import Cell, Field
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.transformations import (
    columns,
    group,
    highest,
    join_rows,
    sort_by,
)
from gpuatlas_dashboards.signals import check
from gpuatlas_dashboards.tokens import Unit

SINCE = "Value #findings (max)"
# The columns of the query; one without rows leaves no table, so that the panel says why.
_COLUMNS = (
    "who", "what", "grade", "name", "where", "action", "page", "check",
)  # fmt: skip
_PODS, _RECORDS = "owner (uniqueValues)", "quote (uniqueValues)"
_ORDER = ("grade", "name", "where", _PODS, SINCE, _RECORDS, "action", "page", "check")


def node_field(words: ChecksWords, *, width: int) -> Field:
    """A node, with a link to its cards."""
    url = board_url(BoardId.CARDS, words.language.suffix, node=column("node"))
    return Field(
        name="node",
        title=words.shared.columns["node"],
        width=width,
        links=[Link(title=words.board.open_node, url=url)],
    )


def index_field(words: ChecksWords) -> Field:
    """The number of a card on its node, with a link to the card."""
    url = board_url(BoardId.CARDS, words.language.suffix, card=column("card"))
    return Field(
        name="index",
        title=words.board.index,
        width=56,
        links=[Link(title=words.board.open_card, url=url)],
    )


def findings(words: ChecksWords, *, height: int) -> Panel:
    """The work list."""
    return table(
        words.board.findings,
        [
            Query(expr=queries.findings(), ref="findings", table=True),
            Query(expr=queries.pods(), ref="pods", table=True),
            Query(expr=queries.records(), ref="records", table=True),
        ],
        Look(
            unit=Unit.TEXT,
            transformations=[
                highest(_COLUMNS, "Value #findings", ref="findings"),
                *group(["who"], "owner", ref="pods"),
                *group(["what"], "quote", ref="records"),
                join_rows("who", "findings|pods"),
                join_rows("what"),
                sort_by(SINCE, descending=True),
                sort_by("grade"),
                *columns(list(_ORDER)),
            ],
            fields=_fields(words),
        ),
        width=24,
        height=height,
    )


def _fields(words: ChecksWords) -> list[Field]:
    board = words.board
    return [
        Field(
            name="grade",
            title=words.shared.columns["severity"],
            width=76,
            align="left",
            cell=Cell.BACKGROUND,
            cell_options={"mode": "basic"},
            mappings=[check_mappings.grades(words.shared.severities)],
        ),
        signal_field(words, width=132),
        Field(name="where", title=board.where, width=132, wrap=True),
        Field(
            name=_PODS,
            title=board.pods,
            width=180,
            wrap=True,
            mappings=[check_mappings.texts(board.nobody_named)],
        ),
        Field(name=SINCE, title=words.language.of(check.SINCE).title, unit=Unit.AGO, width=108),
        Field(name=_RECORDS, title=board.record, wrap=True),
        Field(
            name="action",
            title=board.cause_and_action,
            wrap=True,
            mappings=check_mappings.with_places(words.advice, queries.PLACES),
        ),
        page_field(),
        Field(name="check", hidden=True),
    ]

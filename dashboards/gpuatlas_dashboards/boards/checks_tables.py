"""The two groups of checks: a row for each, with its state."""

from __future__ import annotations

from gpuatlas_dashboards.boards.checks_queries import scope
from gpuatlas_dashboards.boards.checks_words import ChecksWords
from gpuatlas_dashboards.links import BoardId, Link, board_url, column, runbook_url
from gpuatlas_dashboards.panels import check_mappings
from gpuatlas_dashboards.panels.fields import Cell, Field, text_of_pattern
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.transformations import columns, merge, sort_by
from gpuatlas_dashboards.signals import check
from gpuatlas_dashboards.tokens import Unit

_STATE, _SINCE, _FOUND = "Value #state", "Value #since", "Value #found"


def layer_table(words: ChecksWords, layer: str, *, width: int, height: int) -> Panel:
    """Checks of one layer; a click chooses one."""
    within = scope(f'layer="{layer}"')
    named = f'label_replace({check.STATE.within(within)}, "name", "$1", "check", "(.*)")'
    return table(
        words.board.layers[layer],
        [
            Query(expr=named, ref="state", table=True),
            Query(expr=check.SINCE.within(within), ref="since", table=True),
            Query(expr=check.FINDINGS.within(within), ref="found", table=True),
        ],
        Look(
            unit=Unit.TEXT,
            transformations=[
                merge(),
                sort_by("check"),
                *columns(["check", "name", _STATE, _FOUND, _SINCE]),
            ],
            fields=_fields(words),
        ),
        width=width,
        height=height,
    )


def _fields(words: ChecksWords) -> list[Field]:
    of = words.language.of
    return [
        check_field(words),
        name_field(words),
        Field(
            name=_STATE,
            title=of(check.STATE).title,
            width=122,
            align="left",
            cell=Cell.BACKGROUND,
            cell_options={"mode": "basic"},
            mappings=[check_mappings.check_state_codes(words.shared.check_states)],
        ),
        Field(name=_FOUND, title=words.board.findings_short, width=56, unit=Unit.COUNT),
        Field(name=_SINCE, title=of(check.SINCE).title, width=104, unit=Unit.AGO),
    ]


def check_field(words: ChecksWords) -> Field:
    """The check's id, which chooses it."""
    url = board_url(BoardId.CHECKS, words.language.suffix, check=column("check"))
    return Field(
        name="check",
        title=words.board.number,
        width=62,
        links=[Link(title=words.board.choose, url=url)],
    )


def name_field(words: ChecksWords, *, width: int | None = None) -> Field:
    """The check's name, which chooses it, too."""
    return Field(
        name="name",
        title=words.board.name,
        width=width,
        mappings=[check_mappings.texts(words.catalogue.names)],
        links=check_field(words).links,
    )


def signal_field(words: ChecksWords, *, width: int) -> Field:
    """Check and signal, as in "H07 Thermal throttling: hw-time", of the column `name`."""
    runbook = Link(title=words.board.open_runbook, url=runbook_url("page"))
    return Field(
        name="name",
        title=words.shared.columns["check"],
        width=width,
        wrap=True,
        mappings=[
            text_of_pattern(rf"/^{id_}\|(.+)$/", f"{id_} {name}: $1")
            for id_, name in words.catalogue.names.items()
        ],
        links=[*check_field(words).links, runbook],
    )


def page_field() -> Field:
    """Where the links to runbooks find their path."""
    return Field(name="page", hidden=True, mappings=[check_mappings.runbook_pages()])

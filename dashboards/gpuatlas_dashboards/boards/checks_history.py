"""What fired in the time range, and for how long."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.boards.checks_findings import index_field, node_field
from gpuatlas_dashboards.boards.checks_findings_queries import last_seen, lasted
from gpuatlas_dashboards.boards.checks_tables import page_field, signal_field
from gpuatlas_dashboards.boards.checks_words import ChecksWords
from gpuatlas_dashboards.panels import check_mappings
from gpuatlas_dashboards.panels.fields import Field, texts_of_values
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.timeline import state_timeline
from gpuatlas_dashboards.panels.transformations import columns, highest, join_rows
from gpuatlas_dashboards.scopes import CLUSTER
from gpuatlas_dashboards.signals import check
from gpuatlas_dashboards.tokens import Unit

# Each check is judged at least that often; a day of minutes would take a second to read.
_STEP: Final = "2m"
_FIRED: Final = (
    f'max_over_time(check:gpuatlas_check_state:max{{{CLUSTER}, state="firing"}}[$__range] @ end())'
)


# The columns of the longer query: see `checks_findings`.
_SHOWN: Final = ("cluster", "name", "node", "index", "object")
_COLUMNS: Final = ("key", *_SHOWN, "card", "check", "page")


def history(words: ChecksWords) -> list[Panel]:
    return [_timeline(words), _fired(words)]


def _timeline(words: ChecksWords) -> Panel:
    return state_timeline(
        words.board.timeline,
        [
            Query(
                expr=f"{check.STATE.within(CLUSTER)}\nand on (check) {_FIRED} > 0",
                legend=check.STATE.legend,
                interval=_STEP,
            ),
            # A band that says so; without any, Grafana would speak of a missing field.
            Query(
                expr=f"vector(-1) unless on () (max({_FIRED}) > 0)",
                legend=words.board.no_check,
                interval=_STEP,
            ),
        ],
        Look(
            mappings=[
                check_mappings.check_state_codes(words.shared.check_states),
                texts_of_values({"-1": (words.board.timeline.empty, "transparent")}),
            ],
            fields=[
                Field(name=id_, title=f"{id_} {name}")
                for id_, name in words.catalogue.names.items()
            ],
        ),
        width=24,
        height=11,
    )


def _fired(words: ChecksWords) -> Panel:
    last, duration = "Value #last (max)", "Value #lasted (max)"
    return table(
        words.board.fired,
        [
            Query(expr=lasted(), ref="lasted", table=True),
            Query(expr=last_seen(), ref="last", table=True),
        ],
        Look(
            unit=Unit.TEXT,
            transformations=[
                highest(_COLUMNS, "Value #lasted", ref="lasted"),
                highest(["key"], "Value #last", ref="last"),
                join_rows("key"),
                *columns(
                    [
                        "cluster",
                        "name",
                        "node",
                        "index",
                        "object",
                        duration,
                        last,
                        "card",
                        "check",
                        "page",
                    ]
                ),
            ],
            fields=[
                Field(name="cluster", title=words.shared.variables["cluster"], width=100),
                signal_field(words, width=290),
                Field(name="check", hidden=True),
                page_field(),
                node_field(words, width=110),
                index_field(words),
                Field(name="object", title=words.board.object),
                Field(name=duration, title=words.board.fired_for, unit=Unit.DURATION, width=130),
                Field(name=last, title=words.board.last, unit=Unit.DATE, width=170),
                Field(name="card", hidden=True),
            ],
        ),
        width=24,
        height=9,
        sort=words.board.last,
        descending=True,
    )

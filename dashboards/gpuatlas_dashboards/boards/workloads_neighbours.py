"""Who else is on the chosen workload's cards, and the records of what is found on it."""

from __future__ import annotations

from gpuatlas_dashboards.boards import workloads_queries as queries
from gpuatlas_dashboards.boards.workloads_table import show_workload, workload_state_field
from gpuatlas_dashboards.links import BoardId, Link, board_url, column
from gpuatlas_dashboards.panels.fields import (
    Field,
    texts_of_values,
    without_domain,
)
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.transformations import columns, merge
from gpuatlas_dashboards.promql import NONE
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.texts.shapes.workloads import WorkloadsTexts
from gpuatlas_dashboards.tokens import State, Unit
from gpuatlas_dashboards.workload_variables import KEY


def workload_neighbours(texts: WorkloadsTexts, language: Language) -> Panel:
    """A row for each neighbour on each card."""
    shared, own = language.shared.columns, texts.columns
    names = {"workload": shared["workload"], "Value #state": shared["state"]}
    names |= {name: shared[name] for name in ("node", "index")}
    names |= {f"Value #{name}": own[name] for name in ("reserved", "used", "compute")}
    names |= {"namespace": shared["namespace"]}
    return table(
        texts.neighbours,
        [
            Query(expr=queries.NEIGHBOURS, ref="neighbours", table=True),
            *(Query(expr=e, ref=ref, table=True) for ref, e in queries.NEIGHBOUR_VALUES.items()),
        ],
        Look(
            unit=Unit.TEXT,
            transformations=[merge(), *columns([*names, "card", KEY], names)],
            fields=_neighbour_fields(texts, language),
        ),
        width=18,
        height=8,
        sort=shared["index"],
    )


def _neighbour_fields(texts: WorkloadsTexts, language: Language) -> list[Field]:
    shared, own = language.shared.columns, texts.columns
    unknown = language.shared.states[State.UNKNOWN]
    card = board_url(BoardId.CARDS, language.suffix, card=column("card"))
    return [
        Field(
            name=shared["workload"],
            width=150,
            mappings=[texts_of_values({NONE: (texts.no_neighbour, "")})],
            links=[show_workload(texts, language)],
        ),
        workload_state_field(language, width=100),
        Field(name=shared["node"], width=90, mappings=[without_domain()]),
        Field(
            name=shared["index"],
            width=72,
            links=[Link(title=texts.open_card, url=card)],
        ),
        *(
            Field(name=own[name], unit=Unit.BYTES, decimals=1, width=86, empty="–")
            for name in ("reserved", "used")
        ),
        Field(name=own["compute"], unit=Unit.RATIO, decimals=0, width=122, empty=unknown),
        *(Field(name=name, hidden=True) for name in ("card", KEY)),
    ]


def workload_records(texts: WorkloadsTexts, language: Language) -> Panel:
    """The original records that the findings on it quote."""
    shared, own = language.shared.columns, texts.columns
    names = {"check": shared["check"], "object": own["object"]}
    names |= {"source": own["source"], "record": own["record"]}
    return table(
        texts.findings,
        [Query(expr=queries.FINDINGS, table=True)],
        Look(
            unit=Unit.TEXT,
            transformations=columns(list(names), names),
            fields=[
                Field(name=shared["check"], width=70),
                Field(name=own["object"], width=200),
                Field(name=own["source"], width=150),
                Field(name=own["record"], wrap=True),
            ],
        ),
        width=24,
        height=7,
    )

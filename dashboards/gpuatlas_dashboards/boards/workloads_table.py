"""The table: one row for each workload."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.boards import workloads_queries as queries
from gpuatlas_dashboards.boards.workloads_slowed_queries import SLOWED_BY
from gpuatlas_dashboards.boards.workloads_summary import FILTERS
from gpuatlas_dashboards.links import BoardId, Link, board_url, column
from gpuatlas_dashboards.panels.fields import (
    Cell,
    Field,
    blank,
    step,
    text_of_pattern,
    texts_of_values,
    unknown_if_absent,
)
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.transformations import columns, merge, series_to_sparkline
from gpuatlas_dashboards.panels.workload_state import workload_state_codes
from gpuatlas_dashboards.promql import NONE
from gpuatlas_dashboards.signals import workload
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.texts.shapes.workloads import WorkloadsTexts
from gpuatlas_dashboards.tokens import WORKLOAD_STATE_COLOURS, Colour, State, Unit, WorkloadState
from gpuatlas_dashboards.workload_variables import KEY, key_column

_SIGNALS: Final = {
    "state": workload.STATE,
    "memory": workload.MEMORY_OCCUPANCY,
    "compute": workload.COMPUTE_OCCUPANCY,
    "share": workload.COMPUTE_RESERVED,
    "pods": workload.PODS,
    "gang": workload.GANG,
}
# Of hourly means, and for hundreds of rows.
_TREND_STEP: Final = "20m"
# Columns in order, by the names that the queries give them.
_ORDER: Final = (
    "workload", "Value #state", "namespace", "Value #memory", "Value #what", "Value #compute",
    "Value #share", "Trend #trend", "slowed", "Value #cards", "Value #pods", "workload_kind",
    "runtime", "scheduler", "queue", "Value #gang", "Value #waiting", "reason", "card", KEY,
)  # fmt: skip
_HIDDEN: Final = ("card", KEY)
# A number that there is none of, as of a promise.
_NONE: Final = unknown_if_absent("–")


def workload_table(texts: WorkloadsTexts, language: Language, *, height: int) -> Panel:
    """The workloads that the filters leave, worst state first."""
    return table(
        texts.table,
        [
            Query(expr=queries.WHAT, ref="what", table=True),
            *(
                Query(expr=queries.filled(queries.listed_values(signal)), ref=ref, table=True)
                for ref, signal in _SIGNALS.items()
            ),
            Query(expr=queries.CARDS, ref="cards", table=True),
            Query(expr=queries.WAITING, ref="waiting", table=True),
            Query(expr=SLOWED_BY, ref="slowed", table=True),
            Query(expr=queries.TREND, ref="trend", interval=_TREND_STEP),
        ],
        Look(
            unit=Unit.TEXT,
            transformations=[
                *series_to_sparkline("trend"),
                merge(),
                *columns(_ORDER, _titles(texts, language)),
            ],
            fields=_fields(texts, language),
        ),
        width=24,
        height=height,
        sort=language.shared.columns["state"],
        descending=True,
        frozen=1,
        min_width=50,
    )


def _titles(texts: WorkloadsTexts, language: Language) -> dict[str, str]:
    """Of every column that is shown."""
    shared = language.shared.columns
    names = {name: name.rpartition("#")[2] for name in _ORDER if name not in _HIDDEN}
    names["Value #what"] = "reserved"
    return {name: texts.columns.get(short) or shared[short] for name, short in names.items()}


def _fields(texts: WorkloadsTexts, language: Language) -> list[Field]:
    return [
        *_names(texts, language),
        *_amounts(texts, language),
        *_where(texts, language),
        *(Field(name=name, hidden=True) for name in _HIDDEN),
    ]


def _names(texts: WorkloadsTexts, language: Language) -> list[Field]:
    """Columns that are chosen from a few words; they can be filtered."""
    shared, own = language.shared.columns, texts.columns
    return [
        Field(
            name=shared["workload"],
            width=180,
            filterable=True,
            mappings=[texts_of_values({NONE: (texts.no_workload, "")})],
            links=[show_workload(texts, language)],
        ),
        workload_state_field(language, width=112, filterable=True),
        Field(name=shared["namespace"], width=124, filterable=True),
        Field(
            name=own["slowed"],
            width=170,
            filterable=True,
            mappings=slowed_by(texts),
            cell=Cell.COLOURED_TEXT,
        ),
        Field(name=shared["workload_kind"], width=130, filterable=True),
        Field(name=own["runtime"], width=104, filterable=True),
        Field(name=own["scheduler"], width=126, filterable=True),
        Field(name=own["queue"], width=104, filterable=True),
        Field(name=own["reason"], width=180, filterable=True),
    ]


def show_workload(texts: WorkloadsTexts, language: Language) -> Link:
    """From a row with the column `KEY` to its workload below, filters as they are."""
    url = board_url(
        BoardId.WORKLOADS,
        language.suffix,
        keep=(*FILTERS, "workload_state"),
        workload=key_column(),
    )
    return Link(title=texts.show_workload, url=url)


def _amounts(texts: WorkloadsTexts, language: Language) -> list[Field]:
    """What is reserved and what of it is in use."""
    own, unknown = texts.columns, language.shared.states[State.UNKNOWN]
    return [
        used_of_reserved(own["memory"], workload.MEMORY_OCCUPANCY.colour, unknown),
        Field(name=own["reserved"], unit=Unit.BYTES, decimals=0, width=78, mappings=[_NONE]),
        used_of_reserved(own["compute"], workload.COMPUTE_OCCUPANCY.colour, unknown),
        Field(name=own["share"], unit=Unit.COUNT, decimals=1, width=84, mappings=[_NONE]),
        Field(
            name=own["trend"],
            width=100,
            unit=Unit.COUNT,
            decimals=1,
            colour=workload.COMPUTE.colour,
            cell=Cell.SPARKLINE,
            cell_options={"hideValue": True, "lineWidth": 1, "fillOpacity": 20},
            empty=unknown,
        ),
    ]


def _where(texts: WorkloadsTexts, language: Language) -> list[Field]:
    """Counts of what it runs on, and what it waits for."""
    own = texts.columns
    card = board_url(BoardId.CARDS, language.suffix, card=column("card"))
    return [
        Field(
            name=own["cards"],
            width=56,
            unit=Unit.CARDS,
            links=[Link(title=texts.open_card, url=card)],
            mappings=[_NONE],
        ),
        *(
            Field(name=own[n], width=54, unit=Unit.CARDS, mappings=[_NONE])
            for n in ("pods", "gang")
        ),
        Field(
            name=own["waiting"],
            width=88,
            unit=Unit.SECONDS,
            decimals=0,
            mappings=[_NONE],
            cell=Cell.COLOURED_TEXT,
            colour=WORKLOAD_STATE_COLOURS[WorkloadState.WAITING],
        ),
    ]


def workload_state_field(
    language: Language, *, width: int, filterable: bool | None = None
) -> Field:
    """The column of codes in words and colours."""
    return Field(
        name=language.shared.columns["state"],
        width=width,
        align="left",
        cell=Cell.BACKGROUND,
        cell_options={"mode": "basic"},
        mappings=[*blank(), workload_state_codes(language.shared.workload_states)],
        filterable=filterable,
    )


def used_of_reserved(name: str, colour: str, unknown: str, *, width: int = 120) -> Field:
    """A bar that is full where all that there is to use is used or promised, and red beyond."""
    return Field(
        name=name,
        unit=Unit.RATIO,
        decimals=0,
        low=0,
        high=1,
        width=width,
        cell=Cell.GAUGE,
        cell_options={"mode": "basic", "valueDisplayMode": "text"},
        thresholds=[step(colour), step(Colour.OVERCOMMITTED, 1.0001)],
        # Without a colour of its own, nothing would be drawn as a little.
        mappings=[unknown_if_absent(unknown, Colour.PLAIN)],
    )


def slowed_by(texts: WorkloadsTexts) -> list[dict[str, object]]:
    """`name|grade` in words; red from grade 3 on."""
    red = WORKLOAD_STATE_COLOURS[WorkloadState.SLOWED]
    return [
        texts_of_values(
            {
                "nobody": (texts.nobody, "text"),
                "unmeasured": (texts.not_measured_yet, Colour.PHYSICAL),
            }
        ),
        unknown_if_absent(texts.not_measured_yet, Colour.PHYSICAL),
        *(
            text_of_pattern(f"/^(.+)\\|{grade}$/", f"$1 · {word}", red if grade > "2" else "text")
            for grade, word in texts.grades.items()
        ),
        text_of_pattern("/^\\|0$/", texts.no_suspect, "text"),
    ]

"""Why workloads are slow: who slows whom, and the alerts on the cards of the chosen one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpuatlas_dashboards.boards import workloads_queries
from gpuatlas_dashboards.boards import workloads_slowed_queries as queries
from gpuatlas_dashboards.boards.workloads_summary import FILTERS
from gpuatlas_dashboards.links import BoardId, Link, board_url, column
from gpuatlas_dashboards.panels.fields import (
    Cell,
    Field,
    severities,
    step,
    texts_of_values,
    unknown_if_absent,
)
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.timeseries import time_series
from gpuatlas_dashboards.panels.transformations import columns, highest, join_rows, sort_by
from gpuatlas_dashboards.texts.shapes.words import Language, Words
from gpuatlas_dashboards.texts.shapes.workloads import WorkloadsTexts
from gpuatlas_dashboards.tokens import WORKLOAD_STATE_COLOURS, Unit, WorkloadState
from gpuatlas_dashboards.workload_variables import KEY, SUSPECT_KEY, key_column

_RED = WORKLOAD_STATE_COLOURS[WorkloadState.SLOWED]
# DESIGN 8: nothing is alerted of below it.
_FOUNDED = "3"


def who_slows_whom(texts: WorkloadsTexts, language: Language, *, height: int) -> Panel:
    """A row for each pair of the time range, by grade, the longest of each first."""
    named = {"workload": texts.columns["victim"], "namespace": language.shared.columns["namespace"]}
    return _pairs(
        texts.pairs,
        (queries.PAIRS, queries.PAIRS_NOW),
        {**named, **_suspect_columns(texts)},
        (KEY, SUSPECT_KEY),
        [
            Field(name=named["workload"], links=[_open(texts, language, KEY)]),
            *_suspect_fields(texts, language),
        ],
        (24, height),
    )


def why_slow(texts: WorkloadsTexts, language: Language) -> list[Panel]:
    """Of the chosen workload: neighbours at the left, hardware at the right."""
    suspects = _pairs(
        texts.suspects,
        (queries.SUSPECTS, queries.SUSPECTS_NOW),
        _suspect_columns(texts),
        (SUSPECT_KEY,),
        _suspect_fields(texts, language),
        (12, 7),
    )
    return [suspects, _alerts(texts, language)]


def _pairs(
    words: Words,
    asked: tuple[str, str],
    names: Mapping[str, str],
    keys: Sequence[str],
    fields: Sequence[Field],
    size: tuple[int, int],
) -> Panel:
    """Who is suspected, for how long and now; without anybody, the panel says so."""
    seconds, now = "Value #pairs (max)", "Value #now (max)"
    labels = [*names, *keys, queries.PAIR]
    return table(
        words,
        [
            Query(expr=expr, ref=ref, table=True)
            for ref, expr in zip(("pairs", "now"), asked, strict=True)
        ],
        Look(
            unit=Unit.TEXT,
            transformations=[
                highest(labels, "Value #pairs", ref="pairs"),
                highest([queries.PAIR], "Value #now", ref="now"),
                join_rows(queries.PAIR),
                sort_by(seconds, descending=True),
                # The rows of one grade keep their order.
                sort_by("grade", descending=True),
                *columns([*names, now, seconds, *keys], names),
            ],
            fields=[*fields, *(Field(name=key, hidden=True) for key in keys)],
        ),
        width=size[0],
        height=size[1],
    )


def _suspect_columns(texts: WorkloadsTexts) -> Mapping[str, str]:
    own = texts.columns
    return {
        "suspect": own["suspect"],
        "suspect_namespace": own["suspect_namespace"],
        "grade": own["grade"],
    }


def _suspect_fields(texts: WorkloadsTexts, language: Language) -> list[Field]:
    own = texts.columns
    grades = {
        grade: (word, _RED if grade >= _FOUNDED else "text") for grade, word in texts.grades.items()
    }
    return [
        Field(
            name=own["suspect"],
            width=150,
            mappings=[texts_of_values({"": (texts.no_suspect, "")})],
            links=[_open(texts, language, SUSPECT_KEY)],
        ),
        Field(name=own["suspect_namespace"]),
        Field(
            name=own["grade"],
            width=92,
            cell=Cell.COLOURED_TEXT,
            mappings=[texts_of_values(grades)],
        ),
        Field(
            name="Value #now (max)",
            title=own["now"],
            unit=Unit.RATIO,
            decimals=0,
            low=0,
            high=1,
            width=100,
            cell=Cell.GAUGE,
            cell_options={"mode": "basic", "valueDisplayMode": "text"},
            thresholds=[step(_RED)],
            mappings=[unknown_if_absent("–", "transparent")],
        ),
        Field(
            name="Value #pairs (max)",
            title=own["duration"],
            unit=Unit.SECONDS,
            decimals=0,
            width=86,
        ),
    ]


def _open(texts: WorkloadsTexts, language: Language, key: str) -> Link:
    url = board_url(
        BoardId.WORKLOADS,
        language.suffix,
        keep=(*FILTERS, "workload_state"),
        workload=key_column(key),
    )
    return Link(title=texts.show_workload, url=url)


def _alerts(texts: WorkloadsTexts, language: Language) -> Panel:
    shared = language.shared.columns
    names = {"alertname": texts.columns["alert"], "severity": shared["severity"]}
    names |= {"Value": shared["since"], "node": shared["node"], "pod": shared["pod"]}
    check = board_url(BoardId.CHECKS, language.suffix, check=column("shown"))
    return table(
        texts.alerts,
        [Query(expr=workloads_queries.ALERTS, table=True)],
        Look(
            unit=Unit.TEXT,
            transformations=columns([*names, "shown"], names),
            fields=[
                Field(
                    name=texts.columns["alert"],
                    links=[Link(title=texts.open_check, url=check)],
                ),
                Field(
                    name=shared["severity"],
                    width=78,
                    cell=Cell.BACKGROUND,
                    cell_options={"mode": "basic"},
                    mappings=[severities(language.shared.severities)],
                ),
                Field(name=shared["since"], unit=Unit.AGO, width=115, align="left"),
                Field(name=shared["node"], width=90),
                Field(name="shown", hidden=True),
            ],
        ),
        width=12,
        height=7,
    )


def slowed_over_time(texts: WorkloadsTexts, *, width: int) -> Panel:
    """A line for each suspect: a second counts for each of its suspects, so they do not add up."""
    return time_series(
        texts.slowed_over_time,
        [Query(expr=queries.OVER_TIME, legend="{{suspect_namespace}} / {{suspect}}")],
        Look(
            unit=Unit.RATIO,
            low=0,
            high=1,
            palette=True,
            # What the legend makes of a slowdown without a suspect.
            fields=[Field(name=" / ", title=texts.no_suspect)],
        ),
        width=width,
    )

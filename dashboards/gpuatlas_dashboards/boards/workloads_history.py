"""The chosen workload over the time range."""

from __future__ import annotations

from gpuatlas_dashboards.boards import workloads_queries as queries
from gpuatlas_dashboards.boards.workloads_slowed import slowed_over_time
from gpuatlas_dashboards.panels.fields import Field, Match, state_codes, unknown_if_absent
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.timeline import state_timeline
from gpuatlas_dashboards.panels.timeseries import time_series
from gpuatlas_dashboards.panels.workload_state import workload_state_codes
from gpuatlas_dashboards.scopes import CHOSEN_WORKLOAD
from gpuatlas_dashboards.signals import workload
from gpuatlas_dashboards.signals.signal import Signal
from gpuatlas_dashboards.texts.shapes.words import Language, Words
from gpuatlas_dashboards.texts.shapes.workloads import WorkloadsTexts
from gpuatlas_dashboards.tokens import Colour, Unit

# Promises hold until they change.
_PROMISES = (workload.MEMORY_RESERVED, workload.COMPUTE_RESERVED)


def workload_history(texts: WorkloadsTexts, language: Language) -> list[Panel]:
    """Memory, compute, memory by pod and slowed, then the states of it and of its cards."""
    memory = (workload.MEMORY_RESERVED, workload.MEMORY_USED)
    compute = (workload.COMPUTE_RESERVED, workload.COMPUTE)
    return [
        _lines(texts.memory_over_time, memory, language),
        _lines(texts.compute_over_time, compute, language),
        time_series(
            texts.memory_by_pod,
            [Query(expr=queries.MEMORY_BY_POD, legend="{{pod}}")],
            Look(unit=Unit.BYTES, low=0, palette=True),
            width=12,
        ),
        slowed_over_time(texts, width=12),
        state_timeline(
            texts.states_over_time,
            [
                Query(
                    expr=f"max({workload.STATE.within(CHOSEN_WORKLOAD)}) or vector(NaN)",
                    legend=texts.its_state,
                    ref="workload",
                ),
                Query(expr=queries.CARD_STATES, legend="{{node}} / {{index}}", ref="cards"),
            ],
            Look(
                mappings=[state_codes(language.shared.states)],
                fields=[
                    Field(
                        name="workload",
                        match=Match.REF,
                        mappings=[
                            unknown_if_absent(texts.no_record, Colour.PLAIN),
                            workload_state_codes(language.shared.workload_states),
                        ],
                    )
                ],
            ),
            width=24,
            height=6,
        ),
    ]


def _lines(words: Words, signals: tuple[Signal, ...], language: Language) -> Panel:
    return time_series(
        words,
        [_query(signal, language) for signal in signals],
        Look(unit=signals[0].unit, low=0, fields=[_field(signal) for signal in signals]),
        width=12,
    )


def _query(signal: Signal, language: Language) -> Query:
    """Of several runs the sum."""
    expr = f"sum({signal.within(CHOSEN_WORKLOAD)})"
    return Query(expr=expr, ref=signal.name, legend=language.of(signal).label)


def _field(signal: Signal) -> Field:
    promise = {
        "lineInterpolation": "stepAfter",
        "lineStyle": {"fill": "dash", "dash": [8, 6]},
        "fillOpacity": 0,
    }
    return Field(
        name=signal.name,
        match=Match.REF,
        colour=signal.colour,
        custom=promise if signal in _PROMISES else None,
    )

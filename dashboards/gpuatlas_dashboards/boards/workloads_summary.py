"""The line above the table: how many workloads are in each state, and sums of what they hold."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.links import BoardId, Link, board_url
from gpuatlas_dashboards.panels.fields import Field, Match, step, unknown_if_absent
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.stat import Paint, Say, stat
from gpuatlas_dashboards.panels.workload_state import workload_state_text
from gpuatlas_dashboards.scopes import CLUSTER, WORKLOADS
from gpuatlas_dashboards.signals import workload
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.texts.shapes.workloads import WorkloadsTexts
from gpuatlas_dashboards.tokens import WORKLOAD_STATE_COLOURS, Colour, State, WorkloadState

_SUMS: Final = (
    workload.MEMORY_RESERVED,
    workload.MEMORY_WASTED,
    workload.COMPUTE_RESERVED,
    workload.COMPUTE,
)
FILTERS: Final = ("namespace", "workload_kind")


def workload_states(texts: WorkloadsTexts, language: Language, *, width: int) -> Panel:
    """A tile for each state; a click leaves only its workloads in the table."""
    words = language.shared.workload_states
    return stat(
        texts.states,
        [
            Query(
                expr=_count(state),
                ref=state.value,
                legend=workload_state_text(state, words),
                instant=True,
            )
            for state in reversed(WorkloadState)
        ],
        Look(fields=[_state_field(texts, language, state) for state in WorkloadState]),
        width=width,
        height=3,
        paint=Paint.BACKGROUND,
        say=Say.BOTH,
    )


def _count(state: WorkloadState) -> str:
    """Workloads in a state; 0 only where our exporter tells them."""
    known = f'workload:gpuatlas_workload_state:with_checks{{{WORKLOADS}, state="{state}"}}'
    return f"count({known}) or 0 * count(gpuatlas_build_info{{{CLUSTER}}})"


def _state_field(texts: WorkloadsTexts, language: Language, state: WorkloadState) -> Field:
    url = board_url(
        BoardId.WORKLOADS,
        language.suffix,
        keep=(*FILTERS, "workload"),
        workload_state=state.value,
    )
    return Field(
        name=state.value,
        match=Match.REF,
        thresholds=[step(Colour.PLAIN), step(WORKLOAD_STATE_COLOURS[state], 1)],
        links=[Link(title=texts.only_state, url=url)],
    )


def workload_totals(texts: WorkloadsTexts, language: Language, *, width: int) -> Panel:
    """Sums over the workloads of the chosen namespaces and kinds."""
    return stat(
        texts.totals,
        [
            Query(
                expr=f"sum({signal.within(WORKLOADS)}) or vector(NaN)",
                ref=signal.name,
                legend=language.of(signal).title,
                instant=True,
            )
            for signal in _SUMS
        ],
        Look(
            decimals=1,
            mappings=[unknown_if_absent(language.shared.states[State.UNKNOWN])],
            fields=[Field(name=signal.name, match=Match.REF, unit=signal.unit) for signal in _SUMS],
        ),
        width=width,
        height=3,
        say=Say.BOTH,
    )

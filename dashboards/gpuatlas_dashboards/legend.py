"""The text legend: what each state looks like and means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from gpuatlas_dashboards.panels.check_mappings import check_state_text
from gpuatlas_dashboards.panels.fields import state_text
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.text import text
from gpuatlas_dashboards.panels.workload_state import workload_state_text
from gpuatlas_dashboards.texts.shapes.words import SharedTexts, Words
from gpuatlas_dashboards.tokens import (
    CHECK_STATE_COLOURS,
    STATE_COLOURS,
    WIDTH,
    WORKLOAD_STATE_COLOURS,
    CheckState,
    State,
    WorkloadState,
)

_CHIP = (
    "display:inline-block;padding:0 8px;margin-right:6px;border-radius:3px;"
    "border:1px solid {border};background:{background};color:{ink};font-weight:600"
)


def state_legend(
    words: Words, shared: SharedTexts, *, width: int = WIDTH, height: int = 2
) -> Panel:
    """A chip for each state of a card, worst first, with its meaning beside it."""
    entries = [
        _entry(state_text(state, shared.states), STATE_COLOURS[state], shared.state_meanings[state])
        for state in reversed(State)
    ]
    return _legend(words, entries, width=width, height=height)


def workload_state_legend(
    words: Words, shared: SharedTexts, *, width: int = WIDTH, height: int = 2
) -> Panel:
    """The same for the states of a workload."""
    entries = [
        _entry(
            workload_state_text(state, shared.workload_states),
            WORKLOAD_STATE_COLOURS[state],
            shared.workload_state_meanings[state],
        )
        for state in reversed(WorkloadState)
    ]
    return _legend(words, entries, width=width, height=height)


def _legend(words: Words, entries: Sequence[str], *, width: int, height: int) -> Panel:
    html = f'<div style="font-size:12px;line-height:1.6">{"".join(entries)}</div>'
    return text(words, html, width=width, height=height)


def _entry(name: str, colour: str, meaning: str) -> str:
    return (
        f'<span style="display:inline-block;margin:2px 18px 2px 0">'
        f'<span style="{_chip_style(colour)}">{escape(name)}</span>'
        f"{escape(meaning)}</span>"
    )


def _chip_style(colour: str) -> str:
    outlined = colour == STATE_COLOURS[State.FREE]
    return _CHIP.format(
        border="#8E8E9B" if outlined else colour,
        background=colour,
        ink="inherit" if outlined else "#FFFFFF",
    )


def check_state_legend(
    words: Words,
    shared: SharedTexts,
    meanings: Mapping[CheckState, str],
    *,
    width: int = WIDTH,
    height: int = 2,
) -> Panel:
    """The same for the states of a check."""
    entries = [
        _entry(
            check_state_text(state, shared.check_states),
            CHECK_STATE_COLOURS[state],
            meanings[state],
        )
        for state in CheckState
    ]
    return _legend(words, entries, width=width, height=height)

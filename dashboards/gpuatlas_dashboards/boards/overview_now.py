"""Now: cards by state, work that waits, checks by state."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.boards import overview_queries as queries
from gpuatlas_dashboards.links import BoardId, Link, board_url
from gpuatlas_dashboards.panels.fields import Field, Match, state_text, step, unknown_if_absent
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.stat import Paint, Say, stat
from gpuatlas_dashboards.scopes import CLUSTER
from gpuatlas_dashboards.signals import workload
from gpuatlas_dashboards.texts.shapes.overview import OverviewTexts
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.tokens import (
    CHECK_STATE_COLOURS,
    CHECK_STATE_MARKS,
    STATE_COLOURS,
    WORKLOAD_STATE_COLOURS,
    CheckState,
    Colour,
    State,
    Unit,
    WorkloadState,
)

_STATES: Final = "card:gpuatlas_card_state:with_checks"
# Among cards of which nobody tells who holds them, there may be free ones.
_FREE: Final = (
    f'count({_STATES}{{{CLUSTER}, state="free"}})'
    f' or 0 * count({_STATES}{{{CLUSTER}, state=~"working|idle"}})'
)


def card_states(texts: OverviewTexts, language: Language, *, width: int) -> Panel:
    """A tile for each state, which leads to its cards."""
    words = language.shared.states
    return stat(
        texts.states,
        [
            Query(
                expr=_cards_in(state),
                ref=state.value,
                legend=state_text(state, words),
                instant=True,
            )
            for state in reversed(State)
        ],
        Look(
            unit=Unit.CARDS,
            fields=[
                Field(
                    name=state.value,
                    match=Match.REF,
                    thresholds=[step(Colour.PLAIN), step(STATE_COLOURS[state], 1)],
                    links=[
                        Link(
                            title=texts.show_state,
                            url=board_url(BoardId.CARDS, language.suffix, state=state.value),
                        )
                    ],
                )
                for state in State
            ],
        ),
        width=width,
        height=3,
        paint=Paint.BACKGROUND,
        say=Say.BOTH,
    )


def _cards_in(state: State) -> str:
    """Cards in a state; 0 only where others are known."""
    known = f"0 * sum(cluster:gpuatlas_cards:count{{{CLUSTER}}})"
    return f'count({_STATES}{{{CLUSTER}, state="{state}"}}) or {known}'


def waiting_now(texts: OverviewTexts, language: Language, *, width: int) -> Panel:
    """How many wait and how long, beside the cards that are free."""
    waiting = WORKLOAD_STATE_COLOURS[WorkloadState.WAITING]
    url = board_url(BoardId.WORKLOADS, language.suffix, workload_state=WorkloadState.WAITING.value)
    return stat(
        texts.waiting_now,
        [
            Query(
                expr=f"{queries.WAITING_COUNT}\nor vector(NaN)",
                ref="waiting",
                legend=texts.waiting_count,
                instant=True,
            ),
            Query(
                expr=f"max({workload.WAITING.within(CLUSTER)})\nor vector(NaN)",
                ref="longest",
                legend=texts.longest,
                instant=True,
            ),
            Query(
                expr=f"{_FREE}\nor vector(NaN)",
                ref="free",
                legend=texts.free,
                instant=True,
            ),
        ],
        Look(
            mappings=[unknown_if_absent("–")],
            fields=[
                Field(
                    name="waiting",
                    match=Match.REF,
                    thresholds=[step(Colour.NEUTRAL), step(waiting, 1)],
                    mappings=[unknown_if_absent(language.shared.states[State.UNKNOWN])],
                    links=[Link(title=texts.show_waiting, url=url)],
                ),
                Field(name="longest", match=Match.REF, unit=Unit.SECONDS, decimals=0),
            ],
        ),
        width=width,
        height=3,
        paint=Paint.VALUE,
        say=Say.BOTH,
    )


def check_states(texts: OverviewTexts, language: Language, *, width: int) -> Panel:
    """A tile for each state of the 29 checks."""
    words = language.shared.check_states
    return stat(
        texts.checks,
        [
            Query(
                expr=queries.checks_in(state.value),
                ref=state.value,
                legend=f"{CHECK_STATE_MARKS[state]} {words[state]}",
                instant=True,
            )
            for state in CheckState
        ],
        Look(
            unit=Unit.CARDS,
            fields=[
                Field(
                    name=state.value,
                    match=Match.REF,
                    thresholds=[step(Colour.PLAIN), step(CHECK_STATE_COLOURS[state], 1)],
                )
                for state in CheckState
            ],
            links=[
                Link(
                    title=language.shared.open_board.format(board=language.shared.boards["checks"]),
                    url=board_url(BoardId.CHECKS, language.suffix),
                )
            ],
        ),
        width=width,
        height=3,
        paint=Paint.BACKGROUND,
        say=Say.BOTH,
    )

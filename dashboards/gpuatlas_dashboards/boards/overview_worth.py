"""Is sharing worth it here: what is held and never used, and how much of a day that rests on."""

from __future__ import annotations

from html import escape
from typing import Final

from gpuatlas_dashboards.boards import overview_queries as queries
from gpuatlas_dashboards.links import BoardId, Link, board_url
from gpuatlas_dashboards.panels.bar_gauge import bar_gauge
from gpuatlas_dashboards.panels.fields import (
    Field,
    Match,
    step,
    text_of_range,
    texts_of_values,
    unknown_if_absent,
)
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.stat import Paint, Say, stat
from gpuatlas_dashboards.panels.text import text
from gpuatlas_dashboards.scopes import CLUSTER
from gpuatlas_dashboards.signals import cluster
from gpuatlas_dashboards.signals.cluster import OBSERVED
from gpuatlas_dashboards.signals.signal import Signal
from gpuatlas_dashboards.texts.shapes.overview import OverviewTexts
from gpuatlas_dashboards.texts.shapes.words import Language, Words
from gpuatlas_dashboards.tokens import STATE_COLOURS, Colour, State, Unit

# Beside a few cards with room, sharing is a change for little; from a quarter on it pays.
_SOME: Final = 0.05
_MUCH: Final = 0.25
_ENOUGH_SECONDS: Final = 23 * 3600
_KNOWN_HEIGHT: Final = 3
_NEXT_HEIGHT: Final = 6

# What a day says needs the records of a day.
VERDICT: Final = (
    f"({cluster.ROOM_SHARE.within(CLUSTER)})"
    f"\nand on () ({OBSERVED.within(CLUSTER)}) >= {_ENOUGH_SECONDS}"
)

# The numbers behind the verdict, in the order in which they convince.
_REASONS: Final = (
    cluster.CARDS_WITH_ROOM,
    cluster.CARDS_IDLE_ALL_DAY,
    cluster.MEMORY_NEVER_USED,
    cluster.CARDS_NEVER_USED,
)
_MEMORY: Final = (
    cluster.MEMORY_PHYSICAL,
    cluster.MEMORY_ALLOCATED,
    cluster.MEMORY_PEAK,
    cluster.MEMORY_USED,
)
_COMPUTE: Final = (
    cluster.CARDS,
    cluster.COMPUTE_ALLOCATED,
    cluster.COMPUTE_BUSIEST_HOUR,
    cluster.COMPUTE_USED,
)
# Boards that there are, in the order in which a newcomer needs them.
NEXT: Final = (BoardId.CARDS, BoardId.WORKLOADS, BoardId.CHECKS, BoardId.SIZING)


def worth(texts: OverviewTexts, language: Language) -> Panel:
    """The verdict, the numbers that it rests on, and how much of a day those rest on."""
    unknown = unknown_if_absent(language.shared.states[State.UNKNOWN])
    return stat(
        texts.worth,
        [
            Query(
                expr=f"{VERDICT}\nor vector(NaN)",
                ref="verdict",
                legend=texts.verdict,
                instant=True,
            ),
            *(_query(signal, language.of(signal).label) for signal in (*_REASONS, OBSERVED)),
        ],
        Look(
            mappings=[unknown],
            fields=[
                _verdict(texts),
                *(_reason(signal) for signal in _REASONS),
                Field(
                    name=cluster.CARDS_IDLE_ALL_DAY.name,
                    match=Match.REF,
                    mappings=[unknown_if_absent(texts.needs_a_day)],
                    links=[_cards_in(State.IDLE, texts, language)],
                ),
                Field(
                    name=OBSERVED.name,
                    match=Match.REF,
                    unit=OBSERVED.unit,
                    decimals=0,
                    thresholds=[
                        step(STATE_COLOURS[State.UNKNOWN]),
                        step(STATE_COLOURS[State.WORKING], _ENOUGH_SECONDS),
                    ],
                ),
            ],
        ),
        width=24,
        height=4,
        say=Say.BOTH,
        paint=Paint.VALUE,
        text_size=24,
    )


def _reason(signal: Signal) -> Field:
    return Field(
        name=signal.name,
        match=Match.REF,
        unit=signal.unit,
        decimals=0 if signal.unit is Unit.CARDS else 1,
    )


def _query(signal: Signal, legend: str) -> Query:
    """One number; NaN where nobody measured, so that it is said and not left out."""
    return Query(
        expr=f"{signal.within(CLUSTER)}\nor vector(NaN)",
        ref=signal.name,
        legend=legend,
        instant=True,
    )


def _verdict(texts: OverviewTexts) -> Field:
    words = texts.verdicts
    return Field(
        name="verdict",
        match=Match.REF,
        mappings=[
            unknown_if_absent(texts.needs_a_day, STATE_COLOURS[State.UNKNOWN]),
            text_of_range(0, _SOME, words["little"], STATE_COLOURS[State.IDLE]),
            text_of_range(_SOME, _MUCH, words["some"], Colour.ALLOCATED),
            text_of_range(_MUCH, 1, words["much"], Colour.RESIDENT),
        ],
    )


def _cards_in(state: State, texts: OverviewTexts, language: Language) -> Link:
    url = board_url(BoardId.CARDS, language.suffix, state=state.value)
    return Link(title=texts.show_state, url=url)


def known(texts: OverviewTexts, *, width: int) -> Panel:
    """What is there to read."""
    lacking = STATE_COLOURS[State.UNKNOWN]
    colours = {"dcgm": lacking, "exporter": lacking, "sharing": Colour.NEUTRAL}
    found = texts_of_values({"1": (texts.present, STATE_COLOURS[State.WORKING])})
    return stat(
        texts.known,
        [
            Query(
                expr=f"{expr}\nor vector(NaN)",
                ref=name,
                legend=texts.sources[name],
                instant=True,
            )
            for name, expr in queries.SOURCES.items()
        ],
        Look(
            fields=[
                Field(
                    name=name,
                    match=Match.REF,
                    mappings=[found, unknown_if_absent(texts.absent[name], colour)],
                )
                for name, colour in colours.items()
            ],
        ),
        width=width,
        height=_KNOWN_HEIGHT,
        say=Say.BOTH,
        paint=Paint.VALUE,
        text_size=16,
    )


def memory_bars(texts: OverviewTexts, language: Language, *, width: int) -> Panel:
    """From what the cards have down to what is in use."""
    return _bars(texts.memory, _MEMORY, language, width=width)


def compute_bars(texts: OverviewTexts, language: Language, *, width: int) -> Panel:
    """The same for compute, in whole cards."""
    return _bars(texts.compute, _COMPUTE, language, width=width)


def _bars(words: Words, signals: tuple[Signal, ...], language: Language, *, width: int) -> Panel:
    return bar_gauge(
        words,
        [_query(signal, language.of(signal).label) for signal in signals],
        Look(
            unit=signals[-1].unit,
            decimals=1,
            # Without a colour of its own, nothing would be drawn as a little.
            mappings=[
                unknown_if_absent(language.shared.states[State.UNKNOWN], Colour.PLAIN),
            ],
            fields=[Field(name=s.name, match=Match.REF, colour=s.colour) for s in signals],
        ),
        width=width,
        height=_KNOWN_HEIGHT + _NEXT_HEIGHT,
    )


def next_boards(texts: OverviewTexts, language: Language, *, width: int) -> Panel:
    """A question for each board, which is the link to it."""
    entries = [
        f'<div style="margin:0 0 6px 0"><a href="{escape(board_url(board, language.suffix))}">'
        f"<b>{escape(language.shared.boards[board.value])}</b></a> "
        f"{escape(texts.questions[board.value])}</div>"
        for board in NEXT
    ]
    return text(texts.next, "".join(entries), width=width, height=_NEXT_HEIGHT, bare=False)

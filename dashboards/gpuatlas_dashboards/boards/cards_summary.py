"""The line above the map: how many cards are in each state, and sums of their memory."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.links import BoardId, Link, board_url
from gpuatlas_dashboards.panels.fields import Field, Match, state_text, step, unknown_if_absent
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.stat import Paint, Say, stat
from gpuatlas_dashboards.scopes import NODE
from gpuatlas_dashboards.signals import card, node
from gpuatlas_dashboards.texts.shapes.cards import CardsTexts
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.tokens import STATE_COLOURS, Colour, State, Unit

_SUMS: Final = (node.PHYSICAL, node.ALLOCATED, node.RESIDENT, card.OFFLOADED, card.OVERCOMMITTED)
_WARNING: Final = {card.OVERCOMMITTED: Colour.OVERCOMMITTED, card.OFFLOADED: Colour.OFFLOADED}


def card_states(texts: CardsTexts, language: Language, *, width: int) -> Panel:
    """A tile for each state; a click leaves only its cards in the map."""
    words = language.shared.states
    return stat(
        texts.states,
        [
            Query(
                expr=_count(state), ref=state.value, legend=state_text(state, words), instant=True
            )
            for state in reversed(State)
        ],
        Look(
            unit=Unit.CARDS,
            fields=[_state_field(texts, language, state) for state in State],
        ),
        width=width,
        height=3,
        paint=Paint.BACKGROUND,
        say=Say.BOTH,
    )


def _count(state: State) -> str:
    """Cards in a state; 0 only where cards are known."""
    return (
        f'count(card:gpuatlas_card_state:with_checks{{{NODE}, state="{state}"}})'
        f" or 0 * sum(node:gpuatlas_cards:count{{{NODE}}})"
    )


def _state_field(texts: CardsTexts, language: Language, state: State) -> Field:
    url = board_url(BoardId.CARDS, language.suffix, keep=("node", "card"), state=state.value)
    return Field(
        name=state.value,
        match=Match.REF,
        thresholds=[step(Colour.PLAIN), step(STATE_COLOURS[state], 1)],
        links=[Link(title=texts.only_state, url=url)],
    )


def card_memory(texts: CardsTexts, language: Language, *, width: int) -> Panel:
    """Sums over the chosen nodes."""
    return stat(
        texts.memory,
        [
            Query(
                expr=f"sum({signal.within(NODE)}) or vector(NaN)",
                ref=signal.name,
                legend=language.of(signal).label,
                instant=True,
            )
            for signal in _SUMS
        ],
        Look(
            unit=Unit.BYTES,
            decimals=1,
            mappings=[unknown_if_absent(language.shared.states[State.UNKNOWN])],
            fields=[
                Field(
                    name=signal.name,
                    match=Match.REF,
                    thresholds=[step(Colour.NEUTRAL), step(colour, 1)],
                )
                for signal, colour in _WARNING.items()
            ],
        ),
        width=width,
        height=3,
        paint=Paint.VALUE,
        say=Say.BOTH,
    )

"""The chosen card over the time range."""

from __future__ import annotations

from dataclasses import replace

from gpuatlas_dashboards.panels.fields import Field, Match, state_codes, unknown_if_absent
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query, query_of
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.timeline import state_timeline
from gpuatlas_dashboards.panels.timeseries import time_series
from gpuatlas_dashboards.scopes import CARD
from gpuatlas_dashboards.signals import card
from gpuatlas_dashboards.signals.signal import Signal
from gpuatlas_dashboards.texts.shapes.cards import CardsTexts
from gpuatlas_dashboards.texts.shapes.words import Language, Words
from gpuatlas_dashboards.tokens import Colour

# Limits: a dashed line, nothing below it.
_LIMITS = (card.PHYSICAL, card.TEMPERATURE_LIMIT)
# Promises hold until they change.
_PROMISES = (card.ALLOCATED, card.COMPUTE_ALLOCATED)


def card_history(texts: CardsTexts, language: Language) -> list[Panel]:
    """State, memory, compute, temperature, power and clock."""
    memory = (card.PHYSICAL, card.ALLOCATED, card.RESIDENT, card.COUNTED)
    return [
        state_timeline(
            texts.states_over_time,
            [
                Query(
                    expr=f"max({card.STATE.within(CARD)}) or vector(NaN)",
                    legend=language.of(card.STATE).title,
                )
            ],
            Look(
                mappings=[
                    state_codes(language.shared.states),
                    unknown_if_absent(texts.no_record, Colour.PLAIN),
                ]
            ),
            width=24,
            height=4,
        ),
        _lines(texts.memory_over_time, memory, language, width=12, height=9),
        _lines(
            texts.compute_over_time,
            (card.COMPUTE_ALLOCATED, card.COMPUTE, card.CONTENDED),
            language,
            width=12,
            height=9,
        ),
        _lines(texts.temperature_over_time, (card.TEMPERATURE_LIMIT, card.TEMPERATURE), language),
        _lines(texts.power_over_time, (card.POWER,), language),
        _lines(texts.clock_over_time, (card.SM_CLOCK,), language),
    ]


def _lines(
    words: Words,
    signals: tuple[Signal, ...],
    language: Language,
    *,
    width: int = 8,
    height: int = 7,
) -> Panel:
    return time_series(
        words,
        [_query(signal, language) for signal in signals],
        Look(unit=signals[0].unit, low=0, fields=[_field(signal) for signal in signals]),
        width=width,
        height=height,
        legend=len(signals) > 1,
    )


def _query(signal: Signal, language: Language) -> Query:
    return replace(query_of(signal, CARD, legend=language.of(signal).label), ref=signal.name)


def _field(signal: Signal) -> Field:
    limit = {"lineStyle": {"fill": "dash", "dash": [8, 6]}, "fillOpacity": 0, "lineWidth": 2}
    promise = {"lineInterpolation": "stepAfter", "fillOpacity": 0}
    return Field(
        name=signal.name,
        match=Match.REF,
        colour=signal.colour,
        custom=limit if signal in _LIMITS else promise if signal in _PROMISES else None,
    )

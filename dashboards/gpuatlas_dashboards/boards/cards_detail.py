"""The chosen card beside the map: what it is, who is on it and how far it is promised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gpuatlas_dashboards.boards import cards_queries as queries
from gpuatlas_dashboards.links import BoardId, Link, board_url, column
from gpuatlas_dashboards.panels.bars import stacked_bars
from gpuatlas_dashboards.panels.fields import (
    Field,
    Match,
    state_codes,
    step,
    texts_of_values,
    unknown_if_absent,
)
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query, query_of
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.stat import Paint, Say, stat, state_tile
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.transformations import (
    columns,
    matrix,
    rows_of_fields,
)
from gpuatlas_dashboards.scopes import CARD
from gpuatlas_dashboards.signals import card
from gpuatlas_dashboards.signals.signal import Signal
from gpuatlas_dashboards.texts.shapes.cards import CardsTexts
from gpuatlas_dashboards.texts.shapes.words import Language, Words
from gpuatlas_dashboards.tokens import Colour, State, Unit

_PROMISED: Final = (card.PHYSICAL, card.ALLOCATED, card.OVERCOMMITTED)
_USED: Final = (card.RESIDENT, card.COUNTED, card.OFFLOADED)
_COMPUTE: Final = (card.COMPUTE, card.COMPUTE_ALLOCATED, card.CONTENDED)
_SENSORS: Final = (card.TEMPERATURE, card.POWER, card.SM_CLOCK)
# From where on a colour warns of them.
_WARNING: Final = {
    card.OVERCOMMITTED: (Colour.OVERCOMMITTED, 1),
    card.OFFLOADED: (Colour.OFFLOADED, 1),
    card.CONTENDED: (Colour.OVERCOMMITTED, 0.01),
}


def card_detail(texts: CardsTexts, language: Language, *, width: int) -> list[Panel]:
    """From the card's state to its sensors, all in one column."""
    return [
        state_tile(
            texts.chosen,
            query_of(card.STATE, CARD, instant=True),
            state_codes(language.shared.states),
            width=width,
            height=2,
            text_size=22,
        ),
        _alerts(texts, language, width=width),
        _identity(texts, language, width=width),
        _promises(texts, language, width=width),
        _values(texts.promised_now, _PROMISED, texts, language, width=width),
        _values(texts.used_now, _USED, texts, language, width=width),
        _values(texts.compute_now, _COMPUTE, texts, language, width=width),
        _values(texts.sensors_now, _SENSORS, texts, language, width=width),
    ]


def _identity(texts: CardsTexts, language: Language, *, width: int) -> Panel:
    shared = language.shared.columns
    names = {name: shared[name] for name in ("model", "sharing")}
    names |= {"driver_version": texts.columns["driver"], "card": "UUID"}
    return table(
        texts.identity,
        [Query(expr=queries.IDENTITY, table=True)],
        Look(
            unit=Unit.TEXT,
            transformations=[*columns(list(names), names), rows_of_fields()],
            fields=[Field(name="Field", width=90)],
        ),
        width=width,
        height=5,
        header=False,
    )


def _promises(texts: CardsTexts, language: Language, *, width: int) -> Panel:
    bars = texts_of_values({key: (word, "") for key, word in texts.bars.items()})
    wholes = {"physical": card.PHYSICAL, "overcommitted": card.OVERCOMMITTED}
    wholes |= {"resident": card.RESIDENT}
    return stacked_bars(
        texts.promises,
        [Query(expr=queries.BARS, ref="bars", table=True)],
        Look(
            unit=Unit.BYTES,
            low=0,
            palette=True,
            transformations=[matrix(row="bar", column="part", value="Value", empty="null")],
            fields=[
                Field(name="bar\\part", mappings=[bars]),
                *(
                    Field(name=part, title=language.of(signal).label, colour=signal.colour)
                    for part, signal in wholes.items()
                ),
            ],
        ),
        width=width,
        height=8,
    )


def _values(
    words: Words,
    signals: Sequence[Signal],
    texts: CardsTexts,
    language: Language,
    *,
    width: int,
) -> Panel:
    """Side by side; what nobody measured is said to be unknown, not left out."""
    return stat(
        words,
        [
            Query(
                expr=f"max({signal.within(CARD)}) or vector(NaN)",
                ref=signal.name,
                legend=language.of(signal).label,
                instant=True,
            )
            for signal in signals
        ],
        Look(
            mappings=[unknown_if_absent(language.shared.states[State.UNKNOWN])],
            fields=[_value_field(signal, texts) for signal in signals],
        ),
        width=width,
        height=3,
        paint=Paint.VALUE,
        say=Say.BOTH,
    )


def _value_field(signal: Signal, texts: CardsTexts) -> Field:
    warning = _WARNING.get(signal)
    steps = [step(Colour.NEUTRAL), step(*warning)] if warning else ()
    mappings = [unknown_if_absent(texts.not_looked_at)] if signal is card.CONTENDED else ()
    return Field(
        name=signal.name,
        match=Match.REF,
        unit=signal.unit,
        thresholds=steps,
        mappings=mappings,
        decimals=0 if signal is card.CONTENDED else None,
    )


def _alerts(texts: CardsTexts, language: Language, *, width: int) -> Panel:
    shared = language.shared.columns
    names = {"alertname": texts.columns["alert"], "Value": shared["since"]}
    url = board_url(BoardId.CHECKS, language.suffix, check=column("shown"))
    return table(
        texts.checks,
        [Query(expr=queries.ALERTS, table=True)],
        Look(
            unit=Unit.TEXT,
            transformations=columns([*names, "shown"], names),
            fields=[
                Field(
                    name=texts.columns["alert"],
                    links=[Link(title=texts.open_check, url=url)],
                    wrap=True,
                ),
                Field(name="shown", hidden=True),
                Field(name=shared["since"], unit=Unit.AGO, width=115, align="left"),
            ],
        ),
        width=width,
        height=5,
    )

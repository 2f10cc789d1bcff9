"""From minutes of contention to priorities: who must answer goes first, who can wait goes second.

A suggestion and no more: no minute of grade 3 or 4 proves that one caused what the other felt.
HAMi and Volcano know two levels, 0 and 1, and 1 is what pods have without a word
(facts/hami.md 5.5). Pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from gpuatlas.model.sizing import Contended, PrioritySuggestion

HIGH: Final = 0
LOW: Final = 1
LEAST_MINUTES: Final = 30.0
"""Fewer bad minutes say nothing of a workload (facts/peers.md E)."""


def suggest(contended: Iterable[Contended]) -> tuple[PrioritySuggestion, ...]:
    """The workloads that should have another priority, those with the most minutes first.

    Nothing is said of one that is slowed and suspected as well, of one of which nobody knows
    whether it answers requests, and of one that has the priority already.
    """
    found = [each for one in contended if (each := _suggestion(one)) is not None]
    return tuple(sorted(found, key=_order))


def _suggestion(one: Contended) -> PrioritySuggestion | None:
    if not math.isfinite(one.victim_minutes + one.suspect_minutes):
        return None
    victim, suspect = _enough(one.victim_minutes), _enough(one.suspect_minutes)
    if victim == suspect or one.serves is None:
        return None
    if victim and one.serves and one.priority != HIGH:
        return PrioritySuggestion(of=one, proposed=HIGH, text=_victim_text(one))
    if suspect and not one.serves and (one.priority is None or one.priority < LOW):
        return PrioritySuggestion(of=one, proposed=LOW, text=_suspect_text(one))
    return None


def _enough(minutes: float) -> bool:
    return minutes >= LEAST_MINUTES


def _order(suggestion: PrioritySuggestion) -> tuple[float, str, str, str, str]:
    of = suggestion.of
    minutes = max(of.victim_minutes, of.suspect_minutes)
    return (-minutes, of.cluster, of.namespace, of.kind, of.name)


def _victim_text(one: Contended) -> str:
    suspected = _minutes("suspected of slowing others", one.suspect_minutes)
    return (
        f"answers requests, was {_minutes('slowed', one.victim_minutes)} of the window and "
        f"{suspected}: high ({HIGH}) lets it go first"
    )


def _suspect_text(one: Contended) -> str:
    suspected = _minutes("suspected of slowing others", one.suspect_minutes)
    return (
        f"answers no requests, was {suspected} of the window and "
        f"{_minutes('slowed', one.victim_minutes)}: low ({LOW}) lets the others go first"
    )


def _minutes(what: str, minutes: float) -> str:
    """132.4 → "slowed for 132 minutes". Less than one is not written as none."""
    if minutes <= 0:
        return f"never {what}"
    if minutes < 1:
        return f"{what} for less than a minute"
    whole = math.floor(minutes)
    return f"{what} for 1 minute" if whole == 1 else f"{what} for {whole:,} minutes"

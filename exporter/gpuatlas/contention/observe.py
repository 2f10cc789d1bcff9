"""The state of the analysis, handed in and out: moments in, counters out. Pure.

Looks are gathered until a minute is full; then each card's minute is judged at once, so that a
second of a victim counts once however many cards it is on. What was not seen does not count: a gap
longer than `longest_step` drops the open minute, and a new process starts over, counters included.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from gpuatlas.contention.grading import Slowdown
from gpuatlas.contention.history import CardHistory, lived
from gpuatlas.contention.ledger import Ledger, booked, pruned
from gpuatlas.contention.minutes import MINUTE, CardKey, CardMinute, Step, card_minutes
from gpuatlas.contention.victims import FORGET_SECONDS
from gpuatlas.model.contention import CardMoment, ContentionCounts

# Looks closer together say nothing new, and each is kept until its minute is over.
SHORTEST_STEP: Final = 10.0
LONGEST_STEP: Final = 90.0
# No cluster has more shared cards; a bound all the same.
_MAX_CARDS: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentionState:
    """All that is remembered. `at` is the last look, in Unix seconds, None before the first."""

    at: float | None = None
    steps: tuple[Step, ...] = ()
    cards: Mapping[CardKey, CardHistory] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)


def observe(
    state: ContentionState,
    moments: Sequence[CardMoment],
    at: float,
    *,
    longest_step: float = LONGEST_STEP,
) -> ContentionState:
    """The state after a look at `at` (Unix seconds).

    Args:
        state: of the look before.
        moments: of the shared cards; cards that were not seen are left out.
        at: now. A clock that was set back starts a new minute.
        longest_step: seconds between two looks beyond which nothing is known of the time between.
    """
    if state.at is None or not 0 <= at - state.at <= longest_step:
        return replace(state, at=at, steps=())
    step = at - state.at
    if step < SHORTEST_STEP:
        return state
    steps = (*state.steps, Step(step, tuple(moments)))
    state = replace(state, at=at, steps=steps)
    if sum(step.seconds for step in steps) < MINUTE:
        return state
    return _closed(replace(state, steps=()), card_minutes(steps), at)


def counts(state: ContentionState) -> ContentionCounts:
    """The counters of the state."""
    return ContentionCounts(cards=dict(state.ledger.cards), slowed=dict(state.ledger.slowed))


def _closed(
    state: ContentionState, minutes: Mapping[CardKey, CardMinute], at: float
) -> ContentionState:
    cards = {
        key: history
        for key, history in state.cards.items()
        if abs(at - history.seen_at) <= FORGET_SECONDS
    }
    slowdowns: list[Slowdown] = []
    for key, minute in minutes.items():
        if key in cards or len(cards) < _MAX_CARDS:
            cards[key], found = lived(cards.get(key), minute, at)
            slowdowns += found
    ledger = booked(state.ledger, _contended(minutes), slowdowns, at)
    return replace(state, cards=cards, ledger=pruned(ledger, at))


def _contended(
    minutes: Mapping[CardKey, CardMinute],
) -> Iterable[tuple[tuple[str, str, str], float]]:
    """Seconds by card, those of an instance as its card's; nothing where nobody could tell."""
    found: dict[tuple[str, str, str], float] = {}
    for (node, card, index, _), minute in minutes.items():
        if minute.contended is not None:
            place = (node, card, index)
            found[place] = max(found.get(place, 0.0), minute.contended)
    return found.items()

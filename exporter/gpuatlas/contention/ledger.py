"""The counters, and which three suspects of a victim have one. Pure.

A victim has counters for at most three suspects at a time. A suspect gives its place up to another
when it was not seen for an hour, or to one of a higher grade; its counters go with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from gpuatlas.contention.grading import Slowdown, Suspicion
from gpuatlas.model.contention import Grade, SlowedBy
from gpuatlas.model.snapshot import WorkloadId

MAX_SUSPECTS: Final = 3
_STALE_SECONDS: Final = 3600.0
# Prometheus has long read the last value by then (its own lookback is five minutes).
_FORGET_SECONDS: Final = 86400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One suspect's place: its highest grade so far, and when it last counted."""

    grade: Grade
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One victim: who has a place, and when it was last judged."""

    at: float
    places: Mapping[WorkloadId, Place] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Seconds so far, by card and by pair. `seen` is when each card was last judged."""

    cards: Mapping[tuple[str, str, str], float] = field(default_factory=dict)
    seen: Mapping[tuple[str, str, str], float] = field(default_factory=dict)
    slowed: Mapping[SlowedBy, float] = field(default_factory=dict)
    accounts: Mapping[WorkloadId, Account] = field(default_factory=dict)


def booked(
    ledger: Ledger,
    contended: Iterable[tuple[tuple[str, str, str], float]],
    slowdowns: Iterable[Slowdown],
    at: float,
) -> Ledger:
    """With the seconds of one minute that ended at `at`."""
    cards, seen = dict(ledger.cards), dict(ledger.seen)
    for card, seconds in contended:
        cards[card] = cards.get(card, 0.0) + seconds
        seen[card] = at
    slowed, accounts = dict(ledger.slowed), dict(ledger.accounts)
    for minute in _of_victims(slowdowns):
        account, dropped = _placed(accounts.get(minute.victim), minute, at)
        accounts[minute.victim] = account
        if dropped:
            slowed = _without(slowed, minute.victim, dropped)
        for key in _keys(minute, account):
            slowed[key] = slowed.get(key, 0.0) + minute.seconds
    return replace(ledger, cards=cards, seen=seen, slowed=slowed, accounts=accounts)


def pruned(ledger: Ledger, at: float) -> Ledger:
    """Without what was not judged for a day."""
    old = {card for card, seen in ledger.seen.items() if abs(at - seen) > _FORGET_SECONDS}
    gone = {w for w, account in ledger.accounts.items() if abs(at - account.at) > _FORGET_SECONDS}
    if not old and not gone:
        return ledger
    return Ledger(
        cards={card: seconds for card, seconds in ledger.cards.items() if card not in old},
        seen={card: seen for card, seen in ledger.seen.items() if card not in old},
        slowed={key: s for key, s in ledger.slowed.items() if key.victim not in gone},
        accounts={w: account for w, account in ledger.accounts.items() if w not in gone},
    )


def _without(
    slowed: Mapping[SlowedBy, float], victim: WorkloadId, dropped: frozenset[WorkloadId]
) -> dict[SlowedBy, float]:
    return {
        key: seconds
        for key, seconds in slowed.items()
        if key.victim != victim or key.suspect not in dropped
    }


def _of_victims(slowdowns: Iterable[Slowdown]) -> Iterable[Slowdown]:
    """One for each victim: on several cards at once a second of it is still one second."""
    found: dict[WorkloadId, Slowdown] = {}
    for slowdown in slowdowns:
        known = found.get(slowdown.victim)
        found[slowdown.victim] = slowdown if known is None else _together(known, slowdown)
    return found.values()


def _together(one: Slowdown, other: Slowdown) -> Slowdown:
    best: dict[WorkloadId, Suspicion] = {}
    for suspicion in (*one.suspicions, *other.suspicions):
        known = best.get(suspicion.suspect)
        if known is None or (suspicion.grade, suspicion.weight) > (known.grade, known.weight):
            best[suspicion.suspect] = suspicion
    ordered = sorted(best.values(), key=lambda s: (s.grade, s.weight), reverse=True)
    return Slowdown(
        victim=one.victim,
        seconds=max(one.seconds, other.seconds),
        suspicions=tuple(ordered),
    )


def _placed(
    account: Account | None, minute: Slowdown, at: float
) -> tuple[Account, frozenset[WorkloadId]]:
    """The account after the minute, and who lost its place."""
    before = account.places if account is not None else {}
    places = dict(before)
    for suspicion in minute.suspicions[:MAX_SUSPECTS]:
        suspect, grade = suspicion.suspect, suspicion.grade
        known = places.get(suspect)
        if known is None and len(places) >= MAX_SUSPECTS:
            weakest = _weakest(places, grade, at)
            if weakest is None:
                continue
            del places[weakest]
        places[suspect] = Place(grade=max(grade, known.grade) if known else grade, at=at)
    return Account(at=at, places=places), frozenset(before) - frozenset(places)


def _weakest(places: Mapping[WorkloadId, Place], grade: Grade, at: float) -> WorkloadId | None:
    """Who gives up its place to a suspect of that grade, None for nobody."""
    stale = [w for w, place in places.items() if at - place.at > _STALE_SECONDS]
    lower = [w for w, place in places.items() if place.grade < grade and place.at < at]
    chosen = stale or lower
    if not chosen:
        return None
    return min(chosen, key=lambda w: (places[w].grade, places[w].at, w.namespace, w.name))


def _keys(minute: Slowdown, account: Account) -> Iterable[SlowedBy]:
    """The counters of the minute.

    A victim that is judged has one from the start, so that not slowed and not seen differ.
    """
    nobody = SlowedBy(victim=minute.victim, suspect=None, grade=Grade.NONE)
    if not minute.seconds:
        return (nobody,)
    named = [
        SlowedBy(victim=minute.victim, suspect=s.suspect, grade=s.grade)
        for s in minute.suspicions[:MAX_SUSPECTS]
        if s.suspect in account.places
    ]
    return named or (nobody,)

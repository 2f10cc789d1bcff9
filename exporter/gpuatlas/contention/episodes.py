"""Natural tests: a neighbour stopped or came back, and the victim's slowdown with it. Pure.

A test needs three minutes before the change and three some minutes after it, when requests have
piled up or run off, all of one kind, and one neighbour alone that changed. What it shows is counted
both ways: a slowdown that stays when the neighbour stops speaks against it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from gpuatlas.contention.suspects import WINDOW_SECONDS
from gpuatlas.contention.verdict import Verdict
from gpuatlas.model.snapshot import WorkloadId

LEAST_CYCLES: Final = 2
_SIDE: Final = 3
# The minute of the change, and what a queue takes to show it.
_SETTLING: Final = 3
LENGTH: Final = 2 * _SIDE + _SETTLING
_MOST_OF_A_SIDE: Final = 2
_TRIALS: Final = 32
# The minute of the change can count to either side: the same change is seen twice.
_SAME_CHANGE_SECONDS: Final = 240.0
# One that speaks against it weighs as much as three that speak for it.
_AGAINST: Final = 3


class Outcome(StrEnum):
    """What a test showed."""

    STOPPED = "stopped"  # the slowdown ended with it
    CAME_BACK = "came-back"
    AGAINST = "against"


class Trial(NamedTuple):
    """One test of one neighbour, at Unix seconds."""

    at: float
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailMinute:
    """One minute of a card: who worked, and what it was for each tenant that was there."""

    at: float
    working: frozenset[WorkloadId]
    verdicts: Mapping[WorkloadId, Verdict]


Trials = tuple[Trial, ...]


def changed(trail: Sequence[TrailMinute]) -> tuple[WorkloadId, bool] | None:
    """The one workload that began (True) or ceased to work after the first side of the trail."""
    if len(trail) < LENGTH:
        return None
    before = [minute.working for minute in trail[-LENGTH:][:_SIDE]]
    after = [minute.working for minute in trail[-LENGTH:][_SIDE + 1 :]]
    always_before, always_after = frozenset.intersection(*before), frozenset.intersection(*after)
    ever_before, ever_after = frozenset.union(*before), frozenset.union(*after)
    if always_before != ever_before or always_after != ever_after:
        return None  # somebody flickers
    differ = always_before ^ always_after
    if len(differ) != 1:
        return None
    (workload,) = differ
    return workload, workload in always_after


def tested(
    trials: Trials, trail: Sequence[TrailMinute], victim: WorkloadId, *, began: bool
) -> Trials:
    """With what the change in the trail shows for the victim, if anything."""
    before = [minute.verdicts.get(victim, Verdict.OUT) for minute in trail[-LENGTH:][:_SIDE]]
    after = [minute.verdicts.get(victim, Verdict.OUT) for minute in trail[-_SIDE:]]
    outcome = _outcome(_side(before), _side(after), began=began)
    at = trail[-1].at
    if outcome is None or (trials and at - trials[-1].at < _SAME_CHANGE_SECONDS):
        return trials
    return (*trials, Trial(at, outcome))[-_TRIALS:]


def is_supported(trials: Trials, now: float) -> bool:
    """Whether the slowdown ended and came back with the neighbour often enough."""
    outcomes = [trial.outcome for trial in trials if now - trial.at <= WINDOW_SECONDS]
    stops, returns = outcomes.count(Outcome.STOPPED), outcomes.count(Outcome.CAME_BACK)
    against = outcomes.count(Outcome.AGAINST)
    return min(stops, returns) >= LEAST_CYCLES and _AGAINST * against <= stops + returns


def _side(verdicts: Sequence[Verdict]) -> Verdict | None:
    """GOOD or SLOWED if most minutes were that and none the other."""
    good, slowed = verdicts.count(Verdict.GOOD), verdicts.count(Verdict.SLOWED)
    if good >= _MOST_OF_A_SIDE and not slowed:
        return Verdict.GOOD
    return Verdict.SLOWED if slowed >= _MOST_OF_A_SIDE and not good else None


def _outcome(before: Verdict | None, after: Verdict | None, *, began: bool) -> Outcome | None:
    if before is None or after is None:
        return None
    if began:
        if before is Verdict.SLOWED:
            return None
        return Outcome.CAME_BACK if after is Verdict.SLOWED else Outcome.AGAINST
    if before is Verdict.GOOD:
        return None
    return Outcome.STOPPED if after is Verdict.GOOD else Outcome.AGAINST

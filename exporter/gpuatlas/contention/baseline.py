"""How a tenant fares when nobody is in its way, and whether it fares worse now. Pure.

The baseline is what it did in its own good minutes: medians over a bounded ring, so that single
bad minutes in it do no harm. Calm minutes (no neighbour at work, or a card with room) count first.

More requests at once make each of them slower, without any neighbour. So the speed of a request is
compared with minutes of about as many requests. A slowdown makes requests pile up, so often there
are no such minutes; then a server that is well

- is not slower than it was with more requests at work,
- does not do less work than it did with fewer, and
- does the same work with about as many requests at once as ever (Little's law), unless its share
  of the card rose, which says that it had more to do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final, NamedTuple

from gpuatlas.contention.minutes import TenantMinute

# About an hour and a half of calm minutes, an hour of the others: enough loads of a day's part.
_CALM: Final = 90
_MIXED: Final = 60
_SHARES: Final = 60
# Fewer minutes than that are no baseline.
LEAST_MINUTES: Final = 10
# A fifth slower is worse (our own choice), if it is not within the noise: two deviations, as CPI²
# takes it (facts/peers.md E).
WORSE: Final = 0.8
_DEVIATIONS: Final = 2.0
_OF_NORMAL: Final = 1.4826  # median deviation → standard deviation
_SIMILAR: Final = 1.5
# Twice as many requests for the same work as in nine of ten good minutes.
_PILED_UP: Final = 2.0
_HIGH: Final = 1.1
_SOME_REQUESTS: Final = 0.5


class Sample(NamedTuple):
    """One good minute of a service."""

    running: float | None
    waiting: float | None
    rate: float | None
    speed: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The good minutes of one tenant, oldest first; `shares` are its shares of the card."""

    calm: tuple[Sample, ...] = ()
    mixed: tuple[Sample, ...] = ()
    calm_shares: tuple[float, ...] = ()
    mixed_shares: tuple[float, ...] = ()


def extended(baseline: Baseline, minute: TenantMinute, *, calm: bool) -> Baseline:
    """With one more good minute."""
    if minute.share is not None:
        if calm:
            shares = (*baseline.calm_shares, minute.share)[-_SHARES:]
            baseline = replace(baseline, calm_shares=shares)
        else:
            shares = (*baseline.mixed_shares, minute.share)[-_SHARES:]
            baseline = replace(baseline, mixed_shares=shares)
    if not minute.has_signal:
        return baseline
    sample = Sample(minute.running, minute.waiting, minute.rate, minute.speed)
    if calm:
        return replace(baseline, calm=(*baseline.calm, sample)[-_CALM:])
    return replace(baseline, mixed=(*baseline.mixed, sample)[-_MIXED:])


def service_is_worse(baseline: Baseline, minute: TenantMinute) -> bool | None:
    """Whether its own service signal is worse than in good minutes; None where nothing tells."""
    running, waiting = minute.running, minute.waiting
    if minute.speed is not None and running:
        return _is_slower(baseline, minute, minute.speed, running)
    if minute.rate is not None and waiting is not None:
        # With an empty queue a low rate is a low demand.
        if waiting < _SOME_REQUESTS:
            return False
        fewer = _picked(baseline, lambda s: s.rate, lambda s: (s.waiting or 0.0) <= waiting)
        return None if fewer is None else _is_below(minute.rate, fewer)
    return None


def queue_held_up(baseline: Baseline, minute: TenantMinute) -> bool:
    """Whether as much waits for it as in good minutes, or more: its demand did not fall."""
    if minute.waiting is None:
        return False
    usual = _picked(baseline, lambda s: s.waiting, lambda s: True)
    if usual is None:
        return False
    return minute.waiting >= _SOME_REQUESTS and minute.waiting >= median(usual)


def share_fell(baseline: Baseline, minute: TenantMinute) -> bool | None:
    """Whether its share of the card is below its usual one and below what it is entitled to."""
    if minute.share is None or minute.entitlement is None:
        return None
    if minute.share >= WORSE * minute.entitlement:
        return False
    usual = _usual_shares(baseline)
    return None if usual is None else _is_below(minute.share, usual)


def _is_slower(baseline: Baseline, minute: TenantMinute, speed: float, running: float) -> bool:
    def is_similar(sample: Sample) -> bool:
        return _is_similar(sample.running or 0.0, running)

    calm = _values(baseline.calm, lambda s: s.speed, is_similar)
    if len(calm) >= LEAST_MINUTES:
        return _is_below(speed, calm)
    # Minutes that were not calm may hold some that were bad already: what they show is that it is
    # slower, never that it is well.
    for wanted in (is_similar, lambda s: (s.running or 0.0) >= running):
        usual = _picked(baseline, lambda s: s.speed, wanted)
        if usual is not None and _is_below(speed, usual):
            return True
    return minute.rate is not None and _does_less(baseline, minute, minute.rate, running)


def _does_less(baseline: Baseline, minute: TenantMinute, rate: float, running: float) -> bool:
    """With more requests at once than ever: less work, or the same with far more of them."""
    lighter = _picked(baseline, lambda s: s.rate, lambda s: (s.running or 0.0) <= running)
    if lighter is not None and rate < WORSE * _high(lighter):
        return True
    same_work = _picked(baseline, lambda s: s.running, lambda s: _is_similar(s.rate or 0.0, rate))
    if same_work is None or _share_rose(baseline, minute):
        return False
    return running > _PILED_UP * _high(same_work)


def _is_similar(one: float, other: float) -> bool:
    return other / _SIMILAR <= one <= other * _SIMILAR


def _share_rose(baseline: Baseline, minute: TenantMinute) -> bool:
    usual = _usual_shares(baseline)
    return minute.share is not None and usual is not None and minute.share > _HIGH * _high(usual)


def _usual_shares(baseline: Baseline) -> Sequence[float] | None:
    if len(baseline.calm_shares) >= LEAST_MINUTES:
        return baseline.calm_shares
    every = (*baseline.calm_shares, *baseline.mixed_shares)
    return every if len(every) >= LEAST_MINUTES else None


def _high(values: Sequence[float]) -> float:
    """What nine of ten stay below."""
    return sorted(values)[(9 * len(values)) // 10]


def _picked(
    baseline: Baseline,
    value: Callable[[Sample], float | None],
    wanted: Callable[[Sample], bool],
) -> Sequence[float] | None:
    """Values of the calm minutes that are wanted, of all where these are too few, else None."""
    calm = _values(baseline.calm, value, wanted)
    if len(calm) >= LEAST_MINUTES:
        return calm
    every = calm + _values(baseline.mixed, value, wanted)
    return every if len(every) >= LEAST_MINUTES else None


def _values(
    samples: Sequence[Sample],
    value: Callable[[Sample], float | None],
    wanted: Callable[[Sample], bool],
) -> list[float]:
    return [v for s in samples if wanted(s) and (v := value(s)) is not None]


def _is_below(value: float, usual: Sequence[float]) -> bool:
    middle = median(usual)
    deviation = _OF_NORMAL * median(abs(one - middle) for one in usual)
    return value < WORSE * middle and value < middle - _DEVIATIONS * deviation

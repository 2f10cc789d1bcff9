"""The instants of the simulated past, and which faults there were. Pure.

The last day is written every two minutes and what is before every four: below the five minutes that
an instant query looks back. What lies more than three days back is looked at once in 56 minutes,
and what was seen stands until the next look.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from gpuatlas.cli.demonstration.stretch import Episode
from gpuatlas.demo.fault_kinds import complaint
from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.runtime.backfill.range_query import Grid

MINUTE: Final = 60.0
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
FINE_STEP: Final = 120.0
COARSE_STEP: Final = 240.0
# From here on everything is written, before that what sizing needs.
WHOLE_SECONDS: Final = 3 * DAY
# No whole hour: runs that begin once an hour would be seen each time, or never.
SPARSE_STEP: Final = 14 * COARSE_STEP
# Work for one process at a time. Prometheus takes samples that are half of its block's range old.
_STRETCH_SECONDS: Final = 3 * HOUR
_SPARSE_STRETCH_SECONDS: Final = 12 * SPARSE_STEP

# When the faults of the scenario began, before the end of the past: some are new, some are old.
_ONGOING_HOURS: Final = (31.0, 9.0, 3.5, 20.0, 110.0)
# Faults of the built-in cluster that were and are no more: hours before the end, and minutes.
_OVER: Final[tuple[tuple[FaultSpec, float, float], ...]] = (
    (FaultSpec(name="thermal-throttle", node="l40s-2", card=4), 58.0, 95.0),
    (FaultSpec(name="device-plugin-not-ready", node="a10g-2"), 47.0, 40.0),
    (FaultSpec(name="sharing-label-lost", node="a10g-1"), 34.0, 55.0),
    (FaultSpec(name="xid-storm", node="a100-1", card=6, options={"code": 31}), 26.0, 30.0),
    (FaultSpec(name="webhook-unreachable", node="a10g-1"), 15.0, 25.0),
    (FaultSpec(name="power-brake", node="h100-1", card=5), 7.0, 45.0),
)


def stretches(begin: float, end: float) -> tuple[Grid, ...]:
    """Grids from `begin` to `end` (Unix seconds), each a piece of work; none if nothing is between.

    Instants are whole steps since 1970, so that a past can be continued on another day.
    """
    last = end // FINE_STEP * FINE_STEP
    fine = max((last - DAY) // COARSE_STEP * COARSE_STEP, 0.0)
    return (
        *_pieces(_up(begin, COARSE_STEP), fine - COARSE_STEP, COARSE_STEP),
        *_pieces(max(_up(begin, FINE_STEP), fine), last, FINE_STEP),
    )


def sparse_stretches(begin: float, end: float) -> tuple[Grid, ...]:
    """Grids that end before `end`, for samples of which one in `SPARSE_STEP` is looked for."""
    first = _up(begin, COARSE_STEP)
    last = (end - 1.0) // COARSE_STEP * COARSE_STEP
    return tuple(_pieces(first, last, COARSE_STEP, _SPARSE_STRETCH_SECONDS))


def _pieces(
    first: float, last: float, step: float, length: float = _STRETCH_SECONDS
) -> Iterator[Grid]:
    while first <= last:
        until = min(last, first + length - step)
        yield Grid(first=first, last=until, step=step)
        first = until + step


def _up(instant: float, step: float) -> float:
    return -(-instant // step) * step


def ongoing(faults: Sequence[FaultSpec], end: float) -> tuple[FaultSpec, ...]:
    """The faults that are there at `end`, those without a beginning with one in the past."""
    return tuple(
        replace(fault, since=end - _ONGOING_HOURS[index % len(_ONGOING_HOURS)] * HOUR)
        if fault.since is None
        else fault
        for index, fault in enumerate(faults)
    )


def episodes(
    faults: Sequence[FaultSpec], scenario: Scenario, *, end: float, healthy: bool
) -> tuple[Episode, ...]:
    """`faults`, which go on, and before them others that fit the cluster and ended before `end`."""
    over = [
        Episode(
            fault=replace(fault, since=end - hours * HOUR),
            until=end - hours * HOUR + minutes * MINUTE,
        )
        for fault, hours, minutes in _OVER
        if not healthy and not complaint(fault, scenario)
    ]
    return (*over, *(Episode(fault=fault) for fault in faults))

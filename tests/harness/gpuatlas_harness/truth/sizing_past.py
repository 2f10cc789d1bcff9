"""From the truth of three weeks to what two of them look like in recordings.

Reduced as recording_rules/sizing.yaml and daily.yaml do: the largest of the watched minutes of a
day, over those replicas that are measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from gpuatlas.model.sizing import Day, TakenAhead
from gpuatlas.model.units import MIB
from gpuatlas_harness.truth.sizing_shapes import DAYS, PER_DAY, WINDOW, Container, Samples

DAY: Final = 86_400
END: Final = 1_790_000_000
"""When the window ends."""


@dataclass(kw_only=True)
class Past:
    """What was true. `compute` is the p95 of each day; `limit` in MiB holds all containers back.

    `kv_cache` is the share in use on each day.

    `lost` are days of which nothing is left, `gaps` (day, from, to) in samples that nobody watched.
    `unmeasured` are the containers, by their place, that nobody measures. `revisions` are the
    templates of each day, and the last ones hold from day `since` on. `run` is the name of the run
    of each day, "" where there is none. `required` is the true need of each day where it is another
    one than what is used. `promise` is set where the past depends on it.
    """

    containers: list[Container]
    compute: list[float]
    limit: float = math.inf
    lost: set[int] = field(default_factory=set)
    gaps: list[tuple[int, int, int]] = field(default_factory=list)
    unmeasured: set[int] = field(default_factory=set)
    revisions: list[frozenset[str]] = field(default_factory=lambda: [frozenset({"a"})] * DAYS)
    run: list[str] = field(default_factory=list)
    kv_cache: list[float] | None = None
    required: list[float] | None = None
    promise: float | None = None
    taken: TakenAhead | None = None
    since: int = 0

    def need(self, day: int) -> float:
        """The true need of the fullest container on a day, watched or not, limit or not."""
        if self.required is not None:
            return self.required[day]
        return max((max(one.need[day], default=0.0) for one in self.containers), default=0.0)

    def used(self, day: int) -> float:
        """As `need`, as far as the limit let it."""
        return min(self.need(day), self.limit)

    def watched(self, samples: Samples, day: int) -> Iterator[Samples]:
        """The parts of a day's samples that somebody watched."""
        start = 0
        for _, first, last in sorted(gap for gap in self.gaps if gap[0] == day):
            yield samples[start:first]
            start = max(start, last)
        yield samples[start:]

    def observed(self, place: int, day: int) -> Samples:
        """What was seen of a container on a day."""
        if day in self.lost or place in self.unmeasured:
            return []
        limit = self.limit
        parts = self.watched(self.containers[place].need[day], day)
        return [min(value, limit) for part in parts for value in part]

    def observed_peak(self, day: int) -> float | None:
        """The most that was seen of any container on a day."""
        peaks = [
            max(part)
            for place, one in enumerate(self.containers)
            if place not in self.unmeasured
            for part in self.watched(one.need[day], day)
            if part
        ]
        return min(max(peaks), self.limit) if peaks else None


def days_of(past: Past) -> tuple[Day, ...]:
    """The days of the window as they were recorded, from the first on which it was there."""
    found = [_day(past, day) for day in range(WINDOW) if day not in past.lost]
    return tuple(day for day in found if day is not None)


def _day(past: Past, day: int) -> Day | None:
    there = [one for one in past.containers if one.need[day]]
    if not there and not any(one.need[before] for one in past.containers for before in range(day)):
        return None
    unwatched = sum(last - first for at, first, last in past.gaps if at == day)
    peak = past.observed_peak(day)
    promised = sum(len(one.need[day]) for one in there)
    measured = sum(
        len(one.need[day])
        for place, one in enumerate(past.containers)
        if place not in past.unmeasured
    )
    hit = peak is not None and peak >= 0.98 * past.limit
    return Day(
        ends_at=float(END - (WINDOW - 1 - day) * DAY),
        memory_peak=round(peak * MIB) if peak is not None else None,
        compute_p95=past.compute[day] if peak is not None else None,
        present=max((len(one.need[day]) for one in there), default=0) / PER_DAY,
        watched=1.0 - unwatched / PER_DAY,
        measured=measured / promised if promised else 0.0,
        replicas=len(there),
        kv_cache_peak=past.kv_cache[day] if past.kv_cache is not None else None,
        limit_hit=hit,
        restarts=sum(at == day for one in past.containers for at, _ in one.starts)
        + (1 if hit else 0),
        revisions=past.revisions[day],
        runs=frozenset({past.run[day]}) if past.run and past.run[day] else frozenset(),
    )

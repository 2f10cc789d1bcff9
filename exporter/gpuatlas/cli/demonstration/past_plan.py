"""Which past a simulated cluster gets: since when, with which faults, what is left to write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gpuatlas.cli.demonstration.history import PastCourse
from gpuatlas.cli.demonstration.past_cache import Past, PastCache, digest_of, fault_key
from gpuatlas.cli.demonstration.timeline import (
    WHOLE_SECONDS,
    episodes,
    ongoing,
    sparse_stretches,
    stretches,
)
from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.runtime.backfill.range_query import Grid


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """What is to be written: first what is looked at now and then, behind it the whole rest."""

    sparse: tuple[Grid, ...]
    whole: tuple[Grid, ...]

    @property
    def seconds(self) -> float:
        """From its first instant to its last; 0 for nothing."""
        grids = (*self.sparse, *self.whole)
        return grids[-1].last - grids[0].first if grids else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PastPlan:
    """A past. `written_until` is where one of an earlier demo ends, None where there is none."""

    course: PastCourse
    cache: PastCache
    written_until: float | None = None

    @property
    def faults(self) -> tuple[FaultSpec, ...]:
        """All faults with their beginnings and ends: the running cluster has the same."""
        return tuple(
            replace(episode.fault, until=episode.until) for episode in self.course.episodes
        )

    def missing(self, behind: float | None, now: float) -> Missing:
        """What is to be written behind an instant (None: from the beginning) up to `now`."""
        if behind is not None:
            return Missing(sparse=(), whole=stretches(behind + 1.0, now))
        whole = stretches(max(self.course.began, now - WHOLE_SECONDS), now)
        end = whole[0].first if whole else now
        return Missing(sparse=sparse_stretches(self.course.began, end), whole=whole)

    def keep(self, end: float, blocks: Path) -> None:
        """Leave it to the next demo."""
        past = Past(begin=self.course.began, end=end, episodes=self.course.episodes)
        self.cache.keep(past, blocks)


def plan_past(
    scenario: Scenario,
    faults: Sequence[FaultSpec],
    *,
    seed: int,
    healthy: bool,
    seconds: float,
    now: float,
    rule_files: Sequence[Path],
    cache_root: Path | None = None,
) -> PastPlan:
    """The last `seconds` of a cluster that has these faults `now` (Unix seconds).

    Faults without a beginning get one in the past. What an earlier demo wrote of the same cluster
    is continued, with the beginnings that it chose, unless it lies further back than what is
    written as a whole.
    """
    key = (repr(scenario), seed, fault_key(faults), healthy, seconds)
    cache = PastCache(digest_of(*key, files=rule_files), cache_root)
    known = cache.known()
    if known is not None and now - min(seconds, WHOLE_SECONDS) < known.end <= now:
        course = PastCourse(
            scenario=scenario, seed=seed, episodes=known.episodes, began=known.begin
        )
        return PastPlan(course=course, cache=cache, written_until=known.end)
    chosen = episodes(ongoing(faults, now), scenario, end=now, healthy=healthy)
    course = PastCourse(
        scenario=scenario,
        seed=seed,
        episodes=chosen,
        began=max(now - seconds, scenario.since),
    )
    return PastPlan(course=course, cache=cache)

"""Which past a simulated cluster gets: since when, with which faults, what is left to write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuatlas.cli.demonstration.history import PastCourse
from gpuatlas.cli.demonstration.past_cache import Past, PastCache, digest_of, fault_key
from gpuatlas.cli.demonstration.timeline import episodes, ongoing, stretches
from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.runtime.backfill.range_query import Grid


@dataclass(frozen=True, slots=True, kw_only=True)
class PastPlan:
    """A past. `written_until` is where one of an earlier demo ends, None where there is none."""

    course: PastCourse
    cache: PastCache
    written_until: float | None = None

    @property
    def faults(self) -> tuple[FaultSpec, ...]:
        """The faults that go on, with their beginnings: the running cluster has the same."""
        return tuple(episode.fault for episode in self.course.episodes if episode.until is None)

    def missing(self, behind: float | None, now: float) -> tuple[Grid, ...]:
        """What is to be written behind an instant (None: from the beginning) up to `now`."""
        begin = self.course.began if behind is None else behind + 1.0
        return stretches(begin, now)

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
    is continued, with the beginnings that it chose.
    """
    key = (repr(scenario), seed, fault_key(faults), healthy, seconds)
    cache = PastCache(digest_of(*key, files=rule_files), cache_root)
    known = cache.known()
    if known is not None and now - seconds < known.end <= now:
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

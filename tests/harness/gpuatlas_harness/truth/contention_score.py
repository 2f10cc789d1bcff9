"""Holds the analysis against the truth of generated histories, episode by episode."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.contention.observe import ContentionState, counts, observe
from gpuatlas.model.contention import Grade, SlowedBy
from gpuatlas.model.snapshot import WorkloadId
from gpuatlas_harness.truth.contention_episodes import (
    STEP,
    VICTIM,
    Labelled,
    TrueHistory,
    workload,
)
from gpuatlas_harness.truth.contention_kinds import Cause

# What the contract asks of a suspect (facts/peers.md E): before that no answer is due.
_EPISODES: Final = 3
_BAD_SECONDS: Final = 1800.0
# The analysis closes a minute after its end, and an episode is known by then.
_LATE: Final = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One labelled stretch and what was said of it.

    `due`: grade 3 could be reached by its end. `named` are the suspects with grade 3 or 4 and
    their seconds in it, `slowed` the seconds in which the victim counted as slowed.
    """

    kind: str
    cause: Cause
    culprit: WorkloadId | None
    due: bool
    true_seconds: float
    slowed: float
    named: tuple[tuple[WorkloadId, float], ...]
    supported: bool

    @property
    def is_hit(self) -> bool:
        """The true aggressor comes first."""
        return bool(self.named) and self.named[0][0] == self.culprit


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The figures of DESIGN's goal, over many episodes."""

    due: int
    hits: int
    without: int
    clean: int
    wrong: int

    @property
    def ranked_first(self) -> float:
        """Share of the due episodes with a neighbour in which the aggressor came first."""
        return self.hits / self.due if self.due else 0.0

    @property
    def nobody_named(self) -> float:
        """Share of the episodes without a neighbour in which nobody was named."""
        return self.clean / self.without if self.without else 0.0


def judged(history: TrueHistory) -> Iterator[Judged]:
    """What the analysis says of each stretch of the history."""
    state = ContentionState()
    before: dict[Labelled, dict[SlowedBy, float]] = {}
    passed = 0
    bad = 0.0
    done: list[Labelled] = []
    for look in history.looks:
        state = observe(state, (look.moment,) if look.moment else (), look.at)
        bad += STEP if look.slowed and look.moment else 0.0
        for stretch in history.stretches:
            if stretch not in before and look.at >= stretch.begins:
                before[stretch] = dict(counts(state).slowed)
            if stretch in before and stretch not in done and look.at >= stretch.ends + _LATE:
                done.append(stretch)
                passed += 1
                due = passed >= _EPISODES and bad >= _BAD_SECONDS and history.kind.service
                yield _judged(history, stretch, before[stretch], counts(state).slowed, due=due)


def score(episodes: Iterable[Judged]) -> Score:
    """The figures."""
    every = list(episodes)
    due = [e for e in every if e.cause is Cause.NEIGHBOUR and e.due]
    without = [e for e in every if e.cause is not Cause.NEIGHBOUR]
    named = [e for e in every if e.cause is Cause.NEIGHBOUR and e.named]
    return Score(
        due=len(due),
        hits=sum(e.is_hit for e in due),
        without=len(without),
        clean=sum(not e.named for e in without),
        wrong=sum(not e.is_hit for e in named),
    )


def _judged(
    history: TrueHistory,
    stretch: Labelled,
    before: dict[SlowedBy, float],
    after: Mapping[SlowedBy, float],
    *,
    due: bool,
) -> Judged:
    grown = {
        key: seconds - before.get(key, 0.0)
        for key, seconds in after.items()
        if key.victim == workload(VICTIM) and seconds > before.get(key, 0.0)
    }
    named: dict[WorkloadId, float] = {}
    for key, seconds in grown.items():
        if key.suspect is not None and key.grade >= Grade.SUSPECT:
            named[key.suspect] = named.get(key.suspect, 0.0) + seconds
    looks = [x for x in history.looks if stretch.begins <= x.at < stretch.ends and x.moment]
    return Judged(
        kind=history.kind.name,
        cause=stretch.cause,
        culprit=stretch.culprit,
        due=due,
        true_seconds=STEP * sum(x.slowed for x in looks),
        slowed=_slowed(grown),
        named=tuple(sorted(named.items(), key=lambda pair: -pair[1])),
        supported=any(key.grade is Grade.SUPPORTED for key in grown),
    )


def _slowed(grown: dict[SlowedBy, float]) -> float:
    """Seconds that counted, those of several suspects once."""
    by_suspect: dict[WorkloadId | None, float] = {}
    for key, seconds in grown.items():
        by_suspect[key.suspect] = by_suspect.get(key.suspect, 0.0) + seconds
    return max(by_suspect.values(), default=0.0)

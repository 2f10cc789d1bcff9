"""One tenant of a card as one that may be slowed: its baseline, its episodes, its neighbours. Pure.

Everything is bounded: rings for minutes and episodes, the neighbours of a victim by number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from gpuatlas.contention.baseline import Baseline, extended
from gpuatlas.contention.episodes import TrailMinute, Trials, changed, tested
from gpuatlas.contention.minutes import CardMinute
from gpuatlas.contention.suspects import Pair, with_bad, with_end, with_good
from gpuatlas.contention.verdict import Verdict, is_calm
from gpuatlas.model.snapshot import WorkloadId

# So long without a bad minute ends an episode; shorter ones than three minutes are blips.
_EPISODE_ENDS_SECONDS: Final = 300.0
_SHORTEST_EPISODE_SECONDS: Final = 180.0
FORGET_SECONDS: Final = 86400.0
# What has been worse for a whole day is how it is now: another release, other requests.
_NEW_NORMAL_SECONDS: Final = 86400.0
_NEIGHBOURS: Final = 32
# How exactly it is known when a neighbour was last there: all pairs each minute would cost most.
_SEEN_SECONDS: Final = 600.0
_EPISODES: Final = 32
_HALF_LIFE_SECONDS: Final = 86400.0

NO_BASELINE: Final = Baseline()
BAD: Final = frozenset({Verdict.SLOWED, Verdict.SHORT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """Bad minutes in a row, with breaks of less than five minutes."""

    began_at: float
    bad_at: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Victim:
    """One tenant of a card as one that may be slowed. Times are Unix seconds."""

    seen_at: float
    baseline: Baseline = field(default_factory=Baseline)
    good_seconds: float = 0.0
    episode: Episode | None = None
    episodes: tuple[Episode, ...] = ()
    pairs: Mapping[WorkloadId, Pair] = field(default_factory=dict)
    trials: Mapping[WorkloadId, Trials] = field(default_factory=dict)


def lived_on(
    victim: Victim,
    workload: WorkloadId,
    said: Verdict,
    card: CardMinute,
    trail: tuple[TrailMinute, ...],
    at: float,
) -> Victim:
    """The victim after the minute."""
    victim = _with_end(replace(victim, seen_at=at), at)
    victim = _with_neighbours(victim, workload, card, at)
    if said is Verdict.GOOD:
        victim = _with_good(victim, workload, card)
    elif said in BAD:
        victim = _with_bad(victim, card, at)
    return _with_trial(victim, workload, trail)


def _with_neighbours(victim: Victim, workload: WorkloadId, card: CardMinute, at: float) -> Victim:
    """Who is there now is met or seen again; who was not for long is forgotten."""
    pairs = dict(victim.pairs)
    for other in card.tenants:
        if other != workload:
            known = pairs.get(other)
            if known is None:
                pairs[other] = _met(victim, at)
            elif at - known.seen_at > _SEEN_SECONDS:
                pairs[other] = replace(known, seen_at=at)
    kept = sorted(
        (w for w, pair in pairs.items() if at - pair.seen_at <= FORGET_SECONDS),
        key=lambda w: pairs[w].seen_at,
    )[-_NEIGHBOURS:]
    return replace(
        victim,
        pairs={w: pairs[w] for w in kept},
        trials={w: trials for w, trials in victim.trials.items() if w in kept},
    )


def _met(victim: Victim, at: float) -> Pair:
    """A new neighbour. Until now it was not there: that was so in all good minutes before."""
    recent = ((0.0, False),) if victim.good_seconds else ()
    return Pair(since=at, seen_at=at, good_seconds=victim.good_seconds, recent=recent)


def _with_good(victim: Victim, workload: WorkloadId, card: CardMinute) -> Victim:
    fading = 0.5 ** (card.seconds / _HALF_LIFE_SECONDS)
    return replace(
        victim,
        baseline=extended(victim.baseline, card.tenants[workload], calm=is_calm(workload, card)),
        good_seconds=victim.good_seconds * fading + card.seconds,
        pairs={
            w: with_good(pair, card.tenants.get(w), card.seconds, full=bool(card.pressed))
            for w, pair in victim.pairs.items()
        },
    )


def _with_bad(victim: Victim, card: CardMinute, at: float) -> Victim:
    episode = victim.episode or Episode(began_at=at, bad_at=at, seconds=0.0)
    return replace(
        victim,
        episode=replace(episode, bad_at=at, seconds=episode.seconds + card.seconds),
        pairs={
            w: with_bad(pair, card.tenants.get(w), card.seconds, at)
            for w, pair in victim.pairs.items()
        },
    )


def _with_end(victim: Victim, at: float) -> Victim:
    """The episode is over when no minute was bad for a while."""
    episode = victim.episode
    if episode is None:
        return victim
    if at - episode.began_at > _NEW_NORMAL_SECONDS:
        victim = replace(victim, baseline=NO_BASELINE)
    elif at - episode.bad_at <= _EPISODE_ENDS_SECONDS:
        return victim
    counts = episode.seconds >= _SHORTEST_EPISODE_SECONDS
    episodes = (*victim.episodes, episode)[-_EPISODES:] if counts else victim.episodes
    return replace(
        victim,
        episode=None,
        episodes=episodes,
        pairs={w: with_end(pair, counts=counts) for w, pair in victim.pairs.items()},
    )


def _with_trial(victim: Victim, workload: WorkloadId, trail: tuple[TrailMinute, ...]) -> Victim:
    change = changed(trail)
    if change is None or change[0] == workload:
        return victim
    other, began = change
    before = victim.trials.get(other, ())
    after = tested(before, trail, workload, began=began)
    return victim if after is before else replace(victim, trials={**victim.trials, other: after})

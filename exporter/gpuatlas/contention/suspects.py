"""How a neighbour's minutes go with a victim's: the lift that makes it a suspect. Pure.

Lift is its mean share above what it is entitled to in the victim's bad minutes, less the same in
the victim's good minutes. Shares of two busy tenants always trade off on a full card, so the lift
alone proves nothing: it counts over at least 30 bad minutes and 3 episodes in which the neighbour
rose from where it was just before, and these must be most of the bad time (facts/peers.md E).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from gpuatlas.contention.minutes import TenantMinute

LEAST_BAD_SECONDS: Final = 1800.0
LEAST_EPISODES: Final = 3
LEAST_LIFT: Final = (
    0.05  # of a card, our own choice: less is within what shares swing by themselves
)
_LEAST_GOOD_SECONDS: Final = 900.0
# In so much of the bad time it must have risen: others may be in the way at other times.
_MOST: Final = 0.5
# What lies further back says little of today; a week has every day's pattern.
WINDOW_SECONDS: Final = 7 * 86400.0
_HALF_LIFE_SECONDS: Final = 86400.0
_EPISODES: Final = 32
_RECENT: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Overshoot:
    """A neighbour's share above its entitlement over one episode of the victim.

    `seconds` are the bad seconds in which it is known, `total` its sum over these. `before` is its
    mean in the good minutes just before, None where there were none; `was_full` says that the card
    was full even then.
    """

    at: float
    seconds: float = 0.0
    total: float = 0.0
    before: float | None = None
    was_full: bool = False

    @property
    def mean(self) -> float:
        """Over the episode; 0 for one in which it is not known."""
        return self.total / self.seconds if self.seconds else 0.0

    @property
    def rose(self) -> bool:
        """Whether it rose with the episode.

        A neighbour that took more than its part of a full card even before only gets what the
        victim leaves: who pushed and who gave way cannot be told.
        """
        if self.before is None or (self.was_full and self.before >= LEAST_LIFT):
            return False
        return self.mean - self.before >= LEAST_LIFT


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """What is known of one neighbour of one victim.

    `since` is when they met and `seen_at` about when they were last together, in Unix seconds. The
    good sums fade with a half-life of a day; `recent` are the last good minutes: its overshoot, and
    whether the card was full. `episodes` are over, `episode` goes on. `measured` says whether its
    share was known when it was last at work beside the victim.
    """

    since: float
    seen_at: float
    good_seconds: float = 0.0
    good_total: float = 0.0
    recent: tuple[tuple[float, bool], ...] = ()
    episodes: tuple[Overshoot, ...] = ()
    episode: Overshoot | None = None
    measured: bool = False


def with_good(pair: Pair, neighbour: TenantMinute | None, seconds: float, *, full: bool) -> Pair:
    """After a good minute of the victim on a card with room or a `full` one.

    `neighbour` is None where it was not there.
    """
    overshoot = 0.0 if neighbour is None else neighbour.overshoot
    if overshoot is None:
        return _looked_at(pair, neighbour)
    fading = 0.5 ** (seconds / _HALF_LIFE_SECONDS)
    # Not `replace`, which takes several times as long: this is done for each pair each minute.
    return Pair(
        since=pair.since,
        seen_at=pair.seen_at,
        good_seconds=pair.good_seconds * fading + seconds,
        good_total=pair.good_total * fading + overshoot * seconds,
        recent=(*pair.recent[1 - _RECENT :], (overshoot, full)),
        episodes=pair.episodes,
        episode=pair.episode,
        measured=_is_measured(pair, neighbour),
    )


def with_bad(pair: Pair, neighbour: TenantMinute | None, seconds: float, at: float) -> Pair:
    """After a bad minute of the victim at `at`."""
    episode = pair.episode
    if episode is None:
        episode = _begun(pair, at)
    overshoot = 0.0 if neighbour is None else neighbour.overshoot
    if overshoot is not None:
        episode = replace(
            episode,
            at=at,
            seconds=episode.seconds + seconds,
            total=episode.total + overshoot * seconds,
        )
    return replace(_looked_at(pair, neighbour), episode=episode)


def _begun(pair: Pair, at: float) -> Overshoot:
    number = len(pair.recent)
    if not number:
        return Overshoot(at=at)
    return Overshoot(
        at=at,
        before=sum(overshoot for overshoot, _ in pair.recent) / number,
        was_full=2 * sum(full for _, full in pair.recent) > number,
    )


def with_end(pair: Pair, *, counts: bool) -> Pair:
    """After the episode; one that was too short to count leaves nothing."""
    if pair.episode is None:
        return pair
    episodes = (*pair.episodes, pair.episode)[-_EPISODES:] if counts else pair.episodes
    return replace(pair, episodes=episodes, episode=None)


def lift(pair: Pair, now: float) -> float | None:
    """The lift of a neighbour that the rules let be suspected, else None."""
    seen = [episode for episode in _seen(pair, now) if episode.seconds]
    rose = [episode for episode in seen if episode.rose]
    seconds = sum(episode.seconds for episode in seen)
    with_it = sum(episode.seconds for episode in rose)
    if len(rose) < LEAST_EPISODES or with_it < max(LEAST_BAD_SECONDS, _MOST * seconds):
        return None
    if pair.good_seconds < _LEAST_GOOD_SECONDS:
        return None
    found = sum(e.total for e in seen) / seconds - pair.good_total / pair.good_seconds
    return found if found >= LEAST_LIFT else None


def _looked_at(pair: Pair, neighbour: TenantMinute | None) -> Pair:
    measured = _is_measured(pair, neighbour)
    return pair if measured == pair.measured else replace(pair, measured=measured)


def _is_measured(pair: Pair, neighbour: TenantMinute | None) -> bool:
    if neighbour is None or neighbour.active is False:
        return pair.measured
    return neighbour.overshoot is not None


def _seen(pair: Pair, now: float) -> Iterator[Overshoot]:
    yield from (e for e in pair.episodes if now - e.at <= WINDOW_SECONDS)
    if pair.episode is not None:
        yield pair.episode

"""Stretches of equal length before and after each change. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

DAY: Final = 86_400.0
WEEK: Final = 7 * DAY
LONGEST: Final = WEEK
"""A week has every hour of every weekday once; what is longer mixes in what else changed."""
SHORTEST: Final = 1_800.0
"""Less has fewer than 30 samples of a minute."""
_MINUTE: Final = 60.0
BEFORE: Final = "before"


class Change(NamedTuple):
    """When sharing was changed, in Unix seconds, and to what, in a user's words."""

    at: float
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A stretch of time, and what the sharing was during it."""

    name: str
    start: float
    end: float

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.end - self.start


class WindowError(ValueError):
    """No windows can be laid; the message says why and what to do."""


def lay(
    changes: Sequence[Change],
    *,
    now: float,
    since: Change | None = None,
    settle: float = 0.0,
    longest: float = LONGEST,
) -> tuple[Window, ...]:
    """One window that ends with the first change, and one that begins after each.

    All are as long as the shortest stretch between two changes, in whole days where that is a day
    or more, so that each has the same hours of the day.

    Args:
        changes: in any order.
        now: where the last stretch ends, in Unix seconds.
        since: where the first stretch begins; None for as far back as is needed.
        settle: seconds after a change that belong to no window, for pods to start anew.
        longest: the longest window.

    Raises:
        WindowError: a change lies in the future, or there is too little time between two.
    """
    ordered = sorted(changes)
    if not ordered:
        raise WindowError("no change is named")
    if ordered[-1].at >= now:
        raise WindowError("a change lies in the future: nothing can have come of it yet")
    starts = [change.at + settle for change in ordered]
    ends = [*(change.at for change in ordered[1:]), now]
    rooms = [end - start for start, end in zip(starts, ends, strict=True)]
    if since is not None:
        rooms.append(ordered[0].at - since.at)
    length = _length(min(*rooms, longest))
    first = ordered[0].at
    before = Window(
        name=since.name if since and since.name else BEFORE, start=first - length, end=first
    )
    after = (
        Window(name=change.name or _named(number, len(ordered)), start=start, end=start + length)
        for number, (change, start) in enumerate(zip(ordered, starts, strict=True), start=1)
    )
    return (before, *after)


def _length(room: float) -> float:
    if room < SHORTEST:
        minutes = max(0, math.floor(room / _MINUTE))
        message = (
            f"there are {minutes} minutes beside a change, and a window needs "
            f"{SHORTEST / _MINUTE:.0f}: wait, or name another --since or --settle"
        )
        raise WindowError(message)
    unit = DAY if room >= DAY else _MINUTE
    return math.floor(room / unit) * unit


def _named(number: int, changes: int) -> str:
    return "after" if changes == 1 else f"after change {number}"


def step_of(window: Window) -> float:
    """Seconds between two samples: a minute, as our rules have them, or what keeps them few."""
    return max(1, math.ceil(window.seconds / _MOST_SAMPLES / _MINUTE)) * _MINUTE


# Enough for a mean to a percent, little enough for a server of a large cluster.
_MOST_SAMPLES: Final = 1_500

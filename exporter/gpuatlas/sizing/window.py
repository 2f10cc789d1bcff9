"""Which days an answer may rest on, or why there are too few of them (DESIGN 7). Pure.

The window ends with the last day and reaches back as far as every day is measured and the pod
template stays the same. 95 % are asked of each day, not of all of them together: what hides in an
hour that nobody saw is no smaller for the thirteen days before it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from gpuatlas.model.sizing import CannotReason, Day, History
from gpuatlas.sizing.wording import count, days

DAY: Final = 86_400.0
NEEDED_DAYS: Final = 7.0
NEEDED_RUNS: Final = 3
NEEDED_COVERAGE: Final = 0.95
# A scrape or two are missing at the ends of a day; an hour is not.
_DAYS_ROUNDING: Final = 0.05
_ROUNDING: Final = 1e-9

Measured = Callable[[Day], bool]


class Gap(NamedTuple):
    """Why it cannot be sized, in a sentence."""

    reason: CannotReason
    text: str


_MISSING: Final = Gap(
    CannotReason.COVERAGE, "A day of the last 7 is missing; 95 % of each are needed."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """`days` are those that the answer rests on, `length` how long they are together.

    `before` are older days whose peaks count all the same: those on the same template, and the day
    on which that began, since its start-up is in it. `coverage` is the mean of `days`, None where
    there is none. With `gap` the days are too few, and only tell what was seen.
    """

    days: tuple[Day, ...] = ()
    before: tuple[Day, ...] = ()
    length: float = 0.0
    coverage: float | None = None
    gap: Gap | None = None


def look(history: History, measured: Measured) -> Window:
    """The window of a history, as far as the value that `measured` asks for was measured."""
    grouped = bool(history.of.group)
    seen = _since_first_presence(history.days)
    long = _length(seen, grouped=grouped)
    if not _enough(seen, grouped=grouped):
        return _with_gap(seen, long, _short(seen, long, grouped=grouped))
    covered, flaw = _covered_from(seen, measured, grouped=grouped)
    steady = 0 if grouped else _steady_from(seen)
    if flaw is not None and not _enough(seen[covered:], grouped=grouped):
        return _with_gap(seen[steady:], long, flaw)
    if not _enough(seen[steady:], grouped=grouped):
        return _with_gap(seen, long, _rollout(seen, steady))
    start = max(covered, steady)
    return Window(
        days=seen[start:],
        before=seen[max(steady - 1, 0) : start],
        length=_length(seen[start:], grouped=grouped),
        coverage=_coverage(seen[start:]),
    )


def exists(day: Day) -> bool:
    """Whether the container was there at any time of the day."""
    return day.present > 0


def _since_first_presence(all_days: Sequence[Day]) -> tuple[Day, ...]:
    ordered = sorted(all_days, key=lambda day: day.ends_at)
    first = next((i for i, day in enumerate(ordered) if exists(day)), len(ordered))
    return tuple(ordered[first:])


def _length(window: Sequence[Day], *, grouped: bool) -> float:
    """In days. What runs now and then was seen only while it ran; what goes on, in its pauses too.

    The first day counts by its part: it began in the middle of it.
    """
    if not window:
        return 0.0
    if grouped:
        return sum(min(day.present, 1.0) for day in window)
    between = round((window[-1].ends_at - window[0].ends_at) / DAY)
    return between + min(window[0].present if exists(window[0]) else 1.0, 1.0)


def _enough(window: Sequence[Day], *, grouped: bool) -> bool:
    return _length(window, grouped=grouped) >= NEEDED_DAYS - _DAYS_ROUNDING or (
        grouped and len(_runs(window)) >= NEEDED_RUNS
    )


def _runs(window: Sequence[Day]) -> frozenset[str]:
    return frozenset[str]().union(*(day.runs for day in window))


def _covered_from(
    seen: Sequence[Day], measured: Measured, *, grouped: bool
) -> tuple[int, Gap | None]:
    """The first day from which on all are measured, and what is wrong with what is before it.

    Runs leave no trace between them, so that only the days on which they ran must be measured.
    """
    for index in range(len(seen) - 1, -1, -1):
        if not grouped and index + 1 < len(seen) and _apart(seen[index], seen[index + 1]):
            return index + 1, _MISSING
        if not (grouped and not exists(seen[index])):
            flaw = _flaw(seen[index], measured)
            if flaw is not None:
                return index + 1, flaw
    return 0, None


def _apart(day: Day, following: Day) -> bool:
    return following.ends_at - day.ends_at > 1.5 * DAY


def _flaw(day: Day, measured: Measured) -> Gap | None:
    share = _share(day) if not exists(day) or measured(day) else 0.0
    unseen = (1.0 - day.measured) * day.replicas if exists(day) else 0.0
    # As much is missing as one of them has in a day: it may be the one that needs the most.
    one_missing = day.replicas > 1 and unseen >= NEEDED_COVERAGE - _ROUNDING
    if one_missing and day.watched >= NEEDED_COVERAGE:
        text = f"On one of its last days {unseen:.1f} of {day.replicas} containers"
        return Gap(CannotReason.REPLICAS, f"{text} were not measured; the fullest of all counts.")
    if share >= NEEDED_COVERAGE - _ROUNDING and not one_missing:
        return None
    text = f"Of one of its last days {math.floor(share * 100)} % were measured"
    return Gap(CannotReason.COVERAGE, f"{text}; 95 % of each are needed.")


def _share(day: Day) -> float:
    return day.watched * day.measured if exists(day) else day.watched


def _coverage(window: Sequence[Day]) -> float | None:
    shares = [_share(day) for day in window]
    return sum(shares) / len(shares) if shares else None


def _steady_from(seen: Sequence[Day]) -> int:
    """The first day that was all on the templates of the last.

    A day without one says nothing. Two templates on every day are no rollout: both are there to
    stay. Where the new one is not seen beside the old one, it came in the course of its first day.
    """
    latest = next((day.revisions for day in reversed(seen) if day.revisions), frozenset())
    first = len(seen)
    for index in range(len(seen) - 1, -1, -1):
        revisions = seen[index].revisions
        if revisions == latest:
            first = index
        elif revisions:
            return index + 1 if latest <= revisions else first + 1
    return 0


def _short(seen: Sequence[Day], long: float, *, grouped: bool) -> Gap:
    if not grouped:
        text = f"Seen for {days(long)}; 7 are needed."
    else:
        done = count(len(_runs(seen)), "completed run")
        text = f"Seen for {days(long)} and {done}; 7 days or 3 runs are needed."
    return Gap(CannotReason.SHORT_WINDOW, text)


def _rollout(seen: Sequence[Day], steady: int) -> Gap:
    since = _length(seen[steady:], grouped=False)
    when = f"{days(since)} ago" if since > 0 else "in the last day"
    text = f"Its pod template changed {when}; 7 days without a change are needed."
    return Gap(CannotReason.ROLLOUT, text)


def _with_gap(seen: tuple[Day, ...], long: float, gap: Gap) -> Window:
    return Window(days=seen, length=long, coverage=_coverage(seen), gap=gap)

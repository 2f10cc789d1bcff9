"""How much card memory one container needs on one card, by its window. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.sizing import CannotReason, Day, History
from gpuatlas.sizing.growth import DAYS_AHEAD, growth_a_day
from gpuatlas.sizing.margins import AT_LIMIT, needed_memory, round_up
from gpuatlas.sizing.taken_ahead import cache_need, taken_ahead
from gpuatlas.sizing.window import Gap, Window, look
from gpuatlas.sizing.wording import count, gib

# A promise that is exceeded by more than this holds nobody back (facts/errata.md, KAI: 1/100 card).
_EXCEEDED: Final = 1.01


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryNeed:
    """`amount` is in whole grant units, None with a `gap`; `text` begins the sentence about it.

    `peak` is None where nothing was measured. `own_fill` says that the peak is that of a runtime
    that fills what it is given, so that it says nothing of a limit that was reached.
    """

    window: Window
    peak: int | None
    amount: int | None
    text: str
    gap: Gap | None
    own_fill: bool = False

    def beside(self, present: int) -> str:
        """The beginning of a sentence that compares it with what there is."""
        return self.text if self.own_fill else f"{self.text} of {gib(present)}"


def memory_need(history: History, *, seen: int | None) -> MemoryNeed:
    """What it needs, or the first reason why that cannot be said.

    Args:
        history: of the container.
        seen: the memory in bytes that it sees as its card's, None where nobody knows.
    """
    window = look(history, memory_measured)
    counted = (*window.before, *window.days)
    peak = _peak(counted)
    if peak is None:
        gap = Gap(CannotReason.NOT_MEASURED, "Nobody measured its memory.")
        return MemoryNeed(window=window, peak=None, amount=None, text="", gap=gap)
    taken = taken_ahead(history)
    if taken is None:
        return _by_peak(window, peak)
    found = cache_need(taken, counted, peak=peak, seen=seen)
    if isinstance(found, Gap):
        return MemoryNeed(window=window, peak=peak, amount=None, text="", gap=found, own_fill=True)
    return MemoryNeed(
        window=window,
        peak=peak,
        amount=found.amount,
        text=found.text,
        gap=window.gap,
        own_fill=True,
    )


def _by_peak(window: Window, peak: int) -> MemoryNeed:
    """The margin is no less than what it grows in a week."""
    growth = growth_a_day(window.days)
    amount, text = needed_memory(peak), f"Peak {gib(peak)}"
    ahead = round_up(math.ceil(peak + growth * DAYS_AHEAD))
    if ahead > amount:
        amount, text = ahead, f"It grows by {gib(growth)} a day: peak {gib(peak)}"
    return MemoryNeed(window=window, peak=peak, amount=amount, text=text, gap=window.gap)


def memory_measured(day: Day) -> bool:
    """Whether the memory of that day was measured."""
    return day.memory_peak is not None and day.memory_peak >= 0


def reached_limit(need: MemoryNeed, limit: int, *, limited: bool | None) -> str:
    """How it reached its limit, "" where it did not or nothing shows that the limit holds.

    Args:
        need: what was seen of it.
        limit: in bytes.
        limited: whether the limit is in force, None where nobody can tell.
    """
    # Of the days before the window, the last of another template may be one.
    days = need.window.days
    peak = _peak(days)
    if need.own_fill or peak is None or not (need.amount or 0) > limit:
        return ""
    if peak > limit * _EXCEEDED:
        return f"It used {gib(peak)} of {gib(limit)}: its limit is not in force"
    hits = [day for day in days if day.limit_hit]
    if peak < AT_LIMIT * limit and not hits:
        return ""
    restarts = sum(day.restarts or 0 for day in hits)
    if limited is False or (limited is None and not restarts):
        return ""
    restarted = f" and restarted {count(restarts, 'time')} then" if restarts else ""
    return f"It reached its limit, {gib(peak)} of {gib(limit)}{restarted}"


def _peak(days: Sequence[Day]) -> int | None:
    measured = [d.memory_peak for d in days if d.memory_peak is not None and memory_measured(d)]
    return max(measured, default=None)

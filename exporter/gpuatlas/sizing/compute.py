"""The share of a card's compute that a container is promised. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.sizing import CannotReason, Day, History, Proposal, Resource
from gpuatlas.model.units import MAX_COMPUTE_RATIO
from gpuatlas.sizing.case import Case
from gpuatlas.sizing.margins import AT_LIMIT, needed_compute, worth_less_compute
from gpuatlas.sizing.window import Gap, Window, look
from gpuatlas.sizing.wording import percent

# Layers hold a share to within some percent. What uses more was left it by others, and would take
# whatever it can have (facts/hami.md 5.5: alone on a card nobody is held to a share).
_LEFT_BY_OTHERS: Final = 1.1


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputeNeed:
    """`p95` is that of the busiest day, 1 a whole card; None where nothing was measured."""

    window: Window
    p95: float | None
    gap: Gap | None


def compute_need(history: History) -> ComputeNeed:
    """What it used of a card's compute, or the first reason why that cannot be said."""
    window = look(history, _measured)
    counted = (*window.before, *window.days)
    known = [day.compute_p95 for day in counted if day.compute_p95 is not None]
    p95 = max((value for value in known if _sane(value)), default=None)
    if p95 is None:
        gap = Gap(CannotReason.NOT_MEASURED, "Nobody measured its compute.")
        return ComputeNeed(window=window, p95=None, gap=gap)
    return ComputeNeed(window=window, p95=p95, gap=window.gap)


def judge_compute(history: History) -> Proposal:
    """Less, more or the same of it, or why that cannot be said."""
    present = history.reservation.compute
    need = compute_need(history)
    case = compute_case(history, need)
    if need.gap is not None:
        return case.cannot(need.gap.reason, need.gap.text)
    if present is None or present <= 0 or need.p95 is None:
        text = "It is promised no share of a card's compute."
        return case.cannot(CannotReason.NOT_PROMISED, text)
    needed = needed_compute(need.p95)
    text = f"p95 {percent(need.p95)} of a card, promised {percent(present)}"
    if need.p95 > present * _LEFT_BY_OTHERS:
        return case.fits(f"{text}; what is above its promise others left it.")
    if need.p95 >= AT_LIMIT * present and present < min(needed, 1.0):
        return case.change(min(needed, 1.0), f"{text}: it is at its limit.")
    if worth_less_compute(present, needed, round(case.number)):
        return case.change(needed, f"{text}; with a margin it needs {percent(needed)}.")
    return case.fits(f"{text}.")


def compute_case(history: History, need: ComputeNeed) -> Case:
    """What all answers about its compute have in common."""
    return Case(
        of=history.of,
        resource=Resource.COMPUTE,
        window=need.window,
        present=history.reservation.compute,
        peak=need.p95,
        number=max(history.reservation.containers, 1),
    )


def _measured(day: Day) -> bool:
    return day.compute_p95 is not None and _sane(day.compute_p95)


def _sane(p95: float) -> bool:
    return math.isfinite(p95) and 0 <= p95 <= MAX_COMPUTE_RATIO

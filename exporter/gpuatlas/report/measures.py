"""What becomes of the samples of one window, and how sure it is. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, stdev
from typing import Final

from gpuatlas.report.quantities import Quantity, Reduction
from gpuatlas.report.windows import DAY, Window

NEEDED_COVERAGE: Final = 0.95
NEEDED_SAMPLES: Final = 30
# Neighbouring samples are alike, so that a window has fewer independent ones than it seems: the
# spread is that of the means of its days, or where it has few days of its twelfths.
_FEW_DAYS: Final = 6
_BLOCKS: Final = 12
_NEEDED_BLOCKS: Final = 6

# Nothing that is compared here is larger; sums of such values stay finite.
_LARGEST: Final = 1e18

Points = Mapping[float, float]
"""Unix seconds → value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One quantity in one window.

    `value` is None where nothing was measured. `samples` are those behind it, `coverage` the share
    of the window in which somebody looked. `error` is the standard error of a mean, None where
    there are too few samples for one.
    """

    value: float | None
    samples: int
    coverage: float
    error: float | None = None

    @property
    def is_enough(self) -> bool:
        """Whether a difference may be called by it."""
        return (
            self.value is not None
            and self.samples >= NEEDED_SAMPLES
            and self.coverage >= NEEDED_COVERAGE
        )


NOTHING: Final = Measure(value=None, samples=0, coverage=0.0)


def measure(
    quantity: Quantity, points: Points, window: Window, step: float, seen: Points | None = None
) -> Measure:
    """The samples of a window as one value.

    Args:
        quantity: what they are of.
        points: one series; what is not finite, or beyond any measure, is no sample.
        window: from which they are.
        step: seconds between two.
        seen: a series that has a sample wherever somebody looked; None where `points` has.
    """
    # NaN is in no order, so that it is not below the largest either.
    known = {at: value for at, value in sorted(points.items()) if abs(value) < _LARGEST}
    looked = len(known) if seen is None else len(seen)
    coverage = min(1.0, max(looked, len(known)) / expected(window, step))
    if not known:
        return Measure(value=None, samples=0, coverage=coverage)
    values = list(known.values())
    if quantity.reduction is Reduction.SUM:
        return Measure(value=sum(values), samples=len(values), coverage=coverage)
    if quantity.reduction is Reduction.RISES:
        rises = sum(max(0.0, after - before) for before, after in pairwise(values))
        return Measure(value=rises, samples=len(values), coverage=coverage)
    error = _error(known, window)
    return Measure(
        value=fmean(values) * quantity.scale,
        samples=len(values),
        coverage=coverage,
        error=None if error is None else error * quantity.scale,
    )


def expected(window: Window, step: float) -> float:
    """How many samples a window can have; its end is none of it."""
    return window.seconds / step


def _error(points: Points, window: Window) -> float | None:
    """The standard error of the mean, by the means of its parts."""
    days = round(window.seconds / DAY)
    number = days if days >= _FEW_DAYS else _BLOCKS
    blocks: dict[int, list[float]] = {}
    for at, value in points.items():
        block = int((at - window.start) / window.seconds * number)
        blocks.setdefault(min(max(block, 0), number - 1), []).append(value)
    means = [fmean(values) for values in blocks.values()]
    if len(means) < _NEEDED_BLOCKS:
        return None
    return stdev(means) / math.sqrt(len(means))

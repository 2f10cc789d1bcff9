"""How much a need will have grown a week later, if it grows steadily. Pure.

A peak of yesterday with a tenth above it is too little for what grows by a tenth a week. The slope
is the median of those between any two days (Theil and Sen), so that no single day makes one.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence
from typing import Final

from gpuatlas.model.sizing import Day
from gpuatlas.sizing.window import DAY

DAYS_AHEAD: Final = 7
_LEAST_DAYS: Final = 7
# Of the pairs of days: in any order of unlike peaks it is a half, and by chance so many of the 21
# pairs of a week rise once in 700 weeks.
_RISING: Final = 0.9


def growth_a_day(days: Sequence[Day]) -> float:
    """Bytes a day, 0 for what does not grow steadily."""
    peaks = [(d.ends_at / DAY, d.memory_peak) for d in days if d.memory_peak is not None]
    if len(peaks) < _LEAST_DAYS:
        return 0.0
    slopes = [
        (later - earlier) / (after - before)
        for (before, earlier), (after, later) in itertools.combinations(peaks, 2)
        if after > before
    ]
    rising = sum(slope > 0 for slope in slopes)
    return statistics.median(slopes) if rising >= _RISING * max(len(slopes), 1) else 0.0

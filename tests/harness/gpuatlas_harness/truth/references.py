"""What others would promise, written from their published rules (facts/peers.md D1).

Small references for comparison and no more: each is given the samples that were watched, by
container and day, and answers with bytes whatever they are. Values are in MiB.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

Samples = list[float]
Seen = Sequence[Sequence[Samples]]
"""Container → day, the oldest first → samples of five minutes."""

_KRR_BUFFER: Final = 1.15
_VPA_MARGIN: Final = 1.15
_VPA_DAYS: Final = 8
_VPA_QUANTILE: Final = 0.9
_VPA_HALF_LIFE_DAYS: Final = 1.0
_VPA_FIRST_BUCKET_MIB: Final = 10_000_000 / 1024**2
_VPA_GROWTH: Final = 1.05
_KRUIZE_QUANTILE: Final = 0.6
_KRUIZE_INTERVAL: Final = 3
"""Samples in a measurement of a quarter of an hour."""


def krr(seen: Seen) -> float | None:
    """KRR "simple": the highest value of all pods and 15 %."""
    highest = max((max(day) for days in seen for day in days if day), default=None)
    return None if highest is None else highest * _KRR_BUFFER


def vpa(seen: Seen) -> float | None:
    """VPA's target: the 90th percentile of the peaks of 8 days, half as much for each older day.

    Peaks are kept in buckets that grow by 5 %, and the end of a bucket stands for it.
    """
    weighted = [
        (max(day), 2.0 ** (-age / _VPA_HALF_LIFE_DAYS))
        for days in seen
        for age, day in enumerate(reversed(days[-_VPA_DAYS:]))
        if day
    ]
    if not weighted:
        return None
    goal = _VPA_QUANTILE * sum(weight for _, weight in weighted)
    ordered = sorted(weighted)
    sofar = itertools.accumulate(weight for _, weight in ordered)
    value = next(value for (value, _), sum_ in zip(ordered, sofar, strict=True) if sum_ >= goal)
    return _end_of_bucket(value) * _VPA_MARGIN


def kruize(seen: Seen) -> float | None:
    """Kruize's cost profile for GPU memory: the 60th percentile of the intervals' maxima."""
    step = _KRUIZE_INTERVAL
    maxima = sorted(
        high
        for days in seen
        for day in days
        for high in map(max, day[::step], day[1::step], day[2::step])
    )
    if not maxima:
        return None
    return maxima[min(math.ceil(_KRUIZE_QUANTILE * len(maxima)), len(maxima)) - 1]


def _end_of_bucket(value: float) -> float:
    """Bucket n begins at first × (growth^n − 1) / (growth − 1)."""
    ratio = _VPA_GROWTH - 1
    number = math.floor(math.log(value / _VPA_FIRST_BUCKET_MIB * ratio + 1, _VPA_GROWTH))
    return float(_VPA_FIRST_BUCKET_MIB * (_VPA_GROWTH ** (number + 1) - 1) / ratio)


REFERENCES: Final[Mapping[str, Callable[[Seen], float | None]]] = {
    "KRR simple": krr,
    "VPA": vpa,
    "Kruize cost": kruize,
}

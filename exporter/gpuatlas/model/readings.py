"""A measured value, or the reason why there is none. Never 0 or NaN in place of "unknown"."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Known(Generic[T_co]):
    """A value that somebody measured or declared.

    `at` is the instant of the measurement in Unix seconds, `source` who said it: a metric name,
    an annotation key, a node label.
    """

    value: T_co
    at: float
    source: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """No value; `reason` completes the sentence "unknown: …" for a person."""

    reason: str


Reading = Known[T_co] | Unknown


def value_of(reading: Reading[T_co]) -> T_co | None:
    """The value, or None where it is unknown."""
    return reading.value if isinstance(reading, Known) else None


def total(readings: Iterable[Reading[int]], *, at: float, source: str) -> Reading[int]:
    """The sum in the readings' unit; unknown as soon as one part is, with that part's reason."""
    result = 0
    for reading in readings:
        if isinstance(reading, Unknown):
            return reading
        result += reading.value
    return Known(result, at, source)

"""How busy a workload is over the day: one row per pattern, each a pure function of the instant.

Activity is 0 (nothing runs) to 1 (as busy as this workload ever gets). Hours are UTC.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

from gpuatlas.demo.randomness import Key, fraction, wave

DAY: Final = 86_400.0
HOUR: Final = 3_600.0

_BURST_ABOVE: Final = 0.62  # of the wandering curve: about a third of the time
_CHECKPOINT_EVERY: Final = 1800.0
_CHECKPOINT_TAKES: Final = 90.0
_SURGE_EVERY: Final = 4 * HOUR
_SURGE_SECONDS: Final = (1200.0, 2400.0)  # the shortest and the longest

Pattern = Callable[[float, tuple[Key, ...]], float]


def hour_of_day(at: float) -> float:
    """0 to 24."""
    return at % DAY / HOUR


def is_weekend(at: float) -> bool:
    """Saturday or Sunday; 1970-01-01 was a Thursday."""
    return int(at // DAY) % 7 in {2, 3}


def _bump(at: float, peak: float, width: float) -> float:
    """1 at the hour `peak`, falling to 0 over `width` hours on both sides, across midnight too."""
    distance = abs((hour_of_day(at) - peak + 12) % 24 - 12)
    return 0.0 if distance >= width else (1 + math.cos(math.pi * distance / width)) / 2


def _unrest(at: float, key: tuple[Key, ...]) -> float:
    """A factor around 1: minutes-long swings on top of the daily shape."""
    return 0.85 + 0.3 * wave(at, 420.0, "unrest", *key)


def _office(at: float, key: tuple[Key, ...]) -> float:
    calm = 0.35 if is_weekend(at) else 1.0
    return (0.06 + 0.9 * calm * _bump(at, 13.0, 8.0)) * _unrest(at, key)


def _evening(at: float, key: tuple[Key, ...]) -> float:
    return (0.12 + 0.85 * _bump(at, 20.0, 7.0)) * _unrest(at, key)


def _night(at: float, key: tuple[Key, ...]) -> float:
    return (0.03 + 0.95 * _bump(at, 2.5, 5.0)) * _unrest(at, key)


def _steady(at: float, key: tuple[Key, ...]) -> float:
    return 0.72 * _unrest(at, key)


def _bursts(at: float, key: tuple[Key, ...]) -> float:
    return 0.95 * _unrest(at, key) if wave(at, 1500.0, "burst", *key) > _BURST_ABOVE else 0.0


def _training(at: float, key: tuple[Key, ...]) -> float:
    """Full speed, but for a minute and a half every half hour while a checkpoint is written."""
    saving = at % _CHECKPOINT_EVERY < _CHECKPOINT_TAKES
    return 0.12 if saving else 0.97 * (0.97 + 0.05 * wave(at, 240.0, "step", *key))


def _surges(at: float, key: tuple[Key, ...]) -> float:
    """Once in four hours all that it can, for 20 to 40 minutes, and next to nothing else."""
    number = math.floor(at / _SURGE_EVERY)
    shortest, longest = _SURGE_SECONDS
    takes = shortest + (longest - shortest) * fraction("surge takes", *key, number)
    begins = number * _SURGE_EVERY + (_SURGE_EVERY - longest) * fraction("surge", *key, number)
    return 0.95 if begins <= at < begins + takes else 0.02


def _idle(at: float, key: tuple[Key, ...]) -> float:
    del at, key
    return 0.0


PATTERNS: Final[Mapping[str, Pattern]] = {
    "office-hours": _office,
    "evenings": _evening,
    "nights": _night,
    "steady": _steady,
    "bursts": _bursts,
    "training": _training,
    "surges": _surges,
    "idle": _idle,
}


def activity(pattern: str, at: float, *key: Key) -> float:
    """How busy at this instant, 0 to 1. `pattern` is a key of `PATTERNS`."""
    return min(1.0, max(0.0, PATTERNS[pattern](at, key)))


def mean_activity(pattern: str) -> float:
    """The mean over an ordinary Thursday, from one sample per half hour."""
    samples = [PATTERNS[pattern](half * HOUR / 2 + 100.0, ("mean",)) for half in range(48)]
    return sum(samples) / len(samples)

"""How much card memory one container needs over three weeks, five minutes by five minutes.

A shape knows no promise and no measurement: it is the truth. Levels are in MiB.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final

DAYS: Final = 21
WINDOW: Final = 14
"""The days that are looked at; the others come after."""
PER_DAY: Final = 288

Samples = list[float]

_PROFILES: Final[Mapping[str, Samples]] = {
    "flat": [1.0] * PER_DAY,
    "office": [1.0 if 9 * 12 <= i < 18 * 12 else 0.5 for i in range(PER_DAY)],
    "weekend": [0.5] * PER_DAY,
    "night": [1.0 if i < 5 * 12 else 0.45 for i in range(PER_DAY)],
}
_SPREADS: Final = (0.002, 0.01, 0.03)
_DAYS_OF_NOISE: Final = 64


@dataclass(kw_only=True)
class Container:
    """One container: what it needs by day, and when it was there.

    `need` has a list for each day, empty where it was not there at all. `starts` are (day, sample)
    at which it began, those of a pod's first start included; `began` is the first of them.
    """

    need: list[Samples]
    starts: list[tuple[int, int]] = field(default_factory=list)

    def peaks(self) -> list[float]:
        """The most of each day, 0 where it was not there."""
        return [max(samples, default=0.0) for samples in self.need]


Shape = Callable[[random.Random, float], Container]


@cache
def _unit(profile: str, spread: float, number: int) -> Samples:
    """One of some days of noise around a profile, 1 its top; the noise goes down from there."""
    noise = random.Random(f"{profile}/{spread}/{number}")  # noqa: S311 seeded on purpose
    return [p * (1 - spread * noise.random()) for p in _PROFILES[profile]]


def noisy(dice: random.Random, level: float, profile: str, spread: float) -> Samples:
    """A day whose top is `level`."""
    return [level * u for u in _unit(profile, spread, dice.randrange(_DAYS_OF_NOISE))]


def _days(dice: random.Random, level: float, profile: Callable[[int], str]) -> Container:
    spread = dice.choice(_SPREADS)
    return Container(need=[noisy(dice, level, profile(day), spread) for day in range(DAYS)])


def flat(dice: random.Random, level: float) -> Container:
    """The same all day."""
    return _days(dice, level, lambda _: "flat")


def office_hours(dice: random.Random, level: float) -> Container:
    """Much by day from Monday to Friday, half of it else."""
    monday = dice.randrange(7)
    return _days(dice, level, lambda day: "weekend" if (day + monday) % 7 >= 5 else "office")


def nights(dice: random.Random, level: float) -> Container:
    """Much by night."""
    return _days(dice, level, lambda _: "night")


def drift(dice: random.Random, level: float) -> Container:
    """It grows by 5 to 40 % over the window, and goes on growing."""
    growth = dice.uniform(0.05, 0.4)
    spread = dice.choice(_SPREADS)
    first = level / (1 + growth)
    return Container(
        need=[
            noisy(dice, first * (1 + growth * (day + 1) / WINDOW), "flat", spread)
            for day in range(DAYS)
        ]
    )


def late_peak(dice: random.Random, level: float) -> Container:
    """Little, and once in the last days of the window all of it, for half an hour to four."""
    container = _days(dice, level * dice.uniform(0.4, 0.8), lambda _: "flat")
    _raise(container, dice.randrange(WINDOW - 7, WINDOW), level, dice, 6, 48)
    return container


def start_up(dice: random.Random, level: float) -> Container:
    """It needs the most while it starts, for ten minutes to half an hour, and starts at times."""
    container = _days(dice, level * dice.uniform(0.5, 0.85), lambda _: "flat")
    for day in sorted(dice.sample(range(DAYS), dice.randint(1, 4))):
        at = _raise(container, day, level, dice, 2, 6)
        container.starts.append((day, at))
    return container


def restarts(dice: random.Random, level: float) -> Container:
    """It starts anew now and then, and holds nothing for a quarter of an hour."""
    container = _days(dice, level, lambda _: "flat")
    for day in sorted(dice.sample(range(DAYS), dice.randint(2, 6))):
        at = dice.randrange(PER_DAY - 4)
        container.need[day][at : at + 3] = [level * 0.02] * 3
        container.starts.append((day, at))
    return container


def _raise(
    container: Container, day: int, level: float, dice: random.Random, least: int, most: int
) -> int:
    length = dice.randint(least, most)
    at = dice.randrange(PER_DAY - length)
    container.need[day][at : at + length] = [level] * length
    return at


SHAPES: Final[Mapping[str, Shape]] = {
    "flat": flat,
    "office hours": office_hours,
    "nights": nights,
    "growing drift": drift,
    "one late peak": late_peak,
    "start-up peak": start_up,
    "restarts": restarts,
}

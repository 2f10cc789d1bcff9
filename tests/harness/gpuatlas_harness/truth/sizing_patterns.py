"""What happens to a workload and to those who watch it: one function for each pattern."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from typing import Final

from gpuatlas.model.sizing import TakenAhead
from gpuatlas.model.units import MIB
from gpuatlas_harness.truth.sizing_past import Past
from gpuatlas_harness.truth.sizing_shapes import (
    DAYS,
    PER_DAY,
    SHAPES,
    WINDOW,
    Container,
    flat,
    noisy,
    office_hours,
)

_UNIT: Final = 256


def up(mebibytes: float) -> float:
    """In whole grant units."""
    return float(math.ceil(mebibytes / _UNIT) * _UNIT)


def _compute(dice: random.Random) -> list[float]:
    level = dice.choice((0.03, 0.1, 0.2, 0.4, 0.7))
    return [level * dice.uniform(0.8, 1.0) for _ in range(DAYS)]


def _level(dice: random.Random) -> float:
    return math.exp(dice.uniform(math.log(1_000), math.log(18_000)))


def _shape(dice: random.Random, level: float) -> Container:
    return SHAPES[dice.choice(tuple(SHAPES))](dice, level)


def _plain(name: str) -> Callable[[random.Random], Past]:
    def make(dice: random.Random) -> Past:
        return Past(containers=[SHAPES[name](dice, _level(dice))], compute=_compute(dice))

    return make


def _missing_days(dice: random.Random) -> Past:
    past = Past(containers=[_shape(dice, _level(dice))], compute=_compute(dice))
    # Not the last: of one of which nothing is known today nobody asks.
    past.lost = set(dice.sample(range(WINDOW - 1), dice.randint(1, 2)))
    return past


def _gaps(dice: random.Random) -> Past:
    past = Past(containers=[_shape(dice, _level(dice))], compute=_compute(dice))
    for _ in range(dice.randint(1, 3)):
        _gap(past, dice, dice.choice((3, 6, 12, 36, 100, 144)))
    return past


def _gap(past: Past, dice: random.Random, longest: int) -> None:
    length = dice.randint(1, longest)
    at = dice.randrange(PER_DAY - length)
    day = dice.randrange(WINDOW)
    if not any(gap[0] == day for gap in past.gaps):
        past.gaps.append((day, at, at + length))


def _replicas(dice: random.Random) -> Past:
    level, make = _level(dice), SHAPES[dice.choice(tuple(SHAPES))]
    containers = [make(dice, level * dice.uniform(0.3, 1.0)) for _ in range(dice.randint(2, 5))]
    past = Past(containers=containers, compute=_compute(dice))
    if dice.random() < 0.3:
        past.unmeasured = {dice.randrange(len(containers))}
    return past


def _runs(dice: random.Random) -> Past:
    """A run a night, or on two nights of three, each under a new name."""
    level, every = _level(dice), dice.choice((1.0, 1.0, 0.7))
    container = Container(need=[[] for _ in range(DAYS)])
    past = Past(containers=[container], compute=_compute(dice), run=[""] * DAYS)
    first = dice.choice((0, 0, 0, 11, 12))
    for day in range(first, DAYS):
        if dice.random() < every:
            length = dice.randint(40, 120)
            needed = noisy(dice, level * dice.uniform(0.85, 1.0), "flat", 0.03)
            container.need[day] = needed[:length]
            past.run[day] = f"night-{day}"
    return past


def _limit(dice: random.Random) -> Past:
    level = _level(dice)
    make = dice.choice((flat, office_hours))
    past = Past(containers=[make(dice, level)], compute=_compute(dice))
    past.promise = up(level * dice.uniform(0.75, 0.97))
    return past


def _rollout(dice: random.Random) -> Past:
    """From one day on its template is another, and it needs more or less."""
    level, at = _level(dice), dice.randrange(1, WINDOW)
    old, new = flat(dice, level * dice.uniform(0.5, 1.5)), flat(dice, level)
    hour = dice.randrange(PER_DAY)
    new.need[:at] = old.need[:at]
    new.need[at] = old.need[at][:hour] + new.need[at][hour:]
    new.starts.append((at, hour))
    past = Past(containers=[new], compute=_compute(dice))
    before, both, after = frozenset({"a"}), frozenset({"a", "b"}), frozenset({"b"})
    past.revisions = [before if d < at else both if d == at else after for d in range(DAYS)]
    past.since = min(at + 1, WINDOW - 1)
    return past


def _new(dice: random.Random) -> Past:
    """It began in the window."""
    container = _shape(dice, _level(dice))
    first, at = dice.randrange(1, WINDOW - 1), dice.randrange(PER_DAY - 12)
    for day in range(first):
        container.need[day] = []
    container.need[first] = container.need[first][at:]
    container.starts = [(first, 0), *(s for s in container.starts if s[0] > first)]
    return Past(containers=[container], compute=_compute(dice))


def _taken_ahead(dice: random.Random) -> Past:
    """What it needs is what it holds beside its cache, and what is in use of that.

    Of other memory it would take the same share.
    """
    promise = up(_level(dice) * 2)
    share, beside = dice.uniform(0.85, 0.95), promise * dice.uniform(0.1, 0.5)
    filled, busiest = share * promise, dice.uniform(0.05, 1.0)
    past = Past(containers=[Container(need=[[filled] * PER_DAY] * DAYS)], compute=_compute(dice))
    past.promise = promise
    past.kv_cache = [busiest * dice.uniform(0.6, 1.0) for _ in range(DAYS)]
    past.required = [(beside + (filled - beside) * used) / share for used in past.kv_cache]
    past.taken = TakenAhead(
        runtime="vllm",
        setting="--gpu-memory-utilization",
        share=share,
        pool_bytes=round((filled - beside) * MIB) if dice.random() < 0.6 else None,
    )
    return past


PATTERNS: Final[Mapping[str, Callable[[random.Random], Past]]] = {
    **{name: _plain(name) for name in SHAPES},
    "missing days": _missing_days,
    "unwatched gaps": _gaps,
    "replicas unlike": _replicas,
    "runs": _runs,
    "limit hit": _limit,
    "pre-allocation": _taken_ahead,
    "rollout": _rollout,
    "new workload": _new,
}

"""Labelled histories: what was recorded of two weeks, and what was true of them and of a third.

All from a seed. Each is one container of one workload; what it truly needed is known for every five
minutes, watched or not.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.sizing import Day, History, Reservation, SizedContainer
from gpuatlas.model.snapshot import Sharing
from gpuatlas.model.units import MIB
from gpuatlas_harness.truth.sizing_past import Past, days_of
from gpuatlas_harness.truth.sizing_patterns import PATTERNS, up
from gpuatlas_harness.truth.sizing_shapes import DAYS, WINDOW, Samples

_A100: Final = ("NVIDIA A100-SXM4-80GB", 81_920)
# What an A100 of 80 GB can be divided into, in MiB (facts/dcgm.md 5 and NVIDIA's MIG guide).
_INSTANCES: Final = (("1g.10gb", 9_728), ("2g.20gb", 19_968), ("3g.40gb", 40_192))
_SLICES: Final = 7


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """A history and its truth.

    `used` is the most that it truly used on each of 21 days, in bytes, as far as its limit let it;
    `needed` without that. `since` is the first day of the window with today's template. `safe` says
    whether the rules let it be sized: 95 % of 7 days or more, all containers, a known cache.
    """

    pattern: str
    history: History
    used: tuple[int, ...]
    needed: tuple[int, ...]
    since: int
    safe: bool
    past: Past

    def seen(self) -> list[list[Samples]]:
        """What was watched, in MiB, by container and day of the window."""
        places = range(len(self.past.containers))
        return [[self.past.observed(place, day) for day in range(WINDOW)] for place in places]


def labelled_histories(number: int, seed: int = 1) -> Iterator[Labelled]:
    """`number` of them, as many of each pattern."""
    names = tuple(PATTERNS)
    for index in range(number):
        dice = random.Random(f"{seed}/{index}")  # noqa: S311 seeded on purpose
        name = names[index % len(names)]
        yield _labelled(name, PATTERNS[name](dice), index, dice)


def _labelled(pattern: str, past: Past, index: int, dice: random.Random) -> Labelled:
    reservation = _reservation(past, dice)
    past.limit = (reservation.memory or 0) / MIB
    days = days_of(past)
    of = SizedContainer(
        cluster="",
        namespace="truth",
        kind="Job" if past.run else "Deployment",
        name=f"{pattern.replace(' ', '-')}-{index}",
        container="main",
        group="night-*" if past.run else "",
    )
    history = History(
        of=of,
        reservation=reservation,
        days=days,
        runtime=past.taken.runtime if past.taken is not None else "pytorch",
        taken_ahead=past.taken,
    )
    return Labelled(
        pattern=pattern,
        history=history,
        used=tuple(round(past.used(day) * MIB) for day in range(DAYS)),
        needed=tuple(round(past.need(day) * MIB) for day in range(DAYS)),
        since=past.since,
        safe=_is_safe(past, days),
        past=past,
    )


def _reservation(past: Past, dice: random.Random) -> Reservation:
    """A third is sized well, two thirds have up to four times what they need."""
    model, card = _A100
    peak = max(past.need(day) for day in range(WINDOW))
    fitting = [row for row in _INSTANCES if row[1] >= peak * 1.02]
    kind, number = dice.random(), len(past.containers)
    compute: float | None = dice.choice((0.25, 0.5, 1.0))
    if past.promise is not None or kind < 0.8 or not fitting:
        ratio = dice.uniform(1.1, 1.4) if dice.random() < 0.35 else dice.uniform(1.4, 4.4)
        promise = past.promise or min(up(peak * ratio + 512), card)
        sharing, profile = Sharing.HAMI, ""
    elif kind < 0.9:
        promise, sharing, profile, compute = float(card), Sharing.PLAIN, "", 1.0
    else:
        profile, size = dice.choice(fitting)
        promise, sharing, compute = float(size), Sharing.MIG, int(profile[0]) / _SLICES
    return Reservation(
        sharing=sharing,
        memory=round(promise * MIB),
        compute=compute,
        cards=1,
        containers=number,
        card_memory=card * MIB,
        card_model=model,
        profile=profile,
        resources={f"nvidia.com/mig-{profile}" if profile else "nvidia.com/gpu": 1},
        limited=True,
    )


def _is_safe(past: Past, days: Sequence[Day]) -> bool:
    """By the contract alone: how a longer window is put together is left open there."""
    if past.unmeasured or (past.taken is not None and past.taken.pool_bytes is None):
        return False
    if past.run:
        return len({name for day in days for name in day.runs}) >= 3
    first = next((day for day in range(WINDOW) if past.containers[0].need[day]), WINDOW)
    starts = range(max(first, past.since), WINDOW - 6)
    return any(_covered(past, days, start) for start in starts)


def _covered(past: Past, days: Sequence[Day], start: int) -> bool:
    of = {round(day.ends_at): day for day in days}
    end = max(of, default=0)
    length = WINDOW - start
    shares = [of.get(end - 86_400 * ago) for ago in range(length)]
    covered = sum(day.watched * day.measured for day in shares if day is not None)
    oldest = shares[-1]
    long = length - 1 + (oldest.present if oldest is not None else 1.0)
    return long >= 7 and covered >= 0.95 * length

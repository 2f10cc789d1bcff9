"""What services have done since their pods were ready: the counters of their pages.

A counter at an instant is an integral over the past, and the simulator keeps no past. The day of
the instant is added up in steps of four minutes, the days before it in halves of an hour; each
day's fine steps are scaled to what the coarse ones make of the day, so that a counter goes on at
midnight from where it was. What is added up is remembered: the next instant costs next to nothing.
"""

from __future__ import annotations

import math
import threading
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any, Final, TypeAlias

from gpuatlas.demo.lifecycle import ready_at
from gpuatlas.demo.patterns import DAY, activity
from gpuatlas.demo.scenario import FaultSpec
from gpuatlas.demo.services import flow_of, traffic_of
from gpuatlas.demo.slowdowns import (
    CardPlace,
    card_mates,
    faults_at_card,
    places_of,
    tenants_of_card,
)
from gpuatlas.demo.state import PodState, World

_FINE: Final = 240.0
_COARSE: Final = 1800.0
_SLOWED_BELOW: Final = 0.8  # of its speed: such requests are counted apart, for histograms
_MOST_REMEMBERED: Final = 2000

_Key: TypeAlias = tuple[object, ...]
_Speeds: TypeAlias = dict[tuple[str, int], "array[float]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Sums since the pod was ready: requests, and seconds added up over them.

    `usual` and `slowed` are requests, the latter those that were answered at much less than the
    usual speed.
    """

    usual: float = 0.0
    slowed: float = 0.0
    seconds: float = 0.0
    queued_seconds: float = 0.0
    first_token_seconds: float = 0.0

    @property
    def requests(self) -> float:
        """All of them."""
        return self.usual + self.slowed


_FIELDS: Final = tuple(field.name for field in fields(Tally))
_Sums: TypeAlias = tuple[float, ...]  # in that order
_NOTHING: Final = astuple(Tally())


@dataclass(frozen=True, slots=True)
class _Day:
    """Sums of one pod up to the end of each step of a day."""

    step: float
    upto: tuple[_Sums, ...]

    @property
    def whole(self) -> _Sums:
        return self.upto[-1]

    def until(self, second: float) -> _Sums:
        """Of the day's first `second` seconds: between two steps it grows evenly."""
        number = min(int(second // self.step), len(self.upto) - 1)
        before = self.upto[number - 1] if number else _NOTHING
        share = min(1.0, second / self.step - number)
        return tuple(
            low + (high - low) * share for low, high in zip(before, self.upto[number], strict=True)
        )


class Tallies:
    """Remembers the days of one scenario. Safe to use from several threads.

    Pages have the buckets of their histograms unless `buckets` is False.
    """

    def __init__(self, *, buckets: bool = True) -> None:
        self.buckets = buckets
        self._days: dict[_Key, _Day] = {}
        self._cards: dict[_Key, _Speeds] = {}
        self._guard = threading.Lock()

    def of(self, world: World, pod: PodState) -> Tally:
        """The sums of a pod at the instant of the world; none before it is ready."""
        began = ready_at(pod)
        if world.at <= began:
            return Tally()
        first, today = math.floor(began / DAY), math.floor(world.at / DAY)
        with self._guard:
            coarse = [self._day(world, pod, day, _COARSE) for day in range(first, today + 1)]
            fine = self._day(world, pod, today, _FINE)
        parts = [day.whole for day in coarse[:-1]]
        parts.append(_scaled(fine.until(world.at - today * DAY), fine.whole, coarse[-1].whole))
        sums = [sum(column) for column in zip(*parts, strict=True)]
        before = coarse[0].until(began - first * DAY)
        left = (max(0.0, upto - at_first) for upto, at_first in zip(sums, before, strict=True))
        return Tally(**dict(zip(_FIELDS, left, strict=True)))

    def _day(self, world: World, pod: PodState, day: int, step: float) -> _Day:
        places = places_of(world.scenario, pod)
        faults = [_faults_key(faults_at_card(world.faults, place)) for place in places]
        key = (world.seed, pod.workload.key, pod.ordinal, day, step, *faults)
        if key not in self._days:
            _make_room(self._days)
            self._days[key] = _Day(step, tuple(self._added_up(world, pod, day, step)))
        return self._days[key]

    def _added_up(self, world: World, pod: PodState, day: int, step: float) -> Iterator[_Sums]:
        workload, who = pod.workload, (pod.workload.key, pod.ordinal)
        traffic = traffic_of(workload)
        cards = [
            self._speeds(world, place, day, step)[who] for place in places_of(world.scenario, pod)
        ]
        sums = _NOTHING
        for number, instant in enumerate(_middles(day, step)):
            load = activity(workload.busy, instant, world.seed, *who)
            flow = flow_of(traffic, load, min(card[number] for card in cards))
            done = flow.rate * step
            slowed = flow.speed < _SLOWED_BELOW
            more = (
                0.0 if slowed else done,
                done if slowed else 0.0,
                done * flow.seconds,
                done * flow.queued,
                done * flow.first_token,
            )
            sums = tuple(before + added for before, added in zip(sums, more, strict=True))
            yield sums

    def _speeds(self, world: World, place: CardPlace, day: int, step: float) -> _Speeds:
        """Of all pods of a card at the middle of each step of a day."""
        faults = faults_at_card(world.faults, place)
        key = (world.seed, place, day, step, _faults_key(faults))
        if key not in self._cards:
            _make_room(self._cards)
            mates = [
                card_mates(world.scenario, _on_at(faults, at), place, seed=world.seed, at=at)
                for at in _middles(day, step)
            ]
            self._cards[key] = {
                who: array("d", (mate.speed_of(*who) for mate in mates))
                for who in tenants_of_card(world.scenario, place)
            }
        return self._cards[key]


def _middles(day: int, step: float) -> Iterator[float]:
    """The middle of each step of a day, in Unix seconds."""
    return (day * DAY + (number + 0.5) * step for number in range(int(DAY / step)))


def _scaled(part: _Sums, whole: _Sums, meant: _Sums) -> _Sums:
    """The part of a day, where the whole of it is meant to be something a little different."""
    return tuple(
        share * wanted / total if total else 0.0
        for share, total, wanted in zip(part, whole, meant, strict=True)
    )


def _on_at(faults: Sequence[FaultSpec], at: float) -> list[FaultSpec]:
    return [fault for fault in faults if fault.since is None or fault.since <= at]


def _faults_key(faults: Sequence[FaultSpec]) -> _Key:
    return tuple(
        (fault.target, fault.since, fault.until, *sorted(fault.options.items())) for fault in faults
    )


def _make_room(remembered: dict[_Key, Any]) -> None:
    """Forget what was added up first when it is too much."""
    while len(remembered) >= _MOST_REMEMBERED:
        del remembered[next(iter(remembered))]

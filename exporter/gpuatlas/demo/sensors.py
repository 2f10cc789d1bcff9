"""What the driver would tell of a healthy card's hardware. Faults are laid over it afterwards."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

from gpuatlas.demo.patterns import DAY, HOUR, mean_activity
from gpuatlas.demo.randomness import fraction, wave
from gpuatlas.demo.scenario import NodeSpec, Scenario
from gpuatlas.demo.state import Sensors

GPU_IDLE: Final = 1  # bits of the clocks' event reasons (facts/dcgm.md 1.6)
POWER_CAP: Final = 4
FULL_WIDTH: Final = 16
HIGHEST_OPERATING: Final = 87  # degrees at which a margin is 0; invented for these boards

_COOL: Final = 31.0  # degrees Celsius of an idle card
_WARM: Final = 74.0  # and of one at full load
_BUSY: Final = 0.02  # below this share the card counts as idle for its clocks
_DAILY_SWING: Final = 0.4  # of the mean power


def healthy(
    node: NodeSpec, index: int, compute: float, *, scenario: Scenario, seed: int, at: float
) -> Sensors:
    """The sensors of card `index` at the load `compute` (0 to 1)."""
    key = (seed, node.name, index)
    card = node.card
    temperature = _COOL + (_WARM - _COOL) * compute**0.8 + 4 * wave(at, 600.0, "heat", *key)
    asleep = card.sleeps and compute < _BUSY
    power = card.idle_watts + (card.power_watts - card.idle_watts) * compute**0.9 * 0.95
    return Sensors(
        temperature=round(temperature),
        memory_temperature=round(temperature + 6 + 6 * compute) if card.hbm else 0,
        power_watts=round(power + 3 * wave(at, 60.0, "power", *key), 3),
        sm_clock_mhz=300 if asleep else int(card.sm_clock_mhz * (1 - 0.06 * compute)),
        memory_clock_mhz=405 if asleep else card.memory_clock_mhz,
        performance_state=8 if asleep else 0,
        event_reasons=_event_reasons(compute),
        energy_mj=_energy_mj(scenario, node, index, at),
        pcie_generation=1 if asleep else card.pcie_generation,
        pcie_width=FULL_WIDTH,
        pcie_replays=_replays(key, at - scenario.since),
        thermal_violation_ns=0,
    )


def _event_reasons(compute: float) -> int:
    if compute < _BUSY:
        return GPU_IDLE
    return POWER_CAP if compute > 0.9 else 0  # noqa: PLR2004


def _replays(key: tuple[int, str, int], age: float) -> int:
    """A few a month: healthy cards have some (facts/dcgm.md 1.3)."""
    return int(9 * fraction("replays", *key) + age / DAY * 0.15 * fraction("replay rate", *key))


def _energy_mj(scenario: Scenario, node: NodeSpec, index: int, at: float) -> int:
    """Millijoules since the cluster began.

    The integral of a power that swings once a day around the card's own mean: it can be written
    down for any instant, and it always grows. It does not follow every wiggle of `power_watts`.
    """
    mean = _mean_watts(node, index, _load(scenario, node.name, index))
    turn = 2 * math.pi / DAY
    peak = 13 * HOUR
    swing = math.sin(turn * (at - peak)) - math.sin(turn * (scenario.since - peak))
    joules = mean * (at - scenario.since) + mean * _DAILY_SWING / turn * swing
    return int(joules * 1000)


def _mean_watts(node: NodeSpec, index: int, load: float) -> float:
    card = node.card
    uneven = 1 + 0.04 * (fraction("silicon", node.name, index) - 0.5)
    return (card.idle_watts + (card.power_watts - card.idle_watts) * load) * uneven


def _load(scenario: Scenario, node: str, index: int) -> float:
    """The mean load of a card over a day, from what its workloads say of themselves."""
    shares = (
        workload.uses.compute[0]
        + (workload.uses.compute[1] - workload.uses.compute[0]) * _mean(workload.busy)
        for workload in scenario.workloads
        for place in workload.places
        if place.node == node and index in place.cards
    )
    return min(1.0, sum(shares))


@lru_cache(maxsize=64)
def _mean(pattern: str) -> float:
    return mean_activity(pattern)

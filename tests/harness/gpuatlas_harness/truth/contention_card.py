"""A card and its tenants as a small machine: who wants how much, and what each gets of it.

It knows nothing of the analysis. The compute is shared out max-min by weight, as time slicing does
it between hungry tenants; a server's requests come, run and wait, and each runs the slower the more
run at once and the less of its wish the server gets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

_SUBSTEP: Final = 10.0
_TOKENS_A_REQUEST: Final = 300.0


@dataclass(slots=True, kw_only=True)
class Server:
    """An inference server. Rates are requests a second, `limit` its own share of the card."""

    rate: float
    most_running: int = 32
    share_of_one: float = 0.05
    share_idle: float = 0.05
    speed: float = 40.0
    limit: float = 1.0
    fed: float = 1.0  # below 1: its own processor brings it less work than the card could do
    running: float = 2.0
    waiting: float = 0.0
    tokens: float = 0.0

    def wish(self) -> float:
        """The share that it could use now."""
        if self.running < 0.1:
            return 0.0
        return min(self.limit, self.fed * self.unlimited_wish())

    def unlimited_wish(self) -> float:
        """The same if nothing of its own kept it back."""
        return min(0.95, self.share_idle + self.share_of_one * self.running)

    def usual_wish(self) -> float:
        """The share that its load takes when it gets all it wants."""
        asked = self.rate * _TOKENS_A_REQUEST
        running = asked / (self.speed - 0.03 * asked)
        return self.share_idle + self.share_of_one * running

    def alone(self) -> float:
        """Tokens a second of one request with the card to itself."""
        return self.speed / (1 + 0.03 * self.running)

    def step(self, share: float, factor: float, arrivals: float, seconds: float) -> None:
        """Let `seconds` go by with so much of the card."""
        wish = self.unlimited_wish()
        speed = self.alone() * factor * (min(1.0, share / wish) if wish else 0.0)
        done = min(self.running * speed * seconds, self.running * _TOKENS_A_REQUEST)
        self.tokens += done
        self.running -= done / _TOKENS_A_REQUEST
        self.waiting += arrivals
        taken = min(self.waiting, self.most_running - self.running)
        self.running += taken
        self.waiting -= taken


@dataclass(slots=True, kw_only=True)
class Batch:
    """A program without a service signal: it wants a share, more or less."""

    wanted: float
    swing: float = 0.0
    weight: float = 1.0
    present: bool = True
    quiet: float = 0.0  # what it wants between its bursts
    _drift: float = 0.0

    def wish(self) -> float:
        """The share that it could use now."""
        return min(1.0, max(0.0, self.wanted + self._drift)) if self.present else 0.0

    def step(self, random: Random) -> None:
        """Drift on."""
        self._drift = 0.9 * self._drift + random.gauss(0.0, self.swing)


@dataclass(slots=True, kw_only=True)
class SimulatedCard:
    """Servers and batch programs by name. `clock` below 1 slows everything on it."""

    random: Random
    servers: dict[str, Server] = field(default_factory=dict)
    batches: dict[str, Batch] = field(default_factory=dict)
    clock: float = 1.0
    mix: float = 1.0  # below 1: the requests are of a slower kind

    def run(self, seconds: float) -> Mapping[str, float]:
        """Let time go by; the mean shares by name."""
        total: dict[str, float] = dict.fromkeys((*self.servers, *self.batches), 0.0)
        steps = max(1, round(seconds / _SUBSTEP))
        for _ in range(steps):
            shares = self._shares()
            for name, server in self.servers.items():
                arrivals = _arrivals(self.random, server.rate * seconds / steps)
                factor = self.clock * self.mix
                server.step(shares[name], factor, arrivals, seconds / steps)
            for batch in self.batches.values():
                batch.step(self.random)
            for name, share in shares.items():
                total[name] += share / steps
        return total

    def _shares(self) -> dict[str, float]:
        wishes = {name: server.wish() for name, server in self.servers.items()}
        wishes |= {name: batch.wish() for name, batch in self.batches.items()}
        weights = dict.fromkeys(self.servers, 1.0)
        weights |= {name: batch.weight for name, batch in self.batches.items()}
        return _max_min(wishes, weights)


def _max_min(wishes: Mapping[str, float], weights: Mapping[str, float]) -> dict[str, float]:
    """Everybody gets what it wishes, or its weighted part of what is left."""
    shares: dict[str, float] = {}
    room, open_names = 1.0, [name for name in wishes if wishes[name] > 0]
    while open_names:
        weight = sum(weights[name] for name in open_names)
        part = room / weight
        content = [name for name in open_names if wishes[name] <= part * weights[name]]
        for name in content or open_names:
            shares[name] = wishes[name] if content else part * weights[name]
        room = max(0.0, room - sum(shares[name] for name in content))
        open_names = [name for name in open_names if name not in content] if content else []
    return {name: shares.get(name, 0.0) for name in wishes}


def _arrivals(random: Random, mean: float) -> float:
    """About a Poisson number, cheap to draw."""
    return max(0.0, random.gauss(mean, mean**0.5))


def mean_of(values: Sequence[float]) -> float:
    """The mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0

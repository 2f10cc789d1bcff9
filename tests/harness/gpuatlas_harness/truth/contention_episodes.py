"""Histories of shared cards with a known truth: who really slowed the victim, and when.

Each history is of one card over half a day, with a victim, sometimes an aggressor, and bystanders
that are busy too. Its slowdowns are labelled with their cause; what the analysis sees are moments
as measured: noisy shares, gauges of an instant, minutes that nobody saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final
from zlib import crc32

from gpuatlas.model.contention import CardMoment, TenantMoment
from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.snapshot import WorkloadId
from gpuatlas_harness.truth.contention_card import Batch, Server, SimulatedCard
from gpuatlas_harness.truth.contention_kinds import KINDS, Cause, Kind

STEP: Final = 30.0
MINUTE: Final = 60.0
HOURS: Final = 10.0
START: Final = 1_800_000_000.0
VICTIM: Final = "victim"
AGGRESSOR: Final = "aggressor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A stretch with a cause, in Unix seconds. `culprit` only for a neighbour."""

    begins: float
    ends: float
    cause: Cause
    culprit: WorkloadId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look; `moment` is None where nobody saw it. `slowed`: the truth of this instant."""

    at: float
    moment: CardMoment | None
    slowed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueHistory:
    """All looks of one card, and its labelled stretches in time order."""

    kind: Kind
    looks: tuple[Look, ...]
    stretches: tuple[Labelled, ...]


def workload(name: str) -> WorkloadId:
    """The workload of that name."""
    return WorkloadId(namespace="team-a", api_group="apps", kind="Deployment", name=name)


def histories(seed: int, count: int) -> Iterator[TrueHistory]:
    """So many histories of each kind."""
    for kind in KINDS:
        for number in range(count):
            yield history(kind, seed=hash_of(seed, kind.name, number))


def hash_of(*parts: object) -> int:
    """A seed that is the same on every machine."""
    return crc32("/".join(map(str, parts)).encode())


def history(kind: Kind, *, seed: int) -> TrueHistory:
    """One history."""
    random = Random(seed)  # noqa: S311 - a reproducible history, no secret
    stretches = tuple(_stretches(kind, random))
    scene = _Scene(kind=kind, random=random, card=_card(kind, random), stretches=stretches)
    looks = tuple(scene.look(START + number * STEP) for number in range(int(HOURS * 3600 / STEP)))
    return TrueHistory(kind=kind, looks=looks, stretches=stretches)


def _stretches(kind: Kind, random: Random) -> Iterator[Labelled]:
    """Episodes of 8 to 30 minutes with 15 to 45 minutes between, after an hour of quiet."""
    at = START + random.uniform(50, 80) * MINUTE
    while kind.cause is not None and at < START + (HOURS - 0.8) * 3600:
        length = random.uniform(8, 30) * MINUTE
        culprit = workload(AGGRESSOR) if kind.cause is Cause.NEIGHBOUR else None
        yield Labelled(begins=at, ends=at + length, cause=kind.cause, culprit=culprit)
        at += length + random.uniform(15, 45) * MINUTE


def _card(kind: Kind, random: Random) -> SimulatedCard:
    card = SimulatedCard(random=random)
    limit = 0.35 if kind.cause is Cause.OWN_LIMIT else 1.0
    card.servers[VICTIM] = Server(rate=random.uniform(0.35, 0.9), limit=limit)
    if kind.cause is Cause.NEIGHBOUR:
        # It comes and goes, or is always there and wants more at times.
        quiet = 0.0 if not kind.stays else random.uniform(0.08, 0.2)
        card.batches[AGGRESSOR] = Batch(
            wanted=quiet,
            swing=0.02,
            weight=random.uniform(2.5, 5.0),
            present=kind.stays,
            quiet=quiet,
        )
    # Without the aggressor there is room for all, else the victim is slowed outside its episodes.
    room = 0.85 - card.servers[VICTIM].usual_wish() - sum(b.quiet for b in card.batches.values())
    most = min(0.3, max(0.05, room / max(1, kind.bystanders)))
    for number in range(kind.bystanders):
        elastic = kind.elastic and number == 0
        card.batches[f"bystander-{number}"] = Batch(
            wanted=1.0 if elastic else random.uniform(0.6 * most, most), swing=0.02, weight=1.0
        )
    return card


@dataclass(slots=True, kw_only=True)
class _Scene:
    """One card over time, and what is seen of it."""

    kind: Kind
    random: Random
    card: SimulatedCard
    stretches: tuple[Labelled, ...]
    _tokens: dict[str, float] = field(default_factory=dict)
    _running: dict[str, float] = field(default_factory=dict)
    _unseen_until: float = 0.0
    _toggle_at: float = 0.0
    _base_rate: float = 0.0

    def look(self, at: float) -> Look:
        """The next look, 30 s after the one before."""
        stretch = next((s for s in self.stretches if s.begins <= at < s.ends), None)
        self._play(stretch, at)
        shares = self.card.run(STEP)
        server = self.card.servers[VICTIM]
        wish = server.unlimited_wish()
        slowed = (
            stretch is not None
            and bool(wish)
            and (min(1.0, shares[VICTIM] / wish) * self.card.clock * self.card.mix < 0.75)
        )
        moment = self._seen(at, shares)
        return Look(at=at, moment=moment, slowed=slowed)

    def _play(self, stretch: Labelled | None, at: float) -> None:
        server = self.card.servers[VICTIM]
        self._base_rate = self._base_rate or server.rate
        server.rate, server.fed = self._base_rate, 1.0
        self.card.clock, self.card.mix = 1.0, 1.0
        if self.kind.cause is not None:
            _CAUSES[self.kind.cause](self.card, self._base_rate, stretch is not None)
        if self.kind.comes_and_goes and at >= self._toggle_at:
            bystander = self.card.batches["bystander-0"]
            bystander.present = not bystander.present
            self._toggle_at = at + self.random.uniform(8, 60) * MINUTE

    def _seen(self, at: float, shares: Mapping[str, float]) -> CardMoment | None:
        tenants = tuple(self._tenants(at, shares))
        if at >= self._unseen_until and self.random.random() < self.kind.missing / 12:
            self._unseen_until = at + self.random.uniform(2, 12) * MINUTE
        if at < self._unseen_until:
            return None
        full = sum(shares.values()) >= 0.9
        return CardMoment(
            node="gpu-a",
            card="GPU-00000001-0000-4000-8000-000000000000",
            index="0",
            at=at,
            saturated=frozenset({"compute"} if full else ()),
            hardware="slowed by heat" if self.card.clock < 1 else "",
            tenants=tenants,
        )

    def _tenants(self, at: float, shares: Mapping[str, float]) -> Iterator[TenantMoment]:
        here = {n: s for n, s in shares.items() if n == VICTIM or self.card.batches[n].present}
        for name, share in here.items():
            measured = min(1.0, max(0.0, share + self.random.gauss(0.0, 0.02)))
            # HAMi's watcher sets its figure to 0 now and then (facts/hami.md 10, no. 11).
            measured = 0.3 * measured if self.random.random() < 0.04 else measured
            entitled = self._entitlement(name, len(here))
            moment = TenantMoment(
                workload=workload(name),
                share=self._share(measured, at),
                entitlement=Known(entitled, at, "an equal part"),
                active=share >= 0.02 if self.kind.shares else None,
            )
            yield self._with_service(moment, share) if name == VICTIM else moment

    def _share(self, measured: float, at: float) -> Reading[float]:
        return Known(measured, at, "simulated") if self.kind.shares else Unknown("not measured")

    def _entitlement(self, name: str, tenants: int) -> float:
        limit = self.card.servers[VICTIM].limit
        if limit == 1:
            return 1 / tenants
        return limit if name == VICTIM else (1 - limit) / (tenants - 1)

    def _with_service(self, moment: TenantMoment, share: float) -> TenantMoment:
        server = self.card.servers[VICTIM]
        before = self._tokens.get(VICTIM, server.tokens)
        running = (self._running.get(VICTIM, server.running) + round(server.running)) / 2
        rate = (server.tokens - before) / STEP
        self._tokens[VICTIM], self._running[VICTIM] = server.tokens, round(server.running)
        at_limit = server.limit < 1 and share >= 0.95 * server.limit
        moment = replace(moment, at_own_limit=at_limit)
        if not self.kind.service:
            return moment
        return replace(
            moment,
            waiting=float(round(server.waiting)),
            running=running,
            rate=rate,
            speed=rate / running if running >= 0.5 else None,
            active=running >= 0.5 or share >= 0.02,
        )


def _neighbour(card: SimulatedCard, rate: float, on: bool) -> None:  # noqa: FBT001
    del rate
    aggressor = card.batches[AGGRESSOR]
    aggressor.present = on or aggressor.quiet > 0
    aggressor.wanted = 0.95 if on else aggressor.quiet


def _hardware(card: SimulatedCard, rate: float, on: bool) -> None:  # noqa: FBT001
    del rate
    card.clock = 0.5 if on else 1.0


def _more_load(card: SimulatedCard, rate: float, on: bool) -> None:  # noqa: FBT001
    card.servers[VICTIM].rate = 3.0 * rate if on else rate


def _other_requests(card: SimulatedCard, rate: float, on: bool) -> None:  # noqa: FBT001
    del rate
    card.mix = 0.55 if on else 1.0


def _stalls(card: SimulatedCard, rate: float, on: bool) -> None:  # noqa: FBT001
    del rate
    card.servers[VICTIM].fed = 0.4 if on else 1.0


_CAUSES: Final[Mapping[Cause, Callable[[SimulatedCard, float, bool], None]]] = {
    Cause.NEIGHBOUR: _neighbour,
    Cause.HARDWARE: _hardware,
    Cause.OWN_LIMIT: _more_load,
    Cause.OWN_LOAD: _more_load,
    Cause.OWN_REQUESTS: _other_requests,
    Cause.OWN_STALLS: _stalls,
}

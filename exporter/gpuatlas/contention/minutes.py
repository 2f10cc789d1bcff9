"""Moments put together to minutes: what a tenant did on average, what the card was mostly. Pure.

Single samples flicker (facts/hami.md 10, no. 11); an average over a minute does not. A minute of
which less than half was seen is no minute: nothing is known of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from gpuatlas.model.contention import CardMoment, TenantMoment
from gpuatlas.model.readings import value_of
from gpuatlas.model.snapshot import WorkloadId

MINUTE: Final = 60.0
# n² pairs of a card: beyond this many tenants the busiest are looked at.
MAX_TENANTS: Final = 16

_NEIGHBOURS: Final = 2

CardKey = tuple[str, str, str, str]
"""Node, card, index and hard partition."""


class Step(NamedTuple):
    """The moments of one look, which stand for the seconds before it."""

    seconds: float
    moments: tuple[CardMoment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantMinute:
    """One workload over a minute; numbers are means of the looks that knew them.

    `active` is None where nobody could tell. `ruled_out` says that it was held back or at a limit
    of its own for a part of the minute.
    """

    share: float | None
    entitlement: float | None
    waiting: float | None
    running: float | None
    rate: float | None
    speed: float | None
    active: bool | None
    ruled_out: bool

    @property
    def overshoot(self) -> float | None:
        """Its share above what it is entitled to; 0 below."""
        if self.active is False:
            return 0.0
        if self.share is None or self.entitlement is None:
            return None
        return max(0.0, self.share - self.entitlement)

    @property
    def has_signal(self) -> bool:
        """Whether its own service says how it fares."""
        return self.speed is not None or self.rate is not None or self.waiting is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardMinute:
    """One card over a minute. `pressed`: something that takes time was at its limit.

    Full memory is a limit as well, but slows nobody by itself (servers fill it at start):
    `saturated` counts it, `pressed` does not. Both None where nobody could tell. `contended` are
    the seconds in which at least two tenants worked on the pressed card, None where nobody could
    tell at any time.
    """

    seconds: float
    saturated: bool | None
    pressed: bool | None
    contended: float | None
    hardware: bool
    tenants: Mapping[WorkloadId, TenantMinute]


def card_minutes(steps: Sequence[Step]) -> dict[CardKey, CardMinute]:
    """The minute of each card that was seen for at least half of it."""
    looks: dict[CardKey, list[tuple[float, CardMoment]]] = {}
    for step in steps:
        for moment in step.moments:
            looks.setdefault(key_of(moment), []).append((step.seconds, moment))
    whole = sum(step.seconds for step in steps)
    found = {}
    for key, seen in looks.items():
        seconds = sum(length for length, _ in seen)
        if seconds > 0 and 2 * seconds >= whole:
            found[key] = _card_minute(seen, min(seconds, whole))
    return found


def key_of(moment: CardMoment) -> CardKey:
    """What tells the card, or its instance, from all others."""
    return (moment.node, moment.card, moment.index, moment.instance)


def _card_minute(seen: Sequence[tuple[float, CardMoment]], seconds: float) -> CardMinute:
    tenants: dict[WorkloadId, list[tuple[float, TenantMoment]]] = {}
    for length, moment in seen:
        for tenant in moment.tenants:
            tenants.setdefault(tenant.workload, []).append((length, tenant))
    minutes = {workload: _tenant_minute(looks) for workload, looks in tenants.items()}
    return CardMinute(
        seconds=seconds,
        saturated=_mostly((s, None if m.saturated is None else bool(m.saturated)) for s, m in seen),
        pressed=_mostly((s, _is_pressed(m.saturated)) for s, m in seen),
        contended=_contended(seen),
        hardware=any(moment.hardware for _, moment in seen),
        tenants=_busiest(minutes),
    )


def _contended(seen: Sequence[tuple[float, CardMoment]]) -> float | None:
    known = [(seconds, full) for seconds, m in seen if (full := _is_contended(m)) is not None]
    return sum(seconds for seconds, full in known if full) if known else None


def _is_contended(moment: CardMoment) -> bool | None:
    working = sum(tenant.active is True for tenant in moment.tenants)
    unknown = sum(tenant.active is None for tenant in moment.tenants)
    full = _is_pressed(moment.saturated)
    if full is False or working + unknown < _NEIGHBOURS:
        return False
    return None if full is None or working < _NEIGHBOURS else True


def _is_pressed(saturated: frozenset[str] | None) -> bool | None:
    return None if saturated is None else bool(saturated - {"memory"})


def _tenant_minute(looks: Sequence[tuple[float, TenantMoment]]) -> TenantMinute:
    def mean(pick: Callable[[TenantMoment], float | None]) -> float | None:
        known = [(s, v) for s, tenant in looks if (v := pick(tenant)) is not None]
        seconds = sum(s for s, _ in known)
        return sum(s * v for s, v in known) / seconds if seconds else None

    return TenantMinute(
        share=mean(lambda tenant: value_of(tenant.share)),
        entitlement=mean(lambda tenant: value_of(tenant.entitlement)),
        waiting=mean(lambda tenant: tenant.waiting),
        running=mean(lambda tenant: tenant.running),
        rate=mean(lambda tenant: tenant.rate),
        speed=_speed(looks),
        active=_mostly((s, tenant.active) for s, tenant in looks),
        ruled_out=any(tenant.held or tenant.at_own_limit for _, tenant in looks),
    )


def _speed(looks: Sequence[tuple[float, TenantMoment]]) -> float | None:
    """The ratio of the means: at few requests that of a single look swings too much."""
    known = [(s, t) for s, t in looks if t.speed is not None]
    rate = sum(s * (t.rate or 0.0) for s, t in known)
    running = sum(s * (t.running or 0.0) for s, t in known)
    if rate and running:
        return rate / running
    seconds = sum(s for s, _ in known)
    return sum(s * (t.speed or 0.0) for s, t in known) / seconds if seconds else None


def _mostly(looks: Iterable[tuple[float, bool | None]]) -> bool | None:
    """What holds for most of the time in which it was known; None if that is less than half."""
    known = {True: 0.0, False: 0.0, None: 0.0}
    for seconds, value in looks:
        known[value] += seconds
    if known[None] > known[True] + known[False]:
        return None
    return known[True] >= known[False]


def _busiest(tenants: dict[WorkloadId, TenantMinute]) -> dict[WorkloadId, TenantMinute]:
    if len(tenants) <= MAX_TENANTS:
        return tenants
    ordered = sorted(
        tenants,
        key=lambda w: (not tenants[w].active, -(tenants[w].share or 0.0), w.namespace, w.name),
    )
    return {workload: tenants[workload] for workload in ordered[:MAX_TENANTS]}

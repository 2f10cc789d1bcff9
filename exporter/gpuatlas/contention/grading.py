"""Who is suspected of a slowed minute, and how well that is supported (DESIGN 8). Pure.

Grades 1 and 2 are facts: who worked on the card, and that it was full. Grade 3 takes a service
signal of the victim, a full card and a neighbour with a lift that is above its part now. Grade 4
takes natural tests beside that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gpuatlas.contention.episodes import is_supported
from gpuatlas.contention.minutes import CardMinute, TenantMinute
from gpuatlas.contention.suspects import (
    LEAST_BAD_SECONDS,
    LEAST_EPISODES,
    LEAST_LIFT,
    WINDOW_SECONDS,
    Pair,
    lift,
)
from gpuatlas.contention.verdict import Verdict
from gpuatlas.contention.victims import BAD, Victim
from gpuatlas.model.contention import Grade
from gpuatlas.model.snapshot import WorkloadId

# A pair that met just now proves nothing (facts/peers.md E).
YOUNGEST_PAIR_SECONDS: Final = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """A neighbour of a slowed victim in one minute; `weight` ranks those of one grade."""

    suspect: WorkloadId
    grade: Grade
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Slowdown:
    """What one minute says of one victim: for so many seconds it was slowed, and by whom maybe.

    With 0 seconds it was not slowed, and that is known.
    """

    victim: WorkloadId
    seconds: float
    suspicions: tuple[Suspicion, ...] = ()


def slowdown(
    victim: Victim, workload: WorkloadId, said: Verdict, card: CardMinute, at: float
) -> Iterator[Slowdown]:
    """At most one: nothing where nobody could tell how the tenant fared."""
    if said in BAD:
        found = sorted(_suspicions(victim, workload, said, card, at), key=_rank)
        yield Slowdown(victim=workload, seconds=card.seconds, suspicions=tuple(found))
    elif said is Verdict.GOOD:
        yield Slowdown(victim=workload, seconds=0.0)


def _rank(suspicion: Suspicion) -> tuple[int, float, str, str, str]:
    suspect = suspicion.suspect
    return (
        -suspicion.grade,
        -suspicion.weight,
        suspect.namespace,
        suspect.kind,
        suspect.name,
    )


def _suspicions(
    victim: Victim, workload: WorkloadId, said: Verdict, card: CardMinute, at: float
) -> Iterator[Suspicion]:
    """The neighbours that worked in the minute, each with its grade.

    Of whom nobody knows whether it worked, only a natural test can say anything.
    """
    fact = Grade.SHARED if card.saturated is None else Grade.SATURATED
    for other, tenant in card.tenants.items():
        pair = victim.pairs.get(other)
        if other == workload or pair is None or tenant.active is False:
            continue
        if at - pair.since < YOUNGEST_PAIR_SECONDS:
            continue
        found = None
        if said is Verdict.SLOWED and card.saturated:
            found = _suspected(victim, pair, other, tenant, at)
        # Memory alone is full wherever a server fills it, and slows nobody by itself.
        if found is not None and found[0] is Grade.SUSPECT and not card.pressed:
            found = None
        if found is None and tenant.active:
            found = (fact, tenant.overshoot or 0.0)
        if found is not None:
            yield Suspicion(suspect=other, grade=found[0], weight=found[1])


def _suspected(
    victim: Victim, pair: Pair, other: WorkloadId, tenant: TenantMinute, at: float
) -> tuple[Grade, float] | None:
    """Grade 3 or 4 and the lift.

    Where nobody measures the neighbour's share there is no lift; the natural test alone then
    decides, with as many bad minutes and episodes as a suspect needs.
    """
    supported = is_supported(victim.trials.get(other, ()), at)
    if not pair.measured:
        return (Grade.SUPPORTED, 0.0) if supported and _is_slowed_often(victim, at) else None
    lifted = lift(pair, at)
    if lifted is None or (tenant.overshoot or 0.0) < LEAST_LIFT:
        return None
    return (Grade.SUPPORTED if supported else Grade.SUSPECT), lifted


def _is_slowed_often(victim: Victim, at: float) -> bool:
    seen = [e for e in victim.episodes if at - e.bad_at <= WINDOW_SECONDS]
    if victim.episode is not None:
        seen.append(victim.episode)
    return len(seen) >= LEAST_EPISODES and sum(e.seconds for e in seen) >= LEAST_BAD_SECONDS

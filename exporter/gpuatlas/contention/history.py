"""What is remembered of one card: its tenants as victims, and who worked in the last minutes. Pure.

What was not seen for a day is forgotten; a job that comes back the next night is known again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from gpuatlas.contention.episodes import LENGTH, TrailMinute
from gpuatlas.contention.grading import Slowdown, slowdown
from gpuatlas.contention.minutes import MINUTE, CardMinute
from gpuatlas.contention.verdict import Verdict, verdict
from gpuatlas.contention.victims import FORGET_SECONDS, Victim, lived_on
from gpuatlas.model.snapshot import WorkloadId

# Minutes that are so many of their lengths apart are no neighbours in time: something was not seen.
_GAP_LENGTHS: Final = 2.5


@dataclass(frozen=True, slots=True, kw_only=True)
class CardHistory:
    """One card, or one hard partition of it."""

    seen_at: float
    victims: Mapping[WorkloadId, Victim] = field(default_factory=dict)
    trail: tuple[TrailMinute, ...] = ()


def lived(
    history: CardHistory | None, card: CardMinute, at: float
) -> tuple[CardHistory, tuple[Slowdown, ...]]:
    """The card's history after a minute that ended at `at`, and what the minute says."""
    before = history or CardHistory(seen_at=at)
    known = {w: v for w, v in before.victims.items() if at - v.seen_at <= FORGET_SECONDS}
    tenants = {workload: known.get(workload) or Victim(seen_at=at) for workload in card.tenants}
    judged = {
        workload: verdict(card.tenants[workload], card, victim.baseline)
        for workload, victim in tenants.items()
    }
    trail = _trail(before, card, judged, at)
    victims = dict(known)
    slowdowns: list[Slowdown] = []
    for workload, said in judged.items():
        victim = lived_on(tenants[workload], workload, said, card, trail, at)
        victims[workload] = victim
        slowdowns += slowdown(victim, workload, said, card, at)
    return CardHistory(seen_at=at, victims=victims, trail=trail), tuple(slowdowns)


def _trail(
    history: CardHistory, card: CardMinute, judged: Mapping[WorkloadId, Verdict], at: float
) -> tuple[TrailMinute, ...]:
    """The last minutes; a tenant of whom nobody knows whether it works counts while it is there."""
    working = frozenset(w for w, tenant in card.tenants.items() if tenant.active is not False)
    minute = TrailMinute(at=at, working=working, verdicts=judged)
    last = history.trail[-1].at if history.trail else None
    if last is None or at - last > _GAP_LENGTHS * max(MINUTE, card.seconds):
        return (minute,)
    return (*history.trail, minute)[-LENGTH:]

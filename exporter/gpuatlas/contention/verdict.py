"""What a minute was for one tenant: ruled out, good or slowed. Pure.

The order is that of facts/peers.md E: idle, held back, the card's own trouble and the tenant's own
limit are ruled out before anybody is looked at.

DESIGN 8 decides what counts as slowed:

- Its own service signal is worse, or its share fell while its queue did not, and the card was
  saturated: SLOWED. Where nobody could see whether the card was saturated it is slowed as well,
  but nobody is suspected of more than having been there.
- It has no service signal, is at work on a card without room, and has less than it is entitled to
  and than it usually has: SHORT. It counts as slowed, with grades of at most 2, since a tenant that
  wants less looks the same as one that gets less.
- Its service is worse and the card had room: the cause is not on this card, and the minute is
  neither good nor bad.
"""

from __future__ import annotations

from enum import StrEnum

from gpuatlas.contention.baseline import (
    Baseline,
    queue_held_up,
    service_is_worse,
    share_fell,
)
from gpuatlas.contention.minutes import CardMinute, TenantMinute
from gpuatlas.model.snapshot import WorkloadId


class Verdict(StrEnum):
    """Of one minute of one tenant."""

    OUT = "out"  # idle, held back, at its own limit, or on a card with trouble of its own
    UNKNOWN = "unknown"
    GOOD = "good"
    SLOWED = "slowed"
    SHORT = "short"


def verdict(tenant: TenantMinute, card: CardMinute, baseline: Baseline) -> Verdict:
    """The verdict on `tenant`, one of the card's."""
    if card.hardware or tenant.ruled_out or tenant.active is False:
        return Verdict.OUT
    if tenant.active is None:
        return Verdict.UNKNOWN
    if tenant.has_signal:
        return _by_service(tenant, card, baseline)
    if tenant.share is None:
        return Verdict.UNKNOWN
    short = bool(card.pressed) and bool(share_fell(baseline, tenant))
    return Verdict.SHORT if short else Verdict.GOOD


def is_calm(victim: WorkloadId, card: CardMinute) -> bool:
    """Whether nobody can have been in its way: no neighbour at work, or room on the card."""
    alone = all(
        tenant.active is False for workload, tenant in card.tenants.items() if workload != victim
    )
    return alone or card.pressed is False


def _by_service(tenant: TenantMinute, card: CardMinute, baseline: Baseline) -> Verdict:
    worse = service_is_worse(baseline, tenant)
    if worse is None:
        worse = bool(share_fell(baseline, tenant)) and queue_held_up(baseline, tenant)
    if not worse:
        return Verdict.GOOD
    return Verdict.UNKNOWN if card.saturated is False else Verdict.SLOWED

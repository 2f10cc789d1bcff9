"""What each workload does on a shared card at one instant. Pure.

Unknown stays unknown: a share that nobody measures per tenant is no share of 0, and a tenant of
whom nobody can tell whether it works is neither idle nor active.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from gpuatlas.contention.pace import Pace
from gpuatlas.contention.tenancy import SharedCard
from gpuatlas.model.contention import TenantMoment
from gpuatlas.model.readings import Known, Reading, Unknown, value_of
from gpuatlas.model.snapshot import Allocation, Sharing, WorkloadId

# Two per cent of a card: what a server without requests burns now and then.
ACTIVE_SHARE: Final = 0.02
_RECENT_KERNEL_SECONDS: Final = 30.0
_SOME_REQUESTS: Final = 0.5
# HAMi's limiter swings around its limit (facts/hami.md 9, no. 42).
_AT_LIMIT: Final = 0.95
# A cache this full keeps requests waiting, whoever else is on the card.
_CACHE_FULL: Final = 0.98
# HAMi's priority where the pod names none (facts/hami.md 5.5).
_DEFAULT_PRIORITY: Final = 1
_LIMITING: Final = frozenset({Sharing.HAMI, Sharing.VOLCANO, Sharing.MPS})

Paces = Mapping[tuple[str, str], Pace]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tenant:
    """A tenant before it is compared with its neighbours. Promises are 0 < share ≤ 1 or None."""

    moment: TenantMoment
    promised: float | None
    priority: int


def tenant_moments(shared: SharedCard, paces: Paces) -> tuple[TenantMoment, ...]:
    """The workloads on the card, in the order of `shared.held`."""
    tenants = [_tenant(workload, held, shared, paces) for workload, held in shared.held.items()]
    entitled = _entitlements(tenants, shared)
    urgent = min((t.priority for t in tenants if t.moment.active), default=None)
    return tuple(
        replace(
            tenant.moment,
            entitlement=entitlement,
            held=_is_held(tenant, urgent, shared.card.sharing),
        )
        for tenant, entitlement in zip(tenants, entitled, strict=True)
    )


def _tenant(
    workload: WorkloadId, held: Sequence[Allocation], shared: SharedCard, paces: Paces
) -> _Tenant:
    own = [paces[pod] for pod in dict.fromkeys((a.namespace, a.pod) for a in held) if pod in paces]
    share = _share(held)
    promised = _promised(held)
    waiting, running = _sum(p.waiting for p in own), _sum(p.running for p in own)
    rate = _sum(p.rate for p in own)
    moment = TenantMoment(
        workload=workload,
        share=share,
        entitlement=Unknown("not compared with its neighbours yet"),
        waiting=waiting,
        running=running,
        rate=rate,
        speed=_speed(own),
        at_own_limit=_at_own_limit(held, value_of(share), promised, shared, own),
        active=_is_active(held, value_of(share), running, waiting, rate),
    )
    return _Tenant(moment=moment, promised=promised, priority=_priority(held))


def _share(held: Sequence[Allocation]) -> Reading[float]:
    """The sum over its containers, unknown as soon as one is."""
    total, at, source = 0.0, 0.0, ""
    for allocation in held:
        reading = allocation.compute_utilization
        if isinstance(reading, Unknown):
            return reading
        total, at, source = total + reading.value, reading.at, reading.source
    return Known(min(total, 1.0), at, source)


def _promised(held: Sequence[Allocation]) -> float | None:
    shares = [value_of(allocation.compute_reserved) for allocation in held]
    # A promise of 0 cores is HAMi's word for none.
    known = [share for share in shares if share]
    return min(1.0, sum(known)) if len(known) == len(shares) else None


def _entitlements(tenants: Sequence[_Tenant], shared: SharedCard) -> list[Reading[float]]:
    """What each may use of the card when all want it.

    Promises count as they are, scaled where they add up to more than the card; those without share
    the rest equally. Of a hard partition each has an equal part: its promise is all of it.
    """
    if shared.instance:
        whole = max((tenant.promised or 0.0 for tenant in tenants), default=0.0) or 1.0
        return [Known(whole / len(tenants), 0.0, "an equal part")] * len(tenants)
    promised = sum(tenant.promised or 0.0 for tenant in tenants)
    others = sum(tenant.promised is None for tenant in tenants)
    scale = 1.0 if promised <= 1.0 else 1.0 / promised
    rest = max(0.0, 1.0 - promised) / others if others else 0.0
    if not promised:
        return [Known(1 / len(tenants), 0.0, "an equal part")] * len(tenants)
    return [
        Known(rest, 0.0, "an equal part of the rest")
        if tenant.promised is None
        else Known(tenant.promised * scale, 0.0, "the promise")
        for tenant in tenants
    ]


def _at_own_limit(
    held: Sequence[Allocation],
    share: float | None,
    promised: float | None,
    shared: SharedCard,
    paces: Iterable[Pace],
) -> bool:
    if any((pace.reading.cache_used or 0.0) >= _CACHE_FULL for pace in paces):
        return True
    if share is None or promised is None or promised >= 1 or shared.card.sharing not in _LIMITING:
        return False
    lifted = any(("compute", False) in allocation.isolated for allocation in held)
    return not lifted and _AT_LIMIT * promised <= share <= promised / _AT_LIMIT


def _is_active(
    held: Sequence[Allocation],
    share: float | None,
    running: float | None,
    waiting: float | None,
    rate: float | None,
) -> bool | None:
    """Any sign of work is one; idle is only who is known to do nothing.

    A last kernel of long ago proves nothing: CUDA graphs leave no trace there (facts/hami.md 10).
    """
    if (share or 0.0) >= ACTIVE_SHARE or max(running or 0.0, waiting or 0.0) >= _SOME_REQUESTS:
        return True
    if rate:
        return True
    if not (share is None and running is None and rate is None):
        return False
    idle = [value_of(allocation.idle_seconds) for allocation in held]
    recent = any(seconds is not None and seconds <= _RECENT_KERNEL_SECONDS for seconds in idle)
    return True if recent else None


def _is_held(tenant: _Tenant, urgent: int | None, sharing: Sharing) -> bool:
    """HAMi lets nobody launch a kernel while somebody of a smaller priority number works.

    Nothing publishes that it does (facts/hami.md 5.5): whoever does nothing then counts as held.
    """
    if sharing is not Sharing.HAMI or urgent is None:
        return False
    share = value_of(tenant.moment.share)
    return tenant.priority > urgent and (share is None or share < ACTIVE_SHARE)


def _priority(held: Sequence[Allocation]) -> int:
    numbers = [value_of(allocation.priority) for allocation in held]
    return min(_DEFAULT_PRIORITY if number is None else number for number in numbers)


def _speed(paces: Sequence[Pace]) -> float | None:
    """Work a second for each running request, over all its servers that have both."""
    both = [(p.rate, p.running) for p in paces if p.speed is not None]
    rate = sum(rate or 0.0 for rate, _ in both)
    running = sum(running or 0.0 for _, running in both)
    return rate / running if running else None


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None

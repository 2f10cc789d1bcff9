"""Faults of tenants of a shared card, and of what counts and limits them. One row each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from gpuatlas.demo.fault_kind import HAMI, SOFT, Fault, FaultKind
from gpuatlas.demo.faults_hardware import at_work
from gpuatlas.demo.state import CardState, PodState, TenantState

TENANT: Final[Mapping[str, int]] = {"tenant": 0}  # which of the card's pods
_HEADROOM_MIB: Final = 64  # the last bit of a card that no allocation gets
_MINUTE: Final = 60.0
_GRACE_SECONDS: Final = 600  # a pod that hangs in its end was to be gone so long ago


def _disable_control(pod: PodState, fault: Fault) -> PodState:
    """Without the library nothing limits the pod, and nothing counts what it holds."""
    del fault
    return _with_env(pod, "CUDA_DISABLE_CONTROL", "true").deviating(counted=False)


def _with_env(pod: PodState, name: str, value: str) -> PodState:
    return pod.deviating(env=(*pod.deviations.env, (name, value)))


def _limit_off(pod: PodState, fault: Fault) -> PodState:
    del fault
    return pod.deviating(limit_mib=0)


def _limit_differs(pod: PodState, fault: Fault) -> PodState:
    return pod.deviating(limit_mib=int(pod.promised_mib * fault.number("percent") / 100))


def _sandboxed(pod: PodState, fault: Fault) -> PodState:
    return pod.deviating(runtime_class=fault.text("runtime_class"), counted=False)


def _core_limit_off(pod: PodState, fault: Fault) -> PodState:
    del fault
    return _with_env(pod, "GPU_CORE_UTILIZATION_POLICY", "disable")


def _surging(pod: PodState, fault: Fault) -> PodState:
    del fault
    return pod.deviating(surging=True)


def _forged(pod: PodState, fault: Fault) -> PodState:
    """The layer believes its annotation, and so does the limit."""
    return pod.deviating(promised_mib=int(pod.promised_mib * fault.number("percent") / 100))


def _ignored(pod: PodState, fault: Fault) -> PodState:
    del fault
    return pod.deviating(labels=(("hami.io/webhook", "ignore"),))


def _privileged(pod: PodState, fault: Fault) -> PodState:
    del fault
    return pod.deviating(privileged=True)


def _restarting(pod: PodState, fault: Fault) -> PodState:
    """It crashes as long as the fault lasts, and never before it was made."""
    every = fault.number("minutes") * _MINUTE
    restarts = int((fault.at - max(fault.began, pod.created_at)) // every)
    last = max(fault.began, pod.created_at) + restarts * every
    return pod.deviating(restarts=restarts, restarted_at=last) if restarts > 0 else pod


def _terminating(pod: PodState, fault: Fault) -> PodState:
    return pod.deviating(deleted_at=max(pod.created_at, fault.began - _GRACE_SECONDS))


def _uncounted(card: CardState, fault: Fault) -> CardState:
    return _fuller(card, int(fault.number("mib")))


def _fuller(card: CardState, mib: int) -> CardState:
    return replace(card, used_mib=card.used_mib + min(mib, _room(card)))


def _room(card: CardState) -> int:
    model = card.node.card
    return model.memory_mib - model.reserved_mib - _HEADROOM_MIB - card.used_mib


def _over_limit(card: CardState, fault: Fault) -> CardState:
    """What the tenant takes more, no other one loses: the card has to have room."""
    number = int(fault.number("tenant"))
    if number >= len(card.tenants):
        return card
    tenant = card.tenants[number]
    wanted = int(tenant.pod.limit_mib * fault.number("percent") / 100)
    more = min(max(0, wanted - tenant.counted_mib), _room(card))
    taller = replace(
        tenant, counted_mib=tenant.counted_mib + more, resident_mib=tenant.resident_mib + more
    )
    return _fuller(_with_tenant(card, number, taller), more)


def _over_compute(card: CardState, fault: Fault) -> CardState:
    """One tenant takes almost all of the card, and all others together what is left."""
    number = int(fault.number("tenant"))
    if number >= len(card.tenants) or len(card.tenants) == 1:
        return card
    own = fault.number("percent") / 100
    rest = (1 - own) / (len(card.tenants) - 1)
    for position, tenant in enumerate(card.tenants):
        share = own if position == number else rest
        card = _with_tenant(card, position, replace(tenant, compute=share, idle_seconds=0))
    return replace(at_work(card, 0.97), sm_share=0.97)


def _with_tenant(card: CardState, number: int, tenant: TenantState) -> CardState:
    tenants = (*card.tenants[:number], tenant, *card.tenants[number + 1 :])
    return replace(card, tenants=tenants)


def _stale_books(card: CardState, fault: Fault) -> CardState:
    return replace(card, booked_too_much_mib=int(fault.number("mib")))


TENANTS: Final[tuple[FaultKind, ...]] = (
    FaultKind(
        name="disable-control",
        description="a tenant's container sets CUDA_DISABLE_CONTROL: the layer's library is not "
        "loaded, and its monitor counts nothing of the pod",
        options=TENANT,
        sharing=SOFT,
        on_pod=_disable_control,
    ),
    FaultKind(
        name="limit-off",
        description="the layer's library runs in a tenant without a limit of memory",
        options=TENANT,
        sharing=HAMI,
        on_pod=_limit_off,
    ),
    FaultKind(
        name="limit-differs",
        description="a tenant's limit of memory is not what it was promised",
        options={**TENANT, "percent": 150},
        sharing=HAMI,
        on_pod=_limit_differs,
    ),
    FaultKind(
        name="sandbox-runtime",
        description="a tenant runs in a sandbox, where the layer's library is not loaded and its "
        "monitor counts nothing of the pod",
        options={**TENANT, "runtime_class": "gvisor"},
        sharing=SOFT,
        on_pod=_sandboxed,
    ),
    FaultKind(
        name="core-limit-off",
        description="a tenant's container switches its limit of compute off",
        options=TENANT,
        sharing=SOFT,
        on_pod=_core_limit_off,
    ),
    FaultKind(
        name="memory-over-limit",
        description="a tenant holds more memory than the limit that is in force for it",
        options={**TENANT, "percent": 120},
        sharing=HAMI,
        on_card=_over_limit,
    ),
    FaultKind(
        name="memory-uncounted",
        description="memory is in use on the card that no tenant is counted for",
        options={"mib": 8000},
        sharing=HAMI,
        on_card=_uncounted,
    ),
    FaultKind(
        name="compute-over-promise",
        description="a tenant takes more compute than it was promised, while others work; without "
        "a second tenant there is no effect",
        options={**TENANT, "percent": 80},
        sharing=HAMI,
        on_card=_over_compute,
    ),
    FaultKind(
        name="noisy-neighbour",
        description="for half an hour in every four a tenant takes all the compute that it can "
        "get, its limit notwithstanding: those beside it are slowed, and S05 fires",
        options=TENANT,
        sharing=SOFT,
        on_pod=_surging,
    ),
    FaultKind(
        name="promise-forged",
        description="a tenant's annotation promises more memory than its container asks for",
        options={**TENANT, "percent": 150},
        sharing=HAMI,
        on_pod=_forged,
    ),
    FaultKind(
        name="webhook-ignored",
        description="a tenant carries the label that keeps HAMi's webhook from it",
        options=TENANT,
        sharing=HAMI,
        on_pod=_ignored,
    ),
    FaultKind(
        name="tenant-privileged",
        description="a tenant's container is privileged: HAMi's webhook leaves it alone",
        options=TENANT,
        sharing=HAMI,
        on_pod=_privileged,
    ),
    FaultKind(
        name="tenant-terminating",
        description="a tenant that was deleted is still there long after its grace",
        options=TENANT,
        sharing=SOFT,
        on_pod=_terminating,
    ),
    FaultKind(
        name="tenant-restarts",
        description="a tenant's container is killed for want of host memory again and again, and "
        "started again",
        options={**TENANT, "minutes": 5},
        on_pod=_restarting,
    ),
    FaultKind(
        name="scheduler-books-stale",
        description="HAMi's scheduler counts memory on the card for a pod that is no more",
        options={"mib": 4000},
        sharing=HAMI,
        on_card=_stale_books,
    ),
)

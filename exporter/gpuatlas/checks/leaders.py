"""S14, who leads: two schedulers that both hand out the same cards, or none that does. Pure.

Facts: facts/hami.md 1.1 (role label and followers' pages since v2.9), 6.1 and 6.5 (Lease).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from gpuatlas.checks.conditions import rfc3339
from gpuatlas.checks.context import HAMI_SCHEDULER, CheckContext
from gpuatlas.checks.hami_webhooks import schedulers
from gpuatlas.checks.release import is_since
from gpuatlas.model.checks import Finding
from gpuatlas.model.device_plugins import COMPONENT
from gpuatlas.model.layer import SchedulerLease
from gpuatlas.model.objects import Pod
from gpuatlas.model.pages import SchedulerPage

CHECK: Final = "S14"
_INSTANCE: Final = "app.kubernetes.io/instance"
_ROLE: Final = "hami.io/scheduler-role"
_LEADER: Final = "leader"
# A follower shows no cards from this release on; before, every replica does.
_BOOKS_OF_THE_LEADER: Final = (2, 9)
# Two rounds of pages: a leader that has just stepped down may be read a round before its successor.
PAGES_TOGETHER_SECONDS: Final = 60.0
# A healthy leader renews several times in each duration (kube-scheduler: 15 s, facts/hami.md 6.5).
LEASE_DURATIONS: Final = 4
LEASE_LEAST_SECONDS: Final = 60.0
DEFAULT_DURATION_SECONDS: Final = 15.0


def scheduler_object(context: CheckContext, namespace: str = "") -> str:
    """How findings name HAMi's scheduler: "Deployment/kube-system/hami-scheduler", "" if unknown.

    In `namespace`, or wherever it is.
    """
    found = (c.object for c in schedulers(context) if namespace in {"", c.namespace})
    return next(found, "")


def two_leaders(context: CheckContext) -> Iterator[Finding]:
    """More than one scheduler of an installation that claims to lead."""
    labelled = list(_labelled_twice(context))
    # The same two, seen in another way.
    yield from labelled or _booked_twice(context)


def _labelled_twice(context: CheckContext) -> Iterator[Finding]:
    leaders: dict[tuple[str, str], list[Pod]] = defaultdict(list)
    for pod in sorted(context.observations.pods.values(), key=lambda pod: pod.key):
        if _leads(pod) and pod.namespace in context.hami_homes:
            leaders[pod.namespace, pod.labels.get(_INSTANCE, "")].append(pod)
    for pods in leaders.values():
        if len(pods) > 1:
            names = ", ".join(pod.name for pod in pods)
            yield Finding(
                check=CHECK,
                signal="two-leaders",
                object=scheduler_object(context, pods[0].namespace) or _pod_object(pods[0]),
                namespace=pods[0].namespace,
                source=f"pod label {_ROLE}",
                record=f"{_ROLE}={_LEADER} on {names}",
            )


def _leads(pod: Pod) -> bool:
    return (
        pod.labels.get(COMPONENT) == HAMI_SCHEDULER
        and pod.labels.get(_ROLE) == _LEADER
        and pod.ready
        and not pod.deleting
    )


def _pod_object(pod: Pod) -> str:
    return f"Pod/{pod.namespace}/{pod.name}"


def _booked_twice(context: CheckContext) -> Iterator[Finding]:
    pages = _leading_pages(context.observations.schedulers)
    shared = {card for page in pages for card in page.devices}
    shared = {card for card in shared if sum(card in page.devices for page in pages) > 1}
    if shared:
        node, card = min(shared)
        names = ", ".join(sorted(p.target for p in pages if (node, card) in p.devices))
        yield Finding(
            check=CHECK,
            signal="two-leaders",
            object=scheduler_object(context) or "Deployment/hami-scheduler",
            source="metric hami_gpu_memory_limit_bytes",
            record=f'device_uuid="{card}",node="{node}" on the pages of {names}',
        )


def _leading_pages(pages: Iterable[SchedulerPage]) -> list[SchedulerPage]:
    """Pages that only a leader shows, read at about the same time, one of each scheduler."""
    booked = {p.target: p for p in pages if p.devices and is_since(p.version, _BOOKS_OF_THE_LEADER)}
    newest = max((page.at for page in booked.values()), default=0.0)
    return [p for p in booked.values() if newest - p.at <= PAGES_TOGETHER_SECONDS]


def no_leader(context: CheckContext) -> Iterator[Finding]:
    """Leases of running schedulers that nobody renews."""
    seen_at = context.layer.read_at
    if seen_at is None:
        return
    for lease in context.layer.leases:
        owner = _elected_by(context, lease)
        if owner and _is_abandoned(lease, seen_at):
            yield Finding(
                check=CHECK,
                signal="no-leader",
                object=owner,
                namespace=lease.namespace,
                source=f"Lease/{lease.namespace}/{lease.name}",
                record=_lease_record(lease),
            )


def _elected_by(context: CheckContext, lease: SchedulerLease) -> str:
    """The running scheduler that elects by the Lease; one that is scaled to zero leaves its own."""
    for controller in schedulers(context):
        flags = controller.flags
        name = flags.get("leader-elect-resource-name") or flags.get("scheduler-name", "")
        own = controller.namespace == lease.namespace and name in {"", lease.name}
        if own and controller.desired > 0:
            return controller.object
    return ""


def _is_abandoned(lease: SchedulerLease, seen_at: float) -> bool:
    if lease.renewed_at is None:
        return True
    duration = lease.duration_seconds or DEFAULT_DURATION_SECONDS
    return seen_at - lease.renewed_at > max(LEASE_DURATIONS * duration, LEASE_LEAST_SECONDS)


def _lease_record(lease: SchedulerLease) -> str:
    renewed = "never" if lease.renewed_at is None else rfc3339(lease.renewed_at)
    return (
        f"holderIdentity: {lease.holder or '(nobody)'}, renewTime: {renewed}, "
        f"leaseDurationSeconds: {lease.duration_seconds or 0:.0f}"
    )

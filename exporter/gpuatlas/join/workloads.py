"""The workloads of one namespace: pods grouped by the object that owns them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from gpuatlas.join.identity import workload_of
from gpuatlas.model.objects import OwnerLink, Pod
from gpuatlas.model.snapshot import NamespaceSnapshot, PodWorkload, Workload, WorkloadId
from gpuatlas.model.vendors import vendor_of_count


def asks_for_cards(pod: Pod) -> bool:
    """Pods that are read for another reason (exporters, plugins) are no workloads."""
    if pod.promises:
        return True
    return any(vendor_of_count(r) is not None for c in pod.containers for r in c.limits)


def _finished(pod: Pod) -> bool:
    return pod.phase in {"Succeeded", "Failed"}


def _requested(pods: Sequence[Pod]) -> dict[str, int]:
    """Count resource → number asked for: per pod max(init containers, sum of the others)."""
    total: Counter[str] = Counter()
    for pod in pods:
        if _finished(pod):
            continue
        main: Counter[str] = Counter()
        init: Counter[str] = Counter()
        for container in pod.containers:
            asked = {r: n for r, n in container.limits.items() if vendor_of_count(r) is not None}
            if container.kind == "init":
                init |= Counter(asked)
            else:
                main += Counter(asked)
        total += main | init
    return dict(sorted(total.items()))


def _waiting(pods: Sequence[Pod], now: float) -> dict[str, float]:
    """Reason → seconds since the oldest waiting pod was created."""
    longest: dict[str, float] = {}
    for pod in pods:
        # A file written by hand may lack the creation time: then nobody knows how long it waits.
        if not is_waiting(pod) or not pod.created_at:
            continue
        reason = pod.waiting_reason or "Unscheduled"
        seconds = max(0.0, now - pod.created_at)
        longest[reason] = max(longest.get(reason, 0.0), seconds)
    return dict(sorted(longest.items()))


def _scheduler(pods: Sequence[Pod]) -> str:
    """The scheduler of the newest pod: a rollout may have changed it."""
    return max(pods, key=lambda pod: (pod.created_at, pod.name)).scheduler


def _workload(identity: WorkloadId, pods: Sequence[Pod], now: float) -> Workload:
    return Workload(
        id=identity,
        runtime="unknown",
        scheduler=_scheduler(pods),
        queue="",
        queue_kind="",
        gang="",
        pods=dict(sorted(Counter(pod.phase for pod in pods).items())),
        cards_requested=_requested(pods),
        waiting=_waiting(pods, now),
        pod_names=tuple(sorted(pod.name for pod in pods if not _finished(pod))),
    )


def join_namespace(
    name: str, pods: Sequence[Pod], owners: Mapping[str, OwnerLink], now: float
) -> NamespaceSnapshot:
    """The namespace's workloads, by kind and name, and which pod belongs to which."""
    groups: dict[WorkloadId, list[Pod]] = defaultdict(list)
    for pod in pods:
        groups[workload_of(pod, owners)].append(pod)
    ordered = sorted(groups, key=lambda w: (w.kind, w.name, w.api_group))
    members = [
        PodWorkload(namespace=name, pod=pod.name, node=pod.node, workload=identity)
        for identity in ordered
        for pod in groups[identity]
        if not _finished(pod)
    ]
    return NamespaceSnapshot(
        name=name,
        workloads=tuple(_workload(identity, groups[identity], now) for identity in ordered),
        pods=tuple(sorted(members, key=lambda m: m.pod)),
    )


def is_waiting(pod: Pod) -> bool:
    """Pods whose waiting time grows: their namespace is new at every instant."""
    return pod.phase == "Pending" and not pod.node

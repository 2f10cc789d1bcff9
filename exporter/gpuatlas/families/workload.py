"""Metrics of the workloads of one namespace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from gpuatlas.families.labels import WORKLOAD, workload_labels
from gpuatlas.families.spec import Family, Kind, Series
from gpuatlas.model.snapshot import NamespaceSnapshot, Workload


def _info(namespace: NamespaceSnapshot) -> Iterator[Series]:
    for workload in namespace.workloads:
        queued = (workload.queue, workload.queue_kind, workload.gang)
        placed = (workload.id.api_group, workload.runtime, workload.scheduler)
        yield (*workload_labels(workload.id), *placed, *queued), 1


def _of_each_entry(
    pick: Callable[[Workload], Mapping[str, float]],
) -> Callable[[NamespaceSnapshot], Iterator[Series]]:
    """One series for each entry of a mapping of the workload, by key."""

    def samples(namespace: NamespaceSnapshot) -> Iterator[Series]:
        for workload in namespace.workloads:
            for key, number in sorted(pick(workload).items()):
                yield (*workload_labels(workload.id), key), number

    return samples


def _gang_min_members(namespace: NamespaceSnapshot) -> Iterator[Series]:
    for workload in namespace.workloads:
        if workload.gang_min_members is not None and workload.gang_min_members > 1:
            yield workload_labels(workload.id), workload.gang_min_members


def _memory_ahead(namespace: NamespaceSnapshot) -> Iterator[Series]:
    for workload in namespace.workloads:
        if workload.memory_ahead is not None:
            yield workload_labels(workload.id), workload.memory_ahead


def _revisions(namespace: NamespaceSnapshot) -> Iterator[Series]:
    for workload in namespace.workloads:
        for revision in workload.revisions:
            yield (*workload_labels(workload.id), revision), 1


def _restarts(namespace: NamespaceSnapshot) -> Iterator[Series]:
    for workload in namespace.workloads:
        if workload.restarts is not None:
            yield workload_labels(workload.id), workload.restarts


def _run_group(namespace: NamespaceSnapshot) -> Iterator[Series]:
    for workload in namespace.workloads:
        if workload.run_group:
            yield (*workload_labels(workload.id), workload.run_group), 1


def _pod_workload(namespace: NamespaceSnapshot) -> Iterator[Series]:
    for pod in namespace.pods:
        _, kind, name = workload_labels(pod.workload)
        yield (pod.namespace, pod.pod, pod.node, kind, name), 1


FAMILIES: Final[tuple[Family[NamespaceSnapshot], ...]] = (
    Family(
        name="gpuatlas_workload_info",
        kind=Kind.INFO,
        help="A top-level object whose pods ask for accelerators, with its runtime, "
        "the scheduler that placed it (hami, volcano, kai, yunikorn, koordinator, default, "
        "else the name in the pod), the queue that admits it and its gang.",
        labels=(*WORKLOAD, "api_group", "runtime", "scheduler", "queue", "queue_kind", "gang"),
        samples=_info,
    ),
    Family(
        name="gpuatlas_workload_pods",
        kind=Kind.GAUGE,
        help="Pods of the workload by phase, only those that ask for accelerators; "
        "no series while a queue holds it back without pods.",
        labels=(*WORKLOAD, "phase"),
        samples=_of_each_entry(lambda workload: workload.pods),
    ),
    Family(
        name="gpuatlas_workload_gang_min_members",
        kind=Kind.GAUGE,
        help="Pods that must be placed together before any of them starts; "
        "absent unless more than 1.",
        labels=WORKLOAD,
        samples=_gang_min_members,
    ),
    Family(
        name="gpuatlas_workload_cards_requested",
        kind=Kind.GAUGE,
        help="Cards or shares of cards that the unfinished pods of the workload ask for and those "
        "that a queue holds back will, not what they got; the resource is that of the limit, "
        "gpu-fraction or gpu-memory for a share by KAI, "
        "deviceclass.resource.kubernetes.io/ and the device class for a claim.",
        labels=(*WORKLOAD, "resource"),
        samples=_of_each_entry(lambda workload: workload.cards_requested),
    ),
    Family(
        name="gpuatlas_workload_waiting_seconds",
        kind=Kind.GAUGE,
        help="Seconds that the pod that waits longest has been pending or held in a queue, "
        "by reason.",
        labels=(*WORKLOAD, "reason"),
        unit="seconds",
        samples=_of_each_entry(lambda workload: workload.waiting),
    ),
    Family(
        name="gpuatlas_workload_memory_ahead_ratio",
        kind=Kind.GAUGE,
        help="Share of its memory that the spec tells the runtime to take at start, needed or not "
        "(--gpu-memory-utilization and its like), 0 where it forbids that; "
        "absent where the spec says nothing.",
        labels=WORKLOAD,
        unit="ratio",
        samples=_memory_ahead,
    ),
    Family(
        name="gpuatlas_workload_revision_info",
        kind=Kind.INFO,
        help="A pod template that unfinished pods of the workload were made from, by the hash that "
        "its controller writes on them; at most 4, of more the last one stands for all others; "
        "absent for kinds that write none (Job, JobSet, PyTorchJob, RayCluster).",
        labels=(*WORKLOAD, "revision"),
        samples=_revisions,
    ),
    Family(
        name="gpuatlas_workload_restarts",
        kind=Kind.GAUGE,
        help="How often the kubelet started containers with cards of the unfinished pods of the "
        "workload again; no counter, since a pod that goes takes its count with it: "
        "what rises is a restart, what falls is a pod that went.",
        labels=WORKLOAD,
        samples=_restarts,
    ),
    Family(
        name="gpuatlas_workload_run_group_info",
        kind=Kind.INFO,
        help="What runs with generated names have in common: the application label of the pods, "
        "the template that a workflow engine made the run from, "
        "or the name without its generated end; "
        "absent for workloads that go on and for names that somebody chose.",
        labels=(*WORKLOAD, "group"),
        samples=_run_group,
    ),
    Family(
        name="gpuatlas_pod_workload_info",
        kind=Kind.INFO,
        help="Which workload a pod belongs to, for joins; "
        "the node label is empty while the pod is not scheduled.",
        labels=("namespace", "pod", "node", "workload_kind", "workload"),
        samples=_pod_workload,
    ),
)

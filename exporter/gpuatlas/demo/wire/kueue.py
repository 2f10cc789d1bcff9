"""What Kueue writes: Workloads, LocalQueues, ClusterQueues, and marks on admitted pods.

Facts: facts/k8s.md 3.2. A job that is held back is suspended and has no pods: what it will ask for
stands in its Workload alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from gpuatlas.demo.lifecycle import is_held, waits_since
from gpuatlas.demo.members import Link
from gpuatlas.demo.randomness import hexadecimal, uuid
from gpuatlas.demo.scenario import QueueSpec, QueueSystem, Waits, WorkloadSpec
from gpuatlas.demo.shapes import shape_of
from gpuatlas.demo.state import PodState, World
from gpuatlas.demo.wire.objects import Document, condition, metadata, owner

_GROUP: Final = "kueue.x-k8s.io"
_API: Final = f"{_GROUP}/v1beta2"
_FLAVOR: Final = "cards"
_RESOURCE: Final = "nvidia.com/gpu"
_ADMISSION_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class KueueJob:
    """One job in a queue. `sets` is pod set → pods; `cards` is what each pod asks."""

    workload: WorkloadSpec
    job: Link
    queue: QueueSpec
    created_at: float
    sets: dict[str, int]
    container: str
    cards: int
    held: bool

    @property
    def name(self) -> str:
        """Of its Workload object."""
        return workload_name(self.job)

    @property
    def total(self) -> int:
        """The cards of all its pods."""
        return self.cards * sum(self.sets.values())


def workload_name(job: Link) -> str:
    """Kind and name of the job, and five letters of a hash."""
    return f"{job.kind.lower()}-{job.name}-{hexadecimal(5, 'kueue', job.uid)}"


def _pod_set(pod_labels: dict[str, str]) -> str:
    replica = pod_labels.get("training.kubeflow.org/replica-type", "")
    return replica or pod_labels.get("jobset.sigs.k8s.io/replicatedjob-name", "main")


def pod_labels(pod: PodState, queue: QueueSpec) -> dict[str, str]:
    """Of a pod that Kueue has let in."""
    return {
        f"{_GROUP}/cluster-queue-name": queue.parent,
        f"{_GROUP}/local-queue-name": queue.name,
        f"{_GROUP}/podset": _pod_set(dict(pod.shape.labels) if pod.shape else {}),
    }


def pod_annotations(pod: PodState) -> dict[str, str]:
    """The Workload that admitted the pod."""
    return {f"{_GROUP}/workload": workload_name(pod.shape.owners[-1])} if pod.shape else {}


def _jobs(world: World) -> list[KueueJob]:
    jobs = []
    for workload in world.scenario.workloads:
        queue = world.scenario.queue_of(workload)
        if queue is None or queue.system is not QueueSystem.KUEUE:
            continue
        job = _held(workload, queue, world) if is_held(world.scenario, workload) else None
        job = job or _admitted(workload, queue, world)
        if job:
            jobs.append(job)
    return jobs


def _held(workload: WorkloadSpec, queue: QueueSpec, world: World) -> KueueJob | None:
    run, created = waits_since(workload, world.scenario.since, world.seed, world.at)
    pods = workload.lives.pods if isinstance(workload.lives, Waits) else 1
    shapes = [shape_of(workload, world.seed, ordinal, run) for ordinal in range(pods)]
    known = [shape for shape in shapes if shape]
    if not known:
        return None
    return KueueJob(
        workload=workload,
        job=known[0].owners[-1],
        queue=queue,
        created_at=created,
        sets=dict(Counter(_pod_set(dict(shape.labels)) for shape in known)),
        container=known[0].container,
        cards=workload.requests.get(_RESOURCE, 0),
        held=True,
    )


def _admitted(workload: WorkloadSpec, queue: QueueSpec, world: World) -> KueueJob | None:
    pods = [pod for pod in world.pods if pod.workload is workload and pod.shape and pod.place]
    if not pods or pods[0].shape is None or pods[0].place is None:
        return None
    sets = Counter(_pod_set(dict(pod.shape.labels)) for pod in pods if pod.shape)
    return KueueJob(
        workload=workload,
        job=pods[0].shape.owners[-1],
        queue=queue,
        created_at=pods[0].created_at - _ADMISSION_SECONDS,
        sets=dict(sets),
        container=pods[0].container,
        cards=len(pods[0].place.cards),
        held=False,
    )


def held_jobs(world: World) -> list[KueueJob]:
    """Those that are held back: suspended, without pods."""
    return [job for job in _jobs(world) if job.held]


def workload_documents(world: World) -> list[Document]:
    """One per job in a queue, whether it runs or waits."""
    jobs, quotas = _jobs(world), {q.name: q.cards for q in _queues(world, local=False)}
    free = {
        name: cards - sum(j.total for j in jobs if j.queue.parent == name and not j.held)
        for name, cards in quotas.items()
    }
    return [_workload(job, free[job.queue.parent]) for job in jobs]


def _workload(job: KueueJob, free: int) -> Document:
    link = job.job
    return {
        "kind": "Workload",
        "apiVersion": _API,
        "metadata": metadata(
            job.name,
            uuid("kueue workload", link.uid),
            job.created_at,
            namespace=job.workload.namespace,
            labels={f"{_GROUP}/job-uid": link.uid},
            controller=owner(link.api_version, link.kind, link.name, link.uid),
            manager="kueue",
        ),
        "spec": {
            "active": True,
            "queueName": job.queue.name,
            "priority": 0,
            "podSets": [_set_document(job, name, count) for name, count in job.sets.items()],
        },
        "status": _waiting_status(job, free) if job.held else _admitted_status(job),
    }


def _set_document(job: KueueJob, name: str, count: int) -> Document:
    asked = {_RESOURCE: str(job.cards)}
    container = {
        "name": job.container,
        "image": "docker.io/pytorch/pytorch:2.8.0-cuda12.9-cudnn9-runtime",
        "resources": {"limits": asked, "requests": asked},
    }
    template = {"spec": {"containers": [container], "restartPolicy": "Never"}}
    return {"name": name, "count": count, "template": template}


def _admitted_status(job: KueueJob) -> Document:
    at, queue = job.created_at + _ADMISSION_SECONDS, job.queue.parent
    assignments = [
        {
            "name": name,
            "count": count,
            "flavors": {_RESOURCE: _FLAVOR},
            "resourceUsage": {_RESOURCE: str(job.cards * count)},
        }
        for name, count in job.sets.items()
    ]
    reserved = f"Quota reserved in ClusterQueue {queue}, wait time since queued was 2s"
    return {
        "admission": {"clusterQueue": queue, "podSetAssignments": assignments},
        "conditions": [
            condition("QuotaReserved", holds=True, at=at, reason="QuotaReserved", message=reserved),
            condition(
                "Admitted", holds=True, at=at, reason="Admitted", message="The workload is admitted"
            ),
        ],
    }


def _waiting_status(job: KueueJob, free: int) -> Document:
    (first, *_) = job.sets
    message = (
        f"couldn't assign flavors to pod set {first}: insufficient unused quota for {_RESOURCE} "
        f"in flavor {_FLAVOR}, {max(1, job.total - free)} more needed"
    )
    return {
        "conditions": [
            condition(
                "QuotaReserved",
                holds=False,
                at=job.created_at + 1,
                reason="WaitingForQuota",
                message=message,
            ),
            condition(
                "Admitted",
                holds=False,
                at=job.created_at + 1,
                reason="NoReservation",
                message="The workload has no reservation",
            ),
        ],
        "resourceRequests": [
            {"name": name, "resources": {_RESOURCE: str(job.cards * count)}}
            for name, count in job.sets.items()
        ],
    }


def local_queue_documents(world: World) -> list[Document]:
    """The queues that namespaces have."""
    jobs, since = _jobs(world), world.scenario.since
    return [
        {
            "kind": "LocalQueue",
            "apiVersion": _API,
            "metadata": metadata(
                queue.name,
                uuid("local queue", queue.namespace, queue.name),
                since,
                namespace=queue.namespace,
                manager="kubectl",
            ),
            "spec": {"clusterQueue": queue.parent, "stopPolicy": "None"},
            "status": _counts([job for job in jobs if job.queue is queue]),
        }
        for queue in _queues(world, local=True)
    ]


def cluster_queue_documents(world: World) -> list[Document]:
    """The queues that have the quota."""
    jobs, since = _jobs(world), world.scenario.since
    return [
        {
            "kind": "ClusterQueue",
            "apiVersion": _API,
            "metadata": metadata(
                queue.name, uuid("cluster queue", queue.name), since, manager="kubectl"
            ),
            "spec": _quota(queue),
            "status": _counts([job for job in jobs if job.queue.parent == queue.name]),
        }
        for queue in _queues(world, local=False)
    ]


def _queues(world: World, *, local: bool) -> list[QueueSpec]:
    return [
        queue
        for queue in world.scenario.queues
        if queue.system is QueueSystem.KUEUE and bool(queue.namespace) is local
    ]


def _quota(queue: QueueSpec) -> Document:
    quota = {"name": _RESOURCE, "nominalQuota": str(queue.cards)}
    return {
        "namespaceSelector": {},
        "queueingStrategy": "BestEffortFIFO",
        "stopPolicy": "None",
        "resourceGroups": [
            {
                "coveredResources": [_RESOURCE],
                "flavors": [{"name": _FLAVOR, "resources": [quota]}],
            }
        ],
    }


def _counts(jobs: list[KueueJob]) -> Document:
    running = [job for job in jobs if not job.held]
    used = [{"name": _RESOURCE, "total": str(sum(job.total for job in running))}]
    return {
        "pendingWorkloads": len(jobs) - len(running),
        "reservingWorkloads": len(running),
        "admittedWorkloads": len(running),
        "flavorsUsage": [{"name": _FLAVOR, "resources": used}],
    }

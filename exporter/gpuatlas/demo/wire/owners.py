"""The objects between pods and workloads: ReplicaSets and Jobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gpuatlas.demo.lifecycle import replica_set_name, revision_at
from gpuatlas.demo.randomness import uuid
from gpuatlas.demo.scenario import WorkloadSpec
from gpuatlas.demo.state import JobState, World
from gpuatlas.demo.wire.objects import Document, condition, metadata, owner, timestamp
from gpuatlas.demo.wire.pods import replica_set_uid, workload_uid


def replica_set_documents(world: World) -> list[Document]:
    """Those of each Deployment: the present one, and where it was rolled out the one before."""
    ready = Counter(pod.workload.key for pod in world.pods if pod.ready)
    return [
        document
        for workload in world.scenario.workloads
        if workload.kind == "Deployment"
        for document in _replica_sets(workload, ready[workload.key], world)
    ]


def _replica_sets(workload: WorkloadSpec, ready: int, world: World) -> Iterator[Document]:
    since = world.scenario.since
    revision, begun = revision_at(workload, since, world.seed, world.at)
    yield _replica_set(workload, (revision, begun), (len(workload.places), ready), world)
    if begun > since:
        before = revision_at(workload, since, world.seed, begun - 1)
        yield _replica_set(workload, before, (0, 0), world)


def _replica_set(
    workload: WorkloadSpec,
    revision_and_begin: tuple[int, float],
    wanted_and_ready: tuple[int, int],
    world: World,
) -> Document:
    revision, created_at = revision_and_begin
    replicas, ready = wanted_and_ready
    name = replica_set_name(workload, world.seed, revision)
    labels = {"app": workload.name, "pod-template-hash": name.rsplit("-", 1)[1]}
    return {
        "kind": "ReplicaSet",
        "apiVersion": "apps/v1",
        "metadata": metadata(
            name,
            replica_set_uid(workload, world.seed, revision),
            created_at,
            namespace=workload.namespace,
            labels=labels,
            annotations={
                "deployment.kubernetes.io/desired-replicas": str(replicas),
                "deployment.kubernetes.io/revision": str(revision + 1),
            },
            controller=owner(
                "apps/v1", "Deployment", workload.name, workload_uid(workload, world.seed)
            ),
        ),
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": []}},
        },
        "status": {
            "replicas": replicas,
            "fullyLabeledReplicas": replicas,
            "readyReplicas": ready,
            "availableReplicas": ready,
            "observedGeneration": 1,
        },
    }


def job_documents(world: World) -> list[Document]:
    """All jobs, those of CronJobs with their owner."""
    return [_job(job, world.seed) for job in world.jobs]


def _job(job: JobState, seed: int) -> Document:
    key = f"{job.namespace}/{job.cron_job}"
    return {
        "kind": "Job",
        "apiVersion": "batch/v1",
        "metadata": metadata(
            job.name,
            job.uid,
            job.created_at,
            namespace=job.namespace,
            labels={
                "batch.kubernetes.io/controller-uid": job.uid,
                "batch.kubernetes.io/job-name": job.name,
            },
            controller=owner("batch/v1", "CronJob", job.cron_job, uuid("CronJob", seed, key))
            if job.cron_job
            else None,
            generate_name=job.generate_name,
        ),
        "spec": {
            "parallelism": job.pods,
            "completions": job.pods,
            "backoffLimit": 0,
            "completionMode": "Indexed" if job.pods > 1 else "NonIndexed",
            "suspend": False,
            "template": {"spec": {"containers": [], "restartPolicy": "Never"}},
        },
        "status": _job_status(job),
    }


def _job_status(job: JobState) -> Document:
    status: Document = {"startTime": timestamp(job.created_at), "ready": 0}
    if job.finished_at is None:
        return status | {"active": job.pods}
    if job.failed:
        conditions = [
            condition("Failed", holds=True, at=job.finished_at, reason="BackoffLimitExceeded")
        ]
        return status | {"failed": job.pods, "conditions": conditions}
    conditions = [condition("Complete", holds=True, at=job.finished_at)]
    return status | {
        "succeeded": job.pods,
        "completionTime": timestamp(job.finished_at),
        "conditions": conditions,
    }

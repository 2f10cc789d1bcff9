"""The objects that stand above pods.

Of operators' objects the metadata, which is all that is read; of built-in ones the template of the
pods as well, for the patches that are written for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest

from gpuatlas.demo.members import Link
from gpuatlas.demo.scenario import QueueSystem, WorkloadSpec
from gpuatlas.demo.shapes import is_resubmitted
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.kueue import held_jobs
from gpuatlas.demo.wire.objects import Document, metadata, owner, resource_key
from gpuatlas.demo.wire.pods import workload_uid
from gpuatlas.demo.wire.templates import owner_spec

_BUILT_IN = frozenset({"DaemonSet", "Deployment", "StatefulSet"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Object:
    """One object with the one above it."""

    link: Link
    above: Link | None
    namespace: str
    created_at: float
    workload: WorkloadSpec | None = None
    spec: Document = field(default_factory=dict)


def operator_documents(world: World) -> Mapping[str, list[Document]]:
    """All of them, by resource. Those that are listed elsewhere (ReplicaSets, Jobs) add to it."""
    found: dict[str, dict[tuple[str, str], Document]] = {}
    for item in (*_of_pods(world), *_of_held_jobs(world), *_built_in(world)):
        key = resource_key(item.link.api_version, item.link.kind)
        names = found.setdefault(key, {})
        names.setdefault((item.namespace, item.link.name), _document(item, world))
    return {key: list(documents.values()) for key, documents in found.items()}


def _of_pods(world: World) -> Iterator[_Object]:
    for pod in world.pods:
        owners = pod.shape.owners if pod.shape else ()
        fresh = is_resubmitted(pod.workload)
        for link, above in zip_longest(owners, owners[1:]):
            if link.kind != "Pod":
                yield _Object(
                    link=link,
                    above=above,
                    namespace=pod.workload.namespace,
                    created_at=pod.created_at if fresh else world.scenario.since,
                    workload=pod.workload,
                )


def _of_held_jobs(world: World) -> Iterator[_Object]:
    for job in held_jobs(world):
        yield _Object(
            link=job.job,
            above=None,
            namespace=job.workload.namespace,
            created_at=job.created_at,
            workload=job.workload,
            spec={"runPolicy": {"suspend": True}},
        )


def _built_in(world: World) -> Iterator[_Object]:
    pods = {pod.workload.key: pod for pod in reversed(world.pods)}
    for workload in world.scenario.workloads:
        if workload.kind in _BUILT_IN:
            uid = workload_uid(workload, world.seed)
            link = Link(api_version="apps/v1", kind=workload.kind, name=workload.name, uid=uid)
            yield _Object(
                link=link,
                above=None,
                namespace=workload.namespace,
                created_at=world.scenario.since,
                spec=owner_spec(workload, pods.get(workload.key), world),
            )


def _document(item: _Object, world: World) -> Document:
    link, above = item.link, item.above
    return {
        "kind": link.kind,
        "apiVersion": link.api_version,
        "metadata": metadata(
            link.name,
            link.uid,
            item.created_at,
            namespace=item.namespace,
            labels=_labels(item, world),
            controller=owner(above.api_version, above.kind, above.name, above.uid)
            if above
            else None,
            generate_name=link.generate_name,
        ),
        "spec": item.spec,
        "status": {},
    }


def _labels(item: _Object, world: World) -> dict[str, str]:
    """Users put the queue on the job that they submit, the one on top."""
    queue = world.scenario.queue_of(item.workload) if item.workload else None
    if queue and queue.system is QueueSystem.KUEUE and item.above is None:
        return {"kueue.x-k8s.io/queue-name": queue.name}
    return {}

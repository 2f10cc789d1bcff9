"""Pod objects of the workloads."""

from __future__ import annotations

from gpuatlas.demo.lifecycle import replica_set_name
from gpuatlas.demo.randomness import name_suffix, uuid
from gpuatlas.demo.scenario import WorkloadSpec
from gpuatlas.demo.services import page_of
from gpuatlas.demo.state import NodeState, PodState, World, service_subject
from gpuatlas.demo.wire.addresses import Addresses, node_ip, pod_ip
from gpuatlas.demo.wire.dra_claims import status_claims
from gpuatlas.demo.wire.objects import Document, metadata, owner, timestamp
from gpuatlas.demo.wire.placement import placement_annotations, placement_labels, waiting_message
from gpuatlas.demo.wire.pod_spec import pod_spec
from gpuatlas.demo.wire.pod_status import pod_status, waiting_status


def pod_documents(world: World, addresses: Addresses) -> list[Document]:
    """All pods of all workloads; servers are where their pages can be read."""
    return [_pod(pod, world, addresses) for pod in world.pods]


def _pod(pod: PodState, world: World, addresses: Addresses) -> Document:
    node = world.node(pod.place.node) if pod.place else None
    serves = pod.holds and page_of(pod.workload, pod.ordinal) is not None
    key = ("service", service_subject(pod.workload, pod.ordinal))
    address = addresses.get(key) if serves else None
    spec = pod_spec(pod, node, world, page_port=address.port if address else None)
    shape = pod.shape
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": metadata(
            pod.name,
            pod.uid,
            pod.created_at,
            namespace=pod.workload.namespace,
            labels=_labels(pod, world.seed)
            | placement_labels(pod, world)
            | dict(pod.deviations.labels),
            annotations=dict(shape.annotations if shape else {})
            | placement_annotations(pod, world),
            controller=controller(pod, world.seed),
        )
        | _deletion(pod),
        "spec": spec,
        "status": _status(pod, node, spec, world, host=address.host if address else ""),
    }


def _deletion(pod: PodState) -> Document:
    """The time is the end of the grace, not its beginning."""
    ends = pod.deviations.deleted_at
    if ends is None:
        return {}
    return {"deletionTimestamp": timestamp(ends), "deletionGracePeriodSeconds": 30}


def _status(
    pod: PodState, node: NodeState | None, spec: Document, world: World, *, host: str
) -> Document:
    if node is None:
        return waiting_status(pod, waiting_message(pod, world))
    name = node.spec.name
    status = pod_status(
        pod,
        spec["containers"],
        spec.get("initContainers", []),
        host=node_ip(world, name),
        ip=host or pod_ip(world, name, pod.uid),
    )
    return status | status_claims(pod)


def workload_uid(workload: WorkloadSpec, seed: int) -> str:
    """The uid of the object on top: a Deployment, StatefulSet or DaemonSet."""
    return uuid(workload.kind, seed, workload.key)


def replica_set_uid(workload: WorkloadSpec, seed: int, revision: int = 0) -> str:
    """The uid of a Deployment's ReplicaSet."""
    return uuid("ReplicaSet", seed, workload.key, *((revision,) if revision else ()))


def controller(pod: PodState, seed: int) -> Document | None:
    """The direct owner of a pod; None for a bare one."""
    workload = pod.workload
    if pod.shape:
        above = pod.shape.owners[0]
        return owner(above.api_version, above.kind, above.name, above.uid)
    if pod.job:
        return owner("batch/v1", "Job", pod.job.name, pod.job.uid)
    if workload.kind == "Pod":
        return None
    if workload.kind == "Deployment":
        name = replica_set_name(workload, seed, pod.revision)
        return owner("apps/v1", "ReplicaSet", name, replica_set_uid(workload, seed, pod.revision))
    return owner("apps/v1", workload.kind, workload.name, workload_uid(workload, seed))


def _labels(pod: PodState, seed: int) -> dict[str, str]:
    workload = pod.workload
    labels = {"app": workload.name, "team": workload.namespace}
    if pod.shape:
        return labels | dict(pod.shape.labels)
    revision = f"{workload.name}-{name_suffix(10, seed, workload.key, 'revision')}"
    if workload.kind == "Deployment":
        name = replica_set_name(workload, seed, pod.revision)
        labels["pod-template-hash"] = name.rsplit("-", 1)[1]
    elif workload.kind == "StatefulSet":
        labels["statefulset.kubernetes.io/pod-name"] = pod.name
        labels["apps.kubernetes.io/pod-index"] = str(pod.ordinal)
        labels["controller-revision-hash"] = revision
    elif workload.kind == "DaemonSet":
        labels["controller-revision-hash"] = revision.rsplit("-", 1)[1]
        labels["pod-template-generation"] = "1"
    if pod.job:
        labels["batch.kubernetes.io/job-name"] = pod.job.name
        labels["batch.kubernetes.io/controller-uid"] = pod.job.uid
        labels["job-name"] = pod.job.name
        labels["controller-uid"] = pod.job.uid
        if pod.job.pods > 1:
            labels["batch.kubernetes.io/job-completion-index"] = str(pod.ordinal)
    return labels

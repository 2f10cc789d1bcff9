"""Pod objects of the cluster's own pods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gpuatlas.demo.state import World
from gpuatlas.demo.wire.addresses import node_ip, pod_ip
from gpuatlas.demo.wire.controllers import SystemContainer, SystemPod
from gpuatlas.demo.wire.objects import Document, condition, metadata, owner, timestamp

_READY_AFTER: Final = 30.0  # seconds after the cluster began
_RESTARTS: Final = 7  # of a container that fails


def system_pod_documents(pods: Sequence[SystemPod], world: World) -> list[Document]:
    """The pods that are there."""
    return [_pod(pod, world) for pod in pods if pod.exists]


def _pod(pod: SystemPod, world: World) -> Document:
    uid = pod.uid(world.seed)
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": metadata(
            pod.name(world.seed),
            uid,
            world.scenario.since,
            namespace=pod.namespace,
            labels=_labels(pod, world.seed),
            controller=_controller(pod, world.seed),
        ),
        "spec": pod.controller.pod_spec(pod.own_containers) | {"nodeName": pod.node},
        "status": _status(pod, world, uid),
    }


def _labels(pod: SystemPod, seed: int) -> dict[str, str]:
    above = pod.controller
    labels = {**above.labels, **above.ignored_labels, **pod.labels}
    revision = above.replica_set(seed).rsplit("-", 1)[1]
    if above.kind == "Deployment":
        return {**labels, "pod-template-hash": revision}
    return {**labels, "controller-revision-hash": revision, "pod-template-generation": "1"}


def _controller(pod: SystemPod, seed: int) -> Document:
    above = pod.controller
    if above.kind == "Deployment":
        return owner(
            "apps/v1", "ReplicaSet", above.replica_set(seed), above.uid("ReplicaSet", seed)
        )
    return owner("apps/v1", above.kind, above.name, above.uid(above.kind, seed))


def _status(pod: SystemPod, world: World, uid: str) -> Document:
    since = world.scenario.since + _READY_AFTER
    ip = pod.host or pod_ip(world, pod.node, uid)
    host = node_ip(world, pod.node)
    status: Document = {
        "phase": "Running" if pod.runs else "Pending",
        "conditions": [
            condition("Ready", holds=pod.ready, at=since),
            condition("ContainersReady", holds=pod.ready, at=since),
            condition("PodScheduled", holds=True, at=since),
        ],
        "hostIP": host,
        "hostIPs": [{"ip": host}],
        "startTime": timestamp(world.scenario.since),
        "qosClass": "BestEffort",
        "containerStatuses": [_container(pod, one, since) for one in pod.own_containers],
    }
    return status | ({"podIP": ip, "podIPs": [{"ip": ip}]} if pod.runs else {})


def _container(pod: SystemPod, container: SystemContainer, since: float) -> Document:
    fails = container.name in pod.failing
    ready = pod.runs and not fails
    reason = "CrashLoopBackOff" if fails else "ImagePullBackOff"
    return {
        "name": container.name,
        "state": {"running": {"startedAt": timestamp(since)}}
        if ready
        else {"waiting": {"reason": reason}},
        "ready": ready,
        "restartCount": _RESTARTS if fails else 0,
        "image": container.image,
        "started": ready,
    }

"""Pod and ReplicaSet objects of the cluster's own pods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gpuatlas.demo.randomness import uuid
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.addresses import node_ip, pod_ip
from gpuatlas.demo.wire.objects import Document, condition, metadata, owner, timestamp
from gpuatlas.demo.wire.system_pods import SystemPod

_READY_AFTER: Final = 30.0  # seconds after the cluster began


def system_pod_documents(pods: Sequence[SystemPod], world: World) -> list[Document]:
    """The pods."""
    return [_pod(pod, world) for pod in pods]


def system_replica_set_documents(pods: Sequence[SystemPod], world: World) -> list[Document]:
    """The ReplicaSets of those that belong to a Deployment."""
    first: dict[tuple[str, str], SystemPod] = {}
    for pod in pods:
        if pod.kind == "Deployment":
            first.setdefault((pod.namespace, pod.controller), pod)
    return [_replica_set(pod, world) for pod in first.values()]


def _uid(kind: str, pod: SystemPod, seed: int) -> str:
    return uuid(kind, seed, pod.namespace, pod.controller)


def deployment_uid(pod: SystemPod, seed: int) -> str:
    """The uid of the Deployment that the pod belongs to."""
    return _uid("Deployment", pod, seed)


def _replica_set(pod: SystemPod, world: World) -> Document:
    return {
        "kind": "ReplicaSet",
        "apiVersion": "apps/v1",
        "metadata": metadata(
            pod.replica_set(world.seed),
            _uid("ReplicaSet", pod, world.seed),
            world.scenario.since,
            namespace=pod.namespace,
            labels=pod.labels,
            controller=owner(
                "apps/v1", "Deployment", pod.controller, _uid("Deployment", pod, world.seed)
            ),
        ),
        "spec": {"replicas": 1, "selector": {"matchLabels": dict(pod.labels)}},
        "status": {"replicas": 1, "observedGeneration": 1},
    }


def _pod(pod: SystemPod, world: World) -> Document:
    name = pod.name(world.seed)
    uid = uuid("system pod", world.seed, pod.namespace, name)
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": metadata(
            name,
            uid,
            world.scenario.since,
            namespace=pod.namespace,
            labels=_labels(pod, world.seed),
            controller=_controller(pod, world.seed),
        ),
        "spec": {
            "nodeName": pod.node,
            "containers": [_container(pod, container) for container in pod.containers],
            "restartPolicy": "Always",
            "schedulerName": "default-scheduler",
            "serviceAccountName": pod.controller,
            "priorityClassName": "system-node-critical",
        },
        "status": _status(pod, world, uid),
    }


def _labels(pod: SystemPod, seed: int) -> dict[str, str]:
    revision = pod.replica_set(seed).rsplit("-", 1)[1]
    if pod.kind == "Deployment":
        return {**pod.labels, "pod-template-hash": revision}
    return {**pod.labels, "controller-revision-hash": revision, "pod-template-generation": "1"}


def _controller(pod: SystemPod, seed: int) -> Document:
    if pod.kind == "Deployment":
        return owner("apps/v1", "ReplicaSet", pod.replica_set(seed), _uid("ReplicaSet", pod, seed))
    return owner("apps/v1", "DaemonSet", pod.controller, _uid("DaemonSet", pod, seed))


def _container(pod: SystemPod, name: str) -> Document:
    container: Document = {"name": name, "image": pod.containers[name], "resources": {}}
    if name in pod.ports:
        port_name, port = pod.ports[name]
        container["ports"] = [{"name": port_name, "containerPort": port, "protocol": "TCP"}]
        container["env"] = [{"name": key, "value": value} for key, value in pod.env.items()]
    return container


def _status(pod: SystemPod, world: World, uid: str) -> Document:
    since = world.scenario.since + _READY_AFTER
    waiting: Document = {"waiting": {"reason": "ImagePullBackOff"}}
    running: Document = {"running": {"startedAt": timestamp(since)}}
    ip = pod.host or pod_ip(world, pod.node, uid)
    host = node_ip(world, pod.node)
    status: Document = {
        "phase": "Running" if pod.runs else "Pending",
        "conditions": [
            condition("Ready", holds=pod.runs, at=since),
            condition("PodScheduled", holds=True, at=since),
        ],
        "hostIP": host,
        "hostIPs": [{"ip": host}],
        "startTime": timestamp(world.scenario.since),
        "qosClass": "BestEffort",
        "containerStatuses": [
            {
                "name": name,
                "state": running if pod.runs else waiting,
                "ready": pod.runs,
                "restartCount": 0,
                "image": image,
                "started": pod.runs,
            }
            for name, image in pod.containers.items()
        ],
    }
    return status | ({"podIP": ip, "podIPs": [{"ip": ip}]} if pod.runs else {})

"""The `status` of a pod, from its phase and its times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gpuatlas.demo.lifecycle import CREATING_SECONDS
from gpuatlas.demo.randomness import hexadecimal
from gpuatlas.demo.state import PodState
from gpuatlas.demo.wire.objects import Document, condition, timestamp

_SCHEDULING_SECONDS: Final = 1.0


def pod_status(
    pod: PodState, containers: Sequence[Document], init: Sequence[Document], *, host: str, ip: str
) -> Document:
    """The status of a pod that a node has taken."""
    started = pod.created_at + _SCHEDULING_SECONDS
    if pod.deviations.reason:
        return _rejected(pod, started)
    running = pod.phase == "Running"
    status: Document = {
        "phase": pod.phase,
        "conditions": _conditions(pod, started),
        "hostIP": host,
        "hostIPs": [{"ip": host}],
        "startTime": timestamp(started),
        "qosClass": "Burstable",
        "containerStatuses": [_container(pod, entry, ready=pod.ready) for entry in containers],
    }
    if pod.phase != "Pending":
        status |= {"podIP": ip, "podIPs": [{"ip": ip}]}
    if init:
        done = pod.phase != "Pending"
        status["initContainerStatuses"] = [_init(pod, entry, done=done) for entry in init]
    if not running and pod.phase == "Failed":
        status["reason"] = "Error"
    return status


def _rejected(pod: PodState, at: float) -> Document:
    """The kubelet did not take it: no container was ever made."""
    return {
        "phase": pod.phase,
        "reason": pod.deviations.reason,
        "message": pod.deviations.message,
        "startTime": timestamp(at),
        "qosClass": "Burstable",
    }


def waiting_status(pod: PodState, message: str) -> Document:
    """The status of a pod that no node takes; the text is its scheduler's."""
    return {
        "phase": "Pending",
        "conditions": [
            condition(
                "PodScheduled",
                holds=False,
                at=pod.created_at,
                reason="Unschedulable",
                message=message,
            )
        ],
        "qosClass": "Burstable",
    }


def _conditions(pod: PodState, started: float) -> list[Document]:
    changed = pod.finished_at or started + CREATING_SECONDS
    reason = "PodCompleted" if pod.finished_at else "" if pod.ready else "ContainersNotReady"
    return [
        condition("PodReadyToStartContainers", holds=pod.phase == "Running", at=changed),
        condition("Initialized", holds=pod.phase != "Pending", at=started),
        condition("Ready", holds=pod.ready, at=changed, reason=reason),
        condition("ContainersReady", holds=pod.ready, at=changed, reason=reason),
        condition("PodScheduled", holds=True, at=started),
    ]


def _container(pod: PodState, container: Document, *, ready: bool) -> Document:
    name = container["name"]
    restarts = pod.deviations.restarts if name == pod.container else 0
    started = pod.deviations.restarted_at if restarts else pod.created_at + CREATING_SECONDS
    # Each start makes a container of its own.
    key = ("container", pod.uid, name, *([restarts] if restarts else []))
    return {
        "name": name,
        "state": _state(pod, timestamp(started)),
        "lastState": _killed(pod) if restarts else {},
        "ready": ready,
        "restartCount": restarts,
        "image": container["image"],
        "imageID": f"sha256:{hexadecimal(64, 'image', container['image'])}",
        "containerID": f"containerd://{hexadecimal(64, *key)}",
        "started": pod.phase == "Running",
    }


def _killed(pod: PodState) -> Document:
    """How the container before this one ended: the kernel took the process for its memory."""
    ended = timestamp(pod.deviations.restarted_at)
    return {
        "terminated": {
            "exitCode": 137,
            "reason": "OOMKilled",
            "startedAt": timestamp(pod.created_at + CREATING_SECONDS),
            "finishedAt": ended,
        }
    }


def _state(pod: PodState, started: str) -> Document:
    if pod.phase == "Pending":
        return {"waiting": {"reason": "ContainerCreating"}}
    if pod.finished_at is None:
        return {"running": {"startedAt": started}}
    failed = pod.phase == "Failed"
    return {
        "terminated": {
            "exitCode": 1 if failed else 0,
            "reason": "Error" if failed else "Completed",
            "startedAt": started,
            "finishedAt": timestamp(pod.finished_at),
        }
    }


def _init(pod: PodState, container: Document, *, done: bool) -> Document:
    ended = timestamp(pod.created_at + CREATING_SECONDS)
    state: Document = {"waiting": {"reason": "PodInitializing"}}
    if done:
        state = {"terminated": {"exitCode": 0, "reason": "Completed", "finishedAt": ended}}
    return _container(pod, container, ready=done) | {"state": state, "started": False}

"""What KAI writes: marks on its pods, PodGroups, Queues and BindRequests (facts/k8s.md 1.9, 3)."""

from __future__ import annotations

from typing import Final

from gpuatlas.demo.randomness import uuid
from gpuatlas.demo.scenario import QueueSystem
from gpuatlas.demo.state import CardState, PodState, World
from gpuatlas.demo.wire.objects import Document, metadata, owner, plain_owner, timestamp
from gpuatlas.demo.wire.reservations import GROUP_LABEL, group_of

SCHEDULER: Final = "kai-scheduler"
QUEUE_LABEL: Final = "kai.scheduler/queue"
# What tenants write; the other marks are KAI's own.
ASKED_BY: Final = frozenset({QUEUE_LABEL, "gpu-fraction", "gpu-memory"})
_POD_POOL: Final = "default"


def pod_labels(pod: PodState, cards: tuple[CardState, ...]) -> dict[str, str]:
    """The queue, and the group of each card that the pod has a fraction of."""
    result = {QUEUE_LABEL: pod.workload.queue}
    if pod.workload.ask is None:
        return result
    groups = [group_of(card) for card in cards]
    if len(groups) == 1:
        return result | {GROUP_LABEL: groups[0]}
    return result | {f"{GROUP_LABEL}/{group}": group for group in groups}


def pod_annotations(pod: PodState) -> dict[str, str]:
    """What the tenant asks, and what KAI answers once the pod has a node."""
    ask, result = pod.workload.ask, {"pod-group-name": group_name(pod)}
    if pod.place:
        result["received-resource-type"] = "Fraction" if ask else "Regular"
    if ask:
        asked = {"gpu-fraction": f"{ask.share:g}"} if ask.share else {}
        result |= asked or {"gpu-memory": str(ask.memory_mib)}
        result["runai/shared-gpu-configmap"] = f"{pod.name}-shared-gpu-0"
    return result


def group_name(pod: PodState) -> str:
    """KAI makes a group of every pod of a service, and one of all pods of a gang."""
    if pod.shape:
        top = pod.shape.owners[-1]
        return f"pg-{top.name}-{top.uid}"
    return f"pg-{pod.name}-{pod.uid}"


def pod_group_documents(world: World) -> list[Document]:
    """One per group."""
    members: dict[tuple[str, str], list[PodState]] = {}
    for pod in _pods(world):
        members.setdefault((pod.workload.namespace, group_name(pod)), []).append(pod)
    return [_pod_group(name, pods, world) for (_, name), pods in members.items()]


def _pods(world: World) -> list[PodState]:
    found = ((pod, world.scenario.queue_of(pod.workload)) for pod in world.pods)
    return [pod for pod, queue in found if queue and queue.system is QueueSystem.KAI]


def _pod_group(name: str, pods: list[PodState], world: World) -> Document:
    first = pods[0]
    top = first.shape.owners[-1] if first.shape else None
    kind, owner_name, uid, api = (
        (top.kind, top.name, top.uid, top.api_version)
        if top
        else ("Pod", first.name, first.uid, "v1")
    )
    group, _, version = api.rpartition("/")
    top_owner = {"name": owner_name, "uid": uid, "group": group, "version": version, "kind": kind}
    return {
        "kind": "PodGroup",
        "apiVersion": "scheduling.run.ai/v2alpha2",
        "metadata": metadata(
            name,
            uuid("kai pod group", name),
            min(pod.created_at for pod in pods),
            namespace=first.workload.namespace,
            labels={"kai.scheduler/queue": first.workload.queue},
            annotations={"kai.scheduler/top-owner-metadata": _yaml(top_owner)},
            controller=owner(api, kind, owner_name, uid),
            manager="podgrouper",
        ),
        "spec": {
            "minMember": len(pods),
            "priorityClassName": "inference" if first.workload.kind == "Deployment" else "train",
            "queue": first.workload.queue,
        },
        "status": _status(pods, world),
    }


def _yaml(values: dict[str, str]) -> str:
    return "".join(f"{key}: {value}\n" for key, value in values.items())


def _status(pods: list[PodState], world: World) -> Document:
    waiting = [pod for pod in pods if pod.place is None]
    if not waiting:
        return {"running": len(pods)}
    reason = f"{pods[0].workload.queue} quota has reached the allowable limit of GPUs"
    return {
        "pending": len(waiting),
        "schedulingConditions": [
            {
                "type": "UnschedulableOnNodePool",
                "nodePool": _POD_POOL,
                "status": "True",
                "reason": "Unschedulable",
                "transitionID": "1",
                "lastTransitionTime": timestamp(pods[0].created_at),
                "message": waiting_message(pods[0], world),
                "reasons": [{"reason": "OverLimit", "message": reason}],
            }
        ],
    }


def waiting_message(pod: PodState, world: World) -> str:
    """The same on the group and on each of its pods."""
    name, queue = group_name(pod), world.scenario.queue_of(pod.workload)
    members = sum(1 for other in _pods(world) if group_name(other) == name)
    cards, limit = sum(pod.workload.requests.values()) * members, queue.cards if queue else 0
    asks = f"Workload requested {cards} GPUs"
    return f"{asks}, but {pod.workload.queue} quota limit is {limit} GPUs"


def queue_documents(world: World) -> list[Document]:
    """KAI's queues; those without a parent are departments."""
    documents = []
    for queue in world.scenario.queues:
        if queue.system is not QueueSystem.KAI:
            continue
        limit = queue.cards or -1  # without a limit
        spec: Document = {
            "displayName": queue.name,
            "resources": {"gpu": {"quota": limit, "limit": limit, "overQuotaWeight": 1}},
        }
        if queue.parent:
            spec["parentQueue"] = queue.parent
        documents.append(
            {
                "kind": "Queue",
                "apiVersion": "scheduling.run.ai/v2",
                "metadata": metadata(
                    queue.name, uuid("kai queue", queue.name), world.scenario.since, manager="helm"
                ),
                "spec": spec,
                "status": {},
            }
        )
    return documents


def bind_request_documents(world: World) -> list[Document]:
    """One per pod that KAI has bound: it stays as long as the pod."""
    return [_bind_request(pod, world) for pod in _pods(world) if pod.place]


def _bind_request(pod: PodState, world: World) -> Document:
    place, ask = pod.place, pod.workload.ask
    node = world.node(place.node) if place else None
    cards = tuple(node.cards[index] for index in place.cards) if place and node else ()
    portion = ask.part_of(cards[0].node.card) if ask and cards else 1.0
    spec: Document = {
        "podName": pod.name,
        "selectedNode": place.node if place else "",
        "receivedResourceType": "Fraction" if ask else "Regular",
        "receivedGPU": {"count": len(cards), "portion": f"{portion:.2f}"},
        "backoffLimit": 3,
    }
    if ask:
        spec["selectedGPUGroups"] = [group_of(card) for card in cards]
    return {
        "kind": "BindRequest",
        "apiVersion": "scheduling.run.ai/v1alpha2",
        "metadata": metadata(
            pod.name,
            uuid("bind request", pod.uid),
            pod.created_at,
            namespace=pod.workload.namespace,
            labels={"selected-node": spec["selectedNode"]},
            controller=plain_owner("v1", "Pod", pod.name, pod.uid),
            manager="scheduler",
        ),
        "spec": spec,
        "status": {"phase": "Succeeded"},
    }

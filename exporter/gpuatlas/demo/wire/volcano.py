"""What Volcano and its vGPU plugin write: on nodes and pods, PodGroups and Queues.

Facts: facts/k8s.md 1.8 and 3; facts/hami.md 2.1 and 3.6; facts/errata.md.
"""

from __future__ import annotations

from typing import Final

from gpuatlas.demo.randomness import uuid
from gpuatlas.demo.scenario import QueueSpec, QueueSystem, Sharing
from gpuatlas.demo.shapes_batch import volcano_group
from gpuatlas.demo.state import CardState, NodeState, PodState, World
from gpuatlas.demo.wire.objects import Document, condition, metadata, owner, stamp

SCHEDULER: Final = "volcano"
_ROOT: Final = "root"
_ALLOCATING_SECONDS: Final = 5.0


def node_annotations(node: NodeState, since: float) -> dict[str, str]:
    """Six fields a card: id, slots, MiB, type, health, mode; the scheduler's own order."""
    if node.spec.sharing is not Sharing.VOLCANO:
        return {}
    records = "".join(f"{_record(card)}:" for card in node.registered_cards if card.present)
    return {
        "volcano.sh/node-vgpu-register": records,
        "volcano.sh/node-vgpu-handshake": f"Requesting_{stamp(since, '%Y.%m.%d')}",
    }


def _record(card: CardState) -> str:
    spec = card.node
    health = str(card.registered_healthy).lower()
    fields = (card.uuid, spec.slots, spec.card.memory_mib, f"NVIDIA-{spec.card.model}")
    return ",".join(str(field) for field in (*fields, health, "hami-core"))


def resources(node: NodeState, *, healthy_only: bool) -> dict[str, str]:
    """Unlike HAMi's, memory and cores are resources of the node too."""
    usable = [card for card in node.cards if card.registered_healthy or not healthy_only]
    return {
        "volcano.sh/vgpu-number": str(len(usable) * node.spec.slots),
        "volcano.sh/vgpu-memory": str(len(usable) * node.spec.card.memory_mib),
        "volcano.sh/vgpu-cores": str(len(usable) * node.spec.card.cores),
    }


def requests(pod: PodState, count: str) -> dict[str, str]:
    """What a pod asks of its cards."""
    ask = pod.workload.ask
    asked = {"volcano.sh/vgpu-number": count}
    if ask:
        asked["volcano.sh/vgpu-memory"] = str(ask.memory_mib)
        if ask.cores:
            asked["volcano.sh/vgpu-cores"] = str(ask.cores)
    return asked


def pod_annotations(pod: PodState, cards: tuple[CardState, ...], at: float) -> dict[str, str]:
    """The promise, and who made it when; containers are joined by ";" without one at the end."""
    ask = pod.workload.ask
    if ask is None or not cards or pod.place is None:
        return {}
    records = "".join(f"{card.uuid},NVIDIA,{ask.memory_mib},{ask.cores}:" for card in cards)
    allocating = at - pod.created_at < _ALLOCATING_SECONDS
    bound = str(int(pod.created_at))
    return {
        "volcano.sh/bind-phase": "allocating" if allocating else "success",
        "volcano.sh/bind-time": bound,
        "volcano.sh/devices-to-allocate": records if allocating else "",
        "volcano.sh/vgpu-ids-new": records,
        "volcano.sh/vgpu-node": pod.place.node,
        "volcano.sh/vgpu-time": bound,
    }


def pod_group_documents(world: World) -> list[Document]:
    """One per Volcano Job: all its tasks or none."""
    members: dict[tuple[str, str], list[PodState]] = {}
    for pod in world.pods:
        if pod.workload.kind == "VolcanoJob" and pod.shape:
            name = volcano_group(pod.shape.owners[0])
            members.setdefault((pod.workload.namespace, name), []).append(pod)
    return [_pod_group(name, pods) for (_, name), pods in members.items()]


def _pod_group(name: str, pods: list[PodState]) -> Document:
    first, since = pods[0], min(pod.created_at for pod in pods)
    job = first.shape.owners[0] if first.shape else None
    return {
        "kind": "PodGroup",
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "metadata": metadata(
            name,
            uuid("volcano pod group", name),
            since,
            namespace=first.workload.namespace,
            controller=owner(job.api_version, job.kind, job.name, job.uid) if job else None,
            manager="vc-controller-manager",
        ),
        "spec": {
            "minMember": len(pods),
            "minTaskMember": {"worker": len(pods)},
            "minResources": _asked(first, len(pods)),
            "queue": first.workload.queue,
        },
        "status": _status(pods, since),
    }


def _asked(pod: PodState, pods: int) -> dict[str, str]:
    asked = requests(pod, "1") if pod.place else pod.workload.requests
    return {name: str(int(count) * pods) for name, count in asked.items()}


def _status(pods: list[PodState], since: float) -> Document:
    count = len(pods)
    if all(pod.place for pod in pods):
        ready = condition(
            "Scheduled", holds=True, at=since, reason="tasks in gang are ready to be scheduled"
        )
        return {"phase": "Running", "running": count, "conditions": [ready]}
    message = (
        f"{count}/{count} tasks in gang unschedulable: pod group is not ready, {count} Pending, "
        f"{count} minAvailable; Pending: {count} Unschedulable"
    )
    blocked = condition(
        "Unschedulable", holds=True, at=since, reason="NotEnoughResources", message=message
    )
    return {"phase": "Inqueue", "conditions": [blocked]}


def queue_documents(world: World) -> list[Document]:
    """The queues of the scenario, and the root that Volcano makes itself."""
    own = [queue for queue in world.scenario.queues if queue.system is QueueSystem.VOLCANO]
    root = QueueSpec(system=QueueSystem.VOLCANO, name=_ROOT)
    return [_queue(queue, world) for queue in (root, *own)] if own else []


def _queue(queue: QueueSpec, world: World) -> Document:
    spec: Document = {"weight": 1, "reclaimable": queue.name != _ROOT}
    if queue.name != _ROOT:
        spec["parent"] = queue.parent or _ROOT
    if queue.cards:
        spec["capability"] = {"volcano.sh/vgpu-number": str(queue.cards)}
    return {
        "kind": "Queue",
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "metadata": metadata(
            queue.name,
            uuid("volcano queue", queue.name),
            world.scenario.since,
            manager="vc-controller-manager",
        ),
        "spec": spec,
        "status": {"state": "Open", "reservation": {}},
    }

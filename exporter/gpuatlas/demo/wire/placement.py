"""Who places a pod, and what that scheduler and its queue write on it (facts/k8s.md 3)."""

from __future__ import annotations

from gpuatlas.demo.scenario import QueueSystem
from gpuatlas.demo.state import CardState, PodState, World
from gpuatlas.demo.wire import hami, kai, kueue, volcano


def scheduler_name(pod: PodState, world: World) -> str:
    """`spec.schedulerName`."""
    if pod.deviations.scheduler:
        return pod.deviations.scheduler
    queue = world.scenario.queue_of(pod.workload)
    if queue and queue.system is QueueSystem.KAI:
        return kai.SCHEDULER
    if queue and queue.system is QueueSystem.VOLCANO:
        return volcano.SCHEDULER
    node = world.node(pod.place.node).spec if pod.place else None
    return node.hami.scheduler_name if node and node.hami else "default-scheduler"


def cards_of(pod: PodState, world: World) -> tuple[CardState, ...]:
    """The cards of a pod that has a place."""
    place = pod.place
    if place is None:
        return ()
    node = world.node(place.node)
    return tuple(node.cards[index] for index in place.cards)


def placement_labels(pod: PodState, world: World) -> dict[str, str]:
    """Labels that the pod's scheduler and queue give it."""
    queue = world.scenario.queue_of(pod.workload)
    if queue and queue.system is QueueSystem.KAI:
        return kai.pod_labels(pod, cards_of(pod, world))
    if queue and queue.system is QueueSystem.KUEUE:
        return kueue.pod_labels(pod, queue)
    node = world.node(pod.place.node).spec if pod.place else None
    return {"hami.io/vgpu-node": node.name} if node and node.hami and pod.promised_mib else {}


def placement_annotations(pod: PodState, world: World) -> dict[str, str]:
    """Annotations that they give it."""
    queue = world.scenario.queue_of(pod.workload)
    if queue and queue.system is QueueSystem.KAI:
        return kai.pod_annotations(pod)
    if queue and queue.system is QueueSystem.KUEUE:
        return kueue.pod_annotations(pod)
    if queue and queue.system is QueueSystem.VOLCANO:
        return volcano.pod_annotations(pod, cards_of(pod, world), world.at)
    if pod.place:
        return hami.pod_annotations(pod, world.node(pod.place.node), world.at)
    return {}


def waiting_message(pod: PodState, world: World) -> str:
    """Why no node takes the pod, in its scheduler's words."""
    queue = world.scenario.queue_of(pod.workload)
    if queue and queue.system is QueueSystem.KAI:
        return kai.waiting_message(pod, world)
    nodes = len(world.nodes) + 1
    resource = next(iter(pod.workload.requests), "cpu")
    if queue and queue.system is QueueSystem.VOLCANO:
        return f"0/{nodes} nodes are unavailable: {nodes} Insufficient {resource}."
    return (
        f"0/{nodes} nodes are available: {nodes} Insufficient {resource}. preemption: 0/{nodes} "
        f"nodes are available: {nodes} No preemption victims found for incoming pod."
    )

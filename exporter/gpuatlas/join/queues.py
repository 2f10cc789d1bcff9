"""Which queue admits a pod (facts/k8s.md 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gpuatlas.join.placement_index import KAI, VOLCANO, PlacementIndex
from gpuatlas.join.schedulers import scheduler_of
from gpuatlas.model.objects import Pod
from gpuatlas.model.placement import PodGroup, QueuedWorkload

_KUEUE: Final = "kueue.x-k8s.io/"
_KAI_LABELS: Final = ("kai.scheduler/queue", "runai/queue")
_YUNIKORN: Final = "yunikorn.apache.org/queue"
_YUNIKORN_OLD: Final = "queue"
_VOLCANO_ANNOTATION: Final = "scheduling.volcano.sh/queue-name"
_VOLCANO_LABEL: Final = "volcano.sh/queue-name"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueName:
    """The queue that admits: its name and kind, as in `model.placement.Queue`, or "YuniKornQueue".

    For Kueue that is the ClusterQueue, where it is known; `local` is the LocalQueue before it.
    """

    name: str = ""
    kind: str = ""
    local: str = ""


NO_QUEUE: Final = QueueName()


def queue_of(
    pod: Pod,
    queued: QueuedWorkload | None,
    groups: Sequence[PodGroup],
    index: PlacementIndex,
) -> QueueName:
    """The queue of a pod. Kueue admits before a scheduler looks, so its queue stands first."""
    if queued is not None:
        return kueue_queue(queued.namespace, queued.queue, queued.cluster_queue, index)
    local = pod.labels.get(f"{_KUEUE}local-queue-name") or pod.labels.get(f"{_KUEUE}queue-name", "")
    cluster = pod.labels.get(f"{_KUEUE}cluster-queue-name", "")
    if local or cluster:
        return kueue_queue(pod.namespace, local, cluster, index)
    for group in groups:
        if group.queue:
            return QueueName(
                name=group.queue, kind="KaiQueue" if group.system == KAI else "VolcanoQueue"
            )
    return _by_keys(pod, scheduler_of(pod, index))


def kueue_queue(namespace: str, local: str, cluster: str, index: PlacementIndex) -> QueueName:
    """The ClusterQueue behind a LocalQueue, the LocalQueue itself where nothing leads on."""
    found = index.queues.get(("LocalQueue", namespace, local))
    if not cluster and found is not None:
        cluster = found.parent
    if cluster:
        return QueueName(name=cluster, kind="ClusterQueue", local=local)
    return QueueName(name=local, kind="LocalQueue", local=local) if local else NO_QUEUE


def _by_keys(pod: Pod, scheduler: str) -> QueueName:
    """What labels and annotations say to the scheduler that reads them."""
    name = kind = ""
    if scheduler == KAI:
        kind = "KaiQueue"
        name = next((found for key in _KAI_LABELS if (found := pod.labels.get(key))), "")
    elif scheduler == VOLCANO:
        kind = "VolcanoQueue"
        name = pod.annotations.get(_VOLCANO_ANNOTATION) or pod.labels.get(_VOLCANO_LABEL, "")
    elif scheduler == "yunikorn":
        kind = "YuniKornQueue"
        name = (
            pod.labels.get(_YUNIKORN)
            or pod.annotations.get(_YUNIKORN)
            or pod.labels.get(_YUNIKORN_OLD, "")
        )
    return QueueName(name=name, kind=kind) if name else NO_QUEUE

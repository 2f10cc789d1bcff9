"""Who placed a pod: evidence of the decision before the name in the spec (facts/k8s.md 3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from gpuatlas.join.placement_index import PlacementIndex
from gpuatlas.model.objects import Pod

# schedulerName → the system behind it. Names can be configured: others stay as they are written.
_NAMES: Final[Mapping[str, str]] = {
    "default-scheduler": "default",
    "hami-scheduler": "hami",
    "volcano": "volcano",
    "kai-scheduler": "kai",
    "runai-scheduler": "kai",
    "yunikorn": "yunikorn",
    "koord-scheduler": "koordinator",
}
_HAMI_NODE: Final = "hami.io/vgpu-node"
_VOLCANO_NODE: Final = "volcano.sh/vgpu-node"
_KAI_RECEIVED: Final = "received-resource-type"
_STATIC: Final = "kubernetes.io/config.mirror"


def scheduler_of(pod: Pod, index: PlacementIndex) -> str:
    """The system that placed the pod, or that is asked to.

    "hami", "volcano", "kai", "yunikorn", "koordinator" or "default", else the name in the spec; ""
    for a static pod, which nobody placed. HAMi also runs as an extender under other schedulers'
    names: what it writes names the node, so an annotation that was copied from another pod does not
    count. KAI's other mark is believed only where the name in the spec says nothing.
    """
    if _STATIC in pod.annotations:
        return ""
    if pod.node:
        if pod.annotations.get(_HAMI_NODE) == pod.node:
            return "hami"
        bind = index.binds.get(pod.key)
        if bind is not None and bind.node == pod.node:
            return "kai"
        if pod.annotations.get(_VOLCANO_NODE) == pod.node:
            return "volcano"
        if pod.scheduler not in _NAMES and _KAI_RECEIVED in pod.annotations:
            return "kai"
    return _NAMES.get(pod.scheduler, pod.scheduler)


def workload_scheduler(pods: Sequence[Pod], index: PlacementIndex) -> str:
    """That of the newest pod with a node, since a rollout may have changed it; "" without pods."""
    newest = max(pods, key=lambda pod: (bool(pod.node), pod.created_at, pod.name), default=None)
    return scheduler_of(newest, index) if newest is not None else ""

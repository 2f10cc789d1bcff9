"""The sharing layer's own pods, which any tenant's pod can imitate by a label."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from gpuatlas.model.device_plugins import COMPONENT
from gpuatlas.model.objects import Pod

# facts/hami.md 6.1
_PLUGIN: Final = "hami-device-plugin"
_SCHEDULER: Final = "hami-scheduler"


def is_plugin(pod: Pod) -> bool:
    """Whether the pod says that it is HAMi's device plugin; any tenant's can."""
    return pod.labels.get(COMPONENT) == _PLUGIN


def layer_namespace(pods: Iterable[Pod]) -> str:
    """Where HAMi's plugins and scheduler are on most nodes; of equals that with the oldest pod.

    Nodes and not pods are counted: many pods are easily made, nodes with cards are not.
    """
    nodes: dict[str, set[str]] = defaultdict(set)
    oldest: dict[str, float] = {}
    for pod in pods:
        if pod.labels.get(COMPONENT) in {_PLUGIN, _SCHEDULER}:
            nodes[pod.namespace].add(pod.node)
            oldest[pod.namespace] = min(pod.created_at, oldest.get(pod.namespace, pod.created_at))
    return min(nodes, key=lambda name: (-len(nodes[name]), oldest[name], name), default="")


def plugin_ready(pods: Sequence[Pod], home: str) -> bool | None:
    """Whether the layer's device plugin is ready among a node's pods; None where it has none."""
    plugins = [pod for pod in pods if is_plugin(pod) and pod.namespace == home]
    return any(pod.ready for pod in plugins) if plugins else None

"""Which pods are device plugins, by node: one pass over all pods. Pure.

Any tenant can label a pod as a plugin. HAMi's own count only where HAMi is installed; of several
namespaces with a plugin on one node that one counts which has it on most nodes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.device_plugins import HAMI_PLUGIN, device_plugin_of
from gpuatlas.model.objects import Pod

_DAEMON_SET: Final = "DaemonSet"


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginIndex:
    """The device plugins' pods.

    `pods` is (node, name of the plugin in `model.device_plugins`) → its pods there, the newest
    last. `by_controller` counts pods by the namespace and name of their DaemonSet.
    """

    pods: Mapping[tuple[str, str], tuple[Pod, ...]]
    by_controller: Mapping[tuple[str, str], int]


def index_plugins(pods: Iterable[Pod], hami_homes: frozenset[str]) -> PluginIndex:
    """Sort the plugins' pods that a node has taken. `hami_homes` are HAMi's namespaces."""
    claims: dict[tuple[str, str], list[Pod]] = defaultdict(list)
    for pod in pods:
        plugin = device_plugin_of(pod.labels, (container.name for container in pod.containers))
        if plugin is None or not pod.node:
            continue
        if plugin is not HAMI_PLUGIN or pod.namespace in hami_homes:
            claims[pod.node, plugin.name].append(pod)
    usual = _coverage(claims)
    settled = {place: _settled(claimed, place[1], usual) for place, claimed in claims.items()}
    return PluginIndex(
        pods=settled,
        by_controller=Counter(
            (pod.namespace, pod.controller.name)
            for held in settled.values()
            for pod in held
            if pod.controller is not None and pod.controller.kind == _DAEMON_SET
        ),
    )


def _coverage(claims: Mapping[tuple[str, str], Sequence[Pod]]) -> Counter[tuple[str, str]]:
    """(plugin, namespace) → nodes that have it from there: pods are easily made, nodes are not."""
    places = {
        (plugin, pod.namespace, node) for (node, plugin), pods in claims.items() for pod in pods
    }
    return Counter((plugin, namespace) for plugin, namespace, _ in places)


def _settled(
    pods: Sequence[Pod], plugin: str, usual: Mapping[tuple[str, str], int]
) -> tuple[Pod, ...]:
    """Those of one namespace: the usual one, of equals that with the oldest pod on the node."""
    first = min(pods, key=lambda pod: (-usual[plugin, pod.namespace], pod.created_at, pod.key))
    own = [pod for pod in pods if pod.namespace == first.namespace]
    return tuple(sorted(own, key=lambda pod: (pod.created_at, pod.name)))

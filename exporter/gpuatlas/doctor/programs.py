"""What runs in the cluster, as far as examinations need it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from gpuatlas.model.doctor import SeenCluster
from gpuatlas.model.layer import LayerController
from gpuatlas.model.objects import Pod
from gpuatlas.model.targets import HAMI_MONITOR, HAMI_SCHEDULER

# Values of the component label; its Ascend plugin has releases of its own.
_HAMI: Final = frozenset({"hami-scheduler", "hami-device-plugin"})
_NVIDIA: Final = "nvidia"
_DCGM: Final = "dcgm-exporter"
# Which of HAMi's programs serves which of its pages.
_SERVES: Final[Mapping[str, str]] = {
    HAMI_MONITOR: "hami-device-plugin",
    HAMI_SCHEDULER: "hami-scheduler",
}


def hami_controllers(seen: SeenCluster) -> Iterator[LayerController]:
    """HAMi's own, by the component label that its chart sets."""
    for controller in seen.observations.layer.controllers:
        if controller.component in _HAMI:
            yield controller


def dcgm_pods(seen: SeenCluster) -> Iterator[Pod]:
    """The pods of dcgm-exporter, by the program in them."""
    for pod in seen.observations.pods.values():
        if any(_DCGM in container.image for container in pod.containers):
            yield pod


def nvidia_nodes(seen: SeenCluster) -> tuple[str, ...]:
    """The nodes that offer NVIDIA's cards, in order."""
    found = {card.node for card in seen.snapshot.cards() if card.vendor == _NVIDIA}
    for name, node in seen.observations.nodes.items():
        if any(key.startswith("nvidia.com/") and n > 0 for key, n in node.capacity.items()):
            found.add(name)
    return tuple(sorted(found))


def hami_outside(seen: SeenCluster, source: str) -> tuple[str, ...]:
    """Namespaces with the program that serves a page of HAMi's, and in which nobody looked."""
    homes = (c.namespace for c in hami_controllers(seen) if c.component == _SERVES.get(source))
    return _outside(seen, homes)


def dcgm_outside(seen: SeenCluster, nodes: Collection[str]) -> tuple[str, ...]:
    """Namespaces with a dcgm-exporter on one of these nodes, and in which nobody looked."""
    return _outside(seen, (pod.namespace for pod in dcgm_pods(seen) if pod.node in nodes))


def _outside(seen: SeenCluster, homes: Iterator[str]) -> tuple[str, ...]:
    if not seen.exporter_namespaces or seen.pages_from:
        return ()
    return tuple(sorted(set(homes) - set(seen.exporter_namespaces)))

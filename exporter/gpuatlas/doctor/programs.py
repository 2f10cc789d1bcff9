"""What runs in the cluster, as far as examinations need it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpuatlas.model.doctor import SeenCluster
from gpuatlas.model.layer import LayerController
from gpuatlas.model.objects import Pod

# Values of the component label; its Ascend plugin has releases of its own.
_HAMI: Final = frozenset({"hami-scheduler", "hami-device-plugin"})
_NVIDIA: Final = "nvidia"
_DCGM: Final = "dcgm-exporter"


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

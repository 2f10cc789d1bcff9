"""What pods ask for: any accelerator, or shares of one layer. Pure.

Sources: facts/hami.md 4.1, 6.3 (I2, I3, I4); facts/k8s.md 1.9, 1.10.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from gpuatlas.checks.context import HAMI, CheckContext
from gpuatlas.model.device_plugins import DEVICE_PLUGINS
from gpuatlas.model.objects import Container, Pod
from gpuatlas.model.snapshot import Sharing
from gpuatlas.model.vendors import VENDORS, core_unit, memory_unit, vendor_of_count

_VOLCANO: Final = "volcano.sh/vgpu-"
# HAMi's own, beside those of model.vendors: a share of the memory in percent.
_PERCENTAGE: Final = "nvidia.com/gpumem-percentage"
# Names of NVIDIA's plugin that HAMi's never serves.
_OTHER_PLUGINS: Final = ("nvidia.com/mig-", "nvidia.com/gpu.shared")
# Layers and vendors of whom model.vendors has no row, and DRA's own (facts/k8s.md 1.8, 1.10, 1.11).
_OTHER_DOMAINS: Final = frozenset(
    {
        "volcano.sh",
        "koordinator.sh",
        "baidu.com",
        "google.com",
        "deviceclass.resource.kubernetes.io",
    }
)
_DOMAINS: Final = _OTHER_DOMAINS | {
    name.partition("/")[0]
    for vendor in VENDORS.values()
    for name in (*vendor.counts, *vendor.memory, *vendor.cores)
}
_KOORDINATOR: Final = "scheduling.koordinator.sh/device-allocated"
_NODE_KEYS: Final = ("hami.io/vgpu-node", "volcano.sh/vgpu-node")


def asks_for_cards(pod: Pod) -> bool:
    """Whether the pod asks for an accelerator in any way that Kubernetes or a layer counts.

    By the resource's domain, since plugins can rename what stands behind it.
    """
    return bool(
        pod.promises
        or pod.fraction
        or pod.claims
        or pod.extended_claim
        or _KOORDINATOR in pod.annotations
        or any(
            amount > 0 and resource.partition("/")[0] in _DOMAINS
            for container in pod.containers
            for resource, amount in container.limits.items()
        )
    )


def hami_vendors(context: CheckContext, node: str) -> frozenset[str]:
    """The vendors whose cards HAMi shares on the node.

    A registration that is derived from capacity proves nothing by itself (`join.inventory`).
    """
    joined, known = context.snapshot.nodes.get(node), context.nodes.get(node)
    cards = joined.cards if joined is not None else ()
    found = {card.vendor for card in cards if card.sharing is Sharing.HAMI}
    if known is not None:
        found |= {
            registration.vendor
            for registration in known.registrations
            if registration.layer == HAMI and registration.source not in known.capacity
        }
    plugins = (p for p in DEVICE_PLUGINS if p.layer == HAMI)
    return frozenset(found | {p.vendor for p in plugins if (node, p.name) in context.plugins.pods})


def shares_asked(container: Container, vendors: frozenset[str]) -> Iterator[str]:
    """Resources of the container that name a part of a card: only HAMi's scheduler knows them."""
    for resource, amount in sorted(container.limits.items()):
        if amount > 0 and _is_share(resource, vendors):
            yield resource


@lru_cache(maxsize=4096)
def _is_share(resource: str, vendors: frozenset[str]) -> bool:
    if resource.startswith(_VOLCANO):
        return False
    if resource == _PERCENTAGE:
        return "nvidia" in vendors
    return any(
        memory_unit(VENDORS[vendor], resource) or core_unit(VENDORS[vendor], resource)
        for vendor in vendors & VENDORS.keys()
    )


def hami_asked(container: Container, vendors: frozenset[str]) -> tuple[str, ...]:
    """Resources of the container that HAMi serves on a node with cards of `vendors`."""
    counted = (
        resource
        for resource, amount in sorted(container.limits.items())
        if amount > 0 and _is_count(resource, vendors)
    )
    return (*counted, *shares_asked(container, vendors))


@lru_cache(maxsize=4096)
def _is_count(resource: str, vendors: frozenset[str]) -> bool:
    if resource.startswith((_VOLCANO, *_OTHER_PLUGINS)):
        return False
    row = vendor_of_count(resource)
    return row is not None and row.name in vendors


def volcano_asked(container: Container) -> tuple[str, ...]:
    """Resources of the container that Volcano's vGPU plugin serves."""
    return tuple(
        resource
        for resource, amount in sorted(container.limits.items())
        if amount > 0 and resource.startswith(_VOLCANO)
    )


def is_admitted(pod: Pod) -> bool:
    """Whether a layer's scheduler chose the pod's node and card.

    The annotations of another pod come along when its manifest is copied: a node other than the
    pod's own proves that nobody chose this one.
    """
    marks = [*map(pod.annotations.get, _NODE_KEYS), pod.labels.get(_NODE_KEYS[0])]
    placed = {mark for mark in marks if mark}
    return pod.node in placed if placed else bool(pod.promises)

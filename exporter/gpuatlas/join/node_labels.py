"""What the labels of GPU feature discovery and of cloud providers say of a node's sharing.

The absence of labels says nothing (facts/k8s.md 1.1). `nvidia.com/gpu.*` describes one card of the
node; where cards of two models are in it, the last one wins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from gpuatlas.model.objects import Node
from gpuatlas.model.snapshot import Sharing

SHARING_LABEL: Final = "nvidia.com/gpu.sharing-strategy"
GKE_SHARING_LABEL: Final = "cloud.google.com/gke-gpu-sharing-strategy"
GKE_CLIENTS_LABEL: Final = "cloud.google.com/gke-max-shared-clients-per-gpu"
GKE_PARTITION_LABEL: Final = "cloud.google.com/gke-gpu-partition-size"
REPLICAS_LABEL: Final = "nvidia.com/gpu.replicas"
PRODUCT_LABEL: Final = "nvidia.com/gpu.product"
COUNT_LABEL: Final = "nvidia.com/gpu.count"
MIG_STRATEGY_LABEL: Final = "nvidia.com/mig.strategy"
CARD_RESOURCE: Final = "nvidia.com/gpu"

_MIG_RESOURCE: Final = re.compile(r"nvidia\.com/mig-(\d+[^/]*?)(?:\.shared)?")
_MIG_PRODUCT: Final = re.compile(r".*-MIG-(\d+g\.\d+gb[\w.+-]*?)(?:-SHARED)?")
_MAX_DIGITS: Final = 4
_STRATEGIES: Final[Mapping[str, Sharing]] = {
    "time-slicing": Sharing.TIME_SLICING,
    "time-sharing": Sharing.TIME_SLICING,
    "mps": Sharing.MPS,
}


def _number(node: Node, label: str) -> int | None:
    text = node.labels.get(label, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS else None


def replicas_of(node: Node) -> int | None:
    """Clients that the device plugin admits per card (per MIG device on MIG nodes), or None."""
    found = (_number(node, label) for label in (REPLICAS_LABEL, GKE_CLIENTS_LABEL))
    return next((number for number in found if number), None)


def node_strategy(node: Node) -> Sharing:
    """The device plugin's sharing of the whole node, from labels and resource names."""
    for label in (SHARING_LABEL, GKE_SHARING_LABEL):
        found = _STRATEGIES.get(node.labels.get(label, "").lower())
        if found is not None:
            return found
    renamed = any(r.startswith("nvidia.com/") and r.endswith(".shared") for r in node.capacity)
    if renamed or node.labels.get(PRODUCT_LABEL, "").endswith("-SHARED"):
        return Sharing.TIME_SLICING
    return Sharing.PLAIN


def is_mps_of_the_plugin(node: Node) -> bool:
    """Whether NVIDIA's device plugin runs MPS on the node, whose limits are known."""
    return node.labels.get(SHARING_LABEL, "").lower() == str(Sharing.MPS)


def is_mig_single(node: Node) -> bool:
    """True where `nvidia.com/gpu` counts MIG instances and the memory label is one instance's."""
    return (
        node.labels.get(MIG_STRATEGY_LABEL) == "single"
        and "-MIG-" in node.labels.get(PRODUCT_LABEL, "-MIG-")
        and node.labels.get(REPLICAS_LABEL) != "0"
    )


def is_plain(node: Node) -> bool:
    """Whether labels prove that `nvidia.com/gpu` counts whole cards.

    GPU feature discovery writes its sharing label wherever it runs, also to say "none".
    """
    if is_mig_single(node) or node_strategy(node) is not Sharing.PLAIN:
        return False
    counted = labelled_count(node)
    return node.labels.get(SHARING_LABEL) == "none" or (
        counted is not None and counted == node.capacity.get(CARD_RESOURCE)
    )


def declared_sharing(node: Node) -> str:
    """How a node's cards are shared where no source names any of them; "" where nobody can know."""
    mig = any(_MIG_RESOURCE.fullmatch(resource) for resource in node.capacity)
    if mig or is_mig_single(node) or node.labels.get(GKE_PARTITION_LABEL):
        return str(Sharing.MIG)
    strategy = node_strategy(node)
    return "" if strategy is Sharing.PLAIN and not is_plain(node) else str(strategy)


def labelled_count(node: Node) -> int | None:
    """Physical cards by the node's label; None where it is missing or counts MIG instances."""
    return None if is_mig_single(node) else _number(node, COUNT_LABEL)


def mig_instances(node: Node) -> Mapping[str, int]:
    """MIG instances of the node by profile, where the device plugin says it for certain.

    The count label of GPU feature discovery is the number before replication (facts/k8s.md 1.1);
    the capacity is the number after it, and counts only where the label says one replica.
    """
    if is_mig_single(node):
        match = _MIG_PRODUCT.fullmatch(node.labels.get(PRODUCT_LABEL, ""))
        count = _number(node, COUNT_LABEL)
        return {match[1]: count} if match is not None and count else {}
    found = {}
    for resource, capacity in sorted(node.capacity.items()):
        profile = _MIG_RESOURCE.fullmatch(resource)
        if profile is None:
            continue
        prefix = f"nvidia.com/mig-{profile[1]}"
        count = _number(node, f"{prefix}.count")
        if count is None and _number(node, f"{prefix}.replicas") == 1:
            count = capacity
        if count:
            found[profile[1]] = count
    return found

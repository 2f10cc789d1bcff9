"""How a card is shared, and into what it is divided."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from gpuatlas.join.inventory import CardFacts
from gpuatlas.model.objects import Node
from gpuatlas.model.snapshot import PartitionKind, Sharing

SHARING_LABEL: Final = "nvidia.com/gpu.sharing-strategy"
GKE_SHARING_LABEL: Final = "cloud.google.com/gke-gpu-sharing-strategy"
GKE_CLIENTS_LABEL: Final = "cloud.google.com/gke-max-shared-clients-per-gpu"
REPLICAS_LABEL: Final = "nvidia.com/gpu.replicas"
PRODUCT_LABEL: Final = "nvidia.com/gpu.product"
MIG_STRATEGY_LABEL: Final = "nvidia.com/mig.strategy"

# Most compute slices of a MIG card (facts/dcgm.md 5); every other MIG model has 7.
_FEWER_SLICES: Final = ((re.compile(r"A30\b"), 4), (re.compile(r"RTX[ -]PRO[ -]6000"), 4))
_PROFILE: Final = re.compile(r"^(?:(\d)c\.)?(\d)g\.")

_LAYERS: Final[Mapping[str, Sharing]] = {"hami": Sharing.HAMI, "volcano": Sharing.VOLCANO}
_STRATEGIES: Final[Mapping[str, Sharing]] = {
    "time-slicing": Sharing.TIME_SLICING,
    "time-sharing": Sharing.TIME_SLICING,
    "mps": Sharing.MPS,
}
_KINDS: Final[Mapping[Sharing, PartitionKind]] = {
    Sharing.PLAIN: PartitionKind.WHOLE,
    Sharing.MIG: PartitionKind.MIG,
    Sharing.TIME_SLICING: PartitionKind.SLICE,
    Sharing.MPS: PartitionKind.MPS,
    Sharing.HAMI: PartitionKind.VGPU,
    Sharing.VOLCANO: PartitionKind.VGPU,
    Sharing.KAI: PartitionKind.FRACTION,
    Sharing.DRA: PartitionKind.DRA,
}


def replicas_of(node: Node) -> int | None:
    """Clients that the device plugin admits per card (per MIG device on MIG nodes), or None."""
    for label in (REPLICAS_LABEL, GKE_CLIENTS_LABEL):
        text = node.labels.get(label, "")
        if text.isdecimal() and int(text) > 0:
            return int(text)
    return None


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


def is_mig_single(node: Node) -> bool:
    """True where `nvidia.com/gpu` counts MIG instances and the memory label is one instance's."""
    return (
        node.labels.get(MIG_STRATEGY_LABEL) == "single"
        and "-MIG-" in node.labels.get(PRODUCT_LABEL, "-MIG-")
        and node.labels.get(REPLICAS_LABEL) != "0"
    )


def card_sharing(card: CardFacts, node: Node) -> Sharing:
    """A layer's registration says most; then live MIG instances; then the node's labels."""
    if card.layer:
        return _LAYERS[card.layer]
    if card.reading is not None and card.reading.instances:
        return Sharing.MIG
    return node_strategy(node)


def partition_kind(card: CardFacts, sharing: Sharing) -> PartitionKind:
    """What the card is divided into."""
    if card.device is not None and card.device.mode == "mig":
        return PartitionKind.MIG
    return _KINDS[sharing]


def slices_of_card(model: str) -> int:
    """Compute slices of a card under MIG."""
    return next((n for pattern, n in _FEWER_SLICES if pattern.search(model)), 7)


def slices_of_profile(profile: str) -> int | None:
    """Compute slices of a MIG profile ("3g.40gb" → 3, "1c.3g.40gb" → 1), or None."""
    match = _PROFILE.match(profile)
    if match is None:
        return None
    return int(match.group(1) or match.group(2))

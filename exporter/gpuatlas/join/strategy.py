"""How a card is shared, and into what it is divided."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from gpuatlas.join.inventory import CardFacts
from gpuatlas.join.node_labels import is_mig_single, node_strategy
from gpuatlas.model.objects import Node
from gpuatlas.model.snapshot import PartitionKind, Sharing

# Most compute slices of a MIG card (facts/dcgm.md 5); every other MIG model has 7.
_FEWER_SLICES: Final = (
    (re.compile(r"A30\b"), 4),
    (re.compile(r"RTX[ -]PRO[ -]6000"), 4),
    (re.compile(r"RTX[ -]PRO[ -](?:5000|4500)"), 2),
)
_PROFILE: Final = re.compile(r"^(?:(\d)c\.)?(\d)g\.")

_LAYERS: Final[Mapping[str, Sharing]] = {"hami": Sharing.HAMI, "volcano": Sharing.VOLCANO}
# Modes of HAMi's and Volcano's plugins other than their own interception (facts/hami.md 2.2).
_MODES: Final[Mapping[str, PartitionKind]] = {"mig": PartitionKind.MIG, "mps": PartitionKind.MPS}
_KINDS: Final[Mapping[Sharing, PartitionKind]] = {
    Sharing.PLAIN: PartitionKind.WHOLE,
    Sharing.MIG: PartitionKind.MIG,
    Sharing.TIME_SLICING: PartitionKind.SLICE,
    Sharing.MPS: PartitionKind.MPS,
    Sharing.HAMI: PartitionKind.VGPU,
    Sharing.VOLCANO: PartitionKind.VGPU,
    Sharing.KAI: PartitionKind.FRACTION,
    Sharing.DRA: PartitionKind.DRA,
    Sharing.UNKNOWN: PartitionKind.UNKNOWN,
}


def card_sharing(card: CardFacts, node: Node) -> Sharing:
    """A layer's registration says most, then DRA's slices and KAI's reservations.

    After them come live MIG instances, and the node's labels.
    """
    if card.layer:
        return _LAYERS[card.layer]
    if card.published is not None:
        return Sharing.DRA
    if card.reservation is not None:
        return Sharing.KAI
    if is_mig_single(node) or (card.reading is not None and card.reading.instances):
        return Sharing.MIG
    return Sharing.UNKNOWN if card.crowded else node_strategy(node)


def partition_kind(card: CardFacts, sharing: Sharing) -> PartitionKind:
    """What the card is divided into."""
    mode = card.device.mode if card.device is not None else ""
    return _MODES.get(mode, _KINDS[sharing])


def slices_of_card(model: str) -> int:
    """Compute slices of a card under MIG."""
    return next((n for pattern, n in _FEWER_SLICES if pattern.search(model)), 7)


def slices_of_profile(profile: str) -> int | None:
    """Compute slices of a MIG profile ("3g.40gb" → 3, "1c.3g.40gb" → 1), or None."""
    match = _PROFILE.match(profile)
    if match is None:
        return None
    return int(match.group(1) or match.group(2))

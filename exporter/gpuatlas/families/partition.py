"""Metrics of the parts that a card is divided into."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpuatlas.families.labels import CARD, card_labels
from gpuatlas.families.spec import Family, Kind, Series
from gpuatlas.model.readings import Known
from gpuatlas.model.snapshot import NodeSnapshot, PartitionKind

# Partitions whose memory is cut off in hardware; the memory of any other kind is a promise.
HARD: Final = frozenset({PartitionKind.MIG, PartitionKind.DRA})


def _info(node: NodeSnapshot) -> Iterator[Series]:
    for card in node.cards:
        for part in card.partitions:
            yield (*card_labels(card), part.id, part.kind, part.profile), 1


def _memory_physical(node: NodeSnapshot) -> Iterator[Series]:
    for card in node.cards:
        for part in card.partitions:
            if part.kind in HARD and isinstance(part.memory_physical, Known):
                yield (*card_labels(card), part.id), part.memory_physical.value


FAMILIES: Final[tuple[Family[NodeSnapshot], ...]] = (
    Family(
        name="gpuatlas_partition_info",
        kind=Kind.INFO,
        help="A part of a card and what kind of part it is.",
        labels=(*CARD, "partition", "kind", "profile"),
        samples=_info,
    ),
    Family(
        name="gpuatlas_partition_memory_physical_bytes",
        kind=Kind.GAUGE,
        help="Memory in bytes that the hardware sets aside for the partition; "
        "absent for soft shares, whose memory is only promised.",
        labels=(*CARD, "partition"),
        unit="bytes",
        samples=_memory_physical,
    ),
)

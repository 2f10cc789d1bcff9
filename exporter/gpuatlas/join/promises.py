"""What one holding is promised of its card: memory and compute."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import add
from typing import Final, TypeVar

from gpuatlas.join.compute import profile_ratio, promised_ratio
from gpuatlas.join.holding import ClaimShare, Holding
from gpuatlas.join.inventory import CardFacts
from gpuatlas.join.node_labels import is_mps_of_the_plugin, replicas_of
from gpuatlas.model.objects import Node
from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.snapshot import Partition, PartitionKind

V = TypeVar("V", int, float)

HOW_SHARED: Final = (
    "the node offers more devices than it has cards, and no label says how they are shared: run "
    "GPU feature discovery"
)
_NO_MEMORY: Final[Mapping[PartitionKind, str]] = {
    PartitionKind.SLICE: "time slicing promises no memory: any tenant can take all of it",
    PartitionKind.MPS: "the size of an MPS client's limit is not read",
    PartitionKind.FRACTION: "the fraction's size cannot be read",
    PartitionKind.DRA: "which ResourceClaim it holds is not read",
    PartitionKind.UNKNOWN: HOW_SHARED,
}
_NO_COMPUTE: Final[Mapping[PartitionKind, str]] = {
    PartitionKind.SLICE: "time slicing promises no compute",
    PartitionKind.MPS: "the thread share of an MPS client is not read",
    PartitionKind.FRACTION: "a fraction by memory states no share of the compute",
    PartitionKind.DRA: "which ResourceClaim it holds is not read",
    PartitionKind.UNKNOWN: HOW_SHARED,
}
_NO_INSTANCE: Final = Unknown("which MIG instance it holds is not known")


def claim_memory(share: ClaimShare, physical: Reading[int]) -> Reading[int]:
    """Bytes that a claim was given of a card of that size, whoever uses it."""
    return physical if share.memory is None else share.memory


def memory_promised(
    holding: Holding, physical: Reading[int], parts: Mapping[str, Partition], node: Node
) -> Reading[int]:
    """Bytes promised by one holding on its card."""
    if holding.claims:
        sizes = [claim_memory(share, physical) for share in holding.claims]
        return _of_claims(holding.claims, sizes, add)
    if holding.memory_bytes is not None:
        return Known(holding.memory_bytes, 0.0, "pod annotation")
    if holding.kind is PartitionKind.WHOLE:
        return physical
    if holding.kind is PartitionKind.MIG:
        return _of_instances(holding, parts, lambda part: part.memory_physical, add)
    return _portion_of_memory(holding, physical, node)


def _portion_of_memory(holding: Holding, physical: Reading[int], node: Node) -> Reading[int]:
    portion = _portion(holding, node)
    if portion is None:
        return Unknown(_NO_MEMORY.get(holding.kind, "the promise names no memory"))
    if isinstance(physical, Unknown):
        return physical
    return Known(int(portion * physical.value), 0.0, "share of the card")


def compute_promised(
    holding: Holding, card: CardFacts, parts: Mapping[str, Partition], node: Node
) -> Reading[float]:
    """Share of the card promised by one holding."""
    if holding.claims:
        return _of_claims(holding.claims, [share.compute for share in holding.claims], _up_to_one)
    if holding.kind is PartitionKind.WHOLE:
        return Known(1.0, 0.0, "whole card")
    if holding.kind is PartitionKind.MIG and holding.cores is None:

        def ratio(part: Partition) -> Reading[float]:
            return profile_ratio(part.profile, card.model)

        return _of_instances(holding, parts, ratio, _up_to_one)
    portion = None if card.layer else _portion(holding, node)
    if portion is not None:
        return Known(round(portion, 6), 0.0, "share of the card")
    if holding.kind in _NO_COMPUTE and not card.layer:
        return Unknown(_NO_COMPUTE[holding.kind])
    return promised_ratio(holding.cores, card)


def _up_to_one(left: float, right: float) -> float:
    return min(1.0, left + right)


def _portion(holding: Holding, node: Node) -> float | None:
    """The share of memory and compute that the holding's kind or its pod states.

    The device plugin's MPS daemon limits each client to 1/replicas of both (facts/k8s.md 1.3);
    other ways to run MPS set limits of their own.
    """
    if holding.portion is not None or holding.kind is not PartitionKind.MPS:
        return holding.portion
    replicas = replicas_of(node)
    return 1 / replicas if replicas and is_mps_of_the_plugin(node) else None


def _of_claims(
    shares: Sequence[ClaimShare], values: Sequence[Reading[V]], plus: Callable[[V, V], V]
) -> Reading[V]:
    """What one pod was promised by its claims; what several pods share is promised to none."""
    for share in shares:
        if share.pods > 1:
            return Unknown(f"claim {share.claim} is shared by {share.pods} pods")
    return _sum(values, plus, "ResourceClaim")


def _of_instances(
    holding: Holding,
    parts: Mapping[str, Partition],
    read: Callable[[Partition], Reading[V]],
    plus: Callable[[V, V], V],
) -> Reading[V]:
    found = [parts.get(part) for part in holding.partition.split(",")]
    known = [part for part in found if part is not None]
    if len(known) < len(found):
        return _NO_INSTANCE
    return _sum(map(read, known), plus, "MIG instance")


def _sum(values: Iterable[Reading[V]], plus: Callable[[V, V], V], source: str) -> Reading[V]:
    total: V | None = None
    for value in values:
        if isinstance(value, Unknown):
            return value
        total = value.value if total is None else plus(total, value.value)
    return _NO_INSTANCE if total is None else Known(total, 0.0, source)

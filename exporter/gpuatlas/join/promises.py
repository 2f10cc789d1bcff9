"""What is promised of one card: memory, compute, and how many tenants share it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from gpuatlas.join.compute import profile_ratio, promised_ratio
from gpuatlas.join.holding import Holding
from gpuatlas.join.inventory import CardFacts
from gpuatlas.join.strategy import replicas_of, slices_of_card
from gpuatlas.model.objects import Node
from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.snapshot import Partition, PartitionKind

_NO_MEMORY: Final[Mapping[PartitionKind, str]] = {
    PartitionKind.SLICE: "time slicing promises no memory: any tenant can take all of it",
    PartitionKind.MPS: "the size of an MPS client's limit is not read",
    PartitionKind.VGPU: "the promise names no memory",
}
_NO_COMPUTE: Final[Mapping[PartitionKind, str]] = {
    PartitionKind.SLICE: "time slicing promises no compute",
    PartitionKind.MPS: "the thread share of an MPS client is not read",
}


def _partitions(holding: Holding, parts: Mapping[str, Partition]) -> list[Partition] | None:
    found = [parts.get(part) for part in holding.partition.split(",")]
    return None if None in found else [part for part in found if part is not None]


def memory_promised(
    holding: Holding, physical: Reading[int], parts: Mapping[str, Partition]
) -> Reading[int]:
    """Bytes promised by one holding on its card."""
    if holding.memory_bytes is not None:
        return Known(holding.memory_bytes, 0.0, "pod annotation")
    if holding.kind is PartitionKind.WHOLE:
        return physical
    if holding.kind is PartitionKind.MIG:
        partitions = _partitions(holding, parts)
        if not partitions:
            return Unknown("which MIG instance it holds is not known")
        sizes = [part.memory_physical for part in partitions]
        unknown = next((size for size in sizes if isinstance(size, Unknown)), None)
        if unknown is not None:
            return unknown
        total = sum(size.value for size in sizes if isinstance(size, Known))
        return Known(total, 0.0, "MIG instance")
    return Unknown(_NO_MEMORY.get(holding.kind, "the promise names no memory"))


def compute_promised(
    holding: Holding, card: CardFacts, parts: Mapping[str, Partition]
) -> Reading[float]:
    """Share of the card promised by one holding."""
    if holding.kind is PartitionKind.WHOLE:
        return Known(1.0, 0.0, "whole card")
    if holding.kind is PartitionKind.MIG and holding.cores is None:
        partitions = _partitions(holding, parts)
        if not partitions:
            return Unknown("which MIG instance it holds is not known")
        shares = [profile_ratio(part.profile, card.model) for part in partitions]
        known = [share.value for share in shares if isinstance(share, Known)]
        if len(known) != len(shares):
            return next(share for share in shares if isinstance(share, Unknown))
        return Known(min(1.0, sum(known)), 0.0, "MIG profile")
    if holding.kind in _NO_COMPUTE:
        return Unknown(_NO_COMPUTE[holding.kind])
    return promised_ratio(holding.cores, card)


def _per_pod(amounts: Iterable[tuple[Holding, float]]) -> float:
    """Sum over pods of max(largest init container, sum of the others).

    Init containers give back what they hold before the others start (facts/hami.md 1.2).
    """
    init: dict[str, list[float]] = defaultdict(list)
    main: dict[str, list[float]] = defaultdict(list)
    for holding, amount in amounts:
        (init if holding.init else main)[holding.pod.uid].append(amount)
    return sum(max([sum(main[pod]), *init[pod]]) for pod in {*init, *main})


def memory_allocated(
    holdings: Sequence[tuple[Holding, Reading[int]]], tenants: Reading[int]
) -> Reading[int]:
    """Bytes promised of the card in all; unknown as soon as one promise or a tenant is."""
    if isinstance(tenants, Unknown):
        return tenants
    unknown = next((size for _, size in holdings if isinstance(size, Unknown)), None)
    if unknown is not None:
        return unknown
    sizes = [(h, float(size.value)) for h, size in holdings if isinstance(size, Known)]
    return Known(int(_per_pod(sizes)), 0.0, "sum of the promises")


def compute_allocated(
    holdings: Sequence[tuple[Holding, Reading[float]]], tenants: Reading[int]
) -> Reading[float]:
    """Share of the card promised in all; unknown as soon as one tenant has no limit.

    Such a tenant may take the whole card: to add 0 for it would call a busy card unpromised, which
    is what HAMi's own figure does (HAMi issue 1353).
    """
    if isinstance(tenants, Unknown):
        return tenants
    unknown = next((share for _, share in holdings if isinstance(share, Unknown)), None)
    if unknown is not None:
        return unknown
    shares = [(h, share.value) for h, share in holdings if isinstance(share, Known)]
    return Known(round(_per_pod(shares), 6), 0.0, "sum of the promises")


def tenants_of(
    holdings: Sequence[Holding], homeless: Sequence[Holding], pods_silent: str
) -> Reading[int]:
    """Pods on the card; unknown while a pod on the node may hold it without our knowing."""
    if pods_silent:
        return Unknown(pods_silent)
    if homeless:
        pod = homeless[0].pod
        return Unknown(f"pod {pod.namespace}/{pod.name}: {homeless[0].reason}")
    return Known(len({h.pod.uid for h in holdings}), 0.0, "pods")


def tenants_limit_of(card: CardFacts, kind: PartitionKind, node: Node) -> Reading[int]:
    """The most tenants that the card takes."""
    if card.device is not None:
        slots = card.device.slots
        if slots is None:
            return Unknown("the registration names no number of shares")
        return Known(slots, 0.0, "registration")
    if kind is PartitionKind.WHOLE:
        return Known(1, 0.0, "whole card")
    if kind is PartitionKind.MIG:
        return Known(slices_of_card(card.model), 0.0, "MIG slices")
    replicas = replicas_of(node)
    return Known(replicas, 0.0, "node label") if replicas else Unknown("no label says it")

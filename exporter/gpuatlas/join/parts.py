"""The partitions of one card."""

from __future__ import annotations

from collections.abc import Iterable

from gpuatlas.join.holding import Holding
from gpuatlas.join.inventory import CardFacts
from gpuatlas.join.physical import instance_size
from gpuatlas.model.readings import Reading, Unknown
from gpuatlas.model.snapshot import Partition, PartitionKind

_SOFT = Unknown("only hard partitions have memory of their own")


def _instances(card: CardFacts, at: float) -> list[Partition]:
    return [
        Partition(
            id=f"gi-{instance.instance}",
            kind=PartitionKind.MIG,
            profile=instance.profile,
            memory_physical=instance_size(instance, at),
        )
        for instance in (card.reading.instances if card.reading else ())
    ]


def _named(holdings: Iterable[Holding]) -> list[Partition]:
    """Hard partitions that only a promise names: HAMi's MIG slots."""
    ids = {
        part
        for holding in holdings
        if holding.kind is PartitionKind.MIG
        for part in holding.partition.split(",")
        if part not in {"", "mig"}
    }
    unknown: Reading[int] = Unknown("the driver's size of this instance is not read")
    return [
        Partition(id=i, kind=PartitionKind.MIG, profile="", memory_physical=unknown)
        for i in sorted(ids)
    ]


def partitions_of(
    card: CardFacts,
    kind: PartitionKind,
    physical: Reading[int],
    holdings: Iterable[Holding],
    at: float,
) -> tuple[Partition, ...]:
    """Parts by id: MIG instances as DCGM or a promise names them, else one part for the kind."""
    if kind is PartitionKind.MIG:
        found = {part.id: part for part in (*_named(holdings), *_instances(card, at))}
        if found:
            return tuple(found[key] for key in sorted(found))
    size = physical if kind is PartitionKind.WHOLE else _SOFT
    return (Partition(id=str(kind), kind=kind, profile="", memory_physical=size),)

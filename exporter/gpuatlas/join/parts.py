"""The partitions of one card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from gpuatlas.join.holding import ClaimShare, Holding
from gpuatlas.join.inventory import CardFacts
from gpuatlas.join.physical import instance_size
from gpuatlas.model.claims import DeviceKind, DraDevice, PhysicalCard
from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.snapshot import Partition, PartitionKind

_SOFT: Final = Unknown("only hard partitions have memory of their own")
_NOT_PUBLISHED: Final = Unknown("the DRA driver publishes no size of this device")
_PARTS: Final = frozenset({DeviceKind.MIG, DeviceKind.PARTITION})
DEVICE_MEMORY: Final = "ResourceSlice capacity memory"


def device_partition(device: DraDevice) -> str:
    """A MIG device's own UUID, which other sources know it by, else the device's name."""
    return device.uuid if device.kind is DeviceKind.MIG and device.uuid else device.name


def whole_partition(card: CardFacts) -> str:
    """The part that stands for all of a card that a DRA driver publishes."""
    whole = card.published.whole if card.published else None
    return device_partition(whole) if whole else str(PartitionKind.WHOLE)


def device_memory(device: DraDevice) -> Reading[int]:
    """The size of one device in bytes, as its driver publishes it."""
    if device.memory_bytes is None:
        return _NOT_PUBLISHED
    return Known(device.memory_bytes, 0.0, DEVICE_MEMORY)


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


def _shown(card: PhysicalCard, used: Mapping[str, PartitionKind]) -> Iterator[DraDevice]:
    """The devices that are parts of the card now, and not just a way to cut or pass it on."""
    every = [device for device in (card.whole, *card.others) if device is not None]
    cut = [
        d
        for d in every
        if d.kind in _PARTS and (not d.is_possibility or device_partition(d) in used)
    ]
    standing = cut or ([card.whole] if card.whole is not None else every)
    for device in every:
        if device_partition(device) in used or (device in standing and not device.is_possibility):
            yield device


def _published(
    card: PhysicalCard, used: Mapping[str, PartitionKind], physical: Reading[int]
) -> Iterator[Partition]:
    for device in _shown(card, used):
        name = device_partition(device)
        kind = used.get(name, PartitionKind.DRA)
        if device.kind is DeviceKind.MIG:
            kind = PartitionKind.MIG
        size = physical if device.is_whole else device_memory(device)
        soft = kind not in {PartitionKind.MIG, PartitionKind.DRA}
        yield Partition(
            id=name,
            kind=kind,
            profile=device.profile,
            memory_physical=_SOFT if soft else size,
        )


def partitions_of(
    card: CardFacts,
    kind: PartitionKind,
    physical: Reading[int],
    holdings: Iterable[Holding],
    claims: Iterable[ClaimShare],
    at: float,
) -> tuple[Partition, ...]:
    """Parts by id: DRA devices, MIG instances as DCGM or a promise names them, else one part.

    `claims` are all shares of claims on the card, those that nobody uses included.
    """
    if kind is PartitionKind.DRA and card.published is not None:
        used = {share.partition: share.kind for share in claims}
        found = {part.id: part for part in _published(card.published, used, physical)}
        if found:
            return tuple(found[key] for key in sorted(found))
    if kind is PartitionKind.MIG:
        found = {part.id: part for part in (*_named(holdings), *_instances(card, at))}
        if found:
            return tuple(found[key] for key in sorted(found))
    if kind is PartitionKind.UNKNOWN:
        return ()
    size = physical if kind in {PartitionKind.WHOLE, PartitionKind.DRA} else _SOFT
    return (Partition(id=str(kind), kind=kind, profile="", memory_physical=size),)

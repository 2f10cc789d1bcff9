"""From slices to pools: the newest generation only, and whether all of it is there. Pure.

A driver that changes a pool writes new slices under a higher generation before it removes the old
ones; until all are there nobody may count (facts/k8s.md 1.11).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from gpuatlas.model.claims import (
    DeviceKey,
    DeviceKind,
    DevicePool,
    DraDevice,
    PhysicalCard,
    ResourceSlice,
)
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.units import clean_text

PoolKey = tuple[str, str]

SOURCE: Final = "dra"
DUPLICATE: Final = "duplicate"
# A slice has at most 128 devices (facts/k8s.md 1.3); the first few show the pattern.
_MAX_QUOTED: Final = 16


def build_pools(slices: Iterable[ResourceSlice]) -> dict[PoolKey, DevicePool]:
    """(driver, pool) → the pool. The order of the slices does not matter."""
    grouped: dict[PoolKey, list[ResourceSlice]] = defaultdict(list)
    for found in slices:
        grouped[found.driver, found.pool].append(found)
    return {key: _build(sorted(grouped[key], key=_by_name)) for key in sorted(grouped)}


def _by_name(found: ResourceSlice) -> tuple[str, str]:
    return (found.name, found.uid)


def _build(slices: Sequence[ResourceSlice]) -> DevicePool:
    generation = max(found.generation for found in slices)
    newest = [found for found in slices if found.generation == generation]
    expected = {found.slice_count for found in newest}
    driver, name = newest[0].driver, newest[0].pool
    devices, repeated = _devices(newest)
    return DevicePool(
        driver=driver,
        name=name,
        generation=generation,
        complete=expected == {len(newest)},
        devices=devices,
        cards=physical_cards(devices.values()),
        rejections=(
            *(r for found in newest for r in found.rejections),
            *_duplicates(clean_text(f"pool {driver}/{name}"), repeated),
        ),
    )


def _devices(slices: Iterable[ResourceSlice]) -> tuple[dict[str, DraDevice], list[str]]:
    """Device name → device, and what is wrong with the names that came twice."""
    devices: dict[str, DraDevice] = {}
    repeated = [
        f"{device.name} is in slice {found.name} and was there before"
        for found in slices
        for device in found.devices
        if devices.setdefault(device.name, device) is not device
    ]
    return devices, repeated


def _duplicates(where: str, messages: Sequence[str]) -> Iterator[Rejection]:
    for message in messages[:_MAX_QUOTED]:
        yield Rejection(SOURCE, DUPLICATE, where, clean_text(message))
    more = len(messages) - _MAX_QUOTED
    if more > 0:
        yield Rejection(SOURCE, DUPLICATE, where, "more devices like this", count=more)


def index_devices(pools: Mapping[PoolKey, DevicePool]) -> dict[DeviceKey, DraDevice]:
    """Every device of the newest generations, by what claims call it."""
    return {device.key: device for pool in pools.values() for device in pool.devices.values()}


def physical_cards(devices: Iterable[DraDevice]) -> tuple[PhysicalCard, ...]:
    """The cards behind devices, by node and id.

    NVIDIA up to 25.8 publishes a whole card beside its MIG devices, DynamicMIG beside all MIG
    devices that it could be cut into, and passthrough support beside its passthrough form, which
    shares nothing with it but the PCI address (facts/errata.md, DRA).
    """
    every = sorted(devices, key=lambda device: device.key)
    whole_at = {_slot(d): d.card for d in every if d.is_whole and d.pci_bus_id}
    grouped: dict[tuple[str, str], list[DraDevice]] = defaultdict(list)
    for device in every:
        passed_through = device.kind is DeviceKind.VFIO
        card = whole_at.get(_slot(device), device.card) if passed_through else device.card
        grouped[device.node, card].append(device)
    return tuple(_card(key, grouped[key]) for key in sorted(grouped))


def _slot(device: DraDevice) -> tuple[str, str]:
    return (device.node, device.pci_bus_id.casefold())


def _card(key: tuple[str, str], devices: Sequence[DraDevice]) -> PhysicalCard:
    whole = next((device for device in devices if device.is_whole), None)
    others = tuple(device for device in devices if device is not whole)
    return PhysicalCard(node=key[0], id=key[1], whole=whole, others=others)

"""One device of a ResourceSlice, by the row of its driver. Pure.

A field that cannot be read costs that field; a device without a name cannot be claimed and is
refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from gpuatlas.model.claims import DeviceKind, DeviceTaint, DraDevice
from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import clean_text
from gpuatlas.sources.dra.attributes import (
    find,
    read_bytes,
    read_cores,
    read_id,
    read_name,
    read_slots,
    read_text,
)
from gpuatlas.sources.dra.drivers import Driver, Names
from gpuatlas.sources.dra.records import MAX_TAINTS
from gpuatlas.sources.hami.refusals import Refusals
from gpuatlas.sources.kubernetes.shape import fields, items, shared, text

T = TypeVar("T")
TAINT_FIELDS: Final = ("key", "value", "effect")
_MAX_TAINT_TEXT: Final = 256
_WHOLE: Final = frozenset({DeviceKind.GPU, DeviceKind.HAMI_GPU})


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a device stands: its driver's row, its pool, and the slice's node or ""."""

    driver: Driver
    pool: str
    node: str


def body_of(raw: Mapping[str, object]) -> Mapping[str, object]:
    """The part that holds the device's fields: v1beta1 has them under `basic`."""
    return fields(raw["basic"]) if isinstance(raw.get("basic"), dict) else raw


def read_device(raw: Mapping[str, object], origin: Origin, refusals: Refusals) -> DraDevice:
    """The device's value.

    Raises:
        MalformedError: "bad-text": it has no usable name.
    """
    name = read_name(raw.get("name"), "a device's name")
    body = body_of(raw)
    reader = _Reader(origin.driver, name, body, refusals)
    row = origin.driver
    kind = row.kinds.get(reader.words(("type",)), row.unlisted)
    uuid, parent = _identity(reader, kind)
    return DraDevice(
        driver=row.name,
        pool=origin.pool,
        name=name,
        node=origin.node or shared(text(body.get("nodeName"))),
        kind=kind,
        vendor=row.vendor,
        uuid=uuid,
        parent_uuid=parent,
        profile=shared(reader.words(row.profile)),
        model=shared(reader.words(row.model)),
        memory_bytes=_memory(reader, kind),
        cores=reader.amount(row.cores, read_cores),
        slots=reader.amount(row.slots, read_slots),
        driver_version=shared(reader.words(row.driver_version)),
        cuda_version=shared(reader.words(row.cuda_version)),
        pci_bus_id=reader.words(row.pci_bus_id),
        allows_multiple=body.get("allowMultipleAllocations") is True,
        taints=_taints(body.get("taints")),
    )


class _Reader:
    """Reads one device's attributes and capacities and keeps the books of what it refuses."""

    def __init__(
        self, driver: Driver, device: str, body: Mapping[str, object], refusals: Refusals
    ) -> None:
        self.driver = driver
        self._device = device
        self._attributes = fields(body.get("attributes"))
        self._capacity = fields(body.get("capacity"))
        self._refusals = refusals

    def words(self, names: Names) -> str:
        """Text of the first attribute of `names`."""
        return read_text(find(self._attributes, names, self.driver.name))

    def identity(self, names: Names) -> str:
        """The id in the first attribute of `names`; "" where it is refused."""
        attribute = find(self._attributes, names, self.driver.name)
        return self._guarded(lambda: read_id(attribute, "/".join(names)), "")

    def amount(self, names: Names, read: Callable[[object, str], int | None]) -> int | None:
        """The first capacity of `names`; None where it is absent or refused."""
        capacity = find(self._capacity, names, self.driver.name)
        value = fields(capacity).get("value")
        return self._guarded(lambda: read(value, "/".join(names)), None)

    def has(self, names: Names) -> bool:
        """Whether one of these capacities is there."""
        return find(self._capacity, names, self.driver.name) is not None

    def _guarded(self, read: Callable[[], T], otherwise: T) -> T:
        try:
            return read()
        except MalformedError as error:
            self._refusals.add_error(error, field=f"device {self._device}")
            return otherwise


def _identity(reader: _Reader, kind: DeviceKind) -> tuple[str, str]:
    """The device's own id, and the id of the card that it is a part of."""
    row = reader.driver
    if kind in _WHOLE:
        return reader.identity(row.uuid), ""
    if kind is DeviceKind.VFIO:
        return "", ""
    return reader.identity(row.part_uuid), reader.identity(row.parent)


def _memory(reader: _Reader, kind: DeviceKind) -> int | None:
    row = reader.driver
    if kind in _WHOLE and reader.has(row.largest_part):
        return None
    size = reader.amount(row.memory, read_bytes)
    return None if size == row.no_memory.get(kind) else size


def _taints(value: object) -> tuple[DeviceTaint, ...]:
    found = []
    for item in items(value)[:MAX_TAINTS]:
        taint = fields(item)
        parts = (clean_text(text(taint.get(f)), limit=_MAX_TAINT_TEXT) for f in TAINT_FIELDS)
        read = DeviceTaint(*map(shared, parts))
        if read.key:
            found.append(read)
    return tuple(found)

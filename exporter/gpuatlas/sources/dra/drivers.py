"""The DRA drivers that publish cards: one row each. Adding a driver is adding a row.

Pure: a table. Names of attributes and capacities are given without the driver's domain, which both
ways of writing share; those of other domains are given in full. Read in the drivers' sources:
NVIDIA 25.3 to 2026-08, HAMi 0.1.0 (facts/hami.md 8), AMD 2025-10, Intel 0.11, Ascend 2026-08, Hygon
2026; AWS from its documentation only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from gpuatlas.model.claims import DeviceKind

Names = tuple[str, ...]

# NVIDIA up to 25.8 wrote pcieBusID in its own domain (facts/errata.md, DRA).
_PCI: Final[Names] = (
    "resource.kubernetes.io/pciBusID",
    "pcieBusID",
    "pciAddress",
    "pciAddr",
    "parentPciAddr",
)
_GIB: Final = 1024**3


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """How one driver describes its devices. Tuples are names in the order of preference.

    `kinds` maps the text of the attribute `type` to our word; `unlisted` is the kind of devices
    with another type or none. `uuid` is read for whole cards, `part_uuid` and `parent` for parts.
    `no_memory` are sizes that the driver invents where it cannot read them. `largest_part` are
    capacities that show that a whole card states the size of its largest part in place of its own.
    """

    name: str
    vendor: str
    kinds: Mapping[str, DeviceKind]
    unlisted: DeviceKind = DeviceKind.OTHER
    uuid: Names = ("uuid",)
    part_uuid: Names = ()
    parent: Names = ()
    profile: Names = ()
    model: Names = ("productName",)
    driver_version: Names = ("driverVersion",)
    cuda_version: Names = ()
    pci_bus_id: Names = _PCI
    memory: Names = ("memory",)
    cores: Names = ()
    slots: Names = ()
    no_memory: Mapping[DeviceKind, int] = field(default_factory=dict)
    largest_part: Names = ()
    sharing_configs: Mapping[str, bool] = field(default_factory=dict)
    """Kinds of opaque configuration that have `sharing.strategy`; True: for parts of cards."""
    part_mark: str = ""
    """What the names of parts contain and those of whole cards do not."""

    @property
    def attributes(self) -> Names:
        """All attributes that are read."""
        ids = ("type", *self.uuid, *self.part_uuid, *self.parent, *self.profile, *self.model)
        return (*ids, *self.driver_version, *self.cuda_version, *self.pci_bus_id)

    @property
    def capacities(self) -> Names:
        """All capacities that are read."""
        return (*self.memory, *self.cores, *self.slots, *self.largest_part)


DRIVERS: Final[Mapping[str, Driver]] = {
    driver.name: driver
    for driver in (
        Driver(
            name="gpu.nvidia.com",
            vendor="nvidia",
            # A passthrough device's uuid is made of its PCI address: nodes share it.
            kinds={"gpu": DeviceKind.GPU, "mig": DeviceKind.MIG, "vfio": DeviceKind.VFIO},
            part_uuid=("uuid",),
            parent=("parentUUID",),
            profile=("profile",),
            cuda_version=("cudaDriverVersion",),
            slots=("shares",),
            # Under DynamicMIG a whole card is given the largest profile's figures.
            largest_part=("multiprocessors",),
            sharing_configs={"GpuConfig": False, "MigDeviceConfig": True},
            part_mark="-mig-",
        ),
        Driver(
            name="hami-core-gpu.project-hami.io",
            vendor="nvidia",
            kinds={"hami-gpu": DeviceKind.HAMI_GPU},
            cuda_version=("cudaDriverVersion",),
            cores=("cores",),
        ),
        Driver(
            name="gpu.amd.com",
            vendor="amd",
            kinds={"amdgpu": DeviceKind.GPU, "amdgpu-partition": DeviceKind.PARTITION},
            uuid=("deviceID",),
            parent=("parentDeviceID", "deviceID"),
            profile=("partitionProfile",),
            cores=("computeUnits",),
            no_memory={DeviceKind.GPU: 80 * _GIB, DeviceKind.PARTITION: 20 * _GIB},
        ),
        Driver(
            name="gpu.intel.com",
            vendor="intel",
            kinds={"gpu": DeviceKind.GPU, "vf": DeviceKind.PARTITION},
            uuid=(),
            model=("model",),
            driver_version=(),
            cores=("millicores",),
        ),
        Driver(
            name="gaudi.intel.com",
            vendor="intel",
            kinds={},
            unlisted=DeviceKind.GPU,
            uuid=(),
            model=("model",),
            driver_version=(),
        ),
        Driver(
            name="ascend.project-hami.io",
            vendor="ascend",
            kinds={"NPU": DeviceKind.GPU, "HAMivNPUCore": DeviceKind.HAMI_GPU},
            # All other types are templates of virtual NPUs, and carry the card's id.
            unlisted=DeviceKind.PARTITION,
            parent=("uuid",),
            driver_version=(),
            cores=("cores",),
        ),
        Driver(
            name="dra.hygon.com",
            vendor="hygon",
            kinds={"hcu": DeviceKind.GPU},
            driver_version=(),
            cores=("cores",),
            slots=("slices",),
        ),
        Driver(
            name="neuron.aws.com",
            vendor="aws",
            kinds={},
            unlisted=DeviceKind.GPU,
            uuid=(),
            model=(),
            driver_version=("neuronDriverVersion",),
        ),
    )
}

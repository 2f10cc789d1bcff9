"""Devices as NVIDIA's driver publishes them, in each of its versions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpuatlas.model.claims import DeviceKind, DeviceTaint, DraDevice
from gpuatlas.model.units import MIB
from gpuatlas_harness.projected import projected

Load = Callable[[str, str], dict[str, Any]]
GIB = 1024 * MIB


def nvidia(node: str, name: str, kind: DeviceKind = DeviceKind.GPU, **more: Any) -> DraDevice:
    return DraDevice(
        driver="gpu.nvidia.com",
        pool=node,
        name=name,
        node=node,
        kind=kind,
        vendor="nvidia",
        **more,
    )


A100 = "GPU-a0000000-0000-4000-8000-000000000001"
OLD: dict[str, Any] = {
    "model": "NVIDIA A100 80GB PCIe",
    "driver_version": "570.86.15",
    "cuda_version": "12.8.0",
    "pci_bus_id": "0001:00:00.0",
}
H100: dict[str, Any] = {
    "model": "NVIDIA H100 80GB HBM3",
    "driver_version": "580.95.5",
    "cuda_version": "13.0.0",
    "memory_bytes": 81559 * MIB,
}
DYNAMIC = "GPU-c0000000-0000-4000-8000-000000000001"
DYNMIG: dict[str, Any] = {
    "model": "NVIDIA H100 80GB HBM3",
    "driver_version": "580.105.8",
    "cuda_version": "13.0.0",
}

EXPECTED: dict[tuple[str, str], tuple[DraDevice, ...]] = {
    ("nvidia-v25.3.2", "mig-a-gpu.nvidia.com-x7k2p"): (
        nvidia("mig-a", "gpu-0", uuid=A100, memory_bytes=80 * GIB, **OLD),
        nvidia(
            "mig-a",
            "gpu-0-mig-9-0-4",
            DeviceKind.MIG,
            uuid="MIG-a0000000-0000-5000-8000-000000000001",
            parent_uuid=A100,
            profile="3g.40gb",
            memory_bytes=40192 * MIB,
            **OLD,
        ),
        nvidia(
            "mig-a",
            "gpu-0-mig-19-4-1",
            DeviceKind.MIG,
            uuid="MIG-a0000000-0000-5000-8000-000000000002",
            parent_uuid=A100,
            profile="1g.10gb",
            memory_bytes=9728 * MIB,
            **OLD,
        ),
    ),
    ("nvidia-v25.8.1", "plain-a-gpu.nvidia.com-new01"): (
        nvidia(
            "plain-a",
            "gpu-0",
            uuid="GPU-b0000000-0000-4000-8000-000000000001",
            pci_bus_id="0000:0f:00.0",
            **H100,
        ),
        nvidia(
            "plain-a",
            "gpu-1",
            uuid="GPU-b0000000-0000-4000-8000-000000000002",
            pci_bus_id="0000:10:00.0",
            **H100,
        ),
    ),
    ("nvidia-v25.12.0", "dynmig-a-gpu.nvidia.com-cntrs"): (),
    ("nvidia-v25.12.0", "dynmig-a-gpu.nvidia.com-gpu00"): (
        # The card states the size of its largest profile (81079 MiB), which is not its own.
        nvidia("dynmig-a", "gpu-0", uuid=DYNAMIC, memory_bytes=None, **DYNMIG),
        nvidia(
            "dynmig-a",
            "gpu-0-mig-1g10gb-19-0",
            DeviceKind.MIG,
            parent_uuid=DYNAMIC,
            profile="1g.10gb",
            memory_bytes=9984 * MIB,
            **DYNMIG,
        ),
        nvidia(
            "dynmig-a",
            "gpu-0-mig-1g10gb-me-20-1",
            DeviceKind.MIG,
            parent_uuid=DYNAMIC,
            profile="1g.10gb+me",
            model="NVIDIA H100 80GB HBM3",
            memory_bytes=9984 * MIB,
        ),
    ),
    ("nvidia-2026-08", "new-a-gpu.nvidia.com-4w8zt"): (
        nvidia(
            "new-a",
            "gpu-0",
            uuid="GPU-d0000000-0000-4000-8000-000000000001",
            model="NVIDIA B200",
            memory_bytes=183359 * MIB,
            slots=4,
            driver_version="590.44.1",
            cuda_version="13.1.0",
            pci_bus_id="0000:1b:00.0",
            allows_multiple=True,
            taints=(
                DeviceTaint("gpu.nvidia.com/xid", "79", "NoSchedule"),
                DeviceTaint("gpu.nvidia.com/unmonitored", "", "None"),
            ),
        ),
        # What they call uuid is a hash of the PCI address, the same on every node of a kind.
        nvidia(
            "new-a",
            "gpu-vfio-0",
            DeviceKind.VFIO,
            model="GB100 [B200]",
            pci_bus_id="0000:1b:00.0",
        ),
        nvidia(
            "new-a",
            "gpu-vfio-1",
            DeviceKind.VFIO,
            model="GB100 [B200]",
            pci_bus_id="0000:43:00.0",
        ),
    ),
}


@pytest.mark.parametrize(("key", "devices"), EXPECTED.items(), ids=lambda value: str(value)[:60])
def test_devices_are_read_as_their_driver_writes_them(
    dra: Load, key: tuple[str, str], devices: tuple[DraDevice, ...]
) -> None:
    found = projected(dra(*key))
    assert (found.devices, found.rejections) == (devices, ())

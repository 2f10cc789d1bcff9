"""Devices as the other drivers publish them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpuatlas.model.claims import DeviceKind, DeviceTaint, DraDevice
from gpuatlas.model.units import MIB
from gpuatlas_harness.projected import projected

Load = Callable[[str, str], dict[str, Any]]
GIB = 1024 * MIB

EXPECTED: dict[tuple[str, str], tuple[DraDevice, ...]] = {
    ("hami-v0.1.0", "hami-a-hami-core-gpu.project-hami.io-7xv2d"): (
        DraDevice(
            driver="hami-core-gpu.project-hami.io",
            pool="hami-a",
            name="hami-gpu-0",
            node="hami-a",
            kind=DeviceKind.HAMI_GPU,
            vendor="nvidia",
            uuid="GPU-e0000000-0000-4000-8000-000000000001",
            model="NVIDIA A10G",
            memory_bytes=23028 * MIB,
            cores=100,
            driver_version="550.90.7",
            cuda_version="12.4.0",
            pci_bus_id="0000:00:1e.0",
            allows_multiple=True,
        ),
    ),
    ("amd-2025-10", "amd-a-gpu.amd.com-q9s5m"): tuple(
        DraDevice(driver="gpu.amd.com", pool="amd-a", node="amd-a", vendor="amd", **more)
        for more in (
            {
                "name": "gpu-1-128",
                "kind": DeviceKind.GPU,
                "uuid": "9246812345678901234",
                "profile": "spx_nps1",
                "model": "AMD_Instinct_MI300X_OAM",
                "memory_bytes": 196592 * MIB,
                "cores": 304,
                "driver_version": "6.12.12",
                "pci_bus_id": "0000:05:00.0",
            },
            {
                "name": "gpu-2-129",
                "kind": DeviceKind.PARTITION,
                "parent_uuid": "17293822569102704640",
                "profile": "cpx_nps4",
                "model": "AMD_Instinct_MI300X_OAM",
                "memory_bytes": 48 * GIB,
                "cores": 38,
                "driver_version": "6.12.12",
                "pci_bus_id": "0000:15:00.0",
            },
            {
                "name": "gpu-3-130",
                "kind": DeviceKind.PARTITION,
                "parent_uuid": "17293822569102704640",
                "profile": "cpx_nps4",
                "model": "AMD_Instinct_MI300X_OAM",
                "memory_bytes": None,
                "cores": 38,
                "driver_version": "6.12.12",
                "pci_bus_id": "0000:15:00.0",
            },
            {
                "name": "gpu-4-131",
                "kind": DeviceKind.GPU,
                "uuid": "",
                "profile": "spx_nps1",
                "model": "Radeon",
                "memory_bytes": None,
                "cores": 96,
                "driver_version": "6.12.12",
                "pci_bus_id": "0000:25:00.0",
            },
        )
    ),
    ("others", "intel-a-gpu.intel.com-aaaaa"): (
        DraDevice(
            driver="gpu.intel.com",
            pool="intel-a",
            name="0000-4d-00-0-0x0bd5",
            node="intel-a",
            kind=DeviceKind.GPU,
            vendor="intel",
            model="Data Center GPU Max 1550",
            memory_bytes=128 * GIB,
            cores=1000,
            pci_bus_id="0000:4d:00.0",
            taints=(DeviceTaint("HealthIssues-memorytemperature", "", "NoExecute"),),
        ),
        DraDevice(
            driver="gpu.intel.com",
            pool="intel-a",
            name="0000-8c-00-1-0x56c0",
            node="intel-a",
            kind=DeviceKind.PARTITION,
            vendor="intel",
            model="Data Center GPU Flex 170",
            memory_bytes=5 * GIB,
            cores=500,
            pci_bus_id="0000:8c:00.1",
        ),
    ),
    ("others", "gaudi-a-gaudi.intel.com-bbbbb"): (
        DraDevice(
            driver="gaudi.intel.com",
            pool="gaudi-a",
            name="0000-19-00-0-0x1060",
            node="gaudi-a",
            kind=DeviceKind.GPU,
            vendor="intel",
            model="Gaudi3",
        ),
    ),
    ("others", "npu-a-ascend.project-hami.io-ccccc"): (
        DraDevice(
            driver="ascend.project-hami.io",
            pool="npu-a",
            name="npu-0-0",
            node="npu-a",
            kind=DeviceKind.HAMI_GPU,
            vendor="ascend",
            uuid="npu-a-0",
            model="Ascend910B4",
            memory_bytes=32 * GIB,
            cores=100,
            allows_multiple=True,
        ),
        # Its attributes `memory` and `cores` are those of the largest template: no capacities.
        DraDevice(
            driver="ascend.project-hami.io",
            pool="npu-a",
            name="npu-1-1",
            node="npu-a",
            kind=DeviceKind.PARTITION,
            vendor="ascend",
            parent_uuid="npu-a-1",
            model="Ascend910B4",
        ),
    ),
    ("others", "dcu-a-dra.hygon.com-ddddd"): (
        DraDevice(
            driver="dra.hygon.com",
            pool="dcu-a",
            name="hcu-0000-33-00-0",
            node="dcu-a",
            kind=DeviceKind.GPU,
            vendor="hygon",
            uuid="TPXS300002100601",
            model="K100_AI",
            memory_bytes=64 * GIB,
            cores=120,
            slots=4,
            allows_multiple=True,
        ),
    ),
    ("others", "trn-a-neuron.aws.com-eeeee"): (
        DraDevice(
            driver="neuron.aws.com",
            pool="trn-a",
            name="neurondevice0",
            node="trn-a",
            kind=DeviceKind.GPU,
            vendor="aws",
            driver_version="2.24.7.0",
        ),
    ),
}


@pytest.mark.parametrize(("key", "devices"), EXPECTED.items(), ids=lambda value: str(value)[:60])
def test_devices_are_read_as_their_driver_writes_them(
    dra: Load, key: tuple[str, str], devices: tuple[DraDevice, ...]
) -> None:
    found = projected(dra(*key))
    assert (found.devices, found.rejections) == (devices, ())

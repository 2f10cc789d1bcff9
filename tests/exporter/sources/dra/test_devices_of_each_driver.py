from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpuatlas.model.claims import DeviceKind, DeviceTaint, DraDevice, ResourceSlice
from gpuatlas.model.units import MIB
from gpuatlas.model.vendors import VENDORS
from gpuatlas.sources.dra.drivers import DRIVERS
from gpuatlas.sources.dra.project import project_slice

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


def projected(raw: object) -> ResourceSlice:
    found = project_slice(raw)
    assert found is not None
    return found


@pytest.mark.parametrize(("key", "devices"), EXPECTED.items(), ids=lambda value: str(value)[:60])
def test_devices_are_read_as_their_driver_writes_them(
    dra: Load, key: tuple[str, str], devices: tuple[DraDevice, ...]
) -> None:
    found = projected(dra(*key))
    assert found.devices == devices
    assert found.rejections == ()


def test_a_slice_says_which_part_of_which_pool_it_is(dra: Load) -> None:
    found = projected(dra("nvidia-v25.12.0", "dynmig-a-gpu.nvidia.com-cntrs"))
    assert found == ResourceSlice(
        uid="40000000-0000-4000-8000-000000000001",
        name="dynmig-a-gpu.nvidia.com-cntrs",
        driver="gpu.nvidia.com",
        pool="dynmig-a",
        generation=1,
        slice_count=2,
    )


@pytest.mark.parametrize(
    "name", ["plain-a-compute-domain.nvidia.com-fffff", "plain-a-dra.net-ggggg"]
)
def test_drivers_that_publish_no_cards_are_left_out(dra: Load, name: str) -> None:
    assert project_slice(dra("others", name)) is None


def test_names_may_carry_the_drivers_own_domain(dra: Load) -> None:
    plain = dra("hami-v0.1.0", "hami-a-hami-core-gpu.project-hami.io-7xv2d")
    device = plain["spec"]["devices"][0]
    qualified = dra("hami-v0.1.0", "hami-a-hami-core-gpu.project-hami.io-7xv2d")
    for part in ("attributes", "capacity"):
        qualified["spec"]["devices"][0][part] = {
            name if "/" in name else f"hami-core-gpu.project-hami.io/{name}": value
            for name, value in device[part].items()
        }
    assert projected(qualified) == projected(plain)


def test_a_device_may_name_a_node_of_its_own(dra: Load) -> None:
    raw = dra("nvidia-v25.8.1", "plain-a-gpu.nvidia.com-new01")
    del raw["spec"]["nodeName"]
    raw["spec"]["perDeviceNodeSelection"] = True
    raw["spec"]["devices"][1]["nodeName"] = "plain-b"
    assert [device.node for device in projected(raw).devices] == ["", "plain-b"]


def test_what_identifies_a_device_and_its_card(dra: Load) -> None:
    whole, mig, _ = projected(dra("nvidia-v25.3.2", "mig-a-gpu.nvidia.com-x7k2p")).devices
    _, possible, _ = projected(dra("nvidia-v25.12.0", "dynmig-a-gpu.nvidia.com-gpu00")).devices
    *_, without_id = projected(dra("amd-2025-10", "amd-a-gpu.amd.com-q9s5m")).devices
    assert mig.key == ("gpu.nvidia.com", "mig-a", "gpu-0-mig-9-0-4")
    assert (whole.card, mig.card, possible.card) == (A100, A100, DYNAMIC)
    assert without_id.card == "gpu.amd.com/amd-a/gpu-4-131"
    assert (whole.is_whole, mig.is_whole) == (True, False)
    assert (whole.is_possibility, mig.is_possibility, possible.is_possibility) == (
        False,
        False,
        True,
    )


def test_every_drivers_vendor_is_one_that_we_know() -> None:
    assert {driver.vendor for driver in DRIVERS.values()} <= VENDORS.keys()

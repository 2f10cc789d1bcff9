"""Which pool, which node and which card a device is of, whatever its driver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpuatlas.model.claims import ResourceSlice
from gpuatlas.model.vendors import VENDORS
from gpuatlas.sources.dra.drivers import DRIVERS
from gpuatlas.sources.dra.project import project_slice
from gpuatlas_harness.projected import projected

Load = Callable[[str, str], dict[str, Any]]
A100 = "GPU-a0000000-0000-4000-8000-000000000001"
DYNAMIC = "GPU-c0000000-0000-4000-8000-000000000001"


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

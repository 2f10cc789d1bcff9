"""Records are quoted as the user finds them: names and labels of the exporter's own version."""

from __future__ import annotations

import pytest

from gpuatlas.checks.quote import (
    LIMIT,
    USED,
    UTILIZATION,
    MonitorMetric,
    Quote,
    container_sample,
    env_line,
    resident_sample,
)
from gpuatlas.model.checks import MAX_RECORD
from gpuatlas.model.readings import Known
from gpuatlas.model.snapshot import Sharing
from gpuatlas.model.units import MIB
from gpuatlas_harness.build import a_card
from gpuatlas_harness.checked_tenants import a_page

CARD = a_card()


def test_a_line_of_env() -> None:
    assert env_line("main", "A", "b") == Quote("env of container main", "A=b")


@pytest.mark.parametrize(
    ("version", "name"),
    [
        ("v2.10.0", "hami_vgpu_memory_used_bytes"),
        ("2.9.0", "hami_vgpu_memory_used_bytes"),
        ("v3.0.0-rc.1", "hami_vgpu_memory_used_bytes"),
        ("v2.8.3", "vGPU_device_memory_usage_in_bytes"),
        ("", "vGPU_device_memory_usage_in_bytes"),
        ("latest", "vGPU_device_memory_usage_in_bytes"),
    ],
)
def test_hami_renamed_its_metrics_in_v2_9(version: str, name: str) -> None:
    said = container_sample(USED, "main", CARD, a_page(version=version), 1)
    assert said.source == f"metric {name}"
    assert said.record.startswith(f"{name}{{")


def test_without_a_page_the_old_names_are_quoted() -> None:
    assert container_sample(LIMIT, "main", CARD, None, 0).record == (
        f'vGPU_device_memory_limit_in_bytes{{ctrname="main",deviceuuid="{CARD.id}"}} 0'
    )


@pytest.mark.parametrize(
    ("sharing", "vendor", "name"),
    [
        (Sharing.VOLCANO, "nvidia", "Device_utilization_desc_of_container"),
        (Sharing.KAI, "nvidia", "hami_container_device_utilization_ratio"),
        (Sharing.HAMI, "ascend", "hami_container_device_utilization_ratio"),
    ],
)
def test_the_others_never_renamed_theirs(sharing: Sharing, vendor: str, name: str) -> None:
    card = a_card(sharing=sharing, vendor=vendor)
    for version in ("", "v2.10.0", "v0.1.0"):
        page = a_page(version=version)
        assert container_sample(UTILIZATION, "main", card, page, 1).source == f"metric {name}"


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (72.0, "72"), (72.04, "72.04"), (10_737_418_240, "10737418240")]
)
def test_numbers_are_plain(value: float, text: str) -> None:
    assert container_sample(USED, "main", CARD, None, value).record.endswith(f"}} {text}")


def test_the_driver_s_figure_is_in_the_unit_of_its_source() -> None:
    page = a_page(version="v2.8.0")
    dcgm = Known(512 * MIB, 0.0, "DCGM_FI_DEV_FB_USED of the pod")
    monitor = Known(512 * MIB, 0.0, "hami_host_gpu_memory_used_bytes")
    assert resident_sample(dcgm, CARD, page) == Quote(
        "metric DCGM_FI_DEV_FB_USED", f'DCGM_FI_DEV_FB_USED{{UUID="{CARD.id}"}} 512'
    )
    assert resident_sample(monitor, CARD, page) == Quote(
        "metric HostGPUMemoryUsage",
        f'HostGPUMemoryUsage{{deviceuuid="{CARD.id}"}} 536870912',
    )
    assert resident_sample(monitor, CARD, a_page()).source == (
        "metric hami_host_gpu_memory_used_bytes"
    )


@pytest.mark.parametrize(
    ("metric", "most"), [(LIMIT, 2 * 1024**4), (USED, 2 * 1024**4), (UTILIZATION, 100)]
)
@pytest.mark.parametrize("version", ["", "v2.10.0"])
def test_the_longest_names_leave_room_for_the_value(
    metric: MonitorMetric, most: int, version: str
) -> None:
    said = container_sample(metric, "c" * 63, CARD, a_page(version=version), most)
    assert len(f"{said.record}, promised {most}") <= MAX_RECORD

"""Instances and virtual GPUs on pages in the exact form of each exporter version."""

from __future__ import annotations

from gpuatlas.model.pages import InstanceReading, Tenant
from gpuatlas_harness.dcgm_fixtures import dcgm_fixture


def test_mig_keeps_memory_and_profiling_with_the_instance_and_the_rest_with_the_card() -> None:
    (reading,) = dcgm_fixture("4.6.0-4.8.3/mig").cards.values()
    assert reading.card == "GPU-48300000-0000-4000-8000-000000000002"
    assert reading.fields == {
        "DEV_GPU_TEMP": 47.0,
        "DEV_MEMORY_TEMP": 58.0,
        "DEV_POWER_USAGE": 214.352,  # read once for each instance; the larger stands
        "DEV_XID_ERRORS": 0.0,
    }
    assert reading.tenants == frozenset()
    assert reading.instances == (
        InstanceReading(
            instance="1",
            profile="3g.40gb",
            fields={"DEV_FB_USED": 24.0, "DEV_FB_FREE": 40424.0},
            tenants=frozenset(),
        ),
        InstanceReading(
            instance="9",
            profile="1g.10gb+me",
            fields={
                "DEV_FB_USED": 6120.0,
                "DEV_FB_FREE": 3864.0,
                "PROF_GR_ENGINE_ACTIVE": 0.412733,
                "PROF_DRAM_ACTIVE": 0.207441,
            },
            tenants=frozenset({Tenant("lab", "jupyter-ann", "nb")}),
        ),
    )


def test_virtual_gpus_before_4_8_2_are_copies_of_the_whole_card() -> None:
    (reading,) = dcgm_fixture("4.4.2-4.7.1/virtual-gpus").cards.values()
    assert reading.fields == {"DEV_GPU_UTIL": 96.0, "DEV_FB_USED": 9876.0, "DEV_FB_FREE": 5036.0}
    assert reading.tenants == {Tenant("docs", "ocr-a", "ocr"), Tenant("docs", "ocr-b", "ocr")}
    assert reading.tenant_fields is None


def test_virtual_gpus_since_4_8_2_have_values_of_their_own() -> None:
    (reading,) = dcgm_fixture("4.5.3-4.8.2/virtual-gpus").cards.values()
    assert reading.fields == {
        "DEV_GPU_UTIL": 96.0,
        "DEV_FB_USED": 9876.0,
        "DEV_FB_FREE": 5036.0,
        "DEV_FB_RESERVED": 448.0,
        "DEV_POWER_USAGE": 68.91,
        "DEV_GPU_TEMP": 66.0,
    }
    # ocr-c has two containers on the card: the exporter writes the pod's value for each.
    assert reading.tenant_fields == {
        Tenant("docs", "ocr-a", "ocr"): {"DEV_GPU_UTIL": 71.0, "DEV_FB_USED": 6034.0},
        Tenant("docs", "ocr-b", "ocr"): {"DEV_GPU_UTIL": 0.0, "DEV_FB_USED": 0.0},
        Tenant("docs", "ocr-c", ""): {"DEV_GPU_UTIL": 20.0, "DEV_FB_USED": 3412.0},
    }
    assert reading.tenants == {
        Tenant("docs", "ocr-a", "ocr"),
        Tenant("docs", "ocr-b", "ocr"),
        Tenant("docs", "ocr-c", "left"),
        Tenant("docs", "ocr-c", "right"),
    }

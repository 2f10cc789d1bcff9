"""Pages in the exact form of each exporter version, with every number that they must give."""

from __future__ import annotations

import pytest

from gpuatlas.model.pages import CardReading, DcgmPage, Tenant
from gpuatlas_harness.dcgm_fixtures import dcgm_fixture


def card(uuid: str, **facts: object) -> CardReading:
    known: dict[str, object] = {
        "card": uuid,
        "index": "0",
        "pci_bus_id": "",
        "driver_version": "",
        **facts,
    }
    return CardReading(**known)  # type: ignore[arg-type]


OCR = Tenant("docs", "ocr-0", "ocr")
CHAT = Tenant("team-red", "chat-0", "server")
WHOLE_CARDS = {
    "3.1.8-3.1.5/whole": [
        card(
            "GPU-31000000-0000-4000-8000-000000000000",
            model="Tesla T4",
            host="node-31",
            tenants=frozenset({OCR}),
            fields={
                "DEV_SM_CLOCK": 1590.0,
                "DEV_MEM_CLOCK": 5000.0,
                "DEV_GPU_TEMP": 66.0,
                "DEV_POWER_USAGE": 68.422,
                "DEV_GPU_UTIL": 96.0,
                "DEV_MEM_COPY_UTIL": 41.0,
                "DEV_XID_ERRORS": 0.0,
                "DEV_FB_FREE": 5238.0,
                "DEV_FB_USED": 9871.0,
            },
        ),
        card(
            "GPU-31000000-0000-4000-8000-000000000001",
            index="1",
            model="Tesla T4",
            host="node-31",
            fields={
                "DEV_SM_CLOCK": 300.0,
                "DEV_MEM_CLOCK": 405.0,
                "DEV_GPU_TEMP": 31.0,
                "DEV_POWER_USAGE": 9.614,
                "DEV_GPU_UTIL": 0.0,
                "DEV_MEM_COPY_UTIL": 0.0,
                "DEV_XID_ERRORS": 0.0,
                "DEV_FB_FREE": 15109.0,
                "DEV_FB_USED": 0.0,
            },
        ),
    ],
    "3.3.5-3.4.1/old-namespace": [
        card(
            "GPU-33500000-0000-4000-8000-000000000000",
            model="NVIDIA-A100-SXM4-40GB",
            driver_version="535.129.03",
            host="node-335",
            tenants=frozenset({Tenant("vision", "train-0", "train")}),
            fields={
                "DEV_SM_CLOCK": 1410.0,
                "DEV_MEMORY_TEMP": 61.0,
                "DEV_GPU_TEMP": 58.0,
                "DEV_POWER_USAGE": 331.097,
                "DEV_GPU_UTIL": 100.0,
                "DEV_CLOCKS_EVENT_REASONS": 4.0,
                "DEV_FB_FREE": 2049.0,
                "DEV_FB_USED": 38283.0,
                "DEV_FB_RESERVED": 628.0,
                "PROF_GR_ENGINE_ACTIVE": 0.987112,
                "PROF_DRAM_ACTIVE": 0.412007,
            },
        ),
        card(
            "GPU-33500000-0000-4000-8000-000000000001",
            index="1",
            model="NVIDIA-A100-SXM4-40GB",
            driver_version="535.129.03",
            host="node-335",
            fields={
                "DEV_SM_CLOCK": 210.0,
                "DEV_MEMORY_TEMP": 29.0,
                "DEV_GPU_TEMP": 27.0,
                "DEV_POWER_USAGE": 51.204,
                "DEV_GPU_UTIL": 0.0,
                "DEV_CLOCKS_EVENT_REASONS": 1.0,
                "DEV_FB_FREE": 40325.0,
                "DEV_FB_USED": 7.0,
                "DEV_FB_RESERVED": 628.0,
                "PROF_GR_ENGINE_ACTIVE": 0.0,
                "PROF_DRAM_ACTIVE": 0.0,
            },
        ),
    ],
    "3.3.9-3.6.1/whole": [
        card(
            "GPU-33900000-0000-4000-8000-000000000000",
            model="NVIDIA A10G",
            pci_bus_id="00000000:00:1E.0",
            driver_version="550.90.07",
            host="node-339",
            tenants=frozenset({CHAT}),
            fields={
                "DEV_SM_CLOCK": 1710.0,
                "DEV_GPU_TEMP": 61.0,
                "DEV_POWER_USAGE": 187.402,
                "DEV_TOTAL_ENERGY_CONSUMPTION": 91823311250.0,
                "DEV_PCIE_REPLAY_COUNTER": 9.0,
                "DEV_GPU_UTIL": 83.0,
                "DEV_MEM_COPY_UTIL": 55.0,
                "DEV_ENC_UTIL": 0.0,
                "DEV_DEC_UTIL": 0.0,
                "DEV_XID_ERRORS": 31.0,
                "DEV_FB_FREE": 4301.0,
                "DEV_FB_USED": 18214.0,
                "DEV_ROW_REMAP_FAILURE": 0.0,
                "PROF_GR_ENGINE_ACTIVE": 0.829114,
            },
        )
    ],
    "4.4.1-4.6.0/whole": [
        card(
            "GPU-44000000-0000-4000-8000-000000000000",
            model="NVIDIA L40S",
            pci_bus_id="00000000:3D:00.0",
            driver_version="570.195.03",
            host="node-44",
            tenants=frozenset({Tenant("lab", "jupyter-ann", "nb")}),
            fields={
                "DEV_SM_CLOCK": 2520.0,
                "DEV_MEM_CLOCK": 9001.0,
                "DEV_GPU_TEMP": 54.0,
                "DEV_POWER_USAGE": 212.775,
                "DEV_GPU_UTIL": 71.0,
                "DEV_XID_ERRORS": 0.0,
                "DEV_FB_FREE": 33057.0,
                "DEV_FB_USED": 12402.0,
                "DEV_FB_RESERVED": 609.0,
                "PROF_GR_ENGINE_ACTIVE": 0.668201,
                "PROF_PIPE_TENSOR_ACTIVE": 0.120554,
                "PROF_DRAM_ACTIVE": 0.31002,
            },
        ),
        card(
            "GPU-44000000-0000-4000-8000-000000000001",
            index="1",
            model="NVIDIA L40S",
            pci_bus_id="00000000:61:00.0",
            driver_version="570.195.03",
            host="node-44",
            fields={
                "DEV_SM_CLOCK": 210.0,
                "DEV_MEM_CLOCK": 405.0,
                "DEV_GPU_TEMP": 33.0,
                "DEV_POWER_USAGE": 34.502,
                "DEV_GPU_UTIL": 0.0,
                "DEV_XID_ERRORS": 0.0,
                "DEV_FB_FREE": 45456.0,
                "DEV_FB_USED": 3.0,
                "DEV_FB_RESERVED": 609.0,
                "PROF_GR_ENGINE_ACTIVE": 0.0,
                "PROF_PIPE_TENSOR_ACTIVE": 0.0,
                "PROF_DRAM_ACTIVE": 0.0,
            },
        ),
    ],
    "4.5.3-4.8.2/whole": [
        card(
            "GPU-48200000-0000-4000-8000-000000000000",
            model="NVIDIA A10G",
            pci_bus_id="00000000:00:1E.0",
            driver_version="580.105.08",
            host="node-482",
            tenants=frozenset({CHAT}),
            fields={
                "DEV_GPU_TEMP": 61.0,
                "DEV_POWER_USAGE": 187.402,
                "DEV_TOTAL_ENERGY_CONSUMPTION": 91823311250.0,
                "DEV_GPU_UTIL": 83.0,
                "DEV_XID_ERRORS": 31.0,
                "DEV_FB_FREE": 4301.0,
                "DEV_FB_USED": 18214.0,
                "DEV_FB_RESERVED": 513.0,
                "DEV_CLOCKS_EVENT_REASONS": 4.0,
            },
        )
    ],
    "4.6.0-4.8.3/whole": [
        card(
            "GPU-48300000-0000-4000-8000-000000000000",
            model="NVIDIA H100 80GB HBM3",
            pci_bus_id="00000000:9B:00.0",
            driver_version="580.105.08",
            host="node-483",
            tenants=frozenset({Tenant("team-blue", "llm-0", "server")}),
            fields={
                "DEV_SM_CLOCK": 1980.0,
                "DEV_GPU_TEMP": 63.0,
                "DEV_MEMORY_TEMP": 70.0,
                "DEV_POWER_USAGE": 588.201,
                "DEV_GPU_UTIL": 99.0,
                "DEV_FB_FREE": 9121.0,
                "DEV_FB_USED": 71959.0,
                "DEV_FB_RESERVED": 479.0,
                "PROF_GR_ENGINE_ACTIVE": 0.9912,
                "PROF_PIPE_TENSOR_ACTIVE": 0.43,
            },
        )
    ],
}


@pytest.mark.parametrize("name", WHOLE_CARDS)
def test_whole_cards(name: str) -> None:
    expected = {one.card: one for one in WHOLE_CARDS[name]}
    assert dcgm_fixture(name) == DcgmPage(
        target="exporter", node="gpu-a", at=1000.0, cards=expected
    )


def test_a_page_that_went_through_prometheus_keeps_its_tenants() -> None:
    first, second = dcgm_fixture("4.5.3-4.8.2/honor-labels-false").cards.values()
    assert first.tenants == {CHAT}
    assert first.fields == {"DEV_GPU_TEMP": 61.0, "DEV_GPU_UTIL": 83.0, "DEV_FB_USED": 18214.0}
    assert second.tenants == frozenset()
    assert second.fields == {"DEV_GPU_TEMP": 30.0, "DEV_GPU_UTIL": 0.0, "DEV_FB_USED": 0.0}


def test_sentinels_are_refused_and_good_values_stay() -> None:
    result = dcgm_fixture("3.3.5-3.4.1/sentinels")
    (reading,) = result.cards.values()
    assert reading.fields == {"DEV_MEM_COPY_UTIL": 12.0, "DEV_FB_USED": 512.0}
    assert {one.reason: one.count for one in result.rejections} == {
        "out-of-range": 6,
        "not-a-number": 1,
    }
    first = result.rejections[0]
    assert (first.source, first.where) == ("dcgm", "dcgm page of exporter")
    assert first.message == (
        "6 times, first: GPU-53000000-0000-4000-8000-000000000000: "
        "DCGM_FI_DEV_GPU_TEMP is 9.2233720368547758e+18"
    )

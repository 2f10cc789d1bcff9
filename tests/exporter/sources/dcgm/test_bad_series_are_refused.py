"""What cannot be right costs itself and nothing else."""

from __future__ import annotations

import math

import pytest

from gpuatlas.model.pages import DcgmPage, Sample, Tenant
from gpuatlas.model.units import MAX_CARDS_PER_NODE
from gpuatlas.sources.dcgm.parse import REASONS, read_page

CARD = "GPU-00000000-0000-4000-8000-000000000001"


def sample(field: str, value: float, **labels: str) -> Sample:
    return Sample(f"DCGM_FI_{field}", {"gpu": "0", "UUID": CARD, **labels}, value)


def read(*samples: Sample) -> DcgmPage:
    return read_page(samples, target="exporter", node="gpu-a", at=1.0)


def fields(page: DcgmPage) -> dict[str, float]:
    return dict(page.cards[CARD].fields)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("DEV_GPU_UTIL", 100.5),
        ("DEV_GPU_UTIL", 4294967295.0),
        ("DEV_GPU_UTIL", -1.0),
        ("PROF_SM_ACTIVE", 1.01),
        ("PROF_SM_ACTIVE", float(2**47)),
        ("PROF_SM_ACTIVE", float(2**63)),
        ("DEV_FB_USED", 2 * 1024**2 + 1.0),  # over 2 TiB
        ("DEV_FB_USED", -1.0),
        ("DEV_GPU_TEMP", 201.0),
        ("DEV_GPU_TEMP_LIMIT", -201.0),
        ("DEV_POWER_USAGE", 10001.0),
        ("DEV_SM_CLOCK", 10001.0),
        ("DEV_CLOCKS_EVENT_REASONS", 512.0),
        ("DEV_CLOCKS_EVENT_REASONS", 4.5),
        ("DEV_XID_ERRORS", 1024.0),
        ("DEV_ROW_REMAP_FAILURE", 2.0),
        ("DEV_GET_GPU_RECOVERY_ACTION", 8.0),
        ("DEV_ECC_DBE_VOL_TOTAL", 2e15),
        ("DEV_PSTATE", 32.0),
        # Percent in DCGM 4.6, said to be a ratio from 4.7: between 0 and 1 it may be either.
        ("DEV_GPU_UTIL_RATIO", 1.0),
        ("DEV_GPU_UTIL_RATIO", 0.37),
    ],
)
def test_a_value_out_of_range_is_refused(field: str, value: float) -> None:
    page = read(sample("DEV_MEM_COPY_UTIL", 7.0), sample(field, value))
    assert fields(page) == {"DEV_MEM_COPY_UTIL": 7.0}
    assert [(one.reason, one.count) for one in page.rejections] == [("out-of-range", 1)]


@pytest.mark.parametrize(
    ("field", "value", "kept"),
    [
        ("DEV_GPU_UTIL", 100.0, 100.0),
        ("DEV_GPU_UTIL_RATIO", 37.0, 37.0),
        ("DEV_GPU_UTIL_RATIO", 0.0, 0.0),
        ("PROF_SM_ACTIVE", 1.0000001, 1.0),
        ("DEV_FB_TOTAL", 183359.0, 183359.0),
        ("DEV_GPU_TEMP_LIMIT", -3.0, -3.0),
        ("DEV_CLOCKS_EVENT_REASONS", 511.0, 511.0),
        ("DEV_XID_ERRORS", 173.0, 173.0),
        ("DEV_TOTAL_ENERGY_CONSUMPTION", 91823311250.25, 91823311250.25),
    ],
)
def test_a_value_at_the_edge_is_kept(field: str, value: float, kept: float) -> None:
    page = read(sample(field, value))
    assert list(fields(page).values()) == [kept]
    assert page.rejections == ()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_refused(value: float) -> None:
    page = read(sample("DEV_FB_USED", value))
    assert fields(page) == {}
    assert [one.reason for one in page.rejections] == ["not-a-number"]


def test_no_sensor_is_absent_and_no_mistake() -> None:
    page = read(sample("DEV_MEMORY_TEMP", 0.0), sample("DEV_GPU_TEMP", 0.0))
    assert fields(page) == {"DEV_GPU_TEMP": 0.0}
    assert page.rejections == ()


@pytest.mark.parametrize(
    "labels", [{}, {"UUID": ""}, {"UUID": 'GPU-"1"'}, {"UUID": "x" * 129}, {"uuid": "a\nb"}]
)
def test_a_series_without_a_usable_uuid_is_refused(labels: dict[str, str]) -> None:
    page = read(sample("DEV_FB_USED", 1.0), Sample("DCGM_FI_DEV_FB_USED", labels, 2.0))
    assert fields(page) == {"DEV_FB_USED": 1.0}
    assert [one.reason for one in page.rejections] == ["missing-uuid"]


@pytest.mark.parametrize(
    "labels", [{"GPU_I_ID": "x"}, {"GPU_I_ID": "-1"}, {"GPU_I_PROFILE": "1g.10gb"}]
)
def test_an_instance_that_cannot_be_told_is_not_taken_for_the_card(labels: dict[str, str]) -> None:
    page = read(sample("DEV_FB_USED", 1.0, **labels))
    assert page.cards == {}
    assert [one.reason for one in page.rejections] == ["bad-instance"]


def test_a_card_whose_values_are_all_refused_is_still_seen() -> None:
    page = read(sample("DEV_FB_USED", math.nan))
    assert list(page.cards) == [CARD]


def test_two_values_of_one_field_are_neither_added_nor_chosen_from() -> None:
    page = read(
        sample("DEV_FB_USED", 10.0, job="a"),
        sample("DEV_FB_USED", 12.0, job="b"),
        sample("DEV_FB_FREE", 5.0, job="a"),
        sample("DEV_FB_FREE", 5.0, job="b"),
    )
    assert fields(page) == {"DEV_FB_FREE": 5.0}
    assert [one.reason for one in page.rejections] == ["conflicting-values"]


def test_copies_for_pods_that_differ_give_no_value_of_the_card() -> None:
    page = read(
        sample("DEV_POWER_USAGE", 60.0, namespace="a", pod="x", vgpu="0"),
        sample("DEV_POWER_USAGE", 61.0, namespace="a", pod="y", vgpu="1"),
    )
    assert fields(page) == {}
    assert page.cards[CARD].tenants == {Tenant("a", "x", ""), Tenant("a", "y", "")}
    assert [one.reason for one in page.rejections] == ["conflicting-values"]


def test_the_series_without_a_pod_speaks_for_the_card() -> None:
    page = read(
        sample("DEV_POWER_USAGE", 60.0),
        sample("DEV_POWER_USAGE", 61.0, namespace="a", pod="x", vgpu="0"),
    )
    assert fields(page) == {"DEV_POWER_USAGE": 60.0}
    assert page.cards[CARD].tenant_fields is None  # of power there are only copies
    assert page.rejections == ()


def test_a_page_cannot_have_any_number_of_cards() -> None:
    page = read(
        *(
            Sample("DCGM_FI_DEV_FB_USED", {"UUID": f"GPU-{number}"}, 1.0)
            for number in range(MAX_CARDS_PER_NODE + 5)
        )
    )
    assert len(page.cards) == MAX_CARDS_PER_NODE
    assert [(one.reason, one.count) for one in page.rejections] == [("too-many-cards", 5)]


def test_all_reasons_are_from_the_fixed_set() -> None:
    page = read(
        sample("DEV_FB_USED", math.nan),
        sample("DEV_FB_USED", 1e300),
        sample("DEV_FB_FREE", 1.0),
        sample("DEV_FB_FREE", 2.0),
        sample("DEV_FB_FREE", 2.0, GPU_I_ID="x"),
        Sample("DCGM_FI_DEV_FB_USED", {}, 1.0),
    )
    assert {one.reason for one in page.rejections} == REASONS - {"too-many-cards"}


def test_metrics_that_are_not_ours_are_skipped() -> None:
    page = read(Sample("DCGM_EXP_XID_ERRORS_COUNT", {"UUID": CARD}, 1.0), Sample("up", {}, 1.0))
    assert (page.cards, page.rejections) == ({}, ())

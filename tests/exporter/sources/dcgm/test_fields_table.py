"""The table itself."""

from __future__ import annotations

import pytest

from gpuatlas.sources.dcgm.fields import DCGM_NAMES, FIELD_OF_METRIC, FIELDS


def test_every_spelling_belongs_to_one_field() -> None:
    spellings = [spelling for field in FIELDS for spelling in field.spellings]
    assert len(spellings) == len(set(spellings))
    assert set(spellings) == DCGM_NAMES


def test_the_preferred_spelling_is_the_fields_own_name() -> None:
    assert all(field.spellings[0] == f"DCGM_FI_{field.name}" for field in FIELDS)


@pytest.mark.parametrize(
    ("metric", "field"),
    [
        ("DCGM_FI_DEV_GPU_UTIL_RATIO", "DEV_GPU_UTIL"),
        ("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", "DEV_CLOCKS_EVENT_REASONS"),
        ("DCGM_FI_DEV_BOARD_POWER_WATTS", "DEV_POWER_USAGE"),
        ("DCGM_FI_DEV_XID_ERROR", "DEV_XID_ERRORS"),
        ("DCGM_FI_DEV_GPU_RECOVERY_ACTION", "DEV_GET_GPU_RECOVERY_ACTION"),
        ("DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO", "PROF_GR_ENGINE_ACTIVE"),
        ("DCGM_FI_PROF_DRAM_UTIL_RATIO", "PROF_DRAM_ACTIVE"),
        ("DCGM_FI_DEV_ROW_REMAP_FAILED", "DEV_ROW_REMAP_FAILURE"),
        ("DCGM_FI_DEV_MEMORY_UNREPAIRABLE", "DEV_MEMORY_UNREPAIRABLE_FLAG"),
    ],
)
def test_the_names_of_dcgm_4_6_are_known(metric: str, field: str) -> None:
    assert FIELD_OF_METRIC[metric].name == field


def test_memory_and_profiling_are_the_instances_own() -> None:
    assert {field.name for field in FIELDS if field.of_instance} == {
        "DEV_FB_TOTAL",
        "DEV_FB_FREE",
        "DEV_FB_USED",
        "DEV_FB_RESERVED",
        "PROF_GR_ENGINE_ACTIVE",
        "PROF_SM_ACTIVE",
        "PROF_SM_OCCUPANCY",
        "PROF_PIPE_TENSOR_ACTIVE",
        "PROF_DRAM_ACTIVE",
    }

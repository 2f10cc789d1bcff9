from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.contention.saturation import saturation
from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.units import MIB

NONE = Unknown("not read")


def found(
    utilization: float | None = None, used_mib: int | None = None, **fields: Any
) -> set[str] | None:
    busy: Reading[float] = NONE if utilization is None else Known(utilization, 0.0, "test")
    used: Reading[int] = NONE if used_mib is None else Known(used_mib * MIB, 0.0, "test")
    words = saturation(
        fields, utilization=busy, resident=used, physical=Known(1000 * MIB, 0.0, "test")
    )
    return None if words is None else set(words)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"PROF_SM_ACTIVE": 0.9}, {"compute"}),
        ({"PROF_SM_ACTIVE": 0.89}, set()),
        ({"PROF_GR_ENGINE_ACTIVE": 0.95}, {"compute"}),
        ({"PROF_SM_ACTIVE": 0.6, "PROF_GR_ENGINE_ACTIVE": 0.95}, {"compute"}),
        ({"PROF_SM_ACTIVE": 0.5, "PROF_DRAM_ACTIVE": 0.7}, {"dram"}),
        ({"PROF_SM_ACTIVE": 0.5, "PROF_DRAM_ACTIVE": 0.69}, set()),
        ({"PROF_SM_ACTIVE": 0.95, "PROF_DRAM_ACTIVE": 0.8}, {"compute", "dram"}),
    ],
)
def test_compute_and_memory_bandwidth(fields: dict[str, Any], words: set[str]) -> None:
    assert found(**fields) == words


@pytest.mark.parametrize(("percent", "words"), [(95, {"kernels"}), (94, set()), (100, {"kernels"})])
def test_that_a_kernel_ran_all_the_time_has_a_word_of_its_own(
    percent: float, words: set[str]
) -> None:
    assert found(DEV_GPU_UTIL=percent) == words


def test_the_drivers_word_counts_only_where_nothing_better_is_read() -> None:
    assert found(DEV_GPU_UTIL=100, PROF_SM_ACTIVE=0.3) == set()


def test_a_profiling_counter_that_stands_at_0_beside_work_is_broken() -> None:
    assert found(DEV_GPU_UTIL=100, PROF_SM_ACTIVE=0.0) == {"kernels"}
    assert found(DEV_GPU_UTIL=3, PROF_SM_ACTIVE=0.0) == set()


def test_the_layers_own_figure_is_that_of_the_driver() -> None:
    assert found(utilization=0.97) == {"kernels"}
    assert found(utilization=0.5) == set()


@pytest.mark.parametrize(("used", "words"), [(950, {"memory"}), (949, set())])
def test_memory(used: int, words: set[str]) -> None:
    assert found(used_mib=used, PROF_SM_ACTIVE=0.1) == words


@pytest.mark.parametrize(("received", "words"), [(25.3e9, {"pcie"}), (25.1e9, set())])
def test_pcie_near_the_rate_of_its_link(received: float, words: set[str]) -> None:
    """Generation 4 with 16 lanes moves 31.5 GB/s."""
    fields: dict[str, Any] = {
        "DEV_PCIE_LINK_GEN": 4,
        "DEV_PCIE_LINK_WIDTH": 16,
        "PROF_SM_ACTIVE": 0.2,
    }
    assert found(PROF_PCIE_TX_BYTES=1e9, PROF_PCIE_RX_BYTES=received, **fields) == words


def test_a_link_of_unknown_rate_is_not_full() -> None:
    assert found(PROF_PCIE_RX_BYTES=1e12, PROF_SM_ACTIVE=0.2) == set()
    assert found(PROF_PCIE_RX_BYTES=1e12, DEV_PCIE_LINK_GEN=9, DEV_PCIE_LINK_WIDTH=16) is None


def test_without_any_signal_nobody_can_tell() -> None:
    assert found() is None
    assert found(used_mib=100) is None


def test_full_memory_is_a_fact_even_where_compute_is_not_read() -> None:
    assert found(used_mib=990) == {"memory"}

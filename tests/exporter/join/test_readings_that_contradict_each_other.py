"""Two values of one page that cannot both be true: the wrong one is not shown."""

from __future__ import annotations

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.readings import Unknown, value_of
from gpuatlas.model.snapshot import Card, CardState
from gpuatlas.model.units import MIB
from gpuatlas_harness.observed import a_dcgm_page, a_node, a_pod, a_reading, observations


def card_with(**fields: float) -> Card:
    page = a_dcgm_page(a_reading(1, fields=fields))
    snapshot = Joiner().build(observations([a_node()], [a_pod()], dcgm=(page,)))
    return snapshot.nodes["gpu-a"].cards[0]


def test_a_stuck_counter_gives_way_to_the_other_counter() -> None:
    card = card_with(PROF_SM_ACTIVE=0.0, PROF_GR_ENGINE_ACTIVE=0.9)
    assert (value_of(card.compute_utilization), card.state) == (0.9, CardState.WORKING)


def test_counters_that_agree_on_zero_are_believed() -> None:
    card = card_with(PROF_SM_ACTIVE=0.0, PROF_GR_ENGINE_ACTIVE=0.0, DEV_GPU_UTIL=2.0)
    assert (value_of(card.compute_utilization), card.state) == (0.0, CardState.IDLE)


def test_no_card_holds_more_than_the_driver_says_it_has() -> None:
    card = card_with(DEV_FB_USED=900_000.0, DEV_FB_TOTAL=23_028.0)
    assert isinstance(card.memory.resident, Unknown)
    assert value_of(card.memory.physical) == 23_028 * MIB

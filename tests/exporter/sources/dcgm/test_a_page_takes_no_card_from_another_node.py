"""A page that says more of a card does not take it from the node that has it."""

from __future__ import annotations

from dataclasses import replace

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.readings import value_of
from gpuatlas.sources.dcgm.repeats import without_repeats
from gpuatlas_harness.observed import (
    NOW,
    a_dcgm_page,
    a_device,
    a_node,
    a_reading,
    a_registration,
    observations,
    uuid,
)

REAL = a_dcgm_page(a_reading(1, DEV_GPU_UTIL=90.0), node="gpu-a")
LOUD = a_dcgm_page(a_reading(1, DEV_GPU_UTIL=0.0, DEV_FB_USED=1.0, DEV_GPU_TEMP=20.0), node="cpu-1")


def test_pages_of_two_nodes_are_no_repeats() -> None:
    assert without_repeats([REAL, LOUD]) == (REAL, LOUD)


def test_a_loud_page_of_another_node_changes_nothing() -> None:
    node = a_node("gpu-a", a_registration(a_device(1)), capacity={"nvidia.com/gpu": 10})
    found = observations([node], dcgm=without_repeats([REAL, LOUD]))
    (card,) = Joiner().build(found).nodes["gpu-a"].cards
    assert value_of(card.compute_utilization) == 0.9


def test_a_page_without_a_node_yields_where_two_nodes_name_the_card() -> None:
    nowhere = replace(LOUD, node="", at=NOW + 1)
    assert without_repeats([REAL, LOUD, nowhere]) == (REAL, LOUD)


def test_of_one_node_or_none_the_fullest_page_stands() -> None:
    nowhere = replace(LOUD, node="")
    assert without_repeats([REAL, nowhere]) == (nowhere,)
    assert (
        without_repeats([REAL, replace(LOUD, node="gpu-a")])[0]
        .cards[uuid(1)]
        .fields["DEV_GPU_UTIL"]
        == 0.0
    )

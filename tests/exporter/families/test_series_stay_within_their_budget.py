"""DESIGN 5: at most 30 series a card, 14 an allocation, 8 a workload.

A workload that waits in a gang in the middle of a rollout has more for as long as that lasts
(docs/decisions/0001).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeVar

import pytest

from gpuatlas.families import allocation, card, partition, workload
from gpuatlas.families.spec import Family
from gpuatlas_harness import build

CARD_BUDGET, ALLOCATION_BUDGET, WORKLOAD_BUDGET = 30, 14, 8

E = TypeVar("E")


def series(families: Sequence[Family[E]], entity: E) -> int:
    return sum(len(list(family.samples(entity))) for family in families)


def test_a_card() -> None:
    node = build.a_node(cards=(build.a_card(),), allocations=())
    assert series(card.FAMILIES, node) == 22 < CARD_BUDGET
    assert series((*card.FAMILIES, *partition.FAMILIES), node) == 23 < CARD_BUDGET


def test_an_allocation() -> None:
    assert series(allocation.FAMILIES, build.a_node()) == 11 < ALLOCATION_BUDGET


def workload_series(**fields: Any) -> int:
    namespace = build.a_namespace(workloads=(build.a_workload(**fields),), pods=())
    return series(workload.FAMILIES, namespace)


def test_a_workload() -> None:
    service = {"pods": {"Running": 4}, "waiting": {}, "gang_min_members": None}
    assert workload_series(**service) == 6 < WORKLOAD_BUDGET
    gang = {"pods": {"Running": 4}, "waiting": {}, "gang_min_members": 4}
    run = {"revisions": (), "memory_ahead": None, "run_group": "train"}
    assert workload_series(**gang, **run) == 6 < WORKLOAD_BUDGET


def test_a_workload_with_everything_at_once() -> None:
    everything = {"pods": {"Running": 3, "Pending": 1}, "waiting": {"Unschedulable": 90.0}}
    rollout = {"revisions": ("a", "b"), "gang_min_members": 4}
    assert workload_series(**everything, **rollout) == 10


def test_a_pod_of_a_workload() -> None:
    lone = build.a_namespace(workloads=())
    assert series(workload.FAMILIES, lone) == 1


def test_nothing_known_is_nothing_but_what_it_is() -> None:
    node = build.a_node(
        cards=(build.an_unread_card(),), allocations=(build.an_unplaced_allocation(),)
    )
    counts = Counter(
        {
            family.name: len(list(family.samples(node)))
            for family in (*card.FAMILIES, *partition.FAMILIES, *allocation.FAMILIES)
        }
    )
    assert +counts == {
        "gpuatlas_card_info": 1,
        "gpuatlas_card_state": 6,
        "gpuatlas_allocation_info": 1,
    }


@pytest.mark.parametrize("members", [None, 0, 1])
def test_a_workload_that_is_no_gang(members: int | None) -> None:
    namespace = build.a_namespace(workloads=(build.a_workload(gang_min_members=members),))
    names = {family.name for family in workload.FAMILIES if list(family.samples(namespace))}
    assert "gpuatlas_workload_gang_min_members" not in names

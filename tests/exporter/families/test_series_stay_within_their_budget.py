"""DESIGN 5: at most 30 series a card, 14 an allocation, 8 a workload."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

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


def test_a_workload() -> None:
    namespace = build.a_namespace(pods=())
    assert series(workload.FAMILIES, namespace) == 7 < WORKLOAD_BUDGET


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

"""KAI's fractions: a reservation pod is infrastructure, its card is that of the fractions' pods."""

from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Pod
from gpuatlas.model.pages import CardReading, Tenant
from gpuatlas.model.readings import Unknown, value_of
from gpuatlas.model.snapshot import CardState, Evidence, NodeSnapshot, PartitionKind, Sharing
from gpuatlas.model.units import MIB
from gpuatlas_harness.claimed import a_fraction_pod, a_reservation_pod
from gpuatlas_harness.observed import (
    a_dcgm_page,
    a_node,
    a_pod,
    a_reading,
    observations,
    uuid,
)

TOTAL = 40_960


def a100(number: int, *tenants: Tenant, busy: int = 50) -> CardReading:
    used = 10_000 if busy else 10
    return a_reading(number, *tenants, DEV_FB_TOTAL=TOTAL, DEV_FB_USED=used, DEV_GPU_UTIL=busy)


def joined(*pods: Pod, cards: int = 2, busy: int = 50, **more: Any) -> NodeSnapshot:
    node = a_node(capacity={"nvidia.com/gpu": cards})
    page = a_dcgm_page(*(a100(number + 1, busy=busy) for number in range(cards)))
    return Joiner().build(observations([node], pods, dcgm=(page,), **more)).nodes["gpu-a"]


def test_two_fractions_share_the_card_of_their_reservation() -> None:
    node = joined(
        a_reservation_pod("g", uuid(2)),
        a_fraction_pod("half", "g", portion=0.5),
        a_fraction_pod("part", "g", portion=None, memory_bytes=2_000 * MIB),
    )
    free, shared = node.cards
    assert (free.sharing, shared.sharing) == (Sharing.PLAIN, Sharing.KAI)
    assert [(p.id, p.kind) for p in shared.partitions] == [("fraction", PartitionKind.FRACTION)]
    assert [(a.pod, a.card, a.partition, a.evidence) for a in node.allocations] == [
        ("half", uuid(2), "fraction", Evidence.RESERVATION),
        ("part", uuid(2), "fraction", Evidence.RESERVATION),
    ]
    half, part = node.allocations
    assert value_of(half.memory_reserved) == TOTAL // 2 * MIB
    assert value_of(half.compute_reserved) == 0.5
    assert value_of(part.memory_reserved) == 2_000 * MIB
    assert part.compute_reserved == Unknown("a fraction by memory states no share of the compute")
    assert value_of(shared.memory.allocated) == (TOTAL // 2 + 2_000) * MIB
    assert (value_of(shared.tenants), value_of(free.tenants)) == (2, 0)
    assert isinstance(half.memory_resident, Unknown)
    assert node.sharing == "kai,plain"


def test_fractions_of_two_cards() -> None:
    node = joined(
        a_reservation_pod("g", uuid(1)),
        a_reservation_pod("h", uuid(2)),
        a_fraction_pod("pair", "g", "h", portion=0.25),
    )
    assert [(a.card, value_of(a.compute_reserved)) for a in node.allocations] == [
        (uuid(1), 0.25),
        (uuid(2), 0.25),
    ]


def test_labels_on_a_reserved_card_name_the_reservation_and_not_a_tenant() -> None:
    reservation = a_reservation_pod("g", uuid(1))
    page = a_dcgm_page(a100(1, Tenant(*reservation.key, "main")), a100(2))
    obs = observations(
        [a_node(capacity={"nvidia.com/gpu": 2})],
        [reservation, a_fraction_pod("half", "g")],
        dcgm=(page,),
    )
    node = Joiner().build(obs).nodes["gpu-a"]
    assert [a.pod for a in node.allocations] == ["half"]
    assert node.rejections == ()


def test_without_any_page_a_reservation_names_its_card() -> None:
    obs = observations(
        [a_node(capacity={"nvidia.com/gpu": 8})],
        [a_reservation_pod("g", uuid(1)), a_fraction_pod("half", "g"), a_pod("whole")],
    )
    node = Joiner().build(obs).nodes["gpu-a"]
    assert [card.id for card in node.cards] == [uuid(1)]
    assert node.card_count == Unknown("only the cards that pods hold are named")
    assert [(a.pod, a.card) for a in node.allocations] == [("whole", ""), ("half", uuid(1))]
    half = node.allocations[1]
    assert value_of(half.compute_reserved) == 0.5
    assert half.memory_reserved == Unknown("no dcgm-exporter page for this node")


@pytest.mark.parametrize(
    ("pods", "reason", "tenants"),
    [
        pytest.param(
            [a_fraction_pod("p", "g")],
            "no reservation pod of KAI on node gpu-a names a card for group g",
            [0, 0],
            id="no reservation",
        ),
        pytest.param(
            [a_fraction_pod("p", "g"), a_reservation_pod("g", uuid(1), node="gpu-b")],
            "no reservation pod of KAI on node gpu-a names a card for group g",
            [0, 0],
            id="the group's card is on another node",
        ),
        pytest.param(
            [a_fraction_pod("p", "g"), a_reservation_pod("g", "")],
            "no reservation pod of KAI on node gpu-a names a card for group g",
            [None, None],
            id="the reservation has not told its card yet",
        ),
        pytest.param(
            [a_fraction_pod("p"), a_reservation_pod("g", uuid(1))],
            "it asks KAI for a part of a card and carries no label runai-gpu-group",
            [None, 0],
            id="no label",
        ),
        pytest.param(
            [a_fraction_pod("p", "g", received=""), a_reservation_pod("g", uuid(1))],
            "its annotation received-resource-type does not say that KAI gave it a Fraction",
            [None, 0],
            id="copied label",
        ),
    ],
)
def test_a_fraction_makes_no_card_unknown_that_kai_does_not_hold(
    pods: list[Pod], reason: str, tenants: list[int | None]
) -> None:
    """Any tenant can write the annotation and the label; KAI alone makes reservations."""
    node = joined(*pods)
    assert [(a.card, a.evidence, a.reason) for a in node.allocations] == [
        ("", Evidence.UNKNOWN, reason)
    ]
    assert [value_of(card.tenants) for card in node.cards] == tenants


def test_reservations_that_contradict_each_other_name_no_card() -> None:
    pods = [a_reservation_pod("g", uuid(n)) for n in (1, 2)]
    pods[1] = a_pod(
        "gpu-reservation-2", namespace=pods[1].namespace, reservation=pods[1].reservation
    )
    obs = observations([a_node(capacity={"nvidia.com/gpu": 2})], [*pods, a_fraction_pod("p", "g")])
    snapshot = Joiner().build(obs)
    assert [a.card for a in snapshot.nodes["gpu-a"].allocations] == [""]
    assert [(r.source, r.reason) for r in snapshot.rejections] == [("kai", "contradiction")]


def test_fractions_of_more_than_a_card_are_somebodys_lie() -> None:
    node = joined(
        a_reservation_pod("g", uuid(1)),
        a_fraction_pod("a", "g", portion=0.7),
        a_fraction_pod("b", "g", portion=0.7),
    )
    card = node.cards[0]
    assert isinstance(card.memory.allocated, Unknown)
    assert card.compute_allocated == card.memory.allocated
    assert "1.40 cards" in card.memory.allocated.reason
    assert [value_of(a.compute_reserved) for a in node.allocations] == [0.7, 0.7]
    assert [(r.source, r.reason) for r in node.rejections] == [("join", "fractions-exceed-card")]


def test_thirds_are_no_lie() -> None:
    pods = [a_fraction_pod(name, "g", portion=0.3334) for name in "abc"]
    node = joined(a_reservation_pod("g", uuid(1)), *pods)
    assert value_of(node.cards[0].compute_allocated) == pytest.approx(1.0002)
    assert node.rejections == ()


def test_figures_that_cannot_be_read_are_unknown() -> None:
    node = joined(a_reservation_pod("g", uuid(1)), a_fraction_pod("p", "g", portion=None))
    (allocation,) = node.allocations
    assert allocation.memory_reserved == Unknown("the fraction's size cannot be read")
    assert node.cards[0].memory.allocated == Unknown("the fraction's size cannot be read")


@pytest.mark.parametrize(
    "pods",
    [
        pytest.param([a_reservation_pod("g", uuid(1))], id="nobody bears the group's label"),
        pytest.param(
            [a_reservation_pod("g", uuid(1)), a_fraction_pod("p")], id="the label was taken off"
        ),
        pytest.param([a_reservation_pod("g", "")], id="it has not told its card yet"),
    ],
)
def test_what_kai_holds_is_not_free(pods: list[Pod]) -> None:
    first = joined(*pods, busy=0).cards[0]
    assert first.state is not CardState.FREE
    assert isinstance(first.tenants, Unknown)
    assert isinstance(first.memory.allocated, Unknown)


def test_two_reservations_of_one_group_hold_a_card_each() -> None:
    node = joined(
        a_reservation_pod("g", uuid(1)),
        a_reservation_pod("g", uuid(2), suffix="2"),
        a_fraction_pod("p", "g"),
        busy=0,
    )
    assert [card.sharing for card in node.cards] == [Sharing.KAI, Sharing.KAI]
    assert [card.state for card in node.cards] == [CardState.IDLE, CardState.IDLE]
    assert [value_of(card.tenants) for card in node.cards] == [None, None]

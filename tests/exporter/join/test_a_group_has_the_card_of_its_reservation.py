from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.join.kai_groups import cards_of_groups
from gpuatlas.model.claims import Reservation
from gpuatlas.model.rejections import Rejection

GROUP = "a26d17bc-0000-4000-8000-000000000001"


def reservation(pod: str, card: str, node: str = "kai-a", group: str = GROUP) -> Reservation:
    return Reservation(
        namespace="kai-resource-reservation", pod=pod, node=node, group=group, card=card
    )


def test_each_group_has_the_card_of_its_reservation() -> None:
    other = reservation("b", "GPU-2", node="old-a", group="h")
    cards, rejections = cards_of_groups([reservation("a", "GPU-1"), other])
    assert {key: found.card for key, found in cards.items()} == {
        ("kai-a", GROUP): "GPU-1",
        ("old-a", "h"): "GPU-2",
    }
    assert rejections == ()


def test_two_reservations_of_one_group_on_different_cards_are_reported() -> None:
    pods = [
        reservation("gpu-reservation-kai-a-aaaaa", "GPU-1"),
        reservation("gpu-reservation-kai-a-bbbbb", "GPU-2"),
        reservation("gpu-reservation-kai-a-ccccc", "GPU-3", group="sound"),
    ]
    for order in permutations(pods):
        cards, rejections = cards_of_groups(order)
        assert {key: found.card for key, found in cards.items()} == {("kai-a", "sound"): "GPU-3"}
        assert rejections == (
            Rejection(
                "kai",
                "contradiction",
                f"group {GROUP}",
                "reservations of one group name different cards: gpu-reservation-kai-a-aaaaa on "
                "kai-a, gpu-reservation-kai-a-bbbbb on kai-a",
            ),
        )


def test_two_reservations_of_the_same_card_agree() -> None:
    pods = [reservation("b", "GPU-1"), reservation("a", "GPU-1")]
    cards, rejections = cards_of_groups(pods)
    assert cards == {("kai-a", GROUP): pods[1]}
    assert rejections == ()


def test_on_different_nodes_the_node_decides_and_it_is_reported() -> None:
    pods = [reservation("a", "GPU-1"), reservation("b", "GPU-2", node="kai-b")]
    cards, rejections = cards_of_groups(pods)
    assert cards == {("kai-a", GROUP): pods[0], ("kai-b", GROUP): pods[1]}
    assert [rejection.reason for rejection in rejections] == ["contradiction"]


def test_reservations_without_card_or_node_name_nothing() -> None:
    pods = [reservation("a", ""), reservation("b", "GPU-1", node="")]
    assert cards_of_groups(pods) == ({}, ())


some = st.lists(
    st.builds(
        reservation,
        st.sampled_from(["p", "q", "r"]),
        st.sampled_from(["", "GPU-1", "GPU-2"]),
        st.sampled_from(["", "kai-a", "kai-b"]),
        st.sampled_from(["g", "h"]),
    ),
    max_size=5,
)


@settings(deadline=None, max_examples=100)
@given(some)
def test_a_group_never_has_a_card_that_another_reservation_on_its_node_denies(
    reservations: list[Reservation],
) -> None:
    cards, _ = cards_of_groups(reservations)
    for (node, group), found in cards.items():
        rivals = {r.card for r in reservations if (r.node, r.group) == (node, group) and r.card}
        assert rivals == {found.card}
    assert cards_of_groups(reservations[::-1])[0].keys() == cards.keys()

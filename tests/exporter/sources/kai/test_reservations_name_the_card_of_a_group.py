from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.claims import Reservation
from gpuatlas.model.objects import Pod
from gpuatlas.model.rejections import Rejection
from gpuatlas.sources.kai.reservations import cards_of_groups, is_reservation, read_reservation

Pods = Mapping[tuple[str, str], Pod]
Make = Callable[..., Pod]

GROUP = "a26d17bc-0000-4000-8000-000000000001"
CARD = "GPU-b1000000-0000-4000-8000-000000000001"
KEY = "run.ai/reserve_for_gpu_index"
PLACE = {"namespace": "kai-resource-reservation", "name": "gpu-reservation-kai-a-55dst"}


def reservation(pod: str, card: str, node: str = "kai-a", group: str = GROUP) -> Reservation:
    return Reservation(
        namespace="kai-resource-reservation", pod=pod, node=node, group=group, card=card
    )


def test_reservations_are_read_in_every_version(kai_pods: Pods) -> None:
    found = {key: read_reservation(pod) for key, pod in kai_pods.items() if is_reservation(pod)}
    assert found == {
        ("v0.4.0", "gpu-reservation-old-a-x7k2p"): (
            Reservation(
                namespace="runai-reservation",
                pod="gpu-reservation-old-a-x7k2p",
                node="old-a",
                group="cfbcb444-0000-4000-8000-000000000001",
                card="GPU-a1000000-0000-4000-8000-000000000001",
            ),
            (),
        ),
        ("v0.13.0", "gpu-reservation-kai-a-55dst"): (
            reservation("gpu-reservation-kai-a-55dst", CARD),
            (),
        ),
        ("v0.13.0", "gpu-reservation-kai-a-9hv4c"): (
            reservation(
                "gpu-reservation-kai-a-9hv4c",
                "GPU-b1000000-0000-4000-8000-000000000002",
                group="a26d17bc-0000-4000-8000-000000000002",
            ),
            (),
        ),
        ("v0.13.0", "gpu-reservation-kai-a-new00"): (
            reservation(
                "gpu-reservation-kai-a-new00",
                "",
                group="a26d17bc-0000-4000-8000-000000000003",
            ),
            (),
        ),
    }


def test_a_tenant_cannot_name_a_card(kai_pods: Pods) -> None:
    pod = kai_pods["v0.13.0", "gpu-reservation-kai-a-fake0"]
    assert is_reservation(pod) is False
    assert read_reservation(pod) == (
        None,
        (
            Rejection(
                "kai",
                "not-a-reservation",
                "pod team-x/gpu-reservation-kai-a-fake0 annotation run.ai/reserve_for_gpu_index",
                "only KAI's reservation pods, in kai-resource-reservation and runai-reservation, "
                "may name a card",
            ),
        ),
    )


def test_an_ordinary_pod_is_no_reservation(kai_pods: Pods) -> None:
    assert read_reservation(kai_pods["v0.13.0", "chat-0"]) == (None, ())


def test_another_pod_in_the_namespace_is_no_reservation(marked: Make) -> None:
    pod = marked({KEY: CARD}, {"runai-gpu-group": GROUP}, **{**PLACE, "name": "debug"})
    found, rejections = read_reservation(pod)
    assert found is None
    assert [rejection.reason for rejection in rejections] == ["not-a-reservation"]


def test_the_namespace_can_be_another(marked: Make) -> None:
    pod = marked({KEY: CARD}, {"runai-gpu-group": GROUP}, **{**PLACE, "namespace": "gpus"})
    assert is_reservation(pod) is False
    found, rejections = read_reservation(pod, frozenset({"gpus"}))
    assert found is not None
    assert (found.card, found.namespace, rejections) == (CARD, "gpus", ())


@pytest.mark.parametrize(
    ("card", "reason"),
    [
        pytest.param("", "empty-id", id="empty"),
        pytest.param("0", "bad-text", id="the index that the name promises"),
        pytest.param("-1", "bad-text", id="KAI's word for unknown"),
        pytest.param("GPU 1", "bad-text", id="blank"),
        pytest.param('GPU-"1"', "bad-text", id="quote"),
        pytest.param("GPU-" + "1" * 130, "bad-text", id="too long"),
    ],
)
def test_a_card_that_is_no_uuid_is_none(marked: Make, card: str, reason: str) -> None:
    pod = marked({KEY: card}, {"runai-gpu-group": GROUP}, **PLACE)
    found, rejections = read_reservation(pod)
    assert found == reservation("gpu-reservation-kai-a-55dst", "")
    (rejection,) = rejections
    assert (rejection.source, rejection.reason) == ("kai", reason)


def test_a_reservation_without_a_group_is_refused(marked: Make) -> None:
    found, rejections = read_reservation(marked({KEY: CARD}, {}, **PLACE))
    assert found is None
    assert [rejection.reason for rejection in rejections] == ["bad-text"]


def test_each_group_has_the_card_of_its_reservation(kai_pods: Pods) -> None:
    read = [read_reservation(pod)[0] for pod in kai_pods.values()]
    cards, rejections = cards_of_groups(found for found in read if found is not None)
    assert {key: found.card for key, found in cards.items()} == {
        ("kai-a", GROUP): CARD,
        ("kai-a", "a26d17bc-0000-4000-8000-000000000002"): (
            "GPU-b1000000-0000-4000-8000-000000000002"
        ),
        ("old-a", "cfbcb444-0000-4000-8000-000000000001"): (
            "GPU-a1000000-0000-4000-8000-000000000001"
        ),
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

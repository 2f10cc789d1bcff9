"""What a history says of the promise now: cards, instances, limits and what one pod asks for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.model.sizing import Reservation
from gpuatlas.model.snapshot import Sharing
from gpuatlas_harness.histories import only
from gpuatlas_harness.recorded import RecordedPrometheus
from gpuatlas_harness.recorded_cluster import (
    CARD,
    GIB,
    MODEL,
    NODE,
    PHYSICAL,
    add_container,
    add_node,
    workload_of,
)

CARDS = tuple(f"GPU-00000000-0000-4000-8000-0000000000{n:02d}" for n in range(4))


def test_cards_are_counted_for_one_pod(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus, cards=CARDS)
    add_container(prometheus, pods=("a", "b"), cards=CARDS[:2])
    reservation = only(prometheus).reservation
    assert (reservation.cards, reservation.containers) == (2, 4)


def test_whole_cards_that_nobody_can_name(prometheus: RecordedPrometheus) -> None:
    """The exporter tells one promise of all of them (`join.allocations.without_card`)."""
    add_node(prometheus, sharing="plain", cards=CARDS)
    add_container(
        prometheus, pods=("a", "b"), cards=("",), partition="", memory=4 * PHYSICAL, compute=4.0
    )
    assert only(prometheus).reservation == Reservation(
        sharing=Sharing.PLAIN,
        memory=PHYSICAL,
        compute=1.0,
        cards=4,
        containers=8,
        card_memory=PHYSICAL,
        card_model=MODEL,
        node_names=(NODE,),
    )


def test_mig_instances_have_their_profile(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus, sharing="plain", physical=80 * GIB)
    add_container(prometheus, partition="gi-1,gi-2", memory=20 * GIB, compute=2 / 7)
    for part in ("gi-1", "gi-2", "gi-3"):
        profile = "3g.40gb" if part == "gi-3" else "1g.10gb"
        prometheus.add(
            "gpuatlas_partition_info", 1, node=NODE, card=CARD, partition=part, kind="mig",
            profile=profile,
        )  # fmt: skip
    reservation = only(prometheus).reservation
    assert (reservation.profile, reservation.cards) == ("1g.10gb", 2)
    add_container(prometheus, pods=("chat-1",), partition="gi-3")
    assert only(prometheus).reservation.profile == ""


def test_values_that_differ_are_nobodys(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    add_node(prometheus, "gpu-b", sharing="volcano", cards=(CARDS[1],), model="H100", physical=GIB)
    add_container(prometheus)
    add_container(prometheus, pods=("chat-1",), node="gpu-b", cards=CARDS[1:2])
    reservation = only(prometheus).reservation
    assert reservation == replace(
        reservation,
        sharing=Sharing.UNKNOWN,
        card_memory=None,
        card_model="",
        node_names=(NODE, "gpu-b"),
    )


def test_a_card_of_which_nobody_says_anything(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus, cards=())
    add_container(prometheus)
    reservation = only(prometheus).reservation
    assert (reservation.sharing, reservation.card_memory) == (Sharing.UNKNOWN, None)


def test_no_promise_is_no_number(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus, sharing="time-slicing")
    add_container(prometheus, memory=None, compute=None)
    reservation = only(prometheus).reservation
    assert (reservation.sharing, reservation.memory, reservation.compute) == (
        Sharing.TIME_SLICING,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("values", "limited"), [((), None), ((1, 1), True), ((1, 0), False), ((0,), False)]
)
def test_a_limit_holds_only_if_it_does_in_all_pods(
    prometheus: RecordedPrometheus, values: tuple[int, ...], limited: object
) -> None:
    add_node(prometheus)
    add_container(prometheus, pods=("chat-0", "chat-1"))
    for number, value in enumerate(values):
        of = {"namespace": "team-a", "pod": f"chat-{number}", "container": "main"}
        prometheus.add("gpuatlas_allocation_isolated", value, **of, resource="memory")
        prometheus.add("gpuatlas_allocation_isolated", 1 - value, **of, resource="compute")
    assert only(prometheus).reservation.limited is limited


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        ({}, None),
        ({"nvidia.com/gpu": 2}, {"nvidia.com/gpu": 1}),
        ({"nvidia.com/gpu": 9}, {"nvidia.com/gpu": 1}),  # a queue holds more pods back
        (
            {"nvidia.com/mig-1g.10gb": 4, "nvidia.com/gpu": 2},
            {"nvidia.com/mig-1g.10gb": 2, "nvidia.com/gpu": 1},
        ),
    ],
)
def test_what_one_pod_asks_for(
    prometheus: RecordedPrometheus, requested: dict[str, int], expected: dict[str, int] | None
) -> None:
    add_node(prometheus)
    workload = workload_of(add_container(prometheus, pods=("chat-0", "chat-1")))
    for phase, number in (("Running", 2), ("Succeeded", 5)):
        prometheus.add("gpuatlas_workload_pods", number, **workload, phase=phase)
    for resource, number in requested.items():
        prometheus.add("gpuatlas_workload_cards_requested", number, **workload, resource=resource)
    assert only(prometheus).reservation.resources == expected

"""One UUID that several nodes name is one card, and is counted once."""

from __future__ import annotations

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Node
from gpuatlas.model.pages import DcgmPage
from gpuatlas.model.snapshot import Snapshot
from gpuatlas_harness.observed import (
    NOW,
    a_dcgm_page,
    a_device,
    a_node,
    a_pod,
    a_promise,
    a_reading,
    a_registration,
    observations,
    uuid,
)


def registering(name: str, *, ready: bool = True) -> Node:
    return a_node(name, a_registration(a_device(1)), capacity={"nvidia.com/gpu": 10}, ready=ready)


def homes(snapshot: Snapshot) -> list[str]:
    return [name for name, node in snapshot.nodes.items() for _ in node.cards]


def test_a_machine_that_came_back_under_a_new_name_has_its_cards_once() -> None:
    nodes = [registering("gpu-new"), registering("gpu-a", ready=False)]
    pod = a_pod("app", "gpu-new", a_promise(uuid(1), 1_000))
    snapshot = Joiner().build(observations(nodes, [pod]))
    assert homes(snapshot) == ["gpu-new"]
    assert [r.reason for r in snapshot.nodes["gpu-a"].rejections] == ["card-of-another-node"]


def test_a_copied_registration_yields_to_the_node_whose_page_shows_the_card() -> None:
    nodes = [registering("gpu-a"), registering("gpu-b")]
    page = a_dcgm_page(a_reading(1, host="gpu-b"), node="gpu-b")
    assert homes(Joiner().build(observations(nodes, dcgm=(page,)))) == ["gpu-b"]


def test_a_page_without_a_node_is_told_by_its_host_where_two_register_the_card() -> None:
    nodes = [registering("gpu-b"), registering("gpu-c")]
    page = DcgmPage(target="x", node="", at=NOW, cards={uuid(1): a_reading(1, host="gpu-b")})
    assert homes(Joiner().build(observations(nodes, dcgm=(page,)))) == ["gpu-b"]


def test_a_stray_page_does_not_put_a_registered_card_on_a_second_node() -> None:
    nodes = [a_node("gpu-a"), registering("gpu-b")]
    pages = [a_dcgm_page(a_reading(1), node=name) for name in ("gpu-a", "gpu-b")]
    assert homes(Joiner().build(observations(nodes, dcgm=tuple(pages)))) == ["gpu-b"]


def test_ids_that_layers_make_up_may_repeat_between_nodes() -> None:
    made_up = a_registration(a_device(card="mlu-0"), vendor="cambricon", family="MLU")
    nodes = [a_node("a", made_up), a_node("b", made_up)]
    assert homes(Joiner().build(observations(nodes))) == ["a", "b"]


def test_the_memory_of_the_joiner_notices_that_a_card_moved() -> None:
    nodes = [registering("gpu-a"), registering("gpu-b")]
    joiner = Joiner()
    # Nothing tells which of the two has it, so neither shows it.
    undecided = joiner.build(observations(nodes))
    assert homes(undecided) == []
    assert [[r.reason for r in n.rejections] for n in undecided.nodes.values()] == [
        ["card-of-another-node"],
        ["card-of-another-node"],
    ]
    page = a_dcgm_page(a_reading(1, host="gpu-b"), node="gpu-b")
    assert homes(joiner.build(observations(nodes, dcgm=(page,)))) == ["gpu-b"]

"""What a tenant can write into its pod's annotation, and what of it counts."""

from __future__ import annotations

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.devices import Promise
from gpuatlas.model.objects import Container
from gpuatlas.model.readings import value_of
from gpuatlas.model.snapshot import NodeSnapshot
from gpuatlas.model.units import MIB
from gpuatlas_harness.observed import (
    A10G_MIB,
    a_container,
    a_device,
    a_node,
    a_pod,
    a_promise,
    a_registration,
    observations,
    uuid,
)

WHOLE = int(A10G_MIB * 1.5)


def joined(containers: tuple[Container, ...], *promises: Promise) -> NodeSnapshot:
    devices = [a_device(number) for number in (1, 2, 3)]
    node = a_node("gpu-a", a_registration(*devices), capacity={"nvidia.com/gpu": 30})
    pod = a_pod("app", "gpu-a", *promises, containers=containers)
    return Joiner().build(observations([node], [pod])).nodes["gpu-a"]


def allocated(node: NodeSnapshot) -> list[int | None]:
    sums = [value_of(card.memory.allocated) for card in node.cards]
    return [None if size is None else size // MIB for size in sums]


def reasons(node: NodeSnapshot) -> list[str]:
    return [rejection.reason for rejection in node.rejections]


def test_an_init_container_has_no_more_cards_than_it_asks_for() -> None:
    containers = (a_container("fetch", kind="init"), a_container("main"))
    forged = [a_promise(uuid(n), 20_000, container="fetch") for n in (1, 2, 3)]
    node = joined(containers, *forged, a_promise(uuid(1), 1_000))
    assert allocated(node) == [20_000, 0, 0]
    assert reasons(node) == ["more-than-requested"] * 2


def test_a_limit_of_memory_alone_is_one_card() -> None:
    container = a_container(limits={"nvidia.com/gpumem": 1_000})
    node = joined((container,), *(a_promise(uuid(n), 1_000) for n in (1, 2, 3)))
    assert allocated(node) == [1_000, 0, 0]


def test_several_containers_do_not_share_more_than_the_card() -> None:
    containers = tuple(a_container(name) for name in "abc")
    node = joined(containers, *(a_promise(uuid(1), WHOLE, container=name) for name in "abc"))
    assert allocated(node)[0] == WHOLE
    assert reasons(node) == ["more-than-card"] * 2


def test_segments_without_a_container_do_not_add_up_beyond_the_card() -> None:
    containers = tuple(a_container(name) for name in "abc")
    node = joined(containers, *(a_promise(uuid(1), WHOLE, container="") for _ in "abc"))
    assert allocated(node)[0] == WHOLE


def test_no_pod_is_promised_more_compute_than_a_card_has() -> None:
    node = joined((a_container(),), a_promise(uuid(1), 1_000, 9_999))
    assert (allocated(node)[0], reasons(node)) == (0, ["more-than-card"])


def test_init_and_main_containers_may_each_fill_the_card() -> None:
    containers = (a_container("fetch", kind="init"), a_container("main"))
    node = joined(
        containers,
        a_promise(uuid(1), WHOLE, 100, container="fetch"),
        a_promise(uuid(1), WHOLE, 100),
    )
    assert (allocated(node)[0], reasons(node)) == (WHOLE, [])


def test_a_resource_of_an_unknown_name_counts_for_as_many_cards_and_no_more() -> None:
    container = a_container(limits={"rdma/hca": 1})
    node = joined((container,), *(a_promise(uuid(n), 1_000) for n in (1, 2, 3)))
    assert allocated(node) == [1_000, 0, 0]
    assert reasons(node) == ["more-than-requested"] * 2


def test_a_pod_that_asks_another_vendor_claims_nothing_of_this_one() -> None:
    container = a_container(limits={"amd.com/gpu": 3})
    node = joined((container,), a_promise(uuid(1), 1_000))
    assert (allocated(node), reasons(node)) == ([0, 0, 0], ["more-than-requested"])

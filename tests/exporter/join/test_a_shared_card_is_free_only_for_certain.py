"""Pods on a node with a sharing layer that the layer's annotations do not place on a card."""

from __future__ import annotations

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Pod
from gpuatlas.model.readings import Known, Unknown, value_of
from gpuatlas.model.snapshot import CardState, NodeSnapshot
from gpuatlas.model.units import MIB
from gpuatlas_harness.observed import (
    a_container,
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


def joined(*pods: Pod) -> NodeSnapshot:
    node = a_node(
        "gpu-a", a_registration(a_device(1), a_device(2)), capacity={"nvidia.com/gpu": 20}
    )
    fields = {"DEV_FB_USED": 10.0, "DEV_FB_FREE": 22_518.0, "DEV_FB_RESERVED": 500.0}
    page = a_dcgm_page(*(a_reading(n, fields=fields, DEV_GPU_UTIL=0.0) for n in (1, 2)))
    return Joiner().build(observations([node], pods, dcgm=(page,))).nodes["gpu-a"]


def test_a_pod_that_the_layer_did_not_place_may_be_on_any_card() -> None:
    """The annotation was removed or cut, or the layer has gone and its registration stayed."""
    node = joined(a_pod("bare"))
    assert [card.state for card in node.cards] == [CardState.UNKNOWN] * 2
    assert all(isinstance(card.tenants, Unknown) for card in node.cards)
    assert all(isinstance(card.memory.allocated, Unknown) for card in node.cards)


def test_a_share_without_an_allocation_is_no_whole_card() -> None:
    container = a_container(limits={"nvidia.com/gpu": 1, "nvidia.com/gpumem": 3_000})
    (allocation,) = joined(a_pod("bare", containers=(container,))).allocations
    assert isinstance(allocation.memory_reserved, Unknown)
    assert isinstance(allocation.compute_reserved, Unknown)


def test_a_refused_promise_leaves_the_sums_of_others_alone() -> None:
    honest = a_pod("honest", "gpu-a", a_promise(uuid(1), 8_000, 25))
    first, second = joined(honest, a_pod("liar", "gpu-a", a_promise(uuid(9), 1_000))).cards
    assert value_of(first.memory.allocated) == 8_000 * MIB
    assert (value_of(first.tenants), first.state) == (1, CardState.IDLE)
    assert value_of(second.memory.allocated) == 0
    # The liar runs, and on some card of this node.
    assert second.state is CardState.UNKNOWN
    assert "liar" in second.state_reason


def test_a_surplus_promise_takes_no_other_card() -> None:
    greedy = a_pod("greedy", "gpu-a", a_promise(uuid(1), 8_000), a_promise(uuid(2), 8_000))
    first, second = joined(greedy).cards
    assert (first.state, second.state) == (CardState.IDLE, CardState.FREE)
    assert isinstance(second.tenants, Known)


def test_a_pod_that_asks_for_nothing_is_on_no_card() -> None:
    forged = a_pod("forged", "gpu-a", a_promise(uuid(1), 1_000), containers=(a_container("c", {}),))
    assert [card.state for card in joined(forged).cards] == [CardState.FREE] * 2

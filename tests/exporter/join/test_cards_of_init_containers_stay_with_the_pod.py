"""Under the device plugin a pod keeps what its init containers got until it ends."""

from __future__ import annotations

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Container
from gpuatlas.model.pages import Tenant
from gpuatlas.model.readings import Unknown, value_of
from gpuatlas.model.snapshot import CardState, NodeSnapshot
from gpuatlas_harness.observed import (
    a_container,
    a_dcgm_page,
    a_node,
    a_pod,
    a_reading,
    observations,
)

GPU = "nvidia.com/gpu"


def joined(cards: int, *containers: Container, named: str = "") -> NodeSnapshot:
    holder = (Tenant("team-a", "app", named),) if named else ()
    readings = [
        a_reading(n, *(holder if n == 1 else ()), DEV_GPU_UTIL=0.0, DEV_FB_TOTAL=23_028.0)
        for n in range(1, cards + 1)
    ]
    pod = a_pod("app", containers=containers)
    node = a_node(capacity={GPU: cards})
    return (
        Joiner().build(observations([node], [pod], dcgm=(a_dcgm_page(*readings),))).nodes["gpu-a"]
    )


def test_a_card_that_only_an_init_container_asked_for_is_not_free() -> None:
    node = joined(1, a_container("fetch", kind="init"), a_container("main", {}))
    assert node.cards[0].state is CardState.IDLE
    assert value_of(node.cards[0].compute_allocated) == 1.0
    assert [a.container for a in node.allocations] == ["fetch"]


def test_the_cards_beyond_those_of_the_main_containers_are_somewhere() -> None:
    node = joined(2, a_container("fetch", {GPU: 2}, kind="init"), a_container("main"), named="main")
    assert node.cards[1].state is CardState.UNKNOWN
    assert isinstance(node.cards[1].tenants, Unknown)
    assert [(a.container, a.card != "") for a in node.allocations] == [
        ("fetch", False),
        ("main", True),
    ]


def test_an_init_container_that_asks_for_no_more_adds_nothing() -> None:
    node = joined(1, a_container("fetch", kind="init"), a_container("main"))
    assert value_of(node.cards[0].compute_allocated) == 1.0
    assert [a.container for a in node.allocations] == ["main"]

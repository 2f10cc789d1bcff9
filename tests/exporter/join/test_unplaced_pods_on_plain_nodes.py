"""Pods whose card nobody knows: which cards they leave in doubt, and which not."""

from __future__ import annotations

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Pod
from gpuatlas.model.pages import CardReading, Tenant
from gpuatlas.model.readings import Known, Unknown, value_of
from gpuatlas.model.snapshot import CardState, NodeSnapshot
from gpuatlas.model.units import MIB
from gpuatlas_harness.observed import (
    NOW,
    a_dcgm_page,
    a_node,
    a_pod,
    a_promise,
    a_reading,
    observations,
    uuid,
)

SIZE = 81_920


def a100(number: int, *tenants: Tenant) -> CardReading:
    return a_reading(number, *tenants, model="NVIDIA A100", DEV_FB_TOTAL=float(SIZE))


def joined(count: int, *pods: Pod, readings: tuple[CardReading, ...]) -> NodeSnapshot:
    node = a_node(capacity={"nvidia.com/gpu": count})
    return Joiner().build(observations([node], pods, dcgm=(a_dcgm_page(*readings),))).nodes["gpu-a"]


def test_a_held_whole_card_stays_known_beside_a_pod_whose_card_is_not() -> None:
    tenant = Tenant("team-a", "app-0", "main")
    readings = (a100(1, tenant), a100(2), a100(3))
    held, *others = joined(3, a_pod("app-0"), a_pod("app-1"), readings=readings).cards
    assert value_of(held.tenants) == 1
    assert value_of(held.memory.allocated) == SIZE * MIB
    assert all(isinstance(card.tenants, Unknown) for card in others)


@pytest.mark.parametrize(("vendor", "tenants"), [("nvidia", None), ("ascend", 1)])
def test_an_annotation_on_a_plain_node_does_not_make_its_card_free(
    vendor: str, tenants: int | None
) -> None:
    """Of another vendor it says nothing of the card that the device plugin gave the pod."""
    pod = a_pod("app-0", "gpu-a", a_promise(uuid(9), 1_000, vendor=vendor))
    readings = (a100(1, Tenant("team-a", "app-0", "main")),)
    (card,) = joined(1, pod, readings=readings).cards
    assert value_of(card.tenants) == tenants
    assert value_of(card.memory.allocated) == (tenants and SIZE * MIB)
    assert card.state is not CardState.FREE


def test_the_instant_of_a_node_is_that_of_its_oldest_page() -> None:
    pages = (
        a_dcgm_page(a_reading(1, DEV_FB_USED=1.0), at=NOW - 20),
        a_dcgm_page(a_reading(2, DEV_FB_USED=1.0), at=NOW),
    )
    node = Joiner().build(observations([a_node()], dcgm=pages)).nodes["gpu-a"]
    assert [card.id for card in node.cards] == [uuid(1), uuid(2)]
    read = [card.memory.resident for card in node.cards]
    assert [r.at for r in read if isinstance(r, Known)] == [NOW - 20] * 2

"""What a pod asks for is its own, whatever its annotations say of other cards."""

from __future__ import annotations

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.readings import value_of
from gpuatlas.model.snapshot import CardState, NodeSnapshot
from gpuatlas.model.units import MIB
from gpuatlas_harness.claimed import a_fraction_pod
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


def joined(node: Node, *pods: Pod) -> NodeSnapshot:
    page = a_dcgm_page(
        *(a_reading(n, DEV_FB_TOTAL=40_960, DEV_FB_USED=10, DEV_GPU_UTIL=0) for n in (1, 2))
    )
    return Joiner().build(observations([node], pods, dcgm=(page,))).nodes["gpu-a"]


@pytest.mark.parametrize(
    "resource", ["nvidia.com/gpu.shared", "nvidia.com/mig-1g.5gb", "nvidia.com/gpu"]
)
def test_a_fraction_hides_no_other_resource(resource: str) -> None:
    """KAI's annotation is the tenant's to write, and its admission knows one resource only."""
    pod = a_fraction_pod("p", portion=0.1)
    asking = a_pod("p", containers=(a_container(limits={resource: 1}),), fraction=pod.fraction)
    node = joined(a_node(capacity={resource: 2}), asking)
    assert [card.state for card in node.cards] == [CardState.UNKNOWN, CardState.UNKNOWN]
    assert [value_of(card.tenants) for card in node.cards] == [None, None]


def test_a_promise_of_one_vendor_hides_no_card_of_another() -> None:
    """HAMi shares the NVIDIA card; Ascend's own plugin serves the other limit of the pod."""
    registration = a_registration(a_device(1))
    node = a_node("gpu-a", registration, capacity={"nvidia.com/gpu": 10, "huawei.com/Ascend910": 1})
    limits = {"nvidia.com/gpu": 1, "nvidia.com/gpumem": 4_096, "huawei.com/Ascend910": 1}
    pod = a_pod("p", "gpu-a", a_promise(uuid(1), 4_096), containers=(a_container(limits=limits),))
    held = joined(node, pod).allocations
    assert sorted((a.card, value_of(a.memory_reserved)) for a in held) == [
        ("", None),
        (uuid(1), 4_096 * MIB),
    ]

"""A resource that counts shares, or a size beside the count, promises no whole card."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.readings import Unknown, value_of
from gpuatlas.model.snapshot import NodeSnapshot
from gpuatlas_harness.observed import (
    a_container,
    a_dcgm_page,
    a_node,
    a_pod,
    a_reading,
    observations,
)


def joined(
    limits: Mapping[str, int], *, cards: int = 0, labels: Mapping[str, str] | None = None
) -> NodeSnapshot:
    node = a_node(capacity={}, labels=labels)
    pod = a_pod("app", containers=(a_container(limits=limits),))
    readings = (a_reading(number, DEV_FB_TOTAL=23_028.0) for number in range(1, cards + 1))
    page = a_dcgm_page(*readings)
    return Joiner().build(observations([node], [pod], dcgm=(page,))).nodes["gpu-a"]


SHARES = [
    pytest.param({"aws.amazon.com/neuroncore": 2}, id="two cores of one AWS device"),
    pytest.param({"cambricon.com/vmlu": 2}, id="Cambricon"),
    pytest.param({"iluvatar.ai/MR-V100-vgpu": 1}, id="Iluvatar, named by chip"),
    pytest.param({"nvidia.com/vgpu": 1}, id="NVIDIA under a layer's name"),
    pytest.param({"nvidia.com/gpu": 1, "nvidia.com/gpumem": 3_000}, id="a size beside the count"),
]


@pytest.mark.parametrize("limits", SHARES)
def test_a_share_without_a_card_is_no_number_of_cards(limits: Mapping[str, int]) -> None:
    (allocation,) = joined(limits).allocations
    assert isinstance(allocation.compute_reserved, Unknown)
    assert isinstance(allocation.memory_reserved, Unknown)


@pytest.mark.parametrize("limits", SHARES[3:])
def test_a_share_of_the_only_card_is_not_the_card(limits: Mapping[str, int]) -> None:
    node = joined(limits, cards=1)
    assert value_of(node.cards[0].tenants) == 1
    assert isinstance(node.cards[0].memory.allocated, Unknown)
    assert isinstance(node.allocations[0].memory_reserved, Unknown)


def test_whole_cards_are_still_whole() -> None:
    labels = {"nvidia.com/gpu.sharing-strategy": "none"}
    (allocation,) = joined({"nvidia.com/gpu": 2}, labels=labels).allocations
    assert value_of(allocation.compute_reserved) == 2.0

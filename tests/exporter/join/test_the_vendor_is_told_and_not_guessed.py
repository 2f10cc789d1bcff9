"""The vendor of a card that only a monitor shows."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.pages import HostReading
from gpuatlas_harness.observed import a_monitor_page, a_node, observations, uuid


@pytest.mark.parametrize(
    ("card", "capacity", "vendor"),
    [
        pytest.param("npu-0", {"huawei.com/Ascend910B": 8}, "ascend", id="by the node's resource"),
        pytest.param("npu-0", {}, "", id="nothing says it"),
        pytest.param("x-0", {"nvidia.com/gpu": 1, "amd.com/gpu": 1}, "", id="two vendors"),
        pytest.param(uuid(1), {"amd.com/gpu": 1}, "nvidia", id="by the form of the UUID"),
    ],
)
def test_a_card_of_a_monitor_page(card: str, capacity: Mapping[str, int], vendor: str) -> None:
    monitor = a_monitor_page({}, {card: HostReading(used_bytes=1, utilization=0.5)})
    snapshot = Joiner().build(observations([a_node(capacity=capacity)], monitors=(monitor,)))
    (found,) = snapshot.nodes["gpu-a"].cards
    assert (found.id, found.vendor) == (card, vendor)

"""A page that lacks cards of its node does not make the card that is left "the only one"."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.readings import Unknown
from gpuatlas.model.snapshot import Evidence, NodeSnapshot
from gpuatlas_harness.observed import a_dcgm_page, a_node, a_pod, a_reading, observations

GPU, MIG = "nvidia.com/gpu", "nvidia.com/mig-1g.5gb"
SLICED = {"nvidia.com/gpu.sharing-strategy": "time-slicing", "nvidia.com/gpu.replicas": "4"}


def joined(capacity: Mapping[str, int], labels: Mapping[str, str]) -> NodeSnapshot:
    node = a_node(capacity=capacity, labels=labels)
    page = a_dcgm_page(a_reading(1, DEV_GPU_UTIL=0.0))
    return Joiner().build(observations([node], [a_pod()], dcgm=(page,))).nodes["gpu-a"]


@pytest.mark.parametrize(
    ("capacity", "labels"),
    [
        pytest.param({GPU: 4}, {}, id="three of four whole cards are missing"),
        pytest.param({GPU: 1}, {"nvidia.com/gpu.count": "4"}, id="by the count label"),
        pytest.param({GPU: 8}, SLICED, id="one of two sliced cards is missing"),
        pytest.param({GPU: 14}, {"nvidia.com/mig.strategy": "single"}, id="one of two MIG cards"),
    ],
)
def test_the_card_of_a_pod_is_unknown_while_others_may_be_missing(
    capacity: Mapping[str, int], labels: Mapping[str, str]
) -> None:
    node = joined(capacity, labels)
    assert [a.evidence for a in node.allocations] == [Evidence.UNKNOWN]
    assert isinstance(node.cards[0].memory.allocated, Unknown)


@pytest.mark.parametrize(
    ("capacity", "labels"),
    [
        pytest.param({GPU: 1}, {"nvidia.com/gpu.count": "1"}, id="whole"),
        pytest.param({GPU: 4}, SLICED, id="sliced"),
        pytest.param({}, {}, id="a node without figures"),
        pytest.param({GPU: 7}, {"nvidia.com/mig.strategy": "single"}, id="MIG"),
    ],
)
def test_a_lone_card_needs_no_label(capacity: Mapping[str, int], labels: Mapping[str, str]) -> None:
    assert [a.evidence for a in joined(capacity, labels).allocations] == [Evidence.ONLY_CARD]

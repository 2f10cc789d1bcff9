"""What labels and capacity alone prove of a node's sharing, and what they leave open."""

from __future__ import annotations

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.pages import Tenant
from gpuatlas.model.readings import Unknown, value_of
from gpuatlas.model.snapshot import NodeSnapshot, Sharing
from gpuatlas.model.units import MIB
from gpuatlas_harness.observed import a_dcgm_page, a_node, a_pod, a_reading, observations

GPU = "nvidia.com/gpu"
SINGLE = {
    "nvidia.com/mig.strategy": "single",
    "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb",
    "nvidia.com/gpu.count": "14",
    "nvidia.com/gpu.replicas": "1",
    "nvidia.com/gpu.sharing-strategy": "none",
}
TEN = "nvidia.com/mig-1g.10gb"
FORTY = "nvidia.com/mig-3g.40gb"


def joined(
    labels: dict[str, str], capacity: dict[str, int], *pods: str, cards: int = 0
) -> NodeSnapshot:
    readings = [
        a_reading(n + 1, *(Tenant("team-a", pod, "main") for pod in pods), DEV_FB_TOTAL=40_000)
        for n in range(cards)
    ]
    obs = observations(
        [a_node(labels=labels, capacity=capacity)],
        [a_pod(pod) for pod in pods],
        dcgm=(a_dcgm_page(*readings),) if readings else (),
    )
    return Joiner().build(obs).nodes["gpu-a"]


@pytest.mark.parametrize(
    ("labels", "capacity", "sharing", "instances"),
    [
        pytest.param(SINGLE, {GPU: 14}, "mig", {"1g.10gb": 14}, id="MIG single"),
        pytest.param(
            {**SINGLE, "nvidia.com/gpu.product": "X-MIG-1g.10gb-SHARED"},
            {GPU: 56},
            "mig",
            {"1g.10gb": 14},
            id="MIG single, time-sliced: the count is that of the instances",
        ),
        pytest.param(
            {**SINGLE, "nvidia.com/gpu.product": "X-MIG-INVALID"},
            {GPU: 14},
            "mig",
            {},
            id="MIG single with an invalid layout",
        ),
        pytest.param(
            {
                "nvidia.com/mig.strategy": "mixed",
                f"{TEN}.count": "3",
                f"{TEN}.replicas": "4",
                f"{FORTY}.replicas": "1",
            },
            {TEN: 12, FORTY: 1},
            "mig",
            {"1g.10gb": 3, "3g.40gb": 1},
            id="MIG mixed, one profile time-sliced",
        ),
        pytest.param(
            {}, {TEN: 7}, "mig", {}, id="AKS mixed without labels: instances, or shares of them"
        ),
        pytest.param({}, {GPU: 7}, "", {}, id="AKS: 7 cards, MIG instances or shares"),
        pytest.param(
            {"nvidia.com/gpu.sharing-strategy": "none", "nvidia.com/gpu.replicas": "1"},
            {GPU: 8},
            "plain",
            {},
            id="feature discovery says that nothing is shared",
        ),
        pytest.param({}, {f"{GPU}.shared": 8}, "time-slicing", {}, id="renamed resource"),
        pytest.param(
            {"nvidia.com/gpu.product": "NVIDIA-A10G-SHARED"}, {GPU: 4}, "time-slicing", {}, id="EKS"
        ),
        pytest.param(
            {"cloud.google.com/gke-gpu-sharing-strategy": "TIME-SHARING"},
            {GPU: 4},
            "time-slicing",
            {},
            id="GKE",
        ),
        pytest.param(
            {"cloud.google.com/gke-gpu-partition-size": "1g.5gb"}, {GPU: 7}, "mig", {}, id="GKE MIG"
        ),
    ],
)
def test_nodes_without_pages(
    labels: dict[str, str], capacity: dict[str, int], sharing: str, instances: dict[str, int]
) -> None:
    node = joined(labels, capacity)
    assert (node.cards, node.sharing, node.mig_instances) == ((), sharing, instances)


def test_capacity_alone_does_not_count_cards() -> None:
    assert joined({}, {GPU: 7}).card_count == Unknown(
        "capacity counts shares as well as cards, and no source names the cards"
    )


def test_a_mig_card_takes_seven_tenants_at_most() -> None:
    (card,) = joined(SINGLE, {GPU: 7}, cards=1).cards
    assert (card.sharing, value_of(card.tenants_limit)) == (Sharing.MIG, 7)


MPS = {"nvidia.com/gpu.sharing-strategy": "mps", "nvidia.com/gpu.replicas": "4"}


def test_an_mps_client_is_promised_its_share_of_memory_and_threads() -> None:
    node = joined(MPS, {GPU: 4}, "a", "b", cards=1)
    (card,) = node.cards
    assert card.sharing is Sharing.MPS
    assert [value_of(a.memory_reserved) for a in node.allocations] == [10_000 * MIB] * 2
    assert [value_of(a.compute_reserved) for a in node.allocations] == [0.25] * 2
    assert value_of(card.memory.allocated) == 20_000 * MIB
    assert (value_of(card.compute_allocated), value_of(card.tenants_limit)) == (0.5, 4)


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param({k: v for k, v in MPS.items() if "replicas" not in k}, id="no replicas"),
        pytest.param(
            {
                "cloud.google.com/gke-gpu-sharing-strategy": "mps",
                "cloud.google.com/gke-max-shared-clients-per-gpu": "4",
            },
            id="GKE's own MPS",
        ),
    ],
)
def test_other_mps_set_ups_leave_the_limits_unknown(labels: dict[str, str]) -> None:
    node = joined(labels, {GPU: 4}, "a", cards=1)
    assert node.cards[0].sharing is Sharing.MPS
    assert isinstance(node.allocations[0].memory_reserved, Unknown)
    assert isinstance(node.allocations[0].compute_reserved, Unknown)


def test_more_devices_than_cards_are_shared_and_nothing_says_how() -> None:
    """AKS without feature discovery: time slicing and MPS look alike."""
    node = joined({}, {GPU: 4}, "a", "b", cards=1)
    (card,) = node.cards
    assert (card.sharing, card.partitions, value_of(card.tenants)) == (Sharing.UNKNOWN, (), 2)
    for reading in (card.memory.allocated, card.compute_allocated, card.tenants_limit):
        assert isinstance(reading, Unknown)
        assert reading.reason.startswith("the node offers more devices than it has cards")
    assert [a.partition for a in node.allocations] == ["", ""]


def test_a_limit_that_may_be_a_share_is_no_whole_card() -> None:
    (held,) = joined({}, {GPU: 7}, "a").allocations
    assert isinstance(held.compute_reserved, Unknown)
    assert isinstance(held.memory_reserved, Unknown)
    labels = {"nvidia.com/gpu.count": "7", "nvidia.com/gpu.memory": "40000"}
    (whole,) = joined(labels, {GPU: 7}, "a").allocations
    assert (value_of(whole.compute_reserved), value_of(whole.memory_reserved)) == (
        1.0,
        40_000 * MIB,
    )


def test_a_card_that_fell_off_does_not_make_the_rest_shared() -> None:
    node = joined({}, {GPU: 8}, cards=7)
    assert {card.sharing for card in node.cards} == {Sharing.PLAIN}

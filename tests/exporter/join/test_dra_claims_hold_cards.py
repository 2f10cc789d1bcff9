"""Who holds a card that a DRA driver publishes, by which claim."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.model.claims import AllocatedDevice, Claim, Consumer, DeviceKind
from gpuatlas.model.objects import ExtendedRequest
from gpuatlas.model.pages import Tenant
from gpuatlas.model.pod_spec import PodScheduling
from gpuatlas.model.readings import Known, Unknown, value_of
from gpuatlas.model.snapshot import CardState, Evidence, IdleClaim, PartitionKind, Sharing
from gpuatlas.model.units import MIB
from gpuatlas_harness.claimed import (
    H100_MIB,
    a_claim,
    a_claiming_container,
    a_claiming_pod,
    a_dra_device,
    a_result,
    a_slice,
    of,
)
from gpuatlas_harness.claimed_cards import GPU, MIG_A, MIG_B, OTHER, joined_node, places
from gpuatlas_harness.observed import a_container, a_pod, a_reading, uuid


def test_a_claim_on_a_whole_card_holds_all_of_it() -> None:
    claim = a_claim("train", a_result(GPU), pods=("train",))
    node = joined_node(a_claiming_pod("train", "train"), **of(a_slice(GPU, OTHER), claim))
    first, second = node.cards
    assert (first.id, first.sharing, first.model) == (uuid(1), Sharing.DRA, "NVIDIA H100 80GB HBM3")
    assert first.memory.physical == Known(H100_MIB * MIB, 0.0, "ResourceSlice capacity memory")
    assert value_of(first.memory.schedulable) == H100_MIB * MIB
    assert value_of(first.memory.allocated) == H100_MIB * MIB
    assert value_of(first.memory.overcommitted) == 0
    assert value_of(first.compute_allocated) == 1.0
    assert (value_of(first.tenants), value_of(second.tenants)) == (1, 0)
    assert value_of(second.memory.allocated) == 0
    assert second.state is CardState.FREE
    assert places(node) == [("train", "main", uuid(1), "gpu-0", Evidence.CLAIM)]
    assert value_of(node.allocations[0].memory_reserved) == H100_MIB * MIB
    assert [(p.id, p.kind, p.profile) for p in first.partitions] == [
        ("gpu-0", PartitionKind.DRA, "")
    ]
    assert value_of(first.partitions[0].memory_physical) == H100_MIB * MIB
    assert (node.sharing, node.driver_version, node.cuda_version) == ("dra", "590.44.1", "13.1.0")
    assert value_of(node.card_count) == 2


def test_pods_that_share_a_claim_hold_one_promise() -> None:
    claim = a_claim("shared", a_result(GPU, sharing="time-slicing"), pods=("a", "b"))
    pods = [a_claiming_pod(name, "shared") for name in ("a", "b")]
    node = joined_node(*pods, **of(a_slice(GPU), claim))
    (card,) = node.cards
    assert value_of(card.memory.allocated) == H100_MIB * MIB
    assert value_of(card.compute_allocated) == 1.0
    assert value_of(card.tenants) == 2
    assert [p.kind for p in card.partitions] == [PartitionKind.SLICE]
    assert [a.memory_reserved for a in node.allocations] == [
        Unknown("claim shared is shared by 2 pods")
    ] * 2


def test_an_mps_claim_shows_in_its_partition() -> None:
    claim = a_claim("mps", a_result(GPU, sharing="mps"), pods=("a",))
    (card,) = joined_node(a_claiming_pod("a", "mps"), **of(a_slice(GPU), claim)).cards
    assert [(p.id, p.kind) for p in card.partitions] == [("gpu-0", PartitionKind.MPS)]


HAMI = a_dra_device(
    1,
    driver="hami-core-gpu.project-hami.io",
    kind=DeviceKind.HAMI_GPU,
    name="hami-gpu-0",
    cores=100,
    allows_multiple=True,
)


def test_consumed_capacity_is_the_promise() -> None:
    """HAMi-DRA: memory and cores per claim, none of which means no limit."""
    claims = [
        a_claim("a", a_result(HAMI, memory_bytes=8_000 * MIB, cores=30, share_id="1"), pods=("a",)),
        a_claim("b", a_result(HAMI, memory_bytes=1_024 * MIB, share_id="2"), pods=("b",)),
    ]
    pods = [a_claiming_pod(name, name) for name in ("a", "b")]
    node = joined_node(*pods, **of(a_slice(HAMI), *claims))
    (card,) = node.cards
    assert card.sharing is Sharing.DRA
    assert value_of(card.memory.allocated) == 9_024 * MIB
    assert [value_of(a.memory_reserved) for a in node.allocations] == [8_000 * MIB, 1_024 * MIB]
    assert value_of(node.allocations[0].compute_reserved) == 0.3
    no_limit = Unknown("the claim consumes no compute of the device, which is no limit")
    assert node.allocations[1].compute_reserved == no_limit
    assert card.compute_allocated == no_limit


def test_claims_for_administrators_hold_nothing() -> None:
    claim = a_claim("monitor", a_result(GPU, admin=True), pods=("watch",))
    node = joined_node(a_claiming_pod("watch", "monitor"), **of(a_slice(GPU), claim))
    assert node.allocations == ()
    assert (node.cards[0].state, value_of(node.cards[0].tenants)) == (CardState.FREE, 0)


@pytest.mark.parametrize("phase", ["", "Succeeded", "Failed"])
def test_a_claim_that_no_pod_uses_holds_its_card_idle(phase: str) -> None:
    claim = a_claim("spare", a_result(GPU), pods=("done",) if phase else ())
    pods = [a_claiming_pod("done", "spare", phase=phase)] if phase else []
    reading = a_reading(1, DEV_GPU_UTIL=0)
    node = joined_node(*pods, readings=(reading,), **of(a_slice(GPU), claim))
    (card,) = node.cards
    assert card.idle_claims == (IdleClaim("team-a", "spare"),)
    assert value_of(card.memory.allocated) == H100_MIB * MIB
    assert (value_of(card.tenants), card.state) == (0, CardState.IDLE)
    assert node.allocations == ()


def test_an_extended_resource_is_served_by_its_claim_alone() -> None:
    """The pod says `nvidia.com/gpu: 1` and the node has none of it (KEP-5004)."""
    claim = a_claim(
        "x", a_result(GPU, request="container-0-request-0"), pods=("app-0",), extended_resource=True
    )
    pod = a_pod(
        extended_claim="x",
        extended_requests=(
            ExtendedRequest(
                container="main", resource="nvidia.com/gpu", request="container-0-request-0"
            ),
        ),
    )
    node = joined_node(pod, **of(a_slice(GPU, OTHER), claim))
    assert places(node) == [("app-0", "main", uuid(1), "gpu-0", Evidence.CLAIM)]
    without = joined_node(pod, **of(a_slice(GPU, OTHER)))
    assert [a.reason for a in without.allocations] == ["its ResourceClaim 'x' is not known"]
    assert all(isinstance(card.tenants, Unknown) for card in without.cards)


CONTAINERS = {
    "one main": (("a", "", "main"),),
    "main before init": (("b", "", "init"), ("a", "", "main")),
    "the request decides": (("b", "nic", "main"), ("a", "gpu", "main")),
}


@pytest.mark.parametrize("containers", CONTAINERS.values(), ids=CONTAINERS.keys())
def test_the_container_is_the_one_that_uses_the_request(
    containers: tuple[tuple[str, str, str], ...],
) -> None:
    built = tuple(a_claiming_container(n, "c", r, k) for n, r, k in containers)
    claim = a_claim("c", a_result(GPU, request="gpu/first"), pods=("p",))
    node = joined_node(a_claiming_pod("p", "c", containers=built), **of(a_slice(GPU), claim))
    assert [a.container for a in node.allocations] == ["a"]


def test_containers_that_use_a_device_together_are_one_allocation() -> None:
    built = tuple(a_claiming_container(name, "c") for name in ("a", "b"))
    claim = a_claim("c", a_result(GPU), pods=("p",))
    node = joined_node(a_claiming_pod("p", "c", containers=built), **of(a_slice(GPU), claim))
    assert [(a.container, value_of(a.memory_reserved)) for a in node.allocations] == [
        ("", H100_MIB * MIB)
    ]


def test_a_claim_of_a_group_is_used_by_its_members_only() -> None:
    claim = a_claim("gang", a_result(GPU), reserved_for=(Consumer("podgroups", "g1", "u"),))
    member = a_claiming_pod("in", "gang", scheduling=PodScheduling(native_group="g1"))
    stranger = a_claiming_pod("out", "gang", scheduling=PodScheduling(native_group="g2"))
    elsewhere = replace(member, uid="pod-far", name="far", namespace="team-b")
    node = joined_node(member, stranger, elsewhere, **of(a_slice(GPU), claim))
    assert [a.pod for a in node.allocations] == ["in"]


def test_a_pod_that_only_names_a_claim_does_not_hold_it() -> None:
    """The scheduler reserves claims for pods; the spec of a pod is the tenant's to write."""
    claim = a_claim("train", a_result(GPU), pods=("train",))
    forged = a_claiming_pod("forged", "train")
    node = joined_node(a_claiming_pod("train", "train"), forged, **of(a_slice(GPU), claim))
    assert [a.pod for a in node.allocations] == ["train"]


def test_a_claim_beats_a_label_and_the_difference_is_told() -> None:
    claim = a_claim("train", a_result(GPU), pods=("train",))
    stale = a_reading(2, Tenant("team-a", "train", "main"))
    node = joined_node(
        a_claiming_pod("train", "train"),
        readings=(a_reading(1), stale),
        **of(a_slice(GPU, OTHER), claim),
    )
    (allocation,) = node.allocations
    assert (allocation.card, allocation.evidence) == (uuid(1), Evidence.CLAIM)
    assert [(c.card, c.evidence) for c in allocation.conflicts] == [(uuid(2), Evidence.DCGM)]
    assert [(r.source, r.reason) for r in node.rejections] == [("join", "sources-disagree")]


def claims_of(*results: AllocatedDevice) -> Claim:
    return a_claim("many", *results, pods=("p",))


def test_two_parts_of_one_card_in_one_container_are_one_allocation() -> None:
    claim = claims_of(a_result(MIG_A), a_result(MIG_B))
    node = joined_node(a_claiming_pod("p", "many"), **of(a_slice(MIG_A, MIG_B), claim))
    (allocation,) = node.allocations
    assert allocation.partition == "MIG-gpu-0-mig-19-0,MIG-gpu-0-mig-19-1"
    assert value_of(allocation.memory_reserved) == 2 * 9_984 * MIB
    assert value_of(node.cards[0].memory.allocated) == 2 * 9_984 * MIB


def test_a_pod_may_hold_a_claim_and_a_limit_of_another_vendor() -> None:
    claim = a_claim("c", a_result(GPU), pods=("p",))
    base = a_claiming_container("main", "c")
    pod = a_claiming_pod("p", "c", containers=(replace(base, limits={"amd.com/gpu": 1}),))
    node = joined_node(pod, **of(a_slice(GPU), claim))
    assert [(a.card, a.evidence) for a in node.allocations] == [
        ("", Evidence.UNKNOWN),
        (uuid(1), Evidence.CLAIM),
    ]
    assert value_of(node.cards[0].tenants) == 1
    assert a_container().limits == {"nvidia.com/gpu": 1}

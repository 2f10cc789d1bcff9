"""Cards that DRA drivers publish, and who holds them by which claim."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.claims import AllocatedDevice, Claim, Consumer, DeviceKind, DeviceTaint
from gpuatlas.model.objects import DeviceStatus, ExtendedRequest, Pod
from gpuatlas.model.pages import CardReading, Tenant
from gpuatlas.model.pod_spec import PodScheduling
from gpuatlas.model.readings import Known, Reading, Unknown, value_of
from gpuatlas.model.snapshot import (
    CardState,
    Evidence,
    IdleClaim,
    NodeSnapshot,
    PartitionKind,
    Sharing,
)
from gpuatlas.model.units import MIB
from gpuatlas_harness.claimed import (
    H100_MIB,
    a_claim,
    a_claiming_container,
    a_claiming_pod,
    a_dra_device,
    a_mig_device,
    a_result,
    a_slice,
    of,
)
from gpuatlas_harness.observed import (
    a_container,
    a_dcgm_page,
    a_node,
    a_pod,
    a_reading,
    observations,
    uuid,
)

GPU = a_dra_device(1)
OTHER = a_dra_device(2)


def joined(*pods: Pod, readings: tuple[CardReading, ...] = (), **more: Any) -> NodeSnapshot:
    pages = (a_dcgm_page(*readings),) if readings else ()
    cluster = observations([a_node(capacity={})], pods, dcgm=pages, **more)
    return Joiner().build(cluster).nodes["gpu-a"]


def places(node: NodeSnapshot) -> list[tuple[str, str, str, str, Evidence]]:
    return [(a.pod, a.container, a.card, a.partition, a.evidence) for a in node.allocations]


def test_a_claim_on_a_whole_card_holds_all_of_it() -> None:
    claim = a_claim("train", a_result(GPU), pods=("train",))
    node = joined(a_claiming_pod("train", "train"), **of(a_slice(GPU, OTHER), claim))
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


def test_dcgm_and_dra_speak_of_the_same_card() -> None:
    claim = a_claim("train", a_result(GPU), pods=("train",))
    reading = a_reading(1, DEV_FB_TOTAL=81_559, DEV_FB_USED=40_000, DEV_GPU_UTIL=80)
    node = joined(a_claiming_pod("train", "train"), readings=(reading,), **of(a_slice(GPU), claim))
    (card,) = node.cards
    assert (card.index, card.pci_bus_id) == ("0", "00000000:01:00.0")
    assert card.memory.physical.source == "DCGM_FI_DEV_FB_TOTAL"  # type: ignore[union-attr]
    assert card.state is CardState.WORKING
    assert value_of(node.allocations[0].memory_resident) == 40_000 * MIB
    assert value_of(node.allocations[0].compute_utilization) == 0.8


MIG_A, MIG_B = a_mig_device("gpu-0-mig-19-0"), a_mig_device("gpu-0-mig-19-1")


def test_mig_devices_are_parts_of_their_card() -> None:
    claim = a_claim("infer", a_result(MIG_A), pods=("infer",))
    node = joined(a_claiming_pod("infer", "infer"), **of(a_slice(MIG_A, MIG_B), claim))
    (card,) = node.cards
    assert [(p.id, p.kind, p.profile, value_of(p.memory_physical)) for p in card.partitions] == [
        ("MIG-gpu-0-mig-19-0", PartitionKind.MIG, "1g.10gb", 9_984 * MIB),
        ("MIG-gpu-0-mig-19-1", PartitionKind.MIG, "1g.10gb", 9_984 * MIB),
    ]
    assert isinstance(card.memory.physical, Unknown)
    assert value_of(card.memory.allocated) == 9_984 * MIB
    assert value_of(card.compute_allocated) == pytest.approx(1 / 7)
    assert places(node) == [("infer", "main", uuid(1), "MIG-gpu-0-mig-19-0", Evidence.CLAIM)]


def test_ways_to_cut_a_card_are_no_parts_of_it_until_one_is_used() -> None:
    possible = a_mig_device("gpu-0-mig-1g10gb-19-0", uuid="", memory_bytes=None)
    unused = a_mig_device("gpu-0-mig-1g10gb-19-1", uuid="", memory_bytes=None)
    published = a_slice(replace(GPU, memory_bytes=None), possible, unused)
    assert [p.id for p in joined(**of(published)).cards[0].partitions] == ["gpu-0"]
    claim = a_claim("infer", a_result(possible), pods=("infer",))
    (card,) = joined(a_claiming_pod("infer", "infer"), **of(published, claim)).cards
    assert [p.id for p in card.partitions] == ["gpu-0-mig-1g10gb-19-0"]
    assert card.memory.allocated == Unknown("the DRA driver publishes no size of this device")


def test_pods_that_share_a_claim_hold_one_promise() -> None:
    claim = a_claim("shared", a_result(GPU, sharing="time-slicing"), pods=("a", "b"))
    pods = [a_claiming_pod(name, "shared") for name in ("a", "b")]
    node = joined(*pods, **of(a_slice(GPU), claim))
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
    (card,) = joined(a_claiming_pod("a", "mps"), **of(a_slice(GPU), claim)).cards
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
    node = joined(*pods, **of(a_slice(HAMI), *claims))
    (card,) = node.cards
    assert card.sharing is Sharing.DRA
    assert value_of(card.memory.allocated) == 9_024 * MIB
    assert [value_of(a.memory_reserved) for a in node.allocations] == [8_000 * MIB, 1_024 * MIB]
    assert value_of(node.allocations[0].compute_reserved) == 0.3
    no_limit = Unknown("the claim consumes no compute of the device, which is no limit")
    assert node.allocations[1].compute_reserved == no_limit
    assert card.compute_allocated == no_limit


def test_slots_are_the_most_claims_on_a_device() -> None:
    device = replace(GPU, allows_multiple=True, slots=4)
    claim = a_claim("a", a_result(device, share_id="1"), pods=("a",))
    (card,) = joined(a_claiming_pod("a", "a"), **of(a_slice(device), claim)).cards
    assert value_of(card.tenants_limit) == 4
    assert card.memory.allocated == Unknown(
        "the claim consumes no memory of the device, which is no limit"
    )


def test_claims_for_administrators_hold_nothing() -> None:
    claim = a_claim("monitor", a_result(GPU, admin=True), pods=("watch",))
    node = joined(a_claiming_pod("watch", "monitor"), **of(a_slice(GPU), claim))
    assert node.allocations == ()
    assert (node.cards[0].state, value_of(node.cards[0].tenants)) == (CardState.FREE, 0)


@pytest.mark.parametrize("phase", ["", "Succeeded", "Failed"])
def test_a_claim_that_no_pod_uses_holds_its_card_idle(phase: str) -> None:
    claim = a_claim("spare", a_result(GPU), pods=("done",) if phase else ())
    pods = [a_claiming_pod("done", "spare", phase=phase)] if phase else []
    reading = a_reading(1, DEV_GPU_UTIL=0)
    node = joined(*pods, readings=(reading,), **of(a_slice(GPU), claim))
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
    node = joined(pod, **of(a_slice(GPU, OTHER), claim))
    assert places(node) == [("app-0", "main", uuid(1), "gpu-0", Evidence.CLAIM)]
    without = joined(pod, **of(a_slice(GPU, OTHER)))
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
    node = joined(a_claiming_pod("p", "c", containers=built), **of(a_slice(GPU), claim))
    assert [a.container for a in node.allocations] == ["a"]


def test_containers_that_use_a_device_together_are_one_allocation() -> None:
    built = tuple(a_claiming_container(name, "c") for name in ("a", "b"))
    claim = a_claim("c", a_result(GPU), pods=("p",))
    node = joined(a_claiming_pod("p", "c", containers=built), **of(a_slice(GPU), claim))
    assert [(a.container, value_of(a.memory_reserved)) for a in node.allocations] == [
        ("", H100_MIB * MIB)
    ]


def test_a_claim_of_a_group_is_used_by_its_members_only() -> None:
    claim = a_claim("gang", a_result(GPU), reserved_for=(Consumer("podgroups", "g1", "u"),))
    member = a_claiming_pod("in", "gang", scheduling=PodScheduling(native_group="g1"))
    stranger = a_claiming_pod("out", "gang", scheduling=PodScheduling(native_group="g2"))
    elsewhere = replace(member, uid="pod-far", name="far", namespace="team-b")
    node = joined(member, stranger, elsewhere, **of(a_slice(GPU), claim))
    assert [a.pod for a in node.allocations] == ["in"]


def test_a_pod_that_only_names_a_claim_does_not_hold_it() -> None:
    """The scheduler reserves claims for pods; the spec of a pod is the tenant's to write."""
    claim = a_claim("train", a_result(GPU), pods=("train",))
    forged = a_claiming_pod("forged", "train")
    node = joined(a_claiming_pod("train", "train"), forged, **of(a_slice(GPU), claim))
    assert [a.pod for a in node.allocations] == ["train"]


def test_a_device_of_a_group_that_no_slice_has_is_told_at_its_pods() -> None:
    claim = a_claim("old", a_result(OTHER), reserved_for=(Consumer("podgroups", "g1", "u"),))
    member = a_claiming_pod("in", "old", scheduling=PodScheduling(native_group="g1"))
    stranger = a_claiming_pod("out", "old", scheduling=PodScheduling(native_group="g2"))
    node = joined(member, stranger, **of(a_slice(GPU), claim))
    assert [(a.pod, a.card) for a in node.allocations] == [("in", "")]


def test_without_pods_no_claim_is_called_unused() -> None:
    silent = {("kubernetes-pods", ""): "the capture holds no pods"}
    claim = a_claim("train", a_result(GPU), pods=("p",))
    (card,) = joined(silent=silent, **of(a_slice(GPU), claim)).cards
    assert (card.idle_claims, card.tenants) == ((), Unknown("the capture holds no pods"))


def test_a_device_that_no_slice_has_is_no_card() -> None:
    claim = a_claim("old", a_result(OTHER), pods=("p",))
    node = joined(a_claiming_pod("p", "old"), **of(a_slice(GPU), claim))
    assert [(a.card, a.reason) for a in node.allocations] == [
        (
            "",
            "claim old holds device gpu.nvidia.com/gpu-a/gpu-1, which no ResourceSlice places on "
            "node gpu-a",
        )
    ]
    assert value_of(node.cards[0].tenants) == 0


def test_an_incomplete_pool_leaves_the_number_of_cards_unknown() -> None:
    node = joined(**of(a_slice(GPU, count=2)))
    assert node.card_count == Unknown(
        "pool gpu.nvidia.com/gpu-a lacks slices of its newest generation"
    )
    assert [card.id for card in node.cards] == [uuid(1)]


@pytest.mark.parametrize(
    ("key", "state"),
    [("gpu.nvidia.com/gpu-lost", CardState.FAILED), ("gpu.nvidia.com/xid", CardState.FREE)],
)
def test_a_taint_is_a_failure_only_where_it_says_lost(key: str, state: CardState) -> None:
    device = replace(GPU, taints=(DeviceTaint(key, "79", "NoExecute"),))
    (card,) = joined(**of(a_slice(device))).cards
    assert card.state is state


SILENT = {("kubernetes-resourceclaims.resource.k8s.io", ""): "403 Forbidden"}


def test_without_rights_on_claims_nobody_knows_who_holds_a_card() -> None:
    node = joined(a_claiming_pod("p", "c"), silent=SILENT, **of(a_slice(GPU)))
    assert node.cards[0].tenants == Unknown("403 Forbidden")
    assert node.cards[0].memory.allocated == Unknown("403 Forbidden")
    assert [a.reason for a in node.allocations] == [
        "its ResourceClaims cannot be read: 403 Forbidden"
    ]


@pytest.mark.parametrize(
    ("pods", "tenants", "state"),
    [
        ((a_claiming_pod("p", "c"),), Unknown("403 Forbidden"), CardState.UNKNOWN),
        ((a_claiming_pod("p", "c", phase="Succeeded"),), Known(0, 0.0, "pods"), CardState.FREE),
        ((), Known(0, 0.0, "pods"), CardState.FREE),
    ],
)
def test_without_rights_on_slices_too_a_card_is_free_only_where_no_pod_has_a_claim(
    pods: tuple[Pod, ...], tenants: Reading[int], state: CardState
) -> None:
    silent = {**SILENT, ("kubernetes-resourceslices.resource.k8s.io", ""): "403 Forbidden"}
    idle = a_reading(1, DEV_GPU_UTIL=0.0, DEV_FB_USED=4.0)
    (card,) = joined(*pods, silent=silent, readings=(idle,)).cards
    assert (card.tenants, card.state) == (tenants, state)


def test_the_pods_status_stands_in_for_claims_that_cannot_be_read() -> None:
    status = DeviceStatus(
        container="main", resource="claim:my-c/gpu", device=str(GPU.key), health="Healthy"
    )
    pod = a_claiming_pod("p", "c", devices=(status,))
    node = joined(pod, silent=SILENT, **of(a_slice(GPU)))
    assert places(node) == [("p", "main", uuid(1), "gpu-0", Evidence.POD_STATUS)]


def test_a_claim_beats_a_label_and_the_difference_is_told() -> None:
    claim = a_claim("train", a_result(GPU), pods=("train",))
    stale = a_reading(2, Tenant("team-a", "train", "main"))
    node = joined(
        a_claiming_pod("train", "train"),
        readings=(a_reading(1), stale),
        **of(a_slice(GPU, OTHER), claim),
    )
    (allocation,) = node.allocations
    assert (allocation.card, allocation.evidence) == (uuid(1), Evidence.CLAIM)
    assert [(c.card, c.evidence) for c in allocation.conflicts] == [(uuid(2), Evidence.DCGM)]
    assert [(r.source, r.reason) for r in node.rejections] == [("join", "sources-disagree")]


def test_plugin_and_dra_on_one_node() -> None:
    """While a cluster moves to DRA both serve the same cards: a claim beats a label."""
    claim = a_claim("train", a_result(GPU), pods=("train",))
    label = a_reading(1, Tenant("team-a", "app-0", "main"))
    node = joined(
        a_claiming_pod("train", "train"), a_pod(), readings=(label,), **of(a_slice(GPU), claim)
    )
    assert [(a.pod, a.card) for a in node.allocations] == [("app-0", ""), ("train", uuid(1))]
    assert [r.reason for r in node.rejections] == ["card-claimed-twice"]


def test_another_nodes_claims_change_nothing_here() -> None:
    far = a_dra_device(3, node="gpu-b")
    obs = observations([a_node(), a_node("gpu-b")], **of(a_slice(GPU), a_slice(far)))
    joiner = Joiner()
    first = joiner.build(obs)
    claim = a_claim("x", a_result(far), pods=())
    second = joiner.build(replace(obs, claims={claim.uid: claim}))
    assert second.nodes["gpu-a"] is first.nodes["gpu-a"]
    assert second.nodes["gpu-b"].cards[0].idle_claims == (IdleClaim("team-a", "x"),)
    changed = replace(a_slice(far), devices=(replace(far, model="NVIDIA H200"),))
    third = joiner.build(replace(obs, slices={**obs.slices, changed.uid: changed}))
    assert third.nodes["gpu-a"] is first.nodes["gpu-a"]
    assert third.nodes["gpu-b"].cards[0].model == "NVIDIA H200"


def test_refused_records_of_slices_and_claims_are_told_once() -> None:
    twice = a_slice(GPU, replace(GPU, uuid=uuid(9)))
    snapshot = Joiner().build(observations([a_node()], **of(twice)))
    assert [(r.source, r.reason) for r in snapshot.rejections] == [("dra", "duplicate")]


def test_amd_partitions_hold_shares_of_their_card() -> None:
    kind = {"kind": DeviceKind.PARTITION, "driver": "gpu.amd.com", "vendor": "amd", "uuid": ""}
    part = a_dra_device(1, name="gpu-1-131", parent_uuid="17293822569102704640", **kind)
    claim = a_claim("a", a_result(part), pods=("a",))
    node = joined(a_claiming_pod("a", "a"), **of(a_slice(part), claim))
    (card,) = node.cards
    assert (card.id, card.vendor) == ("17293822569102704640", "amd")
    assert value_of(card.memory.allocated) == H100_MIB * MIB
    assert card.compute_allocated == Unknown(
        "the DRA driver publishes no compute of the whole card"
    )


def claims_of(*results: AllocatedDevice) -> Claim:
    return a_claim("many", *results, pods=("p",))


def test_two_parts_of_one_card_in_one_container_are_one_allocation() -> None:
    claim = claims_of(a_result(MIG_A), a_result(MIG_B))
    node = joined(a_claiming_pod("p", "many"), **of(a_slice(MIG_A, MIG_B), claim))
    (allocation,) = node.allocations
    assert allocation.partition == "MIG-gpu-0-mig-19-0,MIG-gpu-0-mig-19-1"
    assert value_of(allocation.memory_reserved) == 2 * 9_984 * MIB
    assert value_of(node.cards[0].memory.allocated) == 2 * 9_984 * MIB


def test_a_pod_may_hold_a_claim_and_a_limit_of_another_vendor() -> None:
    claim = a_claim("c", a_result(GPU), pods=("p",))
    base = a_claiming_container("main", "c")
    pod = a_claiming_pod("p", "c", containers=(replace(base, limits={"amd.com/gpu": 1}),))
    node = joined(pod, **of(a_slice(GPU), claim))
    assert [(a.card, a.evidence) for a in node.allocations] == [
        ("", Evidence.UNKNOWN),
        (uuid(1), Evidence.CLAIM),
    ]
    assert value_of(node.cards[0].tenants) == 1
    assert a_container().limits == {"nvidia.com/gpu": 1}


def test_a_node_that_says_nothing_of_its_cards_is_there_all_the_same() -> None:
    """The kubelet lists no capacity for DRA devices: such a node may look like any other."""
    claim = a_claim("train", a_result(GPU), pods=("train",))
    joiner = Joiner()
    obs = observations([], [a_claiming_pod("train", "train")], **of(a_slice(GPU), claim))
    first, second = joiner.build(obs), joiner.build(obs)
    assert places(first.nodes["gpu-a"]) == [("train", "main", uuid(1), "gpu-0", Evidence.CLAIM)]
    assert second.nodes["gpu-a"] is first.nodes["gpu-a"]


@pytest.mark.parametrize(
    "published",
    [
        pytest.param((a_slice(GPU, count=2),), id="the newest generation is not all there"),
        pytest.param((a_slice(replace(OTHER, node="")),), id="a slice for all nodes"),
    ],
)
def test_a_card_that_no_slice_places_is_not_free_while_a_claim_holds_one(
    published: tuple[Any, ...],
) -> None:
    readings = tuple(a_reading(n, DEV_FB_USED=10, DEV_GPU_UTIL=0) for n in (1, 2))
    claim = a_claim("c", a_result(OTHER), pods=("p",))
    node = joined(a_claiming_pod("p", "c"), readings=readings, **of(*published, claim))
    hidden = next(card for card in node.cards if card.id == uuid(2))
    assert hidden.state is CardState.UNKNOWN
    assert isinstance(hidden.tenants, Unknown)
    placed = [card for card in node.cards if card.sharing is Sharing.DRA]
    assert all(value_of(card.tenants) == 0 for card in placed)

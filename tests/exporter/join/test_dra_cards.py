"""Cards that DRA drivers publish."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.claims import DeviceKind, DeviceTaint
from gpuatlas.model.pages import Tenant
from gpuatlas.model.readings import Unknown, value_of
from gpuatlas.model.snapshot import CardState, Evidence, IdleClaim, PartitionKind
from gpuatlas.model.units import MIB
from gpuatlas_harness.claimed import (
    H100_MIB,
    a_claim,
    a_claiming_pod,
    a_dra_device,
    a_mig_device,
    a_result,
    a_slice,
    of,
)
from gpuatlas_harness.claimed_cards import GPU, MIG_A, MIG_B, OTHER, joined_node, places
from gpuatlas_harness.observed import a_node, a_pod, a_reading, observations, uuid


def test_dcgm_and_dra_speak_of_the_same_card() -> None:
    claim = a_claim("train", a_result(GPU), pods=("train",))
    reading = a_reading(1, DEV_FB_TOTAL=81_559, DEV_FB_USED=40_000, DEV_GPU_UTIL=80)
    node = joined_node(
        a_claiming_pod("train", "train"), readings=(reading,), **of(a_slice(GPU), claim)
    )
    (card,) = node.cards
    assert (card.index, card.pci_bus_id) == ("0", "00000000:01:00.0")
    assert card.memory.physical.source == "DCGM_FI_DEV_FB_TOTAL"  # type: ignore[union-attr]
    assert card.state is CardState.WORKING
    assert value_of(node.allocations[0].memory_resident) == 40_000 * MIB
    assert value_of(node.allocations[0].compute_utilization) == 0.8


def test_mig_devices_are_parts_of_their_card() -> None:
    claim = a_claim("infer", a_result(MIG_A), pods=("infer",))
    node = joined_node(a_claiming_pod("infer", "infer"), **of(a_slice(MIG_A, MIG_B), claim))
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
    assert [p.id for p in joined_node(**of(published)).cards[0].partitions] == ["gpu-0"]
    claim = a_claim("infer", a_result(possible), pods=("infer",))
    (card,) = joined_node(a_claiming_pod("infer", "infer"), **of(published, claim)).cards
    assert [p.id for p in card.partitions] == ["gpu-0-mig-1g10gb-19-0"]
    assert card.memory.allocated == Unknown("the DRA driver publishes no size of this device")


def test_slots_are_the_most_claims_on_a_device() -> None:
    device = replace(GPU, allows_multiple=True, slots=4)
    claim = a_claim("a", a_result(device, share_id="1"), pods=("a",))
    (card,) = joined_node(a_claiming_pod("a", "a"), **of(a_slice(device), claim)).cards
    assert value_of(card.tenants_limit) == 4
    assert card.memory.allocated == Unknown(
        "the claim consumes no memory of the device, which is no limit"
    )


def test_a_device_that_no_slice_has_is_no_card() -> None:
    claim = a_claim("old", a_result(OTHER), pods=("p",))
    node = joined_node(a_claiming_pod("p", "old"), **of(a_slice(GPU), claim))
    assert [(a.card, a.reason) for a in node.allocations] == [
        (
            "",
            "claim old holds device gpu.nvidia.com/gpu-a/gpu-1, which no ResourceSlice places on "
            "node gpu-a",
        )
    ]
    assert value_of(node.cards[0].tenants) == 0


def test_an_incomplete_pool_leaves_the_number_of_cards_unknown() -> None:
    node = joined_node(**of(a_slice(GPU, count=2)))
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
    (card,) = joined_node(**of(a_slice(device))).cards
    assert card.state is state


def test_plugin_and_dra_on_one_node() -> None:
    """While a cluster moves to DRA both serve the same cards: a claim beats a label."""
    claim = a_claim("train", a_result(GPU), pods=("train",))
    label = a_reading(1, Tenant("team-a", "app-0", "main"))
    node = joined_node(
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
    node = joined_node(a_claiming_pod("a", "a"), **of(a_slice(part), claim))
    (card,) = node.cards
    assert (card.id, card.vendor) == ("17293822569102704640", "amd")
    assert value_of(card.memory.allocated) == H100_MIB * MIB
    assert card.compute_allocated == Unknown(
        "the DRA driver publishes no compute of the whole card"
    )


def test_a_node_that_says_nothing_of_its_cards_is_there_all_the_same() -> None:
    """The kubelet lists no capacity for DRA devices: such a node may look like any other."""
    claim = a_claim("train", a_result(GPU), pods=("train",))
    joiner = Joiner()
    obs = observations([], [a_claiming_pod("train", "train")], **of(a_slice(GPU), claim))
    first, second = joiner.build(obs), joiner.build(obs)
    assert places(first.nodes["gpu-a"]) == [("train", "main", uuid(1), "gpu-0", Evidence.CLAIM)]
    assert second.nodes["gpu-a"] is first.nodes["gpu-a"]

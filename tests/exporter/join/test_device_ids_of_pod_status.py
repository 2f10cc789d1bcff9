"""What a pod's status says of its cards (KEP-4680), for each form of a kubelet's device id."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.join.device_ids import DeviceId, is_card_uuid, read_claim_device, read_device_id
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import DeviceStatus, Node, Pod
from gpuatlas.model.pages import CardReading, InstanceReading, Tenant
from gpuatlas.model.readings import Unknown, value_of
from gpuatlas.model.snapshot import Evidence, NodeSnapshot
from gpuatlas_harness.claimed import a_mig_device, a_slice, of
from gpuatlas_harness.observed import (
    a_container,
    a_dcgm_page,
    a_device,
    a_node,
    a_pod,
    a_reading,
    a_registration,
    observations,
    uuid,
)

MIG = "MIG-00000000-0000-5000-8000-00000000000a"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (uuid(1), DeviceId(card=uuid(1))),
        (f"{uuid(1)}::3", DeviceId(card=uuid(1))),
        (MIG, DeviceId(mig=MIG)),
        (f"{MIG}::0", DeviceId(mig=MIG)),
        (f"MIG-{uuid(1)}/7/0", DeviceId(card=uuid(1), instance="7")),
        ("nvidia0", DeviceId(index="0")),
        ("nvidia11/gi3", DeviceId(index="11", instance="3")),
        ("nvidia0/gi3/vgpu1", DeviceId(index="0", instance="3")),
        ("nvidia2/vgpu1", DeviceId(index="2")),
        ("nvidia0/other", DeviceId(card="nvidia0/other")),
        ("", DeviceId()),
    ],
)
def test_ids_are_read(written: str, expected: DeviceId) -> None:
    assert read_device_id(written) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("gpu.nvidia.com/node-1/gpu-0", ("gpu.nvidia.com", "node-1", "gpu-0")),
        ("d/a/b/gpu-0", ("d", "a/b", "gpu-0")),
        ("d/gpu-0", None),
        ("", None),
        ("//", None),
    ],
)
def test_devices_of_claims_are_read(written: str, expected: tuple[str, str, str] | None) -> None:
    assert read_claim_device(written) == expected


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_at_most_one_thing(text: str) -> None:
    found = read_device_id(text)
    assert sum(map(bool, (found.card, found.index, found.mig))) <= 1
    key = read_claim_device(text)
    assert key is None or str(key) == text


def test_a_number_behind_a_uuid_is_no_card() -> None:
    """HAMi's and Volcano's ids are `<UUID>-<n>`, and say nothing of the card."""
    assert is_card_uuid(uuid(1))
    assert not is_card_uuid(f"{uuid(1)}-3")


def status(device: str, resource: str = "nvidia.com/gpu") -> DeviceStatus:
    return DeviceStatus(container="main", resource=resource, device=device, health="Healthy")


def joined(
    node: Node, *pods: Pod, readings: tuple[CardReading, ...] = (), **m: Any
) -> NodeSnapshot:
    pages = (a_dcgm_page(*readings),) if readings else ()
    return Joiner().build(observations([node], pods, dcgm=pages, **m)).nodes[node.name]


def test_a_plain_cluster_of_1_36_tells_its_cards_without_any_page() -> None:
    node = a_node(
        capacity={"nvidia.com/gpu": 4},
        labels={"nvidia.com/gpu.count": "4", "nvidia.com/gpu.memory": "40960"},
    )
    pods = [a_pod("a", devices=(status(uuid(2)),)), a_pod("b")]
    result = joined(node, *pods)
    assert [card.id for card in result.cards] == [uuid(2)]
    assert value_of(result.card_count) == 4
    assert [(a.pod, a.card, a.evidence) for a in result.allocations] == [
        ("b", "", Evidence.UNKNOWN),
        ("a", uuid(2), Evidence.POD_STATUS),
    ]


def test_the_only_card_that_is_named_is_not_the_only_card() -> None:
    result = joined(a_node(), a_pod("a", devices=(status(uuid(2)),)), a_pod("b"))
    assert [(a.pod, a.card) for a in result.allocations] == [("b", ""), ("a", uuid(2))]
    assert result.card_count == Unknown("only the cards that pods hold are named")


def test_a_page_that_leaves_out_idle_cards_does_not_make_the_rest_the_only_one() -> None:
    """With virtual GPUs dcgm-exporter shows no card without a pod (facts/errata.md, DCGM)."""
    node = a_node(capacity={"nvidia.com/gpu": 2}, labels={"nvidia.com/gpu.count": "2"})
    reading = a_reading(1, Tenant("team-a", "a", "main"))
    result = joined(node, a_pod("a"), a_pod("b"), readings=(reading,))
    assert [(a.pod, a.card) for a in result.allocations] == [("b", ""), ("a", uuid(1))]


def test_replicas_are_shares_of_their_card() -> None:
    labels = {"nvidia.com/gpu.sharing-strategy": "time-slicing", "nvidia.com/gpu.replicas": "4"}
    node = a_node(capacity={"nvidia.com/gpu": 8}, labels=labels)
    pods = [a_pod(str(n), devices=(status(f"{uuid(1)}::{n}"),)) for n in range(2)]
    result = joined(node, *pods, readings=(a_reading(1), a_reading(2)))
    assert [(a.card, a.partition, a.evidence) for a in result.allocations] == [
        (uuid(1), "slice", Evidence.POD_STATUS)
    ] * 2


def test_a_mig_uuid_finds_its_card_where_a_dra_driver_names_it() -> None:
    device = a_mig_device("gpu-0-mig-19-0", 2, uuid=MIG)
    resource = "nvidia.com/mig-1g.10gb"
    pod = a_pod(containers=(a_container(limits={resource: 1}),), devices=(status(MIG, resource),))
    node = a_node(capacity={resource: 7})
    result = joined(node, pod, **of(a_slice(device)))
    assert [(a.card, a.partition, a.evidence) for a in result.allocations] == [
        (uuid(2), MIG, Evidence.POD_STATUS)
    ]
    (alone,) = joined(node, pod, readings=(a_reading(1), a_reading(2))).allocations
    assert (alone.card, alone.evidence) == ("", Evidence.UNKNOWN)


def test_a_mig_uuid_on_the_only_card_names_the_instance() -> None:
    resource = "nvidia.com/mig-1g.10gb"
    pod = a_pod(containers=(a_container(limits={resource: 1}),), devices=(status(MIG, resource),))
    result = joined(a_node(capacity={resource: 7}), pod, readings=(a_reading(1),))
    assert [(a.card, a.partition, a.evidence) for a in result.allocations] == [
        (uuid(1), MIG, Evidence.ONLY_CARD)
    ]


def test_gke_names_cards_by_index() -> None:
    instance = InstanceReading(
        instance="3", profile="1g.5gb", fields={"DEV_FB_TOTAL": 4_864}, tenants=frozenset()
    )
    readings = (a_reading(1), a_reading(2, instances=(instance,)))
    pods = [
        a_pod("whole", devices=(status("nvidia0"),)),
        a_pod("part", devices=(status("nvidia1/gi3/vgpu0"),)),
        a_pod("none", devices=(status("nvidia7"),)),
    ]
    result = joined(a_node(capacity={"nvidia.com/gpu": 3}), *pods, readings=readings)
    assert [(a.pod, a.card, a.partition) for a in result.allocations] == [
        ("none", "", ""),
        ("whole", uuid(1), "whole"),
        ("part", uuid(2), "gi-3"),
    ]


def test_under_a_layer_the_status_says_nothing() -> None:
    node = a_node("gpu-a", a_registration(a_device(1), a_device(2)))
    result = joined(node, a_pod(devices=(status(uuid(2)),)))
    assert [(a.card, a.evidence) for a in result.allocations] == [("", Evidence.UNKNOWN)]
    assert [card.id for card in result.cards] == [uuid(1), uuid(2)]

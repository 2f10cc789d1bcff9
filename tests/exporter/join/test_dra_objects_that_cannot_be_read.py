"""What of DRA's cards is not known, and why, where objects are missing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gpuatlas.model.claims import Consumer
from gpuatlas.model.objects import DeviceStatus, Pod
from gpuatlas.model.pod_spec import PodScheduling
from gpuatlas.model.readings import Known, Reading, Unknown, value_of
from gpuatlas.model.snapshot import CardState, Evidence, Sharing
from gpuatlas_harness.claimed import a_claim, a_claiming_pod, a_result, a_slice, of
from gpuatlas_harness.claimed_cards import GPU, OTHER, joined_node, places
from gpuatlas_harness.observed import a_reading, uuid


def test_a_device_of_a_group_that_no_slice_has_is_told_at_its_pods() -> None:
    claim = a_claim("old", a_result(OTHER), reserved_for=(Consumer("podgroups", "g1", "u"),))
    member = a_claiming_pod("in", "old", scheduling=PodScheduling(native_group="g1"))
    stranger = a_claiming_pod("out", "old", scheduling=PodScheduling(native_group="g2"))
    node = joined_node(member, stranger, **of(a_slice(GPU), claim))
    assert [(a.pod, a.card) for a in node.allocations] == [("in", "")]


def test_without_pods_no_claim_is_called_unused() -> None:
    silent = {("kubernetes-pods", ""): "the capture holds no pods"}
    claim = a_claim("train", a_result(GPU), pods=("p",))
    (card,) = joined_node(silent=silent, **of(a_slice(GPU), claim)).cards
    assert (card.idle_claims, card.tenants) == ((), Unknown("the capture holds no pods"))


SILENT = {("kubernetes-resourceclaims.resource.k8s.io", ""): "403 Forbidden"}


def test_without_rights_on_claims_nobody_knows_who_holds_a_card() -> None:
    node = joined_node(a_claiming_pod("p", "c"), silent=SILENT, **of(a_slice(GPU)))
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
    (card,) = joined_node(*pods, silent=silent, readings=(idle,)).cards
    assert (card.tenants, card.state) == (tenants, state)


def test_the_pods_status_stands_in_for_claims_that_cannot_be_read() -> None:
    status = DeviceStatus(
        container="main", resource="claim:my-c/gpu", device=str(GPU.key), health="Healthy"
    )
    pod = a_claiming_pod("p", "c", devices=(status,))
    node = joined_node(pod, silent=SILENT, **of(a_slice(GPU)))
    assert places(node) == [("p", "main", uuid(1), "gpu-0", Evidence.POD_STATUS)]


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
    node = joined_node(a_claiming_pod("p", "c"), readings=readings, **of(*published, claim))
    hidden = next(card for card in node.cards if card.id == uuid(2))
    assert hidden.state is CardState.UNKNOWN
    assert isinstance(hidden.tenants, Unknown)
    placed = [card for card in node.cards if card.sharing is Sharing.DRA]
    assert all(value_of(card.tenants) == 0 for card in placed)

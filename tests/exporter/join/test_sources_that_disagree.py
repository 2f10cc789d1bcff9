"""Two sources that name different cards for one container: the better one stands, both are told."""

from __future__ import annotations

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import DeviceStatus, Node, Pod
from gpuatlas.model.pages import CardReading, Tenant
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.snapshot import Evidence, EvidenceConflict, NodeSnapshot
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

ME = Tenant("team-a", "app-0", "main")


def joined(*pods: Pod, readings: tuple[CardReading, ...], node: Node | None = None) -> NodeSnapshot:
    node = node or a_node(capacity={"nvidia.com/gpu": len(readings)})
    page = a_dcgm_page(*readings)
    return Joiner().build(observations([node], pods, dcgm=(page,))).nodes["gpu-a"]


def on(*numbers: int, count: int | None = None) -> Pod:
    devices = tuple(
        DeviceStatus(container="main", resource="nvidia.com/gpu", device=uuid(n), health="Healthy")
        for n in numbers
    )
    limits = {"nvidia.com/gpu": count or len(numbers)}
    return a_pod(containers=(a_container(limits=limits),), devices=devices)


def test_a_stale_label_is_told_and_does_not_count() -> None:
    node = joined(on(2), readings=(a_reading(1, ME), a_reading(2)))
    (allocation,) = node.allocations
    assert (allocation.card, allocation.evidence) == (uuid(2), Evidence.POD_STATUS)
    assert allocation.conflicts == (EvidenceConflict(uuid(1), Evidence.DCGM),)
    assert node.rejections == (
        Rejection(
            "join",
            "sources-disagree",
            "pod team-a/app-0 container main",
            f"pod-status says card {uuid(2)}, dcgm says {uuid(1)}; pod-status stands",
        ),
    )


def test_sources_that_agree_are_no_news() -> None:
    node = joined(on(1), readings=(a_reading(1, ME), a_reading(2)))
    assert node.allocations[0].conflicts == ()
    assert node.rejections == ()


def test_a_label_that_is_missing_contradicts_nothing() -> None:
    node = joined(on(1, 2), readings=(a_reading(1, ME), a_reading(2)))
    assert [a.conflicts for a in node.allocations] == [(), ()]


def test_of_several_cards_the_denied_one_is_marked() -> None:
    readings = (a_reading(1, ME), a_reading(2), a_reading(3, ME))
    node = joined(on(1, 2), readings=readings)
    assert [(a.card, a.conflicts) for a in node.allocations] == [
        (uuid(1), ()),
        (uuid(2), (EvidenceConflict(uuid(3), Evidence.DCGM),)),
    ]


def test_labels_under_a_layer_are_a_known_lie_and_no_news() -> None:
    layer = a_node("gpu-a", a_registration(a_device(1), a_device(2)))
    pod = a_pod("app-0", "gpu-a", a_promise(uuid(1), 1_000))
    node = joined(pod, readings=(a_reading(1), a_reading(2, ME)), node=layer)
    assert [(a.card, a.conflicts) for a in node.allocations] == [(uuid(1), ())]
    assert node.rejections == ()


def test_a_label_without_a_container_speaks_for_no_container_of_several() -> None:
    pod = on(1)
    both = a_pod(
        containers=(*pod.containers, a_container("side", {"nvidia.com/gpu": 1})),
        devices=(
            *pod.devices,
            DeviceStatus(
                container="side", resource="nvidia.com/gpu", device=uuid(2), health="Healthy"
            ),
        ),
    )
    nameless = Tenant("team-a", "app-0", "")
    node = joined(both, readings=(a_reading(1, nameless), a_reading(2, nameless)))
    assert [a.conflicts for a in node.allocations] == [(), ()]


def test_of_two_pods_on_a_whole_card_the_better_evidence_keeps_it() -> None:
    stale = Tenant("team-a", "app-1", "main")
    node = joined(on(1), a_pod("app-1"), readings=(a_reading(1, ME, stale), a_reading(2)))
    assert [(a.pod, a.card, a.evidence) for a in node.allocations] == [
        ("app-1", "", Evidence.UNKNOWN),
        ("app-0", uuid(1), Evidence.POD_STATUS),
    ]
    assert [r.where for r in node.rejections] == [f"pod team-a/app-1 card {uuid(1)}"]

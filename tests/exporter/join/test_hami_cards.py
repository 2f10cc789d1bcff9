"""Cards under HAMi: promises against the physical limit, and who may claim what."""

from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.devices import Handshake, Promise
from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.pages import CardReading, HostReading, Tenant
from gpuatlas.model.readings import Known, Unknown, value_of
from gpuatlas.model.snapshot import CardState, Evidence, NodeSnapshot, Sharing
from gpuatlas.model.units import MIB
from gpuatlas_harness.observed import (
    A10G_MIB,
    NOW,
    a_container,
    a_container_reading,
    a_dcgm_page,
    a_device,
    a_monitor_page,
    a_node,
    a_pod,
    a_promise,
    a_reading,
    a_registration,
    observations,
    uuid,
)


def joined(node: Node, *pods: Pod, **pages: Any) -> NodeSnapshot:
    return Joiner().build(observations([node], pods, **pages)).nodes[node.name]


def hami_node(*numbers: int, name: str = "gpu-a") -> Node:
    devices = [a_device(n) for n in numbers or (1,)]
    return a_node(name, a_registration(*devices), capacity={"nvidia.com/gpu": 10 * len(devices)})


def a_full_reading(used: float = 18_000) -> CardReading:
    return a_reading(1, DEV_FB_USED=used, DEV_FB_FREE=A10G_MIB - used - 500, DEV_FB_RESERVED=500)


FOUR = (12_000, 8_000, 6_000, 3_000)


def four_tenants() -> list[Pod]:
    return [a_pod(f"chat-{i}", "gpu-a", a_promise(uuid(1), mib, 25)) for i, mib in enumerate(FOUR)]


def test_four_tenants_are_promised_more_than_the_card_has() -> None:
    node = joined(hami_node(), *four_tenants(), dcgm=(a_dcgm_page(a_full_reading()),))
    (card,) = node.cards
    assert card.memory.physical == Known(23_028 * MIB, NOW, "DCGM_FI_DEV_FB_USED+FREE+RESERVED")
    assert value_of(card.memory.allocated) == 29_000 * MIB
    assert value_of(card.memory.overcommitted) == 5_972 * MIB
    assert value_of(card.memory.schedulable) == 34_542 * MIB
    assert value_of(card.memory.resident) == 18_000 * MIB
    assert value_of(card.compute_allocated) == 1.0
    assert (value_of(card.tenants), value_of(card.tenants_limit)) == (4, 10)
    assert card.sharing is Sharing.HAMI
    assert [a.evidence for a in node.allocations] == [Evidence.ANNOTATION] * 4
    assert [value_of(a.memory_reserved) for a in node.allocations] == [m * MIB for m in FOUR]


def test_without_a_driver_total_the_excess_is_unknown_not_zero() -> None:
    (card,) = joined(hami_node(), *four_tenants()).cards
    assert card.memory.physical == Unknown("no dcgm-exporter page for this node")
    assert card.memory.overcommitted == Unknown("no dcgm-exporter page for this node")
    assert value_of(card.memory.allocated) == 29_000 * MIB


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_finished_pods_hold_nothing(phase: str) -> None:
    pod = a_pod("done", "gpu-a", a_promise(uuid(1), 8_000), phase=phase)
    node = joined(hami_node(), pod)
    assert value_of(node.cards[0].memory.allocated) == 0
    assert value_of(node.cards[0].tenants) == 0
    assert node.allocations == ()


def test_init_containers_give_back_what_they_hold() -> None:
    """The pod's use of the card is the larger of its init container and its main containers."""
    containers = (a_container("fetch", kind="init"), a_container("main"))
    pod = a_pod(
        "app",
        "gpu-a",
        a_promise(uuid(1), 9_000, container="fetch"),
        a_promise(uuid(1), 4_000),
        containers=containers,
    )
    (card,) = joined(hami_node(), pod).cards
    assert value_of(card.memory.allocated) == 9_000 * MIB


@pytest.mark.parametrize(
    ("promise", "changes", "reason"),
    [
        pytest.param(a_promise(uuid(9), 1_000), {}, "unknown-card", id="card of no node"),
        pytest.param(a_promise(uuid(2), 1_000), {}, "unknown-card", id="card of another node"),
        pytest.param(a_promise(uuid(1), 40_000), {}, "more-than-card", id="more than the card"),
        pytest.param(
            a_promise(uuid(1), 1_000),
            {"annotations": {"hami.io/vgpu-node": "gpu-b"}},
            "node-mismatch",
            id="written for another node",
        ),
        pytest.param(
            a_promise(uuid(1), 1_000),
            {"containers": (a_container(limits={}),)},
            "not-requested",
            id="nothing asked",
        ),
    ],
)
def test_a_pod_cannot_give_itself_what_its_node_does_not_have(
    promise: Promise, changes: dict[str, Any], reason: str
) -> None:
    honest = a_pod("honest", "gpu-a", a_promise(uuid(1), 4_000))
    forged = a_pod("forged", "gpu-a", promise, **changes)
    obs = observations([hami_node(1), hami_node(2, name="gpu-b")], [honest, forged])
    snapshot = Joiner().build(obs)
    a, b = snapshot.nodes["gpu-a"], snapshot.nodes["gpu-b"]
    assert value_of(a.cards[0].memory.allocated) == 4_000 * MIB
    assert value_of(b.cards[0].memory.allocated) == 0
    assert [r.reason for r in a.rejections] == [reason]
    assert "team-a/forged" in a.rejections[0].where
    mine = [x for x in a.allocations if x.pod == "honest"]
    assert [value_of(x.memory_reserved) for x in mine] == [4_000 * MIB]


def test_promises_beyond_the_number_of_cards_asked_for_are_refused() -> None:
    pod = a_pod("greedy", "gpu-a", a_promise(uuid(1), 1_000), a_promise(uuid(2), 1_000))
    node = joined(hami_node(1, 2), pod)
    assert [value_of(c.memory.allocated) for c in node.cards] == [1_000 * MIB, 0]
    assert [r.reason for r in node.rejections] == ["more-than-requested"]


def test_one_card_named_twice_for_one_container_counts_once() -> None:
    containers = (a_container(limits={"nvidia.com/gpu": 2}),)
    promise = a_promise(uuid(1), 1_000)
    node = joined(hami_node(), a_pod("twin", "gpu-a", promise, promise, containers=containers))
    assert value_of(node.cards[0].memory.allocated) == 1_000 * MIB
    assert [r.reason for r in node.rejections] == ["duplicate"]


def test_a_renamed_count_resource_does_not_make_a_promise_false() -> None:
    containers = (a_container(limits={"example.com/gpu-share": 1}),)
    node = joined(
        hami_node(), a_pod("app", "gpu-a", a_promise(uuid(1), 2_000), containers=containers)
    )
    assert value_of(node.cards[0].memory.allocated) == 2_000 * MIB


def test_counted_beyond_resident_is_offloaded() -> None:
    pods = four_tenants()
    counted = {
        (Tenant("team-a", f"chat-{i}", "main"), uuid(1)): a_container_reading(mib)
        for i, mib in enumerate((9_000, 7_000, 5_000, 2_000))
    }
    pages = {"dcgm": (a_dcgm_page(a_full_reading(used=20_000)),)}
    node = joined(hami_node(), *pods, monitors=(a_monitor_page(counted),), **pages)
    memory = node.cards[0].memory
    assert value_of(memory.counted) == 23_000 * MIB
    assert value_of(memory.offloaded) == 3_000 * MIB
    assert [value_of(a.memory_counted) for a in node.allocations] == [
        m * MIB for m in (9_000, 7_000, 5_000, 2_000)
    ]


def test_one_lying_counter_makes_the_sum_and_the_offload_unknown() -> None:
    counted = {
        (Tenant("team-a", "chat-0", "main"), uuid(1)): a_container_reading(9_000),
        (Tenant("team-a", "chat-1", "main"), uuid(1)): a_container_reading(None),
    }
    pages = {"dcgm": (a_dcgm_page(a_full_reading()),), "monitors": (a_monitor_page(counted),)}
    memory = joined(hami_node(), *four_tenants(), **pages).cards[0].memory
    assert memory.counted == Unknown("one container's counter is not plausible")
    assert memory.offloaded == memory.counted


def test_a_container_that_has_not_opened_the_card_counts_nothing_known() -> None:
    counted = {(Tenant("team-a", "chat-0", "main"), uuid(1)): a_container_reading(9_000)}
    node = joined(hami_node(), *four_tenants(), monitors=(a_monitor_page(counted),))
    assert value_of(node.allocations[0].memory_counted) == 9_000 * MIB
    assert node.allocations[1].memory_counted == Unknown(
        "the container has not opened the card yet"
    )


def test_the_monitor_speaks_where_dcgm_does_not() -> None:
    host = {uuid(1): HostReading(used_bytes=7_000 * MIB, utilization=0.4)}
    (card,) = joined(hami_node(), *four_tenants(), monitors=(a_monitor_page({}, host),)).cards
    assert value_of(card.memory.resident) == 7_000 * MIB
    assert card.compute_utilization == Known(0.4, NOW, "hami_host_gpu_utilization_ratio")
    assert card.state is CardState.WORKING


def test_a_monitor_page_without_a_node_reaches_it_through_the_pod() -> None:
    counted = {(Tenant("team-a", "chat-0", "main"), uuid(1)): a_container_reading(9_000)}
    page = a_monitor_page(counted, node="")
    node = joined(hami_node(), *four_tenants(), monitors=(page,))
    assert value_of(node.allocations[0].memory_counted) == 9_000 * MIB


def test_a_monitor_cannot_speak_of_pods_on_other_nodes() -> None:
    counted = {(Tenant("team-a", "chat-0", "main"), uuid(1)): a_container_reading(9_000)}
    page = a_monitor_page(counted, node="gpu-b")
    obs = observations([hami_node(), hami_node(2, name="gpu-b")], four_tenants(), monitors=(page,))
    node = Joiner().build(obs).nodes["gpu-a"]
    assert isinstance(node.allocations[0].memory_counted, Unknown)


def test_a_tenant_without_a_compute_limit_makes_the_promised_compute_unknown() -> None:
    pods = [
        a_pod("free", "gpu-a", a_promise(uuid(1), 1_000, None)),
        a_pod("half", "gpu-a", a_promise(uuid(1), 1_000, 50)),
    ]
    node = joined(hami_node(), *pods)
    assert node.cards[0].compute_allocated == Unknown("the promise sets no compute limit")
    assert [value_of(a.compute_reserved) for a in node.allocations] == [None, 0.5]


def test_ascend_cores_are_a_share_of_the_registered_cores() -> None:
    device = a_device(1, cores=20, memory_bytes=32_768 * MIB, model="Ascend910B3")
    registration = a_registration(device, vendor="ascend", family="Ascend910B3")
    promise = a_promise(uuid(1), 16_384, 10, vendor="ascend")
    limits = {"huawei.com/Ascend910B3": 1, "huawei.com/Ascend910B3-memory": 16_384}
    pod = a_pod("npu", "gpu-a", promise, containers=(a_container(limits=limits),))
    node = joined(a_node("gpu-a", registration, capacity={"huawei.com/Ascend910B3": 4}), pod)
    assert value_of(node.allocations[0].compute_reserved) == 0.5
    assert node.cards[0].memory.physical == Unknown("no driver source for ascend cards is read")
    assert value_of(node.cards[0].memory.schedulable) == 32_768 * MIB


def test_priority_is_what_somebody_set() -> None:
    asked = (a_container(limits={"nvidia.com/gpu": 1, "nvidia.com/priority": 0}),)
    by_env = (a_container(env={"CUDA_TASK_PRIORITY": "1"}),)
    pods = [
        a_pod("by-env", "gpu-a", a_promise(uuid(1), 100), containers=by_env),
        a_pod("by-limit", "gpu-a", a_promise(uuid(1), 100), containers=asked),
        a_pod("unset", "gpu-a", a_promise(uuid(1), 100)),
    ]
    allocations = joined(hami_node(), *pods).allocations
    assert [value_of(a.priority) for a in allocations] == [1, 0, None]


@pytest.mark.parametrize(
    ("node", "ready"),
    [
        pytest.param(hami_node(), True, id="registered and allocatable"),
        pytest.param(
            a_node("gpu-a", a_registration(a_device()), allocatable={"nvidia.com/gpu": 0}),
            False,
            id="nothing allocatable",
        ),
        pytest.param(
            a_node(
                "gpu-a",
                a_registration(a_device(), handshake=Handshake(state="deleted", at=None)),
            ),
            False,
            id="dropped by the scheduler",
        ),
        pytest.param(
            a_node(
                "gpu-a",
                a_registration(a_device(), handshake=Handshake(state="requesting", at=NOW - 9e6)),
            ),
            True,
            id="an old request is normal",
        ),
        pytest.param(a_node("gpu-a"), None, id="no layer"),
    ],
)
def test_a_node_is_ready_for_sharing(node: Node, *, ready: bool | None) -> None:
    assert value_of(joined(node).sharing_ready) is ready


def derived() -> Node:
    """A Moore Threads node: HAMi derives its cards from the capacity, and so do we."""
    device = a_device(1, card="gpu-a-mthreads-0", cores=16, memory_bytes=16_384 * MIB, model="MTT")
    registration = a_registration(device, vendor="mthreads", source="mthreads.com/sgpu-memory")
    return a_node("gpu-a", registration, capacity={"mthreads.com/sgpu-memory": 32})


def test_derived_cards_need_somebody_who_speaks_of_them() -> None:
    assert joined(derived()).cards == ()
    assert joined(derived()).sharing_ready == Unknown("no sharing layer on this node")


def promised_to(namespace: str) -> Pod:
    containers = (a_container(limits={"mthreads.com/vgpu": 1}),)
    promise = a_promise("gpu-a-mthreads-0", 4_096, 4, vendor="mthreads")
    return a_pod("app", "gpu-a", promise, containers=containers, namespace=namespace)


def a_scheduler(namespace: str) -> Pod:
    labels = {"app.kubernetes.io/component": "hami-scheduler"}
    return a_pod("hami", "cpu-1", containers=(), labels=labels, namespace=namespace)


def test_where_the_layer_runs_a_promise_confirms_derived_cards() -> None:
    node = joined(derived(), promised_to("team-a"), a_scheduler("kube-system"))
    assert [(c.id, c.vendor, value_of(c.compute_allocated)) for c in node.cards] == [
        ("gpu-a-mthreads-0", "mthreads", 0.25)
    ]


def test_a_tenant_alone_confirms_no_derived_cards() -> None:
    """On a cluster without HAMi anybody can write its annotations, and label a pod as HAMi's."""
    assert joined(derived(), promised_to("team-a")).cards == ()
    assert joined(derived(), promised_to("team-a"), a_scheduler("team-a")).cards == ()


def test_a_layer_that_was_dropped_gives_way_to_one_that_was_not() -> None:
    gone = Handshake(state="deleted", at=None)
    node = a_node(
        "gpu-a",
        a_registration(a_device(memory_bytes=100 * MIB), handshake=gone),
        a_registration(a_device(memory_bytes=200 * MIB), layer="volcano"),
    )
    (card,) = joined(node).cards
    assert (card.sharing, value_of(card.memory.schedulable)) == (Sharing.VOLCANO, 200 * MIB)


def test_under_mps_the_promise_stands_and_the_part_is_a_client() -> None:
    device = a_device(1, mode="mps", memory_bytes=A10G_MIB * MIB)
    node = a_node("gpu-a", a_registration(device), capacity={"nvidia.com/gpu": 10})
    result = joined(node, a_pod("app", "gpu-a", a_promise(uuid(1), 8_000, 25)))
    assert [(p.id, str(p.kind)) for p in result.cards[0].partitions] == [("mps", "mps")]
    (held,) = result.allocations
    assert held.partition == "mps"
    assert (value_of(held.memory_reserved), value_of(held.compute_reserved)) == (8_000 * MIB, 0.25)

"""Who may claim what of a card under HAMi."""

from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.devices import Handshake, Promise
from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.readings import Unknown, value_of
from gpuatlas.model.snapshot import Sharing
from gpuatlas.model.units import MIB
from gpuatlas_harness.joined_hami import a_hami_node, joined_node
from gpuatlas_harness.observed import (
    A10G_MIB,
    NOW,
    a_container,
    a_device,
    a_node,
    a_pod,
    a_promise,
    a_registration,
    observations,
    uuid,
)


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_finished_pods_hold_nothing(phase: str) -> None:
    pod = a_pod("done", "gpu-a", a_promise(uuid(1), 8_000), phase=phase)
    node = joined_node(a_hami_node(), pod)
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
    (card,) = joined_node(a_hami_node(), pod).cards
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
    obs = observations([a_hami_node(1), a_hami_node(2, name="gpu-b")], [honest, forged])
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
    node = joined_node(a_hami_node(1, 2), pod)
    assert [value_of(c.memory.allocated) for c in node.cards] == [1_000 * MIB, 0]
    assert [r.reason for r in node.rejections] == ["more-than-requested"]


def test_one_card_named_twice_for_one_container_counts_once() -> None:
    containers = (a_container(limits={"nvidia.com/gpu": 2}),)
    promise = a_promise(uuid(1), 1_000)
    node = joined_node(
        a_hami_node(), a_pod("twin", "gpu-a", promise, promise, containers=containers)
    )
    assert value_of(node.cards[0].memory.allocated) == 1_000 * MIB
    assert [r.reason for r in node.rejections] == ["duplicate"]


def test_a_renamed_count_resource_does_not_make_a_promise_false() -> None:
    containers = (a_container(limits={"example.com/gpu-share": 1}),)
    node = joined_node(
        a_hami_node(), a_pod("app", "gpu-a", a_promise(uuid(1), 2_000), containers=containers)
    )
    assert value_of(node.cards[0].memory.allocated) == 2_000 * MIB


def test_a_tenant_without_a_compute_limit_makes_the_promised_compute_unknown() -> None:
    pods = [
        a_pod("free", "gpu-a", a_promise(uuid(1), 1_000, None)),
        a_pod("half", "gpu-a", a_promise(uuid(1), 1_000, 50)),
    ]
    node = joined_node(a_hami_node(), *pods)
    assert node.cards[0].compute_allocated == Unknown("the promise sets no compute limit")
    assert [value_of(a.compute_reserved) for a in node.allocations] == [None, 0.5]


def test_ascend_cores_are_a_share_of_the_registered_cores() -> None:
    device = a_device(1, cores=20, memory_bytes=32_768 * MIB, model="Ascend910B3")
    registration = a_registration(device, vendor="ascend", family="Ascend910B3")
    promise = a_promise(uuid(1), 16_384, 10, vendor="ascend")
    limits = {"huawei.com/Ascend910B3": 1, "huawei.com/Ascend910B3-memory": 16_384}
    pod = a_pod("npu", "gpu-a", promise, containers=(a_container(limits=limits),))
    node = joined_node(a_node("gpu-a", registration, capacity={"huawei.com/Ascend910B3": 4}), pod)
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
    allocations = joined_node(a_hami_node(), *pods).allocations
    assert [value_of(a.priority) for a in allocations] == [1, 0, None]


@pytest.mark.parametrize(
    ("node", "ready"),
    [
        pytest.param(a_hami_node(), True, id="registered and allocatable"),
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
    assert value_of(joined_node(node).sharing_ready) is ready


def derived() -> Node:
    """A Moore Threads node: HAMi derives its cards from the capacity, and so do we."""
    device = a_device(1, card="gpu-a-mthreads-0", cores=16, memory_bytes=16_384 * MIB, model="MTT")
    registration = a_registration(device, vendor="mthreads", source="mthreads.com/sgpu-memory")
    return a_node("gpu-a", registration, capacity={"mthreads.com/sgpu-memory": 32})


def test_derived_cards_need_somebody_who_speaks_of_them() -> None:
    assert joined_node(derived()).cards == ()
    assert joined_node(derived()).sharing_ready == Unknown("no sharing layer on this node")


def promised_to(namespace: str) -> Pod:
    containers = (a_container(limits={"mthreads.com/vgpu": 1}),)
    promise = a_promise("gpu-a-mthreads-0", 4_096, 4, vendor="mthreads")
    return a_pod("app", "gpu-a", promise, containers=containers, namespace=namespace)


def a_scheduler(namespace: str) -> Pod:
    labels = {"app.kubernetes.io/component": "hami-scheduler"}
    return a_pod("hami", "cpu-1", containers=(), labels=labels, namespace=namespace)


def test_where_the_layer_runs_a_promise_confirms_derived_cards() -> None:
    node = joined_node(derived(), promised_to("team-a"), a_scheduler("kube-system"))
    assert [(c.id, c.vendor, value_of(c.compute_allocated)) for c in node.cards] == [
        ("gpu-a-mthreads-0", "mthreads", 0.25)
    ]


def test_a_tenant_alone_confirms_no_derived_cards() -> None:
    """On a cluster without HAMi anybody can write its annotations, and label a pod as HAMi's."""
    assert joined_node(derived(), promised_to("team-a")).cards == ()
    assert joined_node(derived(), promised_to("team-a"), a_scheduler("team-a")).cards == ()


def test_a_layer_that_was_dropped_gives_way_to_one_that_was_not() -> None:
    gone = Handshake(state="deleted", at=None)
    node = a_node(
        "gpu-a",
        a_registration(a_device(memory_bytes=100 * MIB), handshake=gone),
        a_registration(a_device(memory_bytes=200 * MIB), layer="volcano"),
    )
    (card,) = joined_node(node).cards
    assert (card.sharing, value_of(card.memory.schedulable)) == (Sharing.VOLCANO, 200 * MIB)


def test_under_mps_the_promise_stands_and_the_part_is_a_client() -> None:
    device = a_device(1, mode="mps", memory_bytes=A10G_MIB * MIB)
    node = a_node("gpu-a", a_registration(device), capacity={"nvidia.com/gpu": 10})
    result = joined_node(node, a_pod("app", "gpu-a", a_promise(uuid(1), 8_000, 25)))
    assert [(p.id, str(p.kind)) for p in result.cards[0].partitions] == [("mps", "mps")]
    (held,) = result.allocations
    assert held.partition == "mps"
    assert (value_of(held.memory_reserved), value_of(held.compute_reserved)) == (8_000 * MIB, 0.25)

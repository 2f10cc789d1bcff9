"""Cards without a sharing layer: whole cards, MIG, time slicing, and how a card is told."""

from __future__ import annotations

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import DeviceStatus, Node, Pod
from gpuatlas.model.pages import CardReading, InstanceReading, Tenant
from gpuatlas.model.readings import Known, Unknown, value_of
from gpuatlas.model.snapshot import CardState, Evidence, NodeSnapshot, Sharing
from gpuatlas.model.units import MIB
from gpuatlas_harness.observed import (
    NOW,
    a_container,
    a_dcgm_page,
    a_node,
    a_pod,
    a_reading,
    observations,
    uuid,
)

A100 = 81_920


def joined(node: Node, *pods: Pod, readings: tuple[CardReading, ...] = ()) -> NodeSnapshot:
    dcgm = (a_dcgm_page(*readings, node=node.name),) if readings else ()
    return Joiner().build(observations([node], pods, dcgm=dcgm)).nodes[node.name]


def plain(count: int, **labels: str) -> Node:
    names = {key.replace("__", "/").replace("_", "."): value for key, value in labels.items()}
    return a_node(capacity={"nvidia.com/gpu": count}, labels=names)


def a100(number: int, *tenants: Tenant, used: float = 10.0, **fields: float) -> CardReading:
    memory = {"DEV_FB_TOTAL": float(A100), "DEV_FB_USED": used}
    return a_reading(number, *tenants, model="NVIDIA A100", fields=memory | fields)


def test_a_whole_card_tenant_holds_the_whole_card() -> None:
    tenant = Tenant("team-a", "app-0", "main")
    node = joined(
        plain(2), a_pod(), readings=(a100(1, tenant, used=30_000, DEV_GPU_UTIL=55), a100(2))
    )
    first, second = node.cards
    assert value_of(first.memory.allocated) == A100 * MIB
    assert value_of(first.compute_allocated) == 1.0
    assert value_of(first.tenants_limit) == 1
    assert (first.state, second.state) == (CardState.WORKING, CardState.FREE)
    assert value_of(second.memory.allocated) == 0
    (allocation,) = node.allocations
    assert (allocation.card, allocation.evidence) == (uuid(1), Evidence.DCGM)
    assert value_of(allocation.memory_reserved) == A100 * MIB
    assert value_of(allocation.memory_resident) == 30_000 * MIB
    assert allocation.compute_utilization == Known(0.55, NOW, "DCGM_FI_DEV_GPU_UTIL")


def test_the_only_card_needs_no_label() -> None:
    node = joined(plain(1), a_pod(), readings=(a100(1),))
    assert [(a.card, a.evidence) for a in node.allocations] == [(uuid(1), Evidence.ONLY_CARD)]


def test_a_pod_that_takes_every_card_of_the_node_is_on_all_of_them() -> None:
    pod = a_pod(containers=(a_container(limits={"nvidia.com/gpu": 2}),))
    node = joined(plain(2), pod, readings=(a100(1), a100(2)))
    assert [(a.card, a.evidence) for a in node.allocations] == [
        (uuid(1), Evidence.ONLY_CARD),
        (uuid(2), Evidence.ONLY_CARD),
    ]


def test_pod_status_is_trusted_before_dcgm_labels() -> None:
    status = DeviceStatus(
        container="main", resource="nvidia.com/gpu", device=uuid(2), health="Healthy"
    )
    stale = a100(1, Tenant("team-a", "app-0", "main"))
    node = joined(plain(2), a_pod(devices=(status,)), readings=(stale, a100(2)))
    assert [(a.card, a.evidence) for a in node.allocations] == [(uuid(2), Evidence.POD_STATUS)]


def test_nobody_can_know_the_card_and_the_reason_says_so() -> None:
    node = joined(plain(2), a_pod(), readings=(a100(1, DEV_GPU_UTIL=0), a100(2, DEV_GPU_UTIL=0)))
    (allocation,) = node.allocations
    assert (allocation.card, allocation.evidence) == ("", Evidence.UNKNOWN)
    assert "2 cards and nothing says which one" in allocation.reason
    assert value_of(allocation.memory_reserved) == A100 * MIB
    assert {c.state for c in node.cards} == {CardState.UNKNOWN}
    assert all(isinstance(c.tenants, Unknown) for c in node.cards)
    assert all(isinstance(c.memory.allocated, Unknown) for c in node.cards)


def test_two_pods_on_one_whole_card_is_a_contradiction_not_an_overcommit() -> None:
    both = a100(1, Tenant("team-a", "app-0", "main"), Tenant("team-a", "app-1", "main"))
    node = joined(plain(2), a_pod("app-0"), a_pod("app-1"), readings=(both, a100(2)))
    assert [a.evidence for a in node.allocations] == [Evidence.UNKNOWN] * 2
    assert isinstance(node.cards[0].memory.overcommitted, Unknown)
    assert [r.reason for r in node.rejections] == ["card-claimed-twice"] * 2


def test_a_pod_that_ended_does_not_claim_its_old_card() -> None:
    both = a100(1, Tenant("team-a", "old", "main"), Tenant("team-a", "app-0", "main"))
    node = joined(plain(2), a_pod("old", phase="Succeeded"), a_pod(), readings=(both, a100(2)))
    assert [(a.pod, a.card) for a in node.allocations] == [("app-0", uuid(1))]
    assert node.rejections == ()


def test_a_node_without_any_page_has_tenants_but_no_invented_cards() -> None:
    node = joined(plain(8, nvidia_com__gpu_count="8", nvidia_com__gpu_memory="81920"), a_pod())
    assert node.cards == ()
    assert value_of(node.card_count) == 8
    assert [(a.card, value_of(a.memory_reserved)) for a in node.allocations] == [("", A100 * MIB)]


def test_a_page_that_leaves_cards_out_does_not_make_the_node_smaller() -> None:
    """As dcgm-exporter's with virtual GPUs, on which cards without pods are missing."""
    page = (a100(1), a100(2))
    assert value_of(joined(plain(8, nvidia_com__gpu_count="8"), readings=page).card_count) == 8
    assert value_of(joined(plain(2, nvidia_com__gpu_count="2"), readings=page).card_count) == 2


@pytest.mark.parametrize(
    ("labels", "models", "expected"),
    [
        pytest.param({}, ("A", "A"), A100, id="homogeneous"),
        pytest.param({}, ("A", "B"), None, id="two models: the label describes one of them"),
        pytest.param(
            {"nvidia.com/mig.strategy": "single", "nvidia.com/gpu.product": "X-MIG-1g.10gb"},
            ("A", "A"),
            None,
            id="MIG single: the label is one instance's size",
        ),
    ],
)
def test_the_memory_label_speaks_only_for_equal_cards(
    labels: dict[str, str], models: tuple[str, str], expected: int | None
) -> None:
    node = a_node(
        capacity={"nvidia.com/gpu": 2}, labels={"nvidia.com/gpu.memory": "81920"} | labels
    )
    readings = tuple(a_reading(i + 1, model=m) for i, m in enumerate(models))
    sizes = [value_of(c.memory.physical) for c in joined(node, readings=readings).cards]
    assert sizes == [None if expected is None else expected * MIB] * 2


def test_used_and_free_without_reserved_are_no_total() -> None:
    reading = a_reading(DEV_FB_USED=100, DEV_FB_FREE=22_000)
    assert isinstance(joined(plain(1), readings=(reading,)).cards[0].memory.physical, Unknown)


def an_instance(number: str, profile: str, *tenants: Tenant, **fields: float) -> InstanceReading:
    return InstanceReading(
        instance=number, profile=profile, fields=fields, tenants=frozenset(tenants)
    )


def test_mig_instances_are_partitions_with_their_own_memory() -> None:
    notebook = Tenant("team-a", "app-0", "main")
    card = a_reading(
        1,
        model="NVIDIA H100 80GB HBM3",
        instances=(
            an_instance(
                "9",
                "1g.10gb",
                notebook,
                DEV_FB_TOTAL=9_984,
                DEV_FB_USED=6_120,
                PROF_GR_ENGINE_ACTIVE=0.5,
            ),
            an_instance(
                "1", "3g.40gb", DEV_FB_TOTAL=40_448, DEV_FB_USED=24, PROF_GR_ENGINE_ACTIVE=0.0
            ),
        ),
    )
    labels = {"nvidia.com/mig.strategy": "mixed", "nvidia.com/gpu.memory": "81559"}
    node = a_node(
        capacity={"nvidia.com/mig-1g.10gb": 1, "nvidia.com/mig-3g.40gb": 1}, labels=labels
    )
    pod = a_pod(containers=(a_container(limits={"nvidia.com/mig-1g.10gb": 1}),))
    result = joined(node, pod, readings=(card,))
    (mig,) = result.cards
    assert mig.sharing is Sharing.MIG
    assert [(p.id, p.profile, value_of(p.memory_physical)) for p in mig.partitions] == [
        ("gi-1", "3g.40gb", 40_448 * MIB),
        ("gi-9", "1g.10gb", 9_984 * MIB),
    ]
    assert value_of(mig.memory.physical) == 81_559 * MIB
    assert value_of(mig.memory.allocated) == 9_984 * MIB
    assert value_of(mig.memory.resident) == 6_144 * MIB
    assert value_of(mig.compute_utilization) == pytest.approx(0.5 / 7)
    (allocation,) = result.allocations
    assert (allocation.partition, allocation.evidence) == ("gi-9", Evidence.DCGM)
    assert value_of(allocation.memory_resident) == 6_120 * MIB
    assert value_of(allocation.compute_reserved) == pytest.approx(1 / 7)
    assert value_of(allocation.compute_utilization) == pytest.approx(0.5 / 7)
    assert value_of(mig.tenants_limit) == 2


def test_framebuffer_missing_under_mig_is_unknown() -> None:
    card = a_reading(1, instances=(an_instance("9", "1g.10gb", PROF_GR_ENGINE_ACTIVE=0.5),))
    assert isinstance(joined(plain(1), readings=(card,)).cards[0].memory.resident, Unknown)


def sliced(replicas: int) -> Node:
    labels = {
        "nvidia.com/gpu.sharing-strategy": "time-slicing",
        "nvidia.com/gpu.replicas": str(replicas),
    }
    return a_node(capacity={"nvidia.com/gpu": replicas}, labels=labels)


def test_time_slices_promise_neither_memory_nor_compute() -> None:
    a, b = (Tenant("team-a", f"app-{i}", "main") for i in range(2))
    card = a_reading(
        1,
        a,
        b,
        DEV_FB_TOTAL=15_360,
        DEV_FB_USED=9_876,
        DEV_GPU_UTIL=96,
        tenant_fields={a: {"DEV_FB_USED": 6_034, "DEV_GPU_UTIL": 71}, b: {"DEV_GPU_UTIL": 0}},
    )
    node = joined(sliced(4), a_pod("app-0"), a_pod("app-1"), readings=(card,))
    (shared,) = node.cards
    assert shared.sharing is Sharing.TIME_SLICING
    assert (value_of(shared.tenants), value_of(shared.tenants_limit)) == (2, 4)
    assert shared.memory.allocated == Unknown(
        "time slicing promises no memory: any tenant can take all of it"
    )
    first, second = node.allocations
    assert value_of(first.memory_resident) == 6_034 * MIB
    assert value_of(first.compute_utilization) == 0.71
    assert isinstance(second.memory_resident, Unknown)
    assert value_of(second.compute_utilization) == 0.0
    assert [x.partition for x in node.allocations] == ["slice", "slice"]


def test_a_second_replica_is_no_second_card() -> None:
    pod = a_pod(containers=(a_container(limits={"nvidia.com/gpu": 2}),))
    node = joined(sliced(4), pod, readings=(a_reading(1), a_reading(2)))
    assert [(a.card, a.partition) for a in node.allocations] == [("", "")]


def test_a_card_without_tenants_is_free_and_promises_nothing() -> None:
    (card,) = joined(sliced(4), readings=(a_reading(1, DEV_GPU_UTIL=0),)).cards
    assert value_of(card.memory.allocated) == 0
    assert card.state is CardState.FREE

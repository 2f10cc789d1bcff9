"""Cards under HAMi: what was promised, what is used, and who says so."""

from __future__ import annotations

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Pod
from gpuatlas.model.pages import CardReading, HostReading, Tenant
from gpuatlas.model.readings import Known, Unknown, value_of
from gpuatlas.model.snapshot import CardState, Evidence, Sharing
from gpuatlas.model.units import MIB
from gpuatlas_harness.joined_hami import a_hami_node, joined_node
from gpuatlas_harness.observed import (
    A10G_MIB,
    NOW,
    a_container_reading,
    a_dcgm_page,
    a_monitor_page,
    a_pod,
    a_promise,
    a_reading,
    observations,
    uuid,
)


def a_full_reading(used: float = 18_000) -> CardReading:
    return a_reading(1, DEV_FB_USED=used, DEV_FB_FREE=A10G_MIB - used - 500, DEV_FB_RESERVED=500)


FOUR = (12_000, 8_000, 6_000, 3_000)


def four_tenants() -> list[Pod]:
    return [a_pod(f"chat-{i}", "gpu-a", a_promise(uuid(1), mib, 25)) for i, mib in enumerate(FOUR)]


def test_four_tenants_are_promised_more_than_the_card_has() -> None:
    node = joined_node(a_hami_node(), *four_tenants(), dcgm=(a_dcgm_page(a_full_reading()),))
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
    (card,) = joined_node(a_hami_node(), *four_tenants()).cards
    assert card.memory.physical == Unknown("no dcgm-exporter page for this node")
    assert card.memory.overcommitted == Unknown("no dcgm-exporter page for this node")
    assert value_of(card.memory.allocated) == 29_000 * MIB


def test_counted_beyond_resident_is_offloaded() -> None:
    pods = four_tenants()
    counted = {
        (Tenant("team-a", f"chat-{i}", "main"), uuid(1)): a_container_reading(mib)
        for i, mib in enumerate((9_000, 7_000, 5_000, 2_000))
    }
    pages = {"dcgm": (a_dcgm_page(a_full_reading(used=20_000)),)}
    node = joined_node(a_hami_node(), *pods, monitors=(a_monitor_page(counted),), **pages)
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
    memory = joined_node(a_hami_node(), *four_tenants(), **pages).cards[0].memory
    assert memory.counted == Unknown("one container's counter is not plausible")
    assert memory.offloaded == memory.counted


def test_a_container_that_has_not_opened_the_card_counts_nothing_known() -> None:
    counted = {(Tenant("team-a", "chat-0", "main"), uuid(1)): a_container_reading(9_000)}
    node = joined_node(a_hami_node(), *four_tenants(), monitors=(a_monitor_page(counted),))
    assert value_of(node.allocations[0].memory_counted) == 9_000 * MIB
    assert node.allocations[1].memory_counted == Unknown(
        "the container has not opened the card yet"
    )


def test_the_monitor_speaks_where_dcgm_does_not() -> None:
    host = {uuid(1): HostReading(used_bytes=7_000 * MIB, utilization=0.4)}
    (card,) = joined_node(
        a_hami_node(), *four_tenants(), monitors=(a_monitor_page({}, host),)
    ).cards
    assert value_of(card.memory.resident) == 7_000 * MIB
    assert card.compute_utilization == Known(0.4, NOW, "hami_host_gpu_utilization_ratio")
    assert card.state is CardState.WORKING


def test_a_monitor_page_without_a_node_reaches_it_through_the_pod() -> None:
    counted = {(Tenant("team-a", "chat-0", "main"), uuid(1)): a_container_reading(9_000)}
    page = a_monitor_page(counted, node="")
    node = joined_node(a_hami_node(), *four_tenants(), monitors=(page,))
    assert value_of(node.allocations[0].memory_counted) == 9_000 * MIB


def test_a_monitor_cannot_speak_of_pods_on_other_nodes() -> None:
    counted = {(Tenant("team-a", "chat-0", "main"), uuid(1)): a_container_reading(9_000)}
    page = a_monitor_page(counted, node="gpu-b")
    obs = observations(
        [a_hami_node(), a_hami_node(2, name="gpu-b")], four_tenants(), monitors=(page,)
    )
    node = Joiner().build(obs).nodes["gpu-a"]
    assert isinstance(node.allocations[0].memory_counted, Unknown)

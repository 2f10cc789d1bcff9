from __future__ import annotations

from collections import Counter

from gpuatlas.demo.scenario import Scenario, Sharing
from gpuatlas.demo.shapes import SHAPES
from gpuatlas.demo.state import World
from gpuatlas.demo.world import build_world

DAY = 86_400


def test_it_has_twelve_nodes_with_fifty_six_cards(scenario: Scenario) -> None:
    assert [node.name for node in scenario.nodes] == [
        "a10g-1", "a10g-2", "h100-1", "t4-1", "a100-1", "a100-2", "l40s-1", "ascend-1",
        "kai-1", "volcano-1", "dra-1", "l40s-2",
    ]  # fmt: skip
    assert sum(node.count for node in scenario.nodes) == 56


def test_it_shows_every_way_of_sharing_and_both_eras_of_hami(scenario: Scenario) -> None:
    assert {node.sharing for node in scenario.nodes} == set(Sharing)
    assert {hami.numbers[:2] for hami in scenario.hami} == {(2, 7), (2, 9)}
    assert {node.dcgm_exporter for node in scenario.nodes} == {"", "4.8.2", "4.8.3"}


def test_it_has_workloads_of_every_kind(scenario: Scenario) -> None:
    kinds = Counter(workload.kind for workload in scenario.workloads)
    built_in = {"Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "Pod"}
    assert set(kinds) == built_in | set(SHAPES)


def test_the_four_tenants_of_the_first_card_are_always_there(scenario: Scenario) -> None:
    """29,000 MiB are promised of a card that has 23,028: 5,972 too many, at any time."""
    for number in range(40):
        at = scenario.since + number * 9.37 * DAY
        card = build_world(scenario, seed=number, at=at).node("a10g-1").cards[0]
        asks = [tenant.pod.workload.ask for tenant in card.tenants]
        promised = sorted(ask.memory_mib for ask in asks if ask)
        assert promised == [3000, 6000, 8000, 12000]
        assert sum(promised) - card.node.card.memory_mib == 5972


def test_some_cards_are_free_and_some_are_held_idle(world: World) -> None:
    cards = [card for node in world.nodes for card in node.cards]
    free = [card for card in cards if not card.tenants and not card.instances]
    idle = [card for card in cards if card.tenants and card.compute == 0]
    assert len(free) >= 5
    assert {(card.node.name, card.index) for card in idle} >= {
        ("a10g-2", 1), ("a100-1", 6), ("a100-2", 3),
    }  # fmt: skip


def test_its_faults_are_there(world: World) -> None:
    hot = world.node("a100-1").cards[2]
    assert hot.sensors.temperature == 91
    assert hot.sensors.event_reasons == 64 + 8
    assert hot.sensors.sm_clock_mhz == int(1410 * 0.45)
    assert hot.compute >= 0.9
    assert hot.sensors.thermal_violation_ns < 1e15
    assert not world.node("a10g-1").cards[3].registered_healthy
    assert world.node("a100-2").cards[1].sensors.xid == 48
    broken = [endpoint.key for endpoint in world.endpoints if endpoint.behaviour == "http-500"]
    assert broken == [("dcgm", "a10g-2")]


def test_memory_is_offloaded_from_the_overcommitted_card_when_it_is_busy(world: World) -> None:
    card = world.node("a10g-1").cards[0]
    offloaded = {
        tenant.pod.workload.name: tenant.counted_mib - tenant.resident_mib
        for tenant in card.tenants
    }
    assert offloaded.pop("rerank") > 1000
    assert set(offloaded.values()) == {0}

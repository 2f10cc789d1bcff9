"""Who is slowed in the built-in scenario, by whom and by what: the truth that is to be found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import pytest

from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.demo.services import flow_of, traffic_of
from gpuatlas.demo.serving import Traffic
from gpuatlas.demo.slowdowns import speed_of
from gpuatlas.demo.state import PodState, TenantState, World
from gpuatlas.demo.usage import load_of
from gpuatlas.demo.world import build_world

MINUTE: Final = 60.0
DAY: Final = 86_400.0
NOISE: Final = FaultSpec(name="noisy-neighbour", node="a10g-1", card=2, options={"tenant": 1})
BUSY: Final = 0.5


def tenants(world: World, node: str, card: int) -> dict[str, TenantState]:
    return {t.pod.workload.name: t for t in world.node(node).cards[card].tenants}


def pod(world: World, name: str) -> PodState:
    (found,) = [p for p in world.pods if p.workload.name == name and p.ordinal == 0]
    return found


def day(
    scenario: Scenario, thursday: float, *faults: FaultSpec, step: float = 4 * MINUTE
) -> Iterator[World]:
    for number in range(int(DAY / step)):
        yield build_world(scenario, seed=7, at=thursday + number * step, faults=faults)


@pytest.fixture(scope="module")
def noisy(scenario: Scenario, thursday: float) -> list[World]:
    return list(day(scenario, thursday, NOISE))


def test_the_scenario_has_this_neighbour(scenario: Scenario) -> None:
    assert NOISE in scenario.faults


def test_it_works_in_surges_of_twenty_to_forty_minutes(noisy: list[World]) -> None:
    share = [tenants(world, "a10g-1", 2)["backfill"].compute for world in noisy]
    lengths, length = [], 0
    for value in [*share, 0.0]:
        if value > BUSY:
            length += 4
        elif length:
            lengths.append(length)
            length = 0
    assert 5 <= len(lengths) <= 7
    assert all(16 <= minutes <= 44 for minutes in lengths[1:-1])
    assert max(share) > 0.65  # it was promised a tenth


def test_its_victims_lose_speed_and_their_requests_pile_up(noisy: list[World]) -> None:
    for name in ("support", "detector"):
        speeds: dict[bool, list[float]] = {True: [], False: []}
        waiting: dict[bool, list[float]] = {True: [], False: []}
        for world in noisy:
            surge = tenants(world, "a10g-1", 2)["backfill"].compute > BUSY
            victim = pod(world, name)
            speed = speed_of(world, victim)
            load = load_of(victim, world.seed, world.at)
            speeds[surge].append(speed)
            waiting[surge].append(flow_of(traffic_of(victim.workload), load, speed).waiting)
        assert max(speeds[True]) < 0.55
        assert min(speeds[False]) > 0.9
        assert min(waiting[True]) > 0.5
        assert max(waiting[False]) == 0


def test_the_card_is_full_then_and_the_busy_bystander_takes_less(noisy: list[World]) -> None:
    surges = [w for w in noisy if tenants(w, "a10g-1", 2)["backfill"].compute > BUSY]
    assert min(world.node("a10g-1").cards[2].compute for world in surges) > 0.99
    beside = [t for w in surges if (t := tenants(w, "a10g-1", 2).get("thumbnails")) and t.compute]
    assert beside
    assert all(tenant.compute < 0.6 * tenant.wanted for tenant in beside)


def test_without_the_fault_nobody_is_slowed_there(scenario: Scenario, thursday: float) -> None:
    for world in day(scenario, thursday, step=12 * MINUTE):
        card = world.node("a10g-1").cards[2]
        assert card.compute < 0.9
        assert tenants(world, "a10g-1", 2)["backfill"].compute <= 0.1 + 1e-9
        assert speed_of(world, pod(world, "support")) > 0.9


def test_a_service_is_held_back_by_its_own_limit(scenario: Scenario, thursday: float) -> None:
    limited = []
    for world in day(scenario, thursday):
        tenant = tenants(world, "a10g-1", 1)["caption"]
        if tenant.wanted > 0.3:
            limited.append((tenant.compute, speed_of(world, tenant.pod)))
            assert world.node("a10g-1").cards[1].compute < 1
    assert len(limited) > 30
    assert {round(compute, 9) for compute, _ in limited} == {0.3}
    assert all(0.55 < speed < 1 for _, speed in limited)


def test_heat_slows_the_server_on_the_cards_whoever_is_beside_it(
    scenario: Scenario, thursday: float
) -> None:
    hot = FaultSpec(name="thermal-throttle", node="a100-1", card=2, since=thursday - 60)
    healthy = build_world(scenario, seed=7, at=thursday, faults=())
    assert speed_of(healthy, pod(healthy, "chat-70b")) == 1
    world = build_world(scenario, seed=7, at=thursday, faults=(hot,))
    assert speed_of(world, pod(world, "chat-70b")) == pytest.approx(0.45, abs=0.001)
    over = replace(hot, until=thursday - 30)
    after = build_world(scenario, seed=7, at=thursday, faults=(over,))
    assert speed_of(after, pod(after, "chat-70b")) == 1
    assert after.node("a100-1") == healthy.node("a100-1")


@pytest.mark.parametrize(("load", "speed"), [(0.0, 1.0), (0.4, 1.0), (1.0, 0.5), (0.7, 0.01)])
def test_a_flow_keeps_its_requests_together(load: float, speed: float) -> None:
    traffic = Traffic(requests_per_second=2.0, seconds=5.0)
    flow = flow_of(traffic, load, speed)
    assert flow.running <= 2.0 * 5.0 * 1.3 + 1e-9
    assert flow.rate == pytest.approx(2.0 * load * max(speed, 0.05))
    # Little's law, of all requests and of those that wait.
    if load:
        assert flow.rate * flow.seconds == pytest.approx(flow.running + flow.waiting)
        assert flow.rate * flow.queued == pytest.approx(flow.waiting)
    assert flow.first_token >= flow.queued

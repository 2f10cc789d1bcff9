from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.demo.pages import page_text
from gpuatlas.demo.scenario import Scenario, ScenarioError
from gpuatlas.demo.scenario_file import load_scenario
from gpuatlas.demo.state import CardState, World
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.world import build_world

YEAR = 365 * 86_400
SCENARIO = load_scenario()
INSTANTS = st.integers(int(SCENARIO.since), int(SCENARIO.since) + 2 * YEAR)


def everything(world: World) -> str:
    """All documents and all pages, as one text."""
    pages = [page_text(world, endpoint) for endpoint in world.endpoints]
    return json.dumps(documents(world)) + "".join(pages)


def test_the_same_seed_and_instant_give_the_same_bytes(scenario: Scenario, thursday: float) -> None:
    first = build_world(scenario, seed=7, at=thursday)
    build_world(scenario, seed=8, at=thursday + 1e6)
    second = build_world(load_scenario(), seed=7, at=thursday)
    assert everything(first) == everything(second)


def test_another_seed_gives_another_cluster_of_the_same_shape(
    scenario: Scenario, thursday: float
) -> None:
    one, other = (build_world(scenario, seed=seed, at=thursday) for seed in (1, 2))
    assert {card.uuid for card in _cards(one)}.isdisjoint(card.uuid for card in _cards(other))
    assert len(_cards(one)) == len(_cards(other)) == 56


def _cards(world: World) -> list[CardState]:
    return [card for node in world.nodes for card in node.cards]


def test_identifiers_of_the_cards_do_not_change_with_time(
    scenario: Scenario, thursday: float
) -> None:
    now, later = (build_world(scenario, seed=7, at=thursday + more) for more in (0, 40 * 86_400))
    assert [card.uuid for card in _cards(now)] == [card.uuid for card in _cards(later)]
    assert len({card.uuid for card in _cards(now)}) == 56


def test_an_instant_before_the_scenario_is_refused(scenario: Scenario) -> None:
    with pytest.raises(ScenarioError, match="before the scenario's `since`"):
        build_world(scenario, seed=1, at=scenario.since - 1)


def test_the_first_instant_can_be_asked_for(scenario: Scenario) -> None:
    assert len(_cards(build_world(scenario, seed=1, at=scenario.since))) == 56


@settings(deadline=None, max_examples=60)
@given(INSTANTS, st.integers(0, 5))
def test_no_card_holds_more_than_it_has(at: int, seed: int) -> None:
    for card in _cards(build_world(SCENARIO, seed=seed, at=at)):
        model = card.node.card
        assert 0 <= card.used_mib <= model.memory_mib - model.reserved_mib
        assert 0 <= card.compute <= 1
        assert sum(tenant.compute for tenant in card.tenants) <= 1 + 1e-9
        for instance in card.instances:
            assert 0 <= instance.used_mib <= instance.memory_mib
            assert 0 <= instance.compute <= 1
        for tenant in card.tenants:
            assert 0 <= tenant.resident_mib <= tenant.counted_mib
            ask = tenant.pod.workload.ask
            promised = ask.part_of(model) * model.memory_mib if ask else model.memory_mib
            assert tenant.counted_mib <= promised


@settings(deadline=None, max_examples=40)
@given(INSTANTS, st.integers(1, 30 * 86_400))
def test_counters_never_go_back(at: int, later: int) -> None:
    before, after = (
        _cards(build_world(SCENARIO, seed=3, at=instant)) for instant in (at, at + later)
    )
    for old, new in zip(before, after, strict=True):
        if old.node.card.vendor != "nvidia":
            continue  # nobody reads sensors there
        assert new.sensors.energy_mj > old.sensors.energy_mj
        assert new.sensors.pcie_replays >= old.sensors.pcie_replays >= 0


@settings(deadline=None, max_examples=40)
@given(INSTANTS)
def test_what_a_card_draws_and_shows_is_plausible(at: int) -> None:
    for card in _cards(build_world(SCENARIO, seed=3, at=at)):
        if card.node.card.vendor == "nvidia":
            assert 5 < card.sensors.power_watts <= card.node.card.power_watts
            assert 25 <= card.sensors.temperature <= 95


def test_busy_cards_are_hotter_and_draw_more(healthy_world: World) -> None:
    busy, free = (healthy_world.node("a100-1").cards[index] for index in (4, 7))
    assert busy.compute > 0.9
    assert free.compute == 0
    assert busy.sensors.temperature > free.sensors.temperature + 20
    assert busy.sensors.power_watts > free.sensors.power_watts + 200
    assert (busy.sensors.event_reasons, free.sensors.event_reasons) == (4, 1)

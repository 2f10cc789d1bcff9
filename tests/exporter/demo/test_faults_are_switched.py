from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.demo.fault_kind import FaultKind
from gpuatlas.demo.fault_kinds import FAULTS, complaint
from gpuatlas.demo.faults import FaultSwitches
from gpuatlas.demo.scenario import FaultSpec, Scenario, ScenarioError, Sharing
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.world import build_world

BEGUN = 600.0  # seconds before the instant that is looked at


class Bench:
    """The switches of one scenario, and the world as they make it."""

    def __init__(self, scenario: Scenario, at: float) -> None:
        self.scenario, self.at, self.changes = scenario, at, 0
        self.switches = FaultSwitches(scenario, (), now=lambda: at - BEGUN, on_change=self._changed)

    def _changed(self) -> None:
        self.changes += 1

    def world(self) -> World:
        return build_world(self.scenario, seed=7, at=self.at, faults=self.switches.active())


@pytest.fixture
def bench(scenario: Scenario, thursday: float) -> Bench:
    return Bench(scenario, thursday)


def test_every_fault_has_one_effect_and_a_description() -> None:
    for kind in FAULTS:
        effects = [
            kind.on_card,
            kind.on_pod,
            kind.on_node,
            kind.on_endpoint,
            kind.on_installation,
            kind.on_licence,
            kind.adds_pods,
        ]
        assert sum(effect is not None for effect in effects) == 1
        assert not kind.on_pod or kind.options["tenant"] == 0
        assert len(kind.description) > 20
    assert len({kind.name for kind in FAULTS}) == len(FAULTS)


def target(kind: FaultKind, scenario: Scenario) -> dict[str, Any]:
    """The first node that can have the fault, and its first card where it is about one."""
    card = 0 if kind.about_a_card else None
    for node in ["", *(node.name for node in scenario.nodes)]:
        if not complaint(FaultSpec(name=kind.name, node=node, card=card), scenario):
            return {"node": node, "card": card}
    raise AssertionError(kind.name)


@pytest.mark.parametrize("kind", FAULTS, ids=lambda kind: kind.name)
def test_every_fault_changes_the_world_and_goes_away_again(bench: Bench, kind: FaultKind) -> None:
    healthy = bench.world()
    where = target(kind, bench.scenario)
    bench.switches.enable(kind.name, **where)
    assert bench.world() != healthy
    bench.switches.disable(kind.name, **where)
    assert bench.world() == healthy
    assert bench.changes == 2


CARD_FAULTS: dict[str, dict[str, float]] = {
    "thermal-throttle": {"event_reasons": 72, "thermal_violation_ns": 480e9, "temperature": 91},
    "hotspot-throttle": {"event_reasons": 72, "thermal_violation_ns": 480e9},
    "temperature-high": {"temperature": 86, "event_reasons": 4},
    "memory-temperature-high": {"memory_temperature": 94, "event_reasons": 4},
    "xid-storm": {"xid": 31, "xid_count": 12},
    "nvlink-replays": {"nvlink_replays": 20},
    "power-brake": {"event_reasons": 136, "sm_clock_mhz": 705},
    "xid": {"xid": 79},
    "ecc-uncorrectable": {"ecc_uncorrectable": 1},
    "row-remap-pending": {"row_remap_pending": 1},
    "pcie-link-narrow": {"pcie_width": 4},
    "needs-reset": {"recovery_action": 4},
}


@pytest.mark.parametrize(("name", "expected"), CARD_FAULTS.items())
def test_a_fault_of_the_hardware_shows_in_the_sensors(
    bench: Bench, name: str, expected: dict[str, float]
) -> None:
    bench.switches.enable(name, node="a100-1", card=4)
    sensors = bench.world().node("a100-1").cards[4].sensors
    assert {field: getattr(sensors, field) for field in expected} == expected


def test_replays_are_counted_from_the_beginning_of_the_fault(bench: Bench) -> None:
    before = bench.world().node("a100-1").cards[4].sensors.pcie_replays
    bench.switches.enable("pcie-replays", node="a100-1", card=4, per_minute=30)
    after = bench.world().node("a100-1").cards[4].sensors.pcie_replays
    assert after - before == 30 * BEGUN / 60


def test_a_fault_strikes_one_card_only(bench: Bench) -> None:
    healthy = bench.world()
    bench.switches.enable("xid", node="a100-1", card=4, code=48)
    changed = [
        (card.node.name, card.index)
        for node, before in zip(bench.world().nodes, healthy.nodes, strict=True)
        for card, old in zip(node.cards, before.cards, strict=True)
        if card != old
    ]
    assert changed == [("a100-1", 4)]


def test_a_lost_card_is_unhealthy_and_unseen(bench: Bench) -> None:
    bench.switches.enable("fell-off-bus", node="a10g-1", card=2)
    card = bench.world().node("a10g-1").cards[2]
    assert (card.present, card.registered_healthy) == (False, False)


def test_a_fault_that_is_on_gets_new_options_and_keeps_its_beginning(
    scenario: Scenario, thursday: float
) -> None:
    moments = iter([thursday, thursday + 100])
    switches = FaultSwitches(scenario, (), now=lambda: next(moments), on_change=lambda: None)
    switches.enable("xid", node="a100-1", card=0, code=31)
    switches.enable("xid", node="a100-1", card=0, code=48)
    (fault,) = switches.active()
    assert fault.options == {"code": 48}
    assert fault.since == thursday


@pytest.mark.parametrize(
    ("name", "node", "card", "message"),
    [
        ("fire", "a100-1", 0, "there is no fault 'fire'"),
        ("xidd", "a100-1", 0, "did you mean 'xid'?"),
        ("xid", "nowhere", 0, "there is no node 'nowhere'"),
        ("xid", "a100-1", None, "name the card"),
        ("xid", "a100-1", 8, "has cards 0 to 7, not 8"),
        ("node-not-ready", "a100-1", 1, "it is not about one card"),
        ("sharing-label-lost", "a100-1", None, "is not shared by hami"),
        ("disable-control", "kai-1", 0, "kai-1 is not shared by hami or volcano"),
        ("xid", "", 0, "name the node"),
        ("licence-ends", "a100-1", None, "it is about the cluster: name no node"),
        ("nvlink-replays", "a10g-1", 0, "NVIDIA A10G has neither HBM nor NVLink"),
        ("heartbeat-stopped", "a10g-1", None, "the device plugin of a10g-1 reports nothing"),
        ("device-plugin-missing", "dra-1", None, "dra-1 has a DRA driver"),
        ("config-mode", "ascend-1", None, "ascend-1 has a plugin of another project"),
        ("double-allocation", "a10g-1", None, "name the card"),
        ("webhook-absent", "a10g-1", 0, "it is not about one card"),
    ],
)
def test_what_cannot_be_switched_on_is_refused(
    bench: Bench, name: str, node: str, card: int | None, message: str
) -> None:
    with pytest.raises(ScenarioError) as caught:
        bench.switches.enable(name, node=node, card=card)
    assert message in str(caught.value)
    assert bench.switches.active() == ()
    assert bench.changes == 0


def test_what_is_not_on_cannot_be_switched_off(bench: Bench) -> None:
    bench.switches.enable("xid", node="a100-1", card=0)
    with pytest.raises(ScenarioError, match="on are: xid a100-1 0"):
        bench.switches.disable("xid", node="a100-1", card=1)


def test_the_scenarios_own_faults_fit_it(scenario: Scenario) -> None:
    assert [complaint(fault, scenario) for fault in scenario.faults] == [""] * 5


def test_faults_of_a_node_show_in_its_object(bench: Bench) -> None:
    for name in ("node-not-ready", "sharing-label-lost", "registration-missing"):
        bench.switches.enable(name, node="a10g-1")
    nodes = {node["metadata"]["name"]: node for node in documents(bench.world())["nodes"]}
    broken, sound = nodes["a10g-1"], nodes["a10g-2"]
    assert broken["status"]["conditions"][-1]["status"] == "Unknown"
    assert "gpu" not in broken["metadata"]["labels"]
    assert "hami.io/node-nvidia-register" not in broken["metadata"]["annotations"]
    assert sound["status"]["conditions"][-1]["status"] == "True"
    assert sound["metadata"]["labels"]["gpu"] == "on"
    assert "hami.io/node-nvidia-register" in sound["metadata"]["annotations"]


def test_the_scheduler_of_a_nodes_installation_can_be_struck(bench: Bench) -> None:
    bench.switches.enable("endpoint-hangs", node="a10g-2", endpoint="hami-scheduler")
    hanging = [e.key for e in bench.world().endpoints if e.behaviour == "hangs"]
    assert hanging == [("hami-scheduler", "hami-legacy")]


def test_a_fault_of_an_endpoint_that_the_node_lacks_changes_nothing(
    scenario: Scenario, thursday: float
) -> None:
    fault = FaultSpec(name="endpoint-gone", node="a100-1", options={"endpoint": "hami-scheduler"})
    assert scenario.node("a100-1").sharing is Sharing.PLAIN
    world = build_world(scenario, seed=7, at=thursday, faults=(fault,))
    assert {endpoint.behaviour for endpoint in world.endpoints} == {"ok"}

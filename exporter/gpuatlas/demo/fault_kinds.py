"""All faults that can be switched on: one row each, with what it does to the state.

A fault changes what the exporters and the API tell, never the readers of it. To add one, add a row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from gpuatlas.demo.fields import suggest
from gpuatlas.demo.scenario import FaultSpec, Scenario, Sharing
from gpuatlas.demo.state import CardState, EndpointState, NodeState

# Bits of the clocks' event reasons (facts/dcgm.md 1.6).
_HW_SLOWDOWN: Final = 8
_HW_THERMAL: Final = 64
_HW_POWER_BRAKE: Final = 128
_DRAIN_AND_RESET: Final = 4  # recovery action, facts/dcgm.md 1.4
_NS: Final = 1_000_000_000
# The counter of throttled time begins again with the driver, here once a week: readers take what
# is above 1e15 for a sentinel (facts/dcgm.md 4.0), and that is twelve days of nanoseconds.
_WEEK: Final = 604_800

CardEffect = Callable[[CardState, FaultSpec, float], CardState]
NodeEffect = Callable[[NodeState, FaultSpec], NodeState]
EndpointEffect = Callable[[EndpointState, FaultSpec], EndpointState]


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultKind:
    """One row. Exactly one of the three effects is set: it says what the fault is about.

    `options` are the settings that it takes, with their defaults. A card effect gets the seconds
    for which the fault has lasted.
    """

    name: str
    description: str
    options: Mapping[str, str | int | float] = field(default_factory=dict)
    sharing: Sharing | None = None  # only on nodes that are shared in this way
    on_card: CardEffect | None = None
    on_node: NodeEffect | None = None
    on_endpoint: EndpointEffect | None = None

    def number(self, fault: FaultSpec, option: str) -> float:
        """The value of one option."""
        return float(fault.options.get(option, self.options[option]))


def _sensors(card: CardState, **changes: float) -> CardState:
    whole = {name: type(getattr(card.sensors, name))(value) for name, value in changes.items()}
    return replace(card, sensors=replace(card.sensors, **whole))


def _option(fault: FaultSpec, name: str) -> float:
    return BY_NAME[fault.name].number(fault, name)


def _throttle(card: CardState, fault: FaultSpec, seconds: float) -> CardState:
    del fault
    limits = card.node.card.limits
    return _sensors(
        replace(card, compute=max(card.compute, 0.9)),
        temperature=(limits.slowdown if limits else 92) + 2,
        memory_temperature=card.sensors.memory_temperature and 96,
        sm_clock_mhz=card.node.card.sm_clock_mhz * 0.45,
        memory_clock_mhz=card.node.card.memory_clock_mhz,
        performance_state=0,
        pcie_generation=card.node.card.pcie_generation,
        power_watts=round(card.node.card.power_watts * 0.55, 3),
        event_reasons=_HW_SLOWDOWN | _HW_THERMAL,
        thermal_violation_ns=seconds % _WEEK * 0.8 * _NS,
    )


def _power_brake(card: CardState, fault: FaultSpec, seconds: float) -> CardState:
    del fault, seconds
    return _sensors(
        card,
        sm_clock_mhz=card.node.card.sm_clock_mhz * 0.5,
        event_reasons=_HW_SLOWDOWN | _HW_POWER_BRAKE,
    )


def _xid(card: CardState, fault: FaultSpec, seconds: float) -> CardState:
    del seconds
    return _sensors(card, xid=_option(fault, "code"))


def _ecc(card: CardState, fault: FaultSpec, seconds: float) -> CardState:
    del seconds
    return _sensors(card, ecc_uncorrectable=_option(fault, "errors"))


def _remap(card: CardState, fault: FaultSpec, seconds: float) -> CardState:
    del fault, seconds
    return _sensors(card, row_remap_pending=1)


def _replays(card: CardState, fault: FaultSpec, seconds: float) -> CardState:
    more = _option(fault, "per_minute") * seconds / 60
    return _sensors(card, pcie_replays=card.sensors.pcie_replays + more)


def _narrow_link(card: CardState, fault: FaultSpec, seconds: float) -> CardState:
    del seconds
    return _sensors(card, pcie_width=_option(fault, "width"))


def _needs_reset(card: CardState, fault: FaultSpec, seconds: float) -> CardState:
    del fault, seconds
    return _sensors(card, recovery_action=_DRAIN_AND_RESET)


def _lost(card: CardState, fault: FaultSpec, seconds: float) -> CardState:
    del fault, seconds
    return replace(card, present=False, registered_healthy=False)


def _unhealthy(card: CardState, fault: FaultSpec, seconds: float) -> CardState:
    del fault, seconds
    return replace(card, registered_healthy=False)


def _silent(card: CardState, fault: FaultSpec, seconds: float) -> CardState:
    del fault, seconds
    return replace(card, reservation_told=False)


def _not_ready(node: NodeState, fault: FaultSpec) -> NodeState:
    del fault
    return replace(node, ready=False)


def _no_label(node: NodeState, fault: FaultSpec) -> NodeState:
    del fault
    return replace(node, sharing_label=False)


def _not_registered(node: NodeState, fault: FaultSpec) -> NodeState:
    del fault
    return replace(node, registered=False)


def _behaves(behaviour: str) -> EndpointEffect:
    def effect(endpoint: EndpointState, fault: FaultSpec) -> EndpointState:
        del fault
        return replace(endpoint, behaviour=behaviour)

    return effect


_ENDPOINT: Final[Mapping[str, str]] = {"endpoint": "dcgm"}
ENDPOINTS: Final = ("dcgm", "hami-monitor", "hami-scheduler")

FAULTS: Final[tuple[FaultKind, ...]] = (
    FaultKind(
        name="thermal-throttle",
        description="the card is too hot, and the hardware cuts its clocks while it works",
        on_card=_throttle,
    ),
    FaultKind(
        name="power-brake",
        description="an outside signal (power supply, rack) cuts the card's clocks",
        on_card=_power_brake,
    ),
    FaultKind(
        name="xid",
        description="the driver logged an XID error on the card",
        options={"code": 79},
        on_card=_xid,
    ),
    FaultKind(
        name="ecc-uncorrectable",
        description="memory errors since the last reset that could not be corrected",
        options={"errors": 1},
        on_card=_ecc,
    ),
    FaultKind(
        name="row-remap-pending",
        description="a memory row is to be replaced at the next reset",
        on_card=_remap,
    ),
    FaultKind(
        name="pcie-replays",
        description="packets on the PCIe link are sent again, many times a minute",
        options={"per_minute": 60},
        on_card=_replays,
    ),
    FaultKind(
        name="pcie-link-narrow",
        description="the PCIe link runs with fewer lanes than it has",
        options={"width": 4},
        on_card=_narrow_link,
    ),
    FaultKind(
        name="needs-reset",
        description="the driver asks for the node to be drained and the card to be reset",
        on_card=_needs_reset,
    ),
    FaultKind(
        name="fell-off-bus",
        description="the card is gone: no exporter on its node sees it any more",
        on_card=_lost,
    ),
    FaultKind(
        name="registered-unhealthy",
        description="HAMi's device plugin registered the card as unhealthy",
        sharing=Sharing.HAMI,
        on_card=_unhealthy,
    ),
    FaultKind(
        name="reservation-silent",
        description="KAI's reservation pod has not said which card it got",
        sharing=Sharing.KAI,
        on_card=_silent,
    ),
    FaultKind(
        name="node-not-ready",
        description="the kubelet of the node stopped reporting",
        on_node=_not_ready,
    ),
    FaultKind(
        name="sharing-label-lost",
        description="the node lost the label that keeps HAMi's device plugin on it",
        sharing=Sharing.HAMI,
        on_node=_no_label,
    ),
    FaultKind(
        name="registration-missing",
        description="HAMi's register annotation is gone from the node",
        sharing=Sharing.HAMI,
        on_node=_not_registered,
    ),
    FaultKind(
        name="endpoint-http-500",
        description="an exporter answers every scrape with HTTP 500",
        options=_ENDPOINT,
        on_endpoint=_behaves("http-500"),
    ),
    FaultKind(
        name="endpoint-hangs",
        description="an exporter takes the connection and never answers",
        options=_ENDPOINT,
        on_endpoint=_behaves("hangs"),
    ),
    FaultKind(
        name="endpoint-gone",
        description="an exporter's pod does not run",
        options=_ENDPOINT,
        on_endpoint=_behaves("gone"),
    ),
)
BY_NAME: Final[Mapping[str, FaultKind]] = {kind.name: kind for kind in FAULTS}


def complaint(fault: FaultSpec, scenario: Scenario) -> str:
    """Why this fault cannot be switched on in this cluster, or ""."""
    kind = BY_NAME.get(fault.name)
    if kind is None:
        return f"there is no fault '{fault.name}'{suggest(fault.name, BY_NAME)}"
    nodes = {node.name: node for node in scenario.nodes}
    if fault.node not in nodes:
        return f"{fault.name}: there is no node '{fault.node}'{suggest(fault.node, nodes)}"
    node = nodes[fault.node]
    if (fault.card is None) != (kind.on_card is None):
        return f"{fault.name}: {'name the card' if kind.on_card else 'it is not about one card'}"
    if fault.card is not None and fault.card not in range(node.count):
        return f"{fault.name}: {node.name} has cards 0 to {node.count - 1}, not {fault.card}"
    if kind.sharing and node.sharing is not kind.sharing:
        return f"{fault.name}: {node.name} is not shared by {kind.sharing}"
    return _bad_option(kind, fault)


def _bad_option(kind: FaultKind, fault: FaultSpec) -> str:
    for option, value in fault.options.items():
        if option not in kind.options:
            return f"{fault.name}: takes no '{option}'; it takes: {', '.join(kind.options) or '-'}"
        if option == "endpoint" and value not in ENDPOINTS:
            return f"{fault.name}: endpoint '{value}' is not one of {', '.join(ENDPOINTS)}"
        if option != "endpoint" and (isinstance(value, str) or value < 0):
            return f"{fault.name}: {option} must be a number from 0 up, not {value!r}"
    return ""

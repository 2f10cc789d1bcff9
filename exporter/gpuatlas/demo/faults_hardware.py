"""Faults of cards: what the driver tells. One row each."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from gpuatlas.demo.fault_kind import Fault, FaultKind
from gpuatlas.demo.scenario import NodeSpec
from gpuatlas.demo.sensors import HIGHEST_OPERATING
from gpuatlas.demo.state import CardState

# Bits of the clocks' event reasons (facts/dcgm.md 1.6).
_HW_SLOWDOWN: Final = 8
_HW_THERMAL: Final = 64
_HW_POWER_BRAKE: Final = 128
_DRAIN_AND_RESET: Final = 4  # recovery action, facts/dcgm.md 1.4
_NS: Final = 1_000_000_000
# The counter of throttled time begins again with the driver, here once a week: readers take what
# is above 1e15 for a sentinel (facts/dcgm.md 4.0), and that is twelve days of nanoseconds.
_WEEK: Final = 604_800
_HOT: Final = 87  # degrees: near the slowdown of cards that tell no limit (facts/dcgm.md 4.5)
_BELOW_SLOWDOWN: Final = 3
_MARGIN_LEFT: Final = 2
_MEMORY_LIMIT: Final = 95  # degrees, where the card tells none (facts/dcgm.md 4.6)


def with_sensors(card: CardState, **changes: float) -> CardState:
    """The same card with other readings."""
    whole = {name: type(getattr(card.sensors, name))(value) for name, value in changes.items()}
    return replace(card, sensors=replace(card.sensors, **whole))


def at_work(card: CardState, compute: float) -> CardState:
    """The same card awake, and with at least this load."""
    model = card.node.card
    return with_sensors(
        replace(card, compute=max(card.compute, compute)),
        memory_clock_mhz=model.memory_clock_mhz,
        performance_state=0,
        pcie_generation=model.pcie_generation,
        power_watts=round(model.power_watts * 0.55, 3),
    )


def _throttle(card: CardState, fault: Fault) -> CardState:
    limits = card.node.card.limits
    return with_sensors(
        _hotspot(card, fault),
        temperature=(limits.slowdown if limits else 92) + 2,
        memory_temperature=card.sensors.memory_temperature and 96,
    )


def _hotspot(card: CardState, fault: Fault) -> CardState:
    return with_sensors(
        at_work(card, 0.9),
        sm_clock_mhz=card.node.card.sm_clock_mhz * 0.45,
        event_reasons=_HW_SLOWDOWN | _HW_THERMAL,
        thermal_violation_ns=fault.seconds % _WEEK * 0.8 * _NS,
    )


def _hot(card: CardState, fault: Fault) -> CardState:
    del fault
    model = card.node.card
    if model.limits:
        temperature = model.limits.slowdown - _BELOW_SLOWDOWN
    else:
        temperature = HIGHEST_OPERATING - _MARGIN_LEFT if model.margin else _HOT
    return with_sensors(card, temperature=temperature)


def _hot_memory(card: CardState, fault: Fault) -> CardState:
    del fault
    limits = card.node.card.limits
    return with_sensors(
        card, memory_temperature=(limits.memory_max if limits else _MEMORY_LIMIT) - 1
    )


def _power_brake(card: CardState, fault: Fault) -> CardState:
    del fault
    return with_sensors(
        card,
        sm_clock_mhz=card.node.card.sm_clock_mhz * 0.5,
        event_reasons=_HW_SLOWDOWN | _HW_POWER_BRAKE,
    )


def _xid(card: CardState, fault: Fault) -> CardState:
    return with_sensors(card, xid=fault.number("code"))


def _xid_storm(card: CardState, fault: Fault) -> CardState:
    return with_sensors(card, xid=fault.number("code"), xid_count=fault.number("count"))


def _ecc(card: CardState, fault: Fault) -> CardState:
    return with_sensors(card, ecc_uncorrectable=fault.number("errors"))


def _remap(card: CardState, fault: Fault) -> CardState:
    del fault
    return with_sensors(card, row_remap_pending=1)


def _pcie_replays(card: CardState, fault: Fault) -> CardState:
    more = fault.number("per_minute") * fault.seconds / 60
    return with_sensors(card, pcie_replays=card.sensors.pcie_replays + more)


def _narrow_link(card: CardState, fault: Fault) -> CardState:
    return with_sensors(card, pcie_width=fault.number("width"))


def _nvlink_replays(card: CardState, fault: Fault) -> CardState:
    return with_sensors(card, nvlink_replays=fault.number("per_minute") * fault.seconds / 60)


def _needs_reset(card: CardState, fault: Fault) -> CardState:
    del fault
    return with_sensors(card, recovery_action=_DRAIN_AND_RESET)


def _lost(card: CardState, fault: Fault) -> CardState:
    del fault
    return replace(card, present=False, registered_healthy=False)


def _without_hbm(node: NodeSpec) -> str:
    """Boards with HBM are those with NVLink here, too."""
    return "" if node.card.hbm else f"{node.card.model} has neither HBM nor NVLink"


HARDWARE: Final[tuple[FaultKind, ...]] = (
    FaultKind(
        name="thermal-throttle",
        description="the card is too hot, and the hardware cuts its clocks while it works; H05 and "
        "H06 fire beside H07",
        on_card=_throttle,
    ),
    FaultKind(
        name="hotspot-throttle",
        description="the hardware cuts the clocks of a working card for the heat of a spot that no "
        "sensor shows",
        on_card=_hotspot,
    ),
    FaultKind(
        name="temperature-high",
        description="the core is a few degrees below the temperature that would cut its clocks",
        on_card=_hot,
    ),
    FaultKind(
        name="memory-temperature-high",
        description="the card's memory is one degree below its highest temperature",
        unfit=_without_hbm,
        on_card=_hot_memory,
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
        name="xid-storm",
        description="programs on the card make the driver log the same XID again and again",
        options={"code": 31, "count": 12},
        on_card=_xid_storm,
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
        on_card=_pcie_replays,
    ),
    FaultKind(
        name="pcie-link-narrow",
        description="the PCIe link runs with fewer lanes than it has",
        options={"width": 4},
        on_card=_narrow_link,
    ),
    FaultKind(
        name="nvlink-replays",
        description="transfers on the card's NVLinks have to be sent again",
        options={"per_minute": 2},
        unfit=_without_hbm,
        on_card=_nvlink_replays,
    ),
    FaultKind(
        name="needs-reset",
        description="the driver asks for the node to be drained and the card to be reset",
        on_card=_needs_reset,
    ),
    FaultKind(
        name="fell-off-bus",
        description="the card is gone: no exporter on its node sees it any more; under HAMi its "
        "registration turns unhealthy, and S12 fires beside H12",
        on_card=_lost,
    ),
)

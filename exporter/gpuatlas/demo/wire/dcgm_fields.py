"""The fields that our simulated dcgm-exporter collects: one row each.

It runs with the default list of 4.8.2 and a custom list on top of it, as our hardware checks need
it (facts/dcgm.md 1.3, 1.4, 4.0). Help texts are our own; readers do not look at them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from gpuatlas.demo.randomness import wave
from gpuatlas.demo.sensors import FULL_WIDTH, HIGHEST_OPERATING
from gpuatlas.demo.state import CardState, InstanceState

_FABRIC_READY: Final = 3  # facts/dcgm.md 4.11

CardValue = Callable[[CardState, float], float | None]
InstanceValue = Callable[[InstanceState, CardState, float], float | None]


@dataclass(frozen=True, slots=True)
class Field:
    """One DCGM field as the exporter writes it. Values are in the field's own unit.

    `card` gives the value of a whole card at an instant, None where the card lacks the field.
    `instance` gives that of a MIG instance; a field without it is the parent card's, and
    `instance_lacks` says that cut cards do not have it at all. `digits` 0 writes a whole number.
    """

    name: str
    help: str
    card: CardValue
    instance: InstanceValue | None = None
    kind: str = "gauge"
    kind_since_483: str = ""  # where 4.8.3 declares another type
    instance_lacks: bool = False
    digits: int = 0

    def of_instance(self, instance: InstanceState, card: CardState, at: float) -> float | None:
        """The value that the series of this instance carries."""
        if self.instance_lacks:
            return None
        return self.instance(instance, card, at) if self.instance else self.card(card, at)


def _sensor(name: str) -> CardValue:
    return lambda card, at: getattr(card.sensors, name)


def _model(name: str) -> CardValue:
    return lambda card, at: getattr(card.node.card, name)


def _limit(name: str) -> CardValue:
    return lambda card, at: getattr(card.node.card.limits, name, None)


def _constant(value: float) -> CardValue:
    return lambda card, at: value


def _share(factor: float) -> tuple[CardValue, InstanceValue]:
    """A PROF field as a fixed part of the load, for a card and for an instance."""
    return (
        lambda card, at: factor * card.compute,
        lambda instance, card, at: factor * instance.compute,
    )


_SM_SHARE: Final[tuple[CardValue, InstanceValue]] = (
    lambda card, at: card.sm_share * card.compute,
    lambda instance, card, at: card.sm_share * instance.compute,
)


def _traffic(direction: str) -> CardValue:
    def value(card: CardState, at: float) -> float:
        return round(2e5 + card.compute * 2.5e9 * wave(at, 90.0, direction, card.uuid))

    return value


def _percent(card: CardState, at: float) -> float:
    del at
    return round(100 * card.compute)


def _copying(card: CardState, at: float) -> float:
    return round(100 * card.compute * (0.4 + 0.2 * wave(at, 90.0, "copying", card.uuid)))


def _used(card: CardState, at: float) -> float:
    del at
    return card.used_mib


def _reserved(card: CardState, at: float) -> float:
    del at
    return card.node.card.reserved_mib


def _total(card: CardState, at: float) -> float:
    del at
    return card.node.card.memory_mib


def _free(card: CardState, at: float) -> float:
    """The driver's three sizes add up to the whole (facts/dcgm.md 0, trap 15)."""
    return _total(card, at) - _reserved(card, at) - _used(card, at)


def _instance_used(instance: InstanceState, card: CardState, at: float) -> float:
    del card, at
    return instance.used_mib


def _instance_total(instance: InstanceState, card: CardState, at: float) -> float:
    del card, at
    return instance.memory_mib


def _instance_reserved(instance: InstanceState, card: CardState, at: float) -> float:
    """An instance's part of the card's, cut so that the three sizes add up here too."""
    part = _reserved(card, at) * instance.memory_mib // _total(card, at)
    return min(part, instance.memory_mib - instance.used_mib)


def _instance_free(instance: InstanceState, card: CardState, at: float) -> float:
    return instance.memory_mib - instance.used_mib - _instance_reserved(instance, card, at)


def _repaired(card: CardState, at: float) -> float | None:
    """Only Ampere and newer replace rows (facts/dcgm.md 5)."""
    del at
    return None if card.node.card.family == "turing" else 0.0


def _retired(card: CardState, at: float) -> float | None:
    """Older cards retire pages instead."""
    return 0.0 if _repaired(card, at) is None else None


def _nvlink(card: CardState, at: float) -> float | None:
    """No unit is documented: any number that grows will do."""
    del at
    return card.sensors.energy_mj // 4096 if card.node.card.hbm else None


def _linked(value: CardValue) -> CardValue:
    """Here, boards with HBM have NVLinks and hang on NVSwitches, and others do not."""
    return lambda card, at: value(card, at) if card.node.card.hbm else None


def _memory_temperature(card: CardState, at: float) -> float | None:
    del at
    return card.sensors.memory_temperature or None


def _temperature_margin(card: CardState, at: float) -> float | None:
    del at
    return HIGHEST_OPERATING - card.sensors.temperature if card.node.card.margin else None


FIELDS: Final[tuple[Field, ...]] = (
    Field("DEV_SM_CLOCK", "Clock of the SMs (MHz).", _sensor("sm_clock_mhz")),
    Field("DEV_MEM_CLOCK", "Clock of the memory (MHz).", _sensor("memory_clock_mhz")),
    Field("DEV_MEMORY_TEMP", "Temperature of the memory (C).", _memory_temperature),
    Field("DEV_GPU_TEMP", "Temperature of the GPU (C).", _sensor("temperature")),
    Field("DEV_POWER_USAGE", "Power drawn (W).", _sensor("power_watts"), digits=3),
    Field(
        "DEV_TOTAL_ENERGY_CONSUMPTION",
        "Energy since the driver was loaded (mJ).",
        _sensor("energy_mj"),
        kind="counter",
    ),
    Field(
        "DEV_PCIE_REPLAY_COUNTER",
        "Packets sent again on PCIe.",
        _sensor("pcie_replays"),
        kind="counter",
    ),
    Field("DEV_GPU_UTIL", "Time with a kernel running (%).", _percent, instance_lacks=True),
    Field("DEV_MEM_COPY_UTIL", "Time with memory traffic (%).", _copying, instance_lacks=True),
    Field("DEV_FB_FREE", "Memory that is free (MiB).", _free, _instance_free),
    Field("DEV_FB_USED", "Memory in use (MiB).", _used, _instance_used),
    Field("DEV_FB_RESERVED", "Memory kept by the driver (MiB).", _reserved, _instance_reserved),
    Field("DEV_FB_TOTAL", "Memory in all (MiB).", _total, _instance_total),
    Field(
        "DEV_UNCORRECTABLE_REMAPPED_ROWS",
        "Rows replaced after uncorrectable errors.",
        _repaired,
        kind="counter",
        instance_lacks=True,
    ),
    Field(
        "DEV_CORRECTABLE_REMAPPED_ROWS",
        "Rows replaced after correctable errors.",
        _repaired,
        kind="counter",
        instance_lacks=True,
    ),
    Field(
        "DEV_ROW_REMAP_PENDING",
        "A row waits for a reset.",
        _sensor("row_remap_pending"),
        instance_lacks=True,
    ),
    *(
        Field(f"DEV_ECC_{name}_TOTAL", words, value, kind="counter", instance_lacks=True)
        for name, words, value in (
            ("DBE_VOL", "Uncorrectable errors since the last reset.", _sensor("ecc_uncorrectable")),
            ("DBE_AGG", "The same of the card's lifetime.", _sensor("ecc_uncorrectable")),
            ("SBE_VOL", "Errors that were corrected.", _constant(0)),
        )
    ),
    *(
        Field(f"DEV_{name}", words, _repaired, instance_lacks=True)
        for name, words in (
            ("THRESHOLD_SRM", "Too many errors of SRAM."),
            ("BANKS_REMAP_ROWS_AVAIL_NONE", "Banks without a spare row."),
            ("ROW_REMAP_FAILURE", "Replacing a row failed."),
        )
    ),
    *(
        Field(f"DEV_RETIRED_{what}", f"Pages {words}.", _retired, kind=kind, instance_lacks=True)
        for what, words, kind in (
            ("SBE", "retired after corrected errors", "counter"),
            ("DBE", "retired after uncorrectable errors", "counter"),
            ("PENDING", "that wait for a reboot", "gauge"),
        )
    ),
    Field("DEV_VGPU_LICENSE_STATUS", "Licence of a vGPU guest.", _constant(0)),
    Field(
        "DEV_NVLINK_BANDWIDTH_TOTAL",
        "Traffic on all NVLinks.",
        _nvlink,
        kind="counter",
        kind_since_483="gauge",
        instance_lacks=True,
    ),
    *(
        Field(
            f"DEV_NVLINK_{what}_ERROR_COUNT_TOTAL",
            f"{words} of all NVLinks.",
            _linked(value),
            kind="counter",
            instance_lacks=True,
        )
        for what, words, value in (
            ("CRC_FLIT", "Checksum errors of flow control", _constant(0)),
            ("CRC_DATA", "Checksum errors of data", _constant(0)),
            ("REPLAY", "Transfers sent again", _sensor("nvlink_replays")),
            ("RECOVERY", "Links that had to recover", _constant(0)),
        )
    ),
    Field(
        "DEV_FABRIC_MANAGER_STATUS",
        "Registration with the fabric; 3 is done.",
        _linked(_constant(_FABRIC_READY)),
    ),
    Field("DEV_CLOCKS_EVENT_REASONS", "Why the clocks are low.", _sensor("event_reasons")),
    Field("DEV_MAX_SM_CLOCK", "Highest clock of the SMs (MHz).", _model("sm_clock_mhz")),
    Field("DEV_GPU_MAX_OP_TEMP", "Highest operating temperature (C).", _limit("max_operating")),
    Field("DEV_MEM_MAX_OP_TEMP", "The same of the memory (C).", _limit("memory_max")),
    Field("DEV_SLOWDOWN_TEMP", "Temperature that cuts the clocks (C).", _limit("slowdown")),
    Field("DEV_SHUTDOWN_TEMP", "Temperature that switches it off (C).", _limit("shutdown")),
    Field("DEV_GPU_TEMP_LIMIT", "Distance to the highest one (C).", _temperature_margin),
    Field("DEV_ENFORCED_POWER_LIMIT", "Limit in force (W).", _model("power_watts"), digits=3),
    Field("DEV_POWER_MGMT_LIMIT_DEF", "Default limit (W).", _model("power_watts"), digits=3),
    Field("DEV_PSTATE", "Performance state; 0 is the fastest.", _sensor("performance_state")),
    Field("DEV_PCIE_MAX_LINK_GEN", "Highest PCIe generation.", _model("pcie_generation")),
    Field("DEV_PCIE_MAX_LINK_WIDTH", "Most PCIe lanes.", _constant(FULL_WIDTH)),
    Field("DEV_PCIE_LINK_GEN", "PCIe generation in use.", _sensor("pcie_generation")),
    Field("DEV_PCIE_LINK_WIDTH", "PCIe lanes in use.", _sensor("pcie_width")),
    Field(
        "DEV_THERMAL_VIOLATION",
        "Time slowed by heat (ns).",
        _sensor("thermal_violation_ns"),
        kind="counter",
    ),
    Field("DEV_GET_GPU_RECOVERY_ACTION", "What the driver asks for.", _sensor("recovery_action")),
    Field("PROF_GR_ENGINE_ACTIVE", "Share of time of an engine.", *_share(1.0), digits=6),
    Field("PROF_SM_ACTIVE", "Share of the SMs that work.", *_SM_SHARE, digits=6),
    Field("PROF_PIPE_TENSOR_ACTIVE", "Share of the tensor pipe.", *_share(0.42), digits=6),
    Field("PROF_DRAM_ACTIVE", "Share of the memory interface.", *_share(0.55), digits=6),
    Field("PROF_PCIE_TX_BYTES", "Sent on PCIe (bytes/s).", _traffic("sent")),
    Field("PROF_PCIE_RX_BYTES", "Received on PCIe (bytes/s).", _traffic("received")),
)

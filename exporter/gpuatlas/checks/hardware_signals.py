"""What H01-H12 can see in one instant of a DCGM page: a row for each signal. Pure.

Conditions and thresholds are those of alerts/hardware.yaml (facts/dcgm.md 4), a test compares the
numbers. Where a rule takes a share of the samples of some minutes, the one sample there is stands
for all. What takes two samples (counters that grow, cards that were there before) is no row here.
Sentinels never come this far: the readers refuse them.
"""

from __future__ import annotations

from typing import Final

from gpuatlas.checks.hardware_card import (
    HardwareCheck,
    HardwareSignal,
    Look,
    SeenCard,
    Sighting,
)
from gpuatlas.model.catalogue import Severity

REMAPPED_ROWS: Final = 512
RETIRED_PAGES: Final = 60
RETIRED_PAGES_FULL: Final = 63
LEAST_MARGIN: Final = -100  # below: no margin but nonsense
MARGIN: Final = 3
MARGIN_GONE: Final = 0
MARGIN_COUNTS_ABOVE: Final = 60  # degrees; colder cards report margins of 0
BELOW_SLOWDOWN: Final = 5
HOT: Final = 85  # degrees, for cards that tell no limit of their own
TOO_HOT: Final = 90
MEMORY_LIMIT: Final = 95
BELOW_MEMORY_LIMIT: Final = 3
# Bits of DCGM_FI_DEV_CLOCKS_EVENT_REASONS (facts/dcgm.md 1.6).
HW_SLOWDOWN: Final = 8
SW_THERMAL: Final = 32
HW_THERMAL: Final = 64
HW_POWER_BRAKE: Final = 128
ABOVE_POWER_LIMIT: Final = 1.1
BELOW_POWER_DEFAULT: Final = 0.9
READS_NO_POWER: Final = 10  # watts
WORKS: Final = 0.5  # share of time
WORKS_A_LITTLE: Final = 0.2
FABRIC_REGISTERED: Final = 3
FABRIC_TOO_OLD: Final = 6
FABRIC_MASK_END: Final = 4096
# Where each two-bit answer of DCGM_FI_DEV_FABRIC_HEALTH_MASK begins; 1 in it means yes.
FABRIC_ANSWERS: Final = (1, 4, 16, 64)
DRAIN_PEERS: Final = 3
RECOVERY_END: Final = 8

_REASONS: Final = "DEV_CLOCKS_EVENT_REASONS"
_TEMPERATURE: Final = "DEV_GPU_TEMP"
_MARGIN: Final = "DEV_GPU_TEMP_LIMIT"
_SLOWDOWN: Final = "DEV_SLOWDOWN_TEMP"
_POWER: Final = "DEV_POWER_USAGE"
_POWER_LIMIT: Final = "DEV_ENFORCED_POWER_LIMIT"


def _xid(card: SeenCard) -> Sighting | None:
    number = card.value("DEV_XID_ERRORS")
    known = card.xids.get(int(number)) if number else None
    if known is None or known.kind not in {Severity.CRITICAL, Severity.WARNING}:
        return None
    return Sighting(
        Severity(known.kind),
        ("DEV_XID_ERRORS",),
        f"the last XID, when it came is unknown: {known.meaning}",
        (("xid", str(known.number)),),
    )


def _is_set(field: str, severity: Severity) -> Look:
    return lambda card: Sighting(severity, (field,)) if card.value(field) == 1 else None


def _more_than_none(field: str, severity: Severity) -> Look:
    return lambda card: Sighting(severity, (field,)) if (card.value(field) or 0) > 0 else None


def _remapped_rows(card: SeenCard) -> Sighting | None:
    field = "DEV_UNCORRECTABLE_REMAPPED_ROWS"
    rows = card.value(field)
    return Sighting(Severity.WARNING, (field,)) if rows and rows >= REMAPPED_ROWS else None


def _retired_pages(card: SeenCard) -> Sighting | None:
    fields = ("DEV_RETIRED_SBE", "DEV_RETIRED_DBE")
    single, double = map(card.value, fields)
    if single is None or double is None or single + double < RETIRED_PAGES:
        return None
    full = single + double >= RETIRED_PAGES_FULL
    return Sighting(Severity.CRITICAL if full else Severity.WARNING, fields)


def _margin(card: SeenCard) -> Sighting | None:
    margin, temperature = card.value(_MARGIN), card.value(_TEMPERATURE)
    if margin is None or temperature is None or temperature <= MARGIN_COUNTS_ABOVE:
        return None
    if not LEAST_MARGIN < margin <= MARGIN:
        return None
    gone = margin <= MARGIN_GONE
    return Sighting(Severity.CRITICAL if gone else Severity.WARNING, (_MARGIN, _TEMPERATURE))


def _slowdown(card: SeenCard) -> Sighting | None:
    temperature, limit = card.value(_TEMPERATURE), card.value(_SLOWDOWN)
    if temperature is None or not limit or card.value(_MARGIN) is not None:
        return None
    if temperature <= limit - BELOW_SLOWDOWN:
        return None
    reached = temperature >= limit
    return Sighting(Severity.CRITICAL if reached else Severity.WARNING, (_TEMPERATURE, _SLOWDOWN))


def _fixed(card: SeenCard) -> Sighting | None:
    temperature = card.value(_TEMPERATURE)
    if temperature is None or card.value(_MARGIN) is not None or card.value(_SLOWDOWN):
        return None
    if temperature <= HOT:
        return None
    too_hot = temperature >= TOO_HOT
    return Sighting(Severity.CRITICAL if too_hot else Severity.WARNING, (_TEMPERATURE,))


def _memory(card: SeenCard) -> Sighting | None:
    temperature, told = card.value("DEV_MEMORY_TEMP"), card.value("DEV_MEM_MAX_OP_TEMP")
    limit = told or MEMORY_LIMIT
    if not temperature or temperature < limit - BELOW_MEMORY_LIMIT:
        return None
    severity = Severity.CRITICAL if temperature > limit else Severity.WARNING
    return Sighting(severity, ("DEV_MEMORY_TEMP", *(["DEV_MEM_MAX_OP_TEMP"] if told else [])))


def _reason(bit: int, severity: Severity, remark: str) -> Look:
    def look(card: SeenCard) -> Sighting | None:
        reasons = card.value(_REASONS)
        if reasons is None or not int(reasons) & bit:
            return None
        return Sighting(severity, (_REASONS,), f"bit {bit}, {remark}, at this instant")

    return look


def _hw_slowdown(card: SeenCard) -> Sighting | None:
    reasons, state = card.value(_REASONS), card.value("DEV_PSTATE")
    others = SW_THERMAL | HW_THERMAL | HW_POWER_BRAKE
    if reasons is None or state != 0 or int(reasons) & (HW_SLOWDOWN | others) != HW_SLOWDOWN:
        return None
    remark = f"bit {HW_SLOWDOWN}, hardware slowdown, at this instant"
    return Sighting(Severity.WARNING, (_REASONS, "DEV_PSTATE"), remark)


def _above_limit(card: SeenCard) -> Sighting | None:
    power, limit = card.value(_POWER), card.value(_POWER_LIMIT)
    if power is None or not limit or power <= ABOVE_POWER_LIMIT * limit:
        return None
    return Sighting(Severity.WARNING, (_POWER, _POWER_LIMIT))


def _power_reading(card: SeenCard) -> Sighting | None:
    power, working = card.value(_POWER), card.value("PROF_GR_ENGINE_ACTIVE")
    if power is None or working is None or power >= READS_NO_POWER or working <= WORKS:
        return None
    return Sighting(Severity.WARNING, (_POWER, "PROF_GR_ENGINE_ACTIVE"))


def _power_cap(card: SeenCard) -> Sighting | None:
    fields = (_POWER_LIMIT, "DEV_POWER_MGMT_LIMIT_DEF")
    limit, default = map(card.value, fields)
    if not limit or not default or limit >= BELOW_POWER_DEFAULT * default:
        return None
    return Sighting(Severity.INFO, fields)


def _width(card: SeenCard) -> Sighting | None:
    fields = ("DEV_PCIE_LINK_WIDTH", "DEV_PCIE_MAX_LINK_WIDTH")
    width, most = map(card.value, fields)
    if not width or not most or width >= most or card.width_is_usual:
        return None
    return Sighting(Severity.WARNING, fields)


def _generation(card: SeenCard) -> Sighting | None:
    fields = ("DEV_PCIE_LINK_GEN", "DEV_PCIE_MAX_LINK_GEN")
    generation, most = map(card.value, fields)
    if not generation or not most or generation >= most or card.value("DEV_PSTATE") != 0:
        return None
    working = card.value("PROF_GR_ENGINE_ACTIVE")
    if working is None:
        working = (card.value("DEV_GPU_UTIL") or 0) / 100
    return Sighting(Severity.WARNING, fields) if working > WORKS_A_LITTLE else None


def _fabric_manager(card: SeenCard) -> Sighting | None:
    field = "DEV_FABRIC_MANAGER_STATUS"
    status = card.value(field)
    if not status or status == FABRIC_REGISTERED or status >= FABRIC_TOO_OLD:
        return None
    return Sighting(Severity.CRITICAL, (field,), f"it must be {FABRIC_REGISTERED}")


def _fabric_health(card: SeenCard) -> Sighting | None:
    field = "DEV_FABRIC_HEALTH_MASK"
    mask = card.value(field)
    if mask is None or mask >= FABRIC_MASK_END:
        return None
    faults = sum(int(mask) // start % 4 == 1 for start in FABRIC_ANSWERS)
    return Sighting(Severity.WARNING, (field,), f"kinds of fault: {faults}") if faults else None


def _recovery(card: SeenCard) -> Sighting | None:
    field = "DEV_GET_GPU_RECOVERY_ACTION"
    action = card.value(field)
    if not action or action >= RECOVERY_END:
        return None
    severity = Severity.WARNING if action == DRAIN_PEERS else Severity.CRITICAL
    return Sighting(severity, (field,))


def _signals(**looks: Look) -> tuple[HardwareSignal, ...]:
    return tuple(
        HardwareSignal(name=name.replace("_", "-"), look=look) for name, look in looks.items()
    )


CHECKS: Final = (
    # Some exporters leave the field out until a first XID (facts/dcgm.md, trap 3): any page does.
    HardwareCheck(id="H01", signals=_signals(xid=_xid), needs=((),)),
    HardwareCheck(id="H02", needs_history=True),
    HardwareCheck(
        id="H03",
        signals=_signals(
            volatile=_more_than_none("DEV_ECC_DBE_VOL_TOTAL", Severity.CRITICAL),
            sram_threshold=_is_set("DEV_THRESHOLD_SRM", Severity.CRITICAL),
            unrepairable=_is_set("DEV_MEMORY_UNREPAIRABLE_FLAG", Severity.CRITICAL),
        ),
        needs=(("DEV_ECC_DBE_VOL_TOTAL",),),
        also=("DEV_ECC_DBE_AGG_TOTAL",),
    ),
    HardwareCheck(
        id="H04",
        signals=_signals(
            remap_failed=_is_set("DEV_ROW_REMAP_FAILURE", Severity.CRITICAL),
            remap_pending=_is_set("DEV_ROW_REMAP_PENDING", Severity.WARNING),
            remapped_rows=_remapped_rows,
            spares_gone=_more_than_none("DEV_BANKS_REMAP_ROWS_AVAIL_NONE", Severity.WARNING),
            retirement_pending=_more_than_none("DEV_RETIRED_PENDING", Severity.WARNING),
            retired_pages=_retired_pages,
        ),
        needs=(("DEV_ROW_REMAP_FAILURE",), ("DEV_ROW_REMAP_PENDING",), ("DEV_RETIRED_DBE",)),
    ),
    HardwareCheck(
        id="H05",
        signals=_signals(margin=_margin, slowdown=_slowdown, fixed=_fixed),
        needs=((_TEMPERATURE,),),
    ),
    HardwareCheck(id="H06", signals=_signals(memory=_memory), needs=(("DEV_MEMORY_TEMP",),)),
    HardwareCheck(
        id="H07",
        signals=_signals(
            hw_samples=_reason(HW_THERMAL, Severity.CRITICAL, "hardware thermal slowdown"),
            sw_samples=_reason(SW_THERMAL, Severity.WARNING, "software thermal slowdown"),
        ),
        needs=((_REASONS,),),
    ),
    HardwareCheck(
        id="H08",
        signals=_signals(
            brake_samples=_reason(HW_POWER_BRAKE, Severity.CRITICAL, "hardware power brake"),
            hw_slowdown=_hw_slowdown,
            above_limit=_above_limit,
            reading=_power_reading,
            cap=_power_cap,
        ),
        needs=((_REASONS,),),
    ),
    HardwareCheck(id="H09", also=("DEV_PCIE_REPLAY_COUNTER",), needs_history=True),
    HardwareCheck(
        id="H10",
        signals=_signals(width=_width, generation=_generation),
        needs=(
            ("DEV_PCIE_LINK_WIDTH", "DEV_PCIE_MAX_LINK_WIDTH"),
            ("DEV_PCIE_LINK_GEN", "DEV_PCIE_MAX_LINK_GEN"),
        ),
    ),
    HardwareCheck(
        id="H11",
        signals=_signals(fabric_manager=_fabric_manager, fabric_health=_fabric_health),
        also=("DEV_FABRIC_MANAGER_STATUS", "DEV_FABRIC_HEALTH_MASK"),
        needs_history=True,
    ),
    HardwareCheck(
        id="H12",
        signals=_signals(recovery=_recovery),
        needs=(("DEV_GET_GPU_RECOVERY_ACTION",),),
    ),
)

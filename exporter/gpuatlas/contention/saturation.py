"""What of a card is at its limit at one instant, as DCGM and the join tell it. Pure.

Limits are those of facts/peers.md E: SM_ACTIVE or GR_ENGINE_ACTIVE at 0.9, DRAM_ACTIVE at 0.7,
memory at 95 %, PCIe near the rate of its link. GPU_UTIL says that some kernel ran, not that the
card was full: it counts only where nothing better is read, from 0.95 on, and under a word of its
own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas.model.readings import Reading, value_of

COMPUTE: Final = "compute"
KERNELS: Final = "kernels"
DRAM: Final = "dram"
MEMORY: Final = "memory"
PCIE: Final = "pcie"

BUSY: Final = 0.9
BUSY_DRAM: Final = 0.7
FULL_MEMORY: Final = 0.95
KERNELS_ALWAYS: Final = 0.95
# Protocol and packet headers leave about 85 % of the raw rate; a little below is "near" (ours).
NEAR_LINK_RATE: Final = 0.8

_PROFILED: Final = ("PROF_SM_ACTIVE", "PROF_GR_ENGINE_ACTIVE")
_DRIVER: Final = "DEV_GPU_UTIL"
_DRAM: Final = "PROF_DRAM_ACTIVE"
_TRAFFIC: Final = ("PROF_PCIE_TX_BYTES", "PROF_PCIE_RX_BYTES")
# Profiling counters can stand at 0 for weeks while the driver sees work (facts/errata.md, DCGM).
_STUCK_ABOVE: Final = 0.05
# Bytes a second and lane of PCIe generations 1 to 6, after their line coding.
_LANE_RATE: Final[Mapping[int, float]] = {
    1: 0.25e9,
    2: 0.5e9,
    3: 0.985e9,
    4: 1.969e9,
    5: 3.938e9,
    6: 7.563e9,
}


def saturation(
    fields: Mapping[str, float],
    *,
    utilization: Reading[float],
    resident: Reading[int],
    physical: Reading[int],
) -> frozenset[str] | None:
    """The words of what is at its limit; None where nobody could see that it is not.

    Args:
        fields: of the card or MIG instance, as in `model.pages.CardReading`.
        utilization: busy share by whatever signal there is, for cards without these fields.
        resident: memory in use, bytes.
        physical: memory that there is, bytes.
    """
    compute, known = _compute(fields, value_of(utilization))
    found = {
        compute,
        DRAM if fields.get(_DRAM, 0.0) >= BUSY_DRAM else "",
        MEMORY if _memory_is_full(value_of(resident), value_of(physical)) else "",
        PCIE if _link_is_full(fields) else "",
    } - {""}
    return frozenset(found) if found or known else None


def _compute(fields: Mapping[str, float], utilization: float | None) -> tuple[str, bool]:
    """The word, "" for not at its limit, and whether anything was read that could tell."""
    driver = fields.get(_DRIVER)
    busy = [fields[name] for name in _PROFILED if name in fields]
    by_driver = utilization if driver is None else driver / 100
    if busy and (any(busy) or (by_driver or 0.0) <= _STUCK_ABOVE):
        return (COMPUTE if max(busy) >= BUSY else ""), True
    if by_driver is None:
        return "", False
    return (KERNELS if by_driver >= KERNELS_ALWAYS else ""), True


def _memory_is_full(resident: int | None, physical: int | None) -> bool:
    return resident is not None and bool(physical) and resident >= FULL_MEMORY * (physical or 0)


def _link_is_full(fields: Mapping[str, float]) -> bool:
    lane = _LANE_RATE.get(int(fields.get("DEV_PCIE_LINK_GEN", 0)))
    lanes = fields.get("DEV_PCIE_LINK_WIDTH")
    if lane is None or not lanes:
        return False
    traffic = max(fields.get(name, 0.0) for name in _TRAFFIC)
    return traffic >= NEAR_LINK_RATE * lane * lanes

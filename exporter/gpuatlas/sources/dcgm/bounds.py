"""The range of each kind of DCGM value: beyond it stands a sentinel or nonsense, not a reading.

Such values are refused, never clamped (facts/errata.md, DCGM). DCGM writes "blank" as 0x7ffffff0
(int32), 2^47 (double) and 0x7ffffffffffffff0 (int64) and a little above each; the exporter drops
blanks, but old versions let them through (facts/dcgm.md 0, trap 9).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.units import MAX_CARD_BYTES, MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """Values from `low` to `high`, both included; `whole` allows integers only.

    `rounding` is what is still taken for the edge itself: a share of 1.0000001 is a full one.
    """

    low: float = 0.0
    high: float
    whole: bool = False
    rounding: float = 0.0

    def reading(self, value: float) -> float | None:
        """The value, or None where it is no reading of this kind."""
        if not math.isfinite(value) or value < self.low or value > self.high + self.rounding:
            return None
        if self.whole and value != int(value):
            return None
        return min(value, self.high)


def enum(last: int) -> Bound:
    """One of the numbers 0 to `last`."""
    return Bound(high=last, whole=True)


PERCENT: Final = Bound(high=100.0)
# The profiling fields are averages of doubles: an always busy engine can read 1.0000001.
RATIO: Final = Bound(high=1.0, rounding=0.001)
MEMORY_MIB: Final = Bound(high=MAX_CARD_BYTES / MIB)
FLAG: Final = enum(1)
# Own choice: no chip lives outside, and every sentinel is far away (facts/dcgm.md 4.0 guards with
# 1e6 for degrees and watts).
CELSIUS: Final = Bound(high=200.0)
# Signed: degrees left until the nearest slowdown, below zero once it is passed (facts/dcgm.md 1.4).
MARGIN_CELSIUS: Final = Bound(low=-200.0, high=200.0)
WATTS: Final = Bound(high=10_000.0)
MEGAHERTZ: Final = Bound(high=10_000.0)
# Facts/dcgm.md 4.0: integers above 1e15 are sentinels. As millijoules it is 31 years at 1 kW.
COUNT: Final = Bound(high=1e15, whole=True)
ENERGY_MILLIJOULES: Final = Bound(high=1e15)
# Nine reasons are known (facts/dcgm.md 1.6); the filter published there is the same.
CLOCK_REASONS: Final = enum(511)
# The list ends at 173 (facts/dcgm.md 4.15); room for new ones.
XID: Final = enum(1023)
PCIE_GENERATION: Final = enum(15)
PCIE_LANES: Final = enum(32)
# Generation 7 with 16 lanes moves 2.4e11 bytes a second one way.
PCIE_BYTES_A_SECOND: Final = Bound(high=1e12)
FABRIC_HEALTH_BITS: Final = enum(0xFFFF)

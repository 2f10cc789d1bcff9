"""From what was used to what should be promised, and when a difference is worth a word. Pure.

The figures are those of DESIGN 7 (facts/peers.md D1, last paragraph).
"""

from __future__ import annotations

import math
from typing import Final

from gpuatlas.model.units import MIB

GIB: Final = 1024 * MIB
GRANT_UNIT: Final = 256 * MIB
"""Memory is promised in whole units of this."""
LEAST_MARGIN: Final = 512 * MIB
MARGIN_PERCENT: Final = 10
COMPUTE_MARGIN: Final = 1.2
COMPUTE_STEP: Final = 0.05

LEAST_SAVING_SHARE: Final = 0.2
LEAST_SAVING_MEMORY: Final = 2 * GIB
LEAST_SAVING_COMPUTE: Final = 0.1
AT_LIMIT: Final = 0.98
"""A peak of this share of the limit has reached it."""

# Binary fractions: 0.25 × 1.2 is a little less than 0.3, and 0.15 × 1.2 a little more than 0.18.
_ROUNDING: Final = 1e-9


def round_up(amount: int, unit: int = GRANT_UNIT) -> int:
    """The smallest multiple of `unit` that is no less than `amount`."""
    return -(-amount // unit) * unit


def with_margin(peak: int) -> int:
    """Bytes with max(10 %, 512 MiB) above `peak`, not rounded to a grant unit."""
    return peak + max(-(-peak * MARGIN_PERCENT // 100), LEAST_MARGIN)


def needed_memory(peak: int) -> int:
    """Bytes to promise to what used `peak` bytes at most: never less than that."""
    return round_up(with_margin(peak))


def needed_compute(p95: float) -> float:
    """Share of a card to promise to what used `p95`; a step at least."""
    steps = math.ceil(p95 * COMPUTE_MARGIN / COMPUTE_STEP - _ROUNDING)
    return round(max(steps, 1) * COMPUTE_STEP, 2)


def worth_less_memory(present: int, proposed: int, promises: int) -> bool:
    """Whether so much is saved that it is spoken of: 20 % of each and 2 GiB of all of them."""
    saved = present - proposed
    return saved >= LEAST_SAVING_SHARE * present and saved * max(promises, 1) >= LEAST_SAVING_MEMORY


def worth_less_compute(present: float, proposed: float, promises: int) -> bool:
    """As for memory: 20 % of each and a tenth of a card of all of them."""
    saved = present - proposed + _ROUNDING
    return (
        saved >= LEAST_SAVING_SHARE * present and saved * max(promises, 1) >= LEAST_SAVING_COMPUTE
    )

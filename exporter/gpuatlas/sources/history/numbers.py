"""Which numbers a recording can have. Pure; None for what is no measurement (NaN, below 0, absurd).

A value that cannot be is refused, never clamped, so that it costs itself; shares may be a little
above 1, since 24 hours can hold one evaluation more than their seconds say.
"""

from __future__ import annotations

import math
from typing import Final

from gpuatlas.model.units import (
    MAX_CARDS_PER_NODE,
    MAX_COMPUTE_RATIO,
    plausible_bytes,
    plausible_ratio,
)

# Of one cluster: above what any has (150,000 pods, Kubernetes' own limit), below what overflows.
_MAX_COUNT: Final = 10_000_000
# Host memory of the largest machines is some 32 TiB, and the cards of a node hold less.
_MAX_NODE_BYTES: Final = 2**47
_EXCESS_OF_A_SHARE: Final = 1.05
_DAY_SECONDS: Final = 86_400.0

card_bytes = plausible_bytes


def node_bytes(value: float) -> int | None:
    """Memory of a node in bytes: of its cards together, or of the host."""
    return int(value) if math.isfinite(value) and 0 <= value <= _MAX_NODE_BYTES else None


def share(value: float) -> float | None:
    """A share in 0..1."""
    found = plausible_ratio(value, upper=_EXCESS_OF_A_SHARE)
    return None if found is None else min(1.0, found)


def compute(value: float) -> float | None:
    """Compute in cards."""
    return plausible_ratio(value, upper=MAX_COMPUTE_RATIO)


def count(value: float) -> int | None:
    """A number of things; `increase` gives fractions of them."""
    return round(value) if math.isfinite(value) and 0 <= value <= _MAX_COUNT else None


def cards(value: float) -> int | None:
    """A number of cards of one container."""
    found = count(value)
    return found if found is not None and found <= MAX_CARDS_PER_NODE else None


def seconds_of_day(value: float) -> float | None:
    """Seconds of 24 hours, in which `increase` may see a little more."""
    if not math.isfinite(value) or not 0 <= value <= _DAY_SECONDS * _EXCESS_OF_A_SHARE:
        return None
    return min(value, _DAY_SECONDS)


def flag(value: float) -> bool | None:
    """1 or 0."""
    return bool(value) if value in {0.0, 1.0} else None

"""Durations as Prometheus writes them. Pure."""

from __future__ import annotations

import re
from typing import Final

_PART: Final = re.compile(r"(\d{1,9})(ms|[smhdwy])", re.ASCII)
_SECONDS: Final = {
    "ms": 0.001,
    "s": 1.0,
    "m": 60.0,
    "h": 3600.0,
    "d": 86_400.0,
    "w": 604_800.0,
    "y": 31_536_000.0,
}


def seconds_of(duration: str) -> float:
    """`1h30m` → 5400.0.

    Raises:
        ValueError: it has another form.
    """
    parts = _PART.findall(duration)
    if not parts or "".join(number + unit for number, unit in parts) != duration:
        message = f"{duration!r} is no duration; write it as 3d, 12h or 1h30m"
        raise ValueError(message)
    return sum(int(number) * _SECONDS[unit] for number, unit in parts)

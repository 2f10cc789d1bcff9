"""Our rule files with every duration divided: an hour of waiting passes in a minute or less.

Only durations are scaled (interval, for, keep_firing_for, ranges, offsets, subqueries). What the
rules compare and with which numbers stays as it is; amounts within a range that the rules expect
(errors in an hour) are then asked of a shorter one, so that a fault has to be as much denser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

# A number with a unit where PromQL has a duration: in brackets, or behind "offset".
_RANGE = re.compile(r"\[([0-9a-z]+)(?::([0-9a-z]*))?\]")
_OFFSET = re.compile(r"\boffset\s+(-?)([0-9a-z]+)")
_PART = re.compile(r"(\d+)(ms|[smhdwy])")
_SECONDS = {
    "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0, "y": 31536000.0,
}  # fmt: skip


def seconds(duration: str) -> float:
    """``1h30m`` → 5400."""
    parts = _PART.findall(duration)
    if "".join(number + unit for number, unit in parts) != duration:
        message = f"not a duration: {duration!r}"
        raise ValueError(message)
    return sum(int(number) * _SECONDS[unit] for number, unit in parts)


def divided(duration: str, by: float) -> str:
    """The duration in whole milliseconds, at least one; nothing stays nothing."""
    value = seconds(duration)
    return "0s" if value == 0 else f"{max(1, round(value * 1000 / by))}ms"


def compressed_expression(expression: str, by: float) -> str:
    """The expression with its ranges and offsets divided."""

    def shorter_range(match: re.Match[str]) -> str:
        span, step = match[1], match[2]
        if step is None:
            return f"[{divided(span, by)}]"
        return f"[{divided(span, by)}:{divided(step, by) if step else ''}]"

    scaled = _RANGE.sub(shorter_range, expression)
    return _OFFSET.sub(lambda match: f"offset {match[1]}{divided(match[2], by)}", scaled)


def compressed_rules(files: Iterable[Path], into: Path, *, by: float) -> list[Path]:
    """Copies of rule files with all durations divided."""
    written = []
    for file in files:
        content: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
        for group in content["groups"]:
            group["interval"] = divided(group.get("interval", "1m"), by)
            for rule in group["rules"]:
                _compress(rule, by)
        target = into / f"{file.parent.name}-{file.name}"
        target.write_text(yaml.safe_dump(content, sort_keys=False, width=10_000), encoding="utf-8")
        written.append(target)
    return written


def _compress(rule: dict[str, Any], by: float) -> None:
    rule["expr"] = compressed_expression(rule["expr"], by)
    for key in ("for", "keep_firing_for"):
        if key in rule:
            rule[key] = divided(rule[key], by)

"""Writes the Prometheus text format as the two kinds of exporters do."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from typing import Final

Labels = Iterable[tuple[str, str]]
# Go's shortest form has no exponent from 1e-4 to below 1e+06, hence the 8.589934592e+10 of
# facts/hami.md 1.2.
_PLAIN_POWERS: Final = range(-4, 6)


class Page:
    """Collects families; `text` is the page, in the order of writing or by the families' names."""

    def __init__(self, *, by_name: bool = False) -> None:
        self._by_name = by_name
        self._families: list[tuple[str, list[str]]] = []

    def family(
        self, name: str, kind: str, help_text: str, samples: Iterable[tuple[Labels, str]]
    ) -> None:
        """One family with its header; nothing at all when it has no samples."""
        lines = [f"{name}{{{_labels(labels)}}} {value}\n" for labels, value in samples]
        if lines:
            header = f"# HELP {name} {help_text}\n# TYPE {name} {kind}\n"
            self._families.append((name, [header, *lines]))

    @property
    def text(self) -> str:
        """The whole page, with its last newline."""
        families = sorted(self._families) if self._by_name else self._families
        return "".join(line for _, lines in families for line in lines)


def _labels(labels: Labels) -> str:
    return ",".join([f'{name}="{_escape(value)}"' for name, value in labels])


def _escape(value: str) -> str:
    if not ("\\" in value or "\n" in value or '"' in value):  # nearly all, and the test is cheap
        return value
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def go_float(value: float) -> str:
    """A number as Go's client library writes it: `8.589934592e+10`, `0.25`, `100`."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{'+' if value > 0 else '-'}Inf"
    sign, digits, exponent = Decimal(repr(float(value))).normalize().as_tuple()
    if not isinstance(exponent, int) or value == 0:
        return "0"
    text = "".join(str(digit) for digit in digits)
    power = len(text) + exponent - 1
    if power in _PLAIN_POWERS:
        return _plain(value)
    mantissa = f"{text[0]}.{text[1:]}" if len(text) > 1 else text[0]
    return f"{'-' if sign else ''}{mantissa}e{'-' if power < 0 else '+'}{abs(power):02d}"


def _plain(value: float) -> str:
    return f"{Decimal(repr(float(value))).normalize():f}"

"""Writes the Prometheus text format as exporters and inference servers do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final

Labels = Iterable[tuple[str, str]]
# Go's shortest form has no exponent from 1e-4 to below 1e+06, hence the 8.589934592e+10 of
# facts/hami.md 1.2.
_PLAIN_POWERS: Final = range(-4, 6)
# From so many digits before the point Python's client library writes an exponent.
_LONG_FOR_PYTHON: Final = 6


class Page:
    """Collects families; `text` is the page, in the order of writing or by the families' names."""

    def __init__(self, *, by_name: bool = False) -> None:
        self._by_name = by_name
        self._families: list[tuple[str, list[str]]] = []

    def family(
        self, name: str, kind: str, help_text: str, samples: Iterable[tuple[Labels | str, str]]
    ) -> None:
        """One family with its header; nothing at all when it has no samples.

        Labels may be written already (`label_text`).
        """
        self._add(name, kind, help_text, [_line(name, labels, value) for labels, value in samples])

    def histogram(
        self,
        name: str,
        help_text: str,
        labels: Sequence[tuple[str, str]],
        buckets: Iterable[tuple[str, str]],
        sum_and_count: tuple[str, str],
    ) -> None:
        """One series of a histogram. `buckets` are bounds and counts, the last one is +Inf."""
        total, count = sum_and_count
        lines = [
            *(
                _line(f"{name}_bucket", sorted([*labels, ("le", bound)]), upto)
                for bound, upto in buckets
            ),
            _line(f"{name}_sum", labels, total),
            _line(f"{name}_count", labels, count),
        ]
        self._add(name, "histogram", help_text, lines)

    def _add(self, name: str, kind: str, help_text: str, lines: list[str]) -> None:
        if lines:
            header = f"# HELP {name} {help_text}\n# TYPE {name} {kind}\n"
            self._families.append((name, [header, *lines]))

    @property
    def text(self) -> str:
        """The whole page, with its last newline."""
        families = sorted(self._families) if self._by_name else self._families
        return "".join(line for _, lines in families for line in lines)


def label_text(labels: Labels) -> str:
    """Labels as they stand between braces; for those of many lines."""
    return _labels(labels)


def _line(name: str, labels: Labels | str, value: str) -> str:
    text = labels if isinstance(labels, str) else _labels(labels)
    return f"{name}{{{text}}} {value}\n" if text else f"{name} {value}\n"


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


def python_float(value: float) -> str:
    """A number that is not negative as Python's client library writes it: `3.0`, `4.13672e+07`."""
    if math.isinf(value):
        return "+Inf"
    text = repr(float(value))
    point = text.find(".")
    if point <= _LONG_FOR_PYTHON or "e" in text:
        return text
    digits = f"{text[0]}.{text[1:point]}{text[point + 1 :]}".rstrip("0.")
    return f"{digits}e+0{point - 1}"

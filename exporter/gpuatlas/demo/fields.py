"""Reads a mapping of a YAML file field by field; every refusal says where it stands.

It knows nothing of scenarios: only of texts, numbers, lists and mappings.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from typing import NoReturn

from gpuatlas.demo.scenario import ScenarioError


class Fields:
    """One mapping and its place in the file ("nodes[2].hami").

    Each read takes the field away; `finish` refuses what nobody read, with a suggestion.
    """

    def __init__(self, value: object, place: str, file: str) -> None:
        self._place = place
        self._file = file
        if not isinstance(value, dict):
            self.refuse("", f"must be a mapping of names to values, not {_kind(value)}")
        self._left: dict[object, object] = dict(value)
        self._read: set[str] = set()

    def refuse(self, field: str, why: str) -> NoReturn:
        """Raise ScenarioError for a field of this mapping."""
        where = ".".join(part for part in (self._place, field) if part)
        msg = f"{self._file}: {where or 'the whole file'}: {why}"
        raise ScenarioError(msg)

    def has(self, field: str) -> bool:
        """Whether the field is written."""
        return field in self._left

    def _take(self, field: str) -> object:
        self._read.add(field)
        if field not in self._left:
            self.refuse(field, "is missing")
        return self._left.pop(field)

    def text(self, field: str, default: str | None = None) -> str:
        """A text that is not empty."""
        self._read.add(field)
        if default is not None and field not in self._left:
            return default
        value = self._take(field)
        if not isinstance(value, str) or not value:
            self.refuse(field, f"must be a text (put it in quotes), not {_kind(value)}")
        return value

    def choice(self, field: str, allowed: Collection[str], default: str | None = None) -> str:
        """One of a few words."""
        value = self.text(field, default)
        if value not in allowed:
            self.refuse(field, f"'{value}' is not known{suggest(value, allowed)}")
        return value

    def number(self, field: str, *, low: float, high: float, default: float | None = None) -> float:
        """A finite number in low..high."""
        self._read.add(field)
        if default is not None and field not in self._left:
            return default
        return self._in_range(field, self._take(field), low, high)

    def integer(self, field: str, *, low: int, high: int, default: int | None = None) -> int:
        """A whole number in low..high."""
        value = self.number(field, low=low, high=high, default=default)
        if value != int(value):
            self.refuse(field, f"must be a whole number, not {value}")
        return int(value)

    def flag(self, field: str) -> bool:
        """True or false; false when it is not written."""
        self._read.add(field)
        value = self._left.pop(field, False)
        if not isinstance(value, bool):
            self.refuse(field, f"must be true or false, not {_kind(value)}")
        return value

    def instant(self, field: str) -> float:
        """A date and time, as Unix seconds; without a zone it is UTC."""
        value = self._take(field)
        if not isinstance(value, datetime):
            self.refuse(field, "must be a date and time such as 2026-01-01T00:00:00Z")
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()

    def pair(self, field: str, *, low: float, high: float) -> tuple[float, float]:
        """Two numbers, the first not above the second."""
        value = self._take(field)
        if not isinstance(value, list) or len(value) != 2:  # noqa: PLR2004
            self.refuse(field, "must be a list of two numbers, [quiet, busiest]")
        first, second = (self._in_range(field, part, low, high) for part in value)
        if first > second:
            self.refuse(field, f"the first number, {first:g}, is above the second, {second:g}")
        return first, second

    def integers(self, field: str, *, low: int, high: int) -> tuple[int, ...]:
        """A list of whole numbers, at least one, none twice."""
        value = self._take(field)
        if not isinstance(value, list) or not value:
            self.refuse(field, "must be a list of whole numbers, such as [0]")
        numbers = tuple(int(self._in_range(field, part, low, high)) for part in value)
        if len(set(numbers)) != len(numbers):
            self.refuse(field, f"names one number twice: {list(numbers)}")
        return numbers

    def section(self, field: str) -> Fields:
        """A mapping inside this one."""
        return Fields(self._take(field), self._inner(field), self._file)

    def sections(self, field: str) -> Iterable[Fields]:
        """A list of mappings; none when it is not written."""
        self._read.add(field)
        value = self._left.pop(field, [])
        if not isinstance(value, list):
            self.refuse(field, f"must be a list, not {_kind(value)}")
        return [
            Fields(part, f"{self._inner(field)}[{position}]", self._file)
            for position, part in enumerate(value)
        ]

    def entries(self, field: str) -> dict[object, object]:
        """A mapping whose keys are free; empty when it is not written."""
        self._read.add(field)
        value = self._left.pop(field, {})
        if not isinstance(value, dict):
            self.refuse(field, f"must be a mapping, not {_kind(value)}")
        return value

    def sizes(self, field: str, *, high: int) -> dict[str, int]:
        """A mapping of names to whole numbers from 1; empty when it is not written."""
        return {
            str(name): int(self._in_range(f"{field}.{name}", size, 1, high))
            for name, size in self.entries(field).items()
        }

    def rest(self) -> dict[str, str | int | float]:
        """All fields that nobody has read: for options whose names another table knows."""
        taken, self._left = self._left, {}
        for name, value in taken.items():
            if not isinstance(value, str | int | float) or isinstance(value, bool):
                self.refuse(str(name), f"must be a text or a number, not {_kind(value)}")
        return {
            str(name): value
            for name, value in taken.items()
            if isinstance(value, str | int | float)
        }

    def finish(self) -> None:
        """Refuse what is written and was not read."""
        for name in self._left:
            self.refuse(str(name), f"is no field here{suggest(str(name), self._read)}")

    def _inner(self, field: str) -> str:
        return ".".join(part for part in (self._place, field) if part)

    def _in_range(self, field: str, value: object, low: float, high: float) -> float:
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            self.refuse(field, f"must be a number, not {_kind(value)}")
        if not low <= value <= high:
            self.refuse(field, f"must be between {low:g} and {high:g}, not {value:g}")
        return value


def suggest(word: str, known: Collection[str]) -> str:
    """The tail of a refusal: the likely word, or all words."""
    near = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean '{near[0]}'?" if near else f"; known: {', '.join(sorted(known))}"


def _kind(value: object) -> str:
    names = {dict: "a mapping", list: "a list", str: "a text", bool: "true or false"}
    return "nothing" if value is None else names.get(type(value), repr(value)[:40])

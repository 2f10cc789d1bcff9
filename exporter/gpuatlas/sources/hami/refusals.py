"""Keeps what was refused while one object or one page was read, in bounded space.

A tenant can write thousands of bad records into one annotation. The first few are quoted; of the
rest one line per reason says how many there were.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from gpuatlas.model.rejections import MalformedError, Rejection
from gpuatlas.model.units import clean_text

MAX_QUOTED: Final = 16  # enough for a person to see the pattern; a flood is bounded
MAX_QUOTE: Final = 48


class Refusals:
    """Rejections of one object (`where`) by one source."""

    def __init__(self, source: str, where: str) -> None:
        self._source = source
        self._where = where
        self._quoted: list[Rejection] = []
        self._rest: Counter[str] = Counter()

    def add(self, reason: str, message: str, *, field: str = "") -> None:
        """Refuse one record; `field` says where in the object it stood ("annotation x")."""
        if len(self._quoted) >= MAX_QUOTED:
            self._rest[reason] += 1
            return
        where = f"{self._where} {field}".rstrip()
        self._quoted.append(Rejection(self._source, reason, where, clean_text(message)))

    def add_error(self, error: MalformedError, *, field: str = "") -> None:
        """Refuse the record that a parser could not read."""
        self.add(error.reason, str(error), field=field)

    def result(self) -> tuple[Rejection, ...]:
        """All refusals, quoted ones first."""
        rest = (
            Rejection(self._source, reason, self._where, f"{count} more records like this")
            for reason, count in sorted(self._rest.items())
        )
        return (*self._quoted, *rest)


def quote(value: object) -> str:
    """A value as messages show it: one short line. Containers are named, not printed."""
    if not isinstance(value, str | int | float):
        # Printing a list that is nested a thousand times deep would exhaust the stack.
        return f"a {type(value).__name__}"
    return repr(clean_text(str(value), limit=MAX_QUOTE))

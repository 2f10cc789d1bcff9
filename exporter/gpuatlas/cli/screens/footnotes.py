"""The reasons behind the `?` of a screen: one line per reason, with what and where it hides."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from rich.text import Text

from gpuatlas.cli.screens.glyphs import QUIET_STYLE, Glyphs
from gpuatlas.cli.screens.layout import wrapped
from gpuatlas.model.readings import Reading, Unknown

# A broken cluster can have a reason per node: the JSON output holds them all.
_MOST_LINES: Final = 8
_MOST_PLACES: Final = 3


class Footnotes:
    """Collects unknown readings as a screen fills its columns, and tells them by reason."""

    def __init__(self) -> None:
        self._notes: list[tuple[str, str, str, int | None]] = []

    def note(self, quantity: str, reading: Reading[object], place: str, column: int) -> None:
        """Remember why `quantity` of something on `place` is unknown; known values are no news."""
        if isinstance(reading, Unknown):
            self.say(quantity, reading.reason, place, column)

    def say(self, quantity: str, reason: str, place: str, column: int | None = None) -> None:
        """Remember a reason given as text; `column` is where its `?` stands, None for elsewhere."""
        self._notes.append((quantity, reason, place, column))

    def lines(self, shown: Collection[int], glyphs: Glyphs, width: int) -> Iterator[Text]:
        """The reasons of every `?` in the columns that are shown, in order of appearance."""
        reasons: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
        for quantity, reason, place, column in self._notes:
            if column is None or column in shown:
                quantities, places = reasons.setdefault(reason, ({}, {}))
                quantities[quantity] = None
                places[place] = None
        if reasons:
            yield Text("? unknown, because:", QUIET_STYLE)
        for number, (reason, (quantities, places)) in enumerate(reasons.items()):
            if number == _MOST_LINES:
                left = len(reasons) - number
                yield Text(f"  and {left} more reasons: see --output json", QUIET_STYLE)
                return
            said = f"{', '.join(quantities)} {glyphs.dot} {_where(list(places))}: {reason}"
            yield from wrapped(said, QUIET_STYLE, width=width, indent=2)


def _where(places: list[str]) -> str:
    named = ", ".join(places[:_MOST_PLACES])
    left = len(places) - _MOST_PLACES
    return f"{named} and {left} more" if left > 0 else named

"""Numbers, readings and times in words for a person."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from rich.text import Text

from gpuatlas.cli.screens.glyphs import QUIET_STYLE, Glyphs
from gpuatlas.model.readings import Known, Reading
from gpuatlas.model.units import MIB, clean_text

_SECONDS: Final = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))
_DIGITS: Final = re.compile(r"(\d+)")


def visible(text: str) -> str:
    """The text without what a terminal would obey: names and labels come from strangers."""
    return clean_text(text, limit=len(text))


def mebibytes(value: int) -> str:
    """Whole MiB: 30408704000 → "29,000"."""
    return f"{round(value / MIB):,}"


def percent(ratio: float) -> str:
    """0.834 → "83%"; something is never shown as nothing."""
    if 0 < ratio < 0.01:  # noqa: PLR2004 one percent
        return "<1%"
    return f"{ratio:.0%}"


def duration(seconds: float) -> str:
    """The two largest units: 4,530 → "1h15m"."""
    left = round(seconds)
    parts = []
    for unit, size in _SECONDS:
        if left >= size:
            parts.append(f"{left // size}{unit}")
            left %= size
    return "".join(parts[:2]) or "0s"


def instant(at: float) -> str:
    """Unix seconds → "2026-08-21 10:11:12 UTC"."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def count(number: int, noun: str) -> str:
    """1 → "1 card", 2 → "2 cards"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def in_mebibytes(reading: Reading[int]) -> Text:
    """A size in MiB, or the mark of the unknown."""
    return Text(mebibytes(reading.value)) if isinstance(reading, Known) else unknown()


def in_percent(reading: Reading[float]) -> Text:
    """A share, or the mark of the unknown."""
    return Text(percent(reading.value)) if isinstance(reading, Known) else unknown()


def unknown() -> Text:
    """The mark of a value that nobody measured; its reason stands below the table."""
    return Text("?", QUIET_STYLE)


def natural(text: str) -> tuple[tuple[int, int | str], ...]:
    """A sort key that puts gpu-2 before gpu-10."""
    return tuple(
        (0, int(part)) if part.isdecimal() else (1, part) for part in _DIGITS.split(text) if part
    )


def listed(names: Sequence[str], room: int, ellipsis: str = "…") -> str:
    """As many names as fit in `room` cells, and how many more there are: "a, b +3"."""
    shown = ""
    for number, name in enumerate(names):
        longer = f"{shown}, {name}" if shown else name
        more = _more(len(names) - number - 1)
        if len(longer) + len(more) > room:
            return (
                f"{shown}{_more(len(names) - number)}"
                if shown
                else _cut(name, more, room, ellipsis)
            )
        shown = longer
    return shown


def _more(left: int) -> str:
    return f" +{left}" if left else ""


def _cut(name: str, more: str, room: int, ellipsis: str) -> str:
    """The beginning of a name that is too long by itself; how many follow it is never lost."""
    return f"{name[: max(room - len(more) - len(ellipsis), 1)]}{ellipsis}{more}"


def tallied(names: Iterable[str], glyphs: Glyphs) -> str:
    """Equal names counted, in order of appearance: "NVIDIA A10G ×4, Tesla T4"."""
    counted = Counter(names)
    return ", ".join(f"{n} {glyphs.times}{c}" if c > 1 else n for n, c in counted.items())

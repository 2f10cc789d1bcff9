"""Bars: what is promised and what is used against a limit, drawn past it where it is passed.

    ███████▒▒▒▒▒▒▒│▒▒▒▒      resident, allocated, the physical limit, allocated beyond it

All bars of a column have their limit in the same place, so that the eye finds those that pass it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from gpuatlas.cli.screens.glyphs import OVER_STYLE, QUIET_STYLE, Glyphs

# A ratio above this is cut off with a mark: the number beside the bar says the rest.
_WIDEST_RATIO: Final = 2.0


@dataclass(frozen=True, slots=True)
class Scale:
    """Cells up to the limit and cells beyond it; between them stands the limit's mark."""

    inside: int
    beyond: int

    @property
    def cells(self) -> int:
        """Width of the whole bar."""
        return self.inside + 1 + self.beyond


def scale_for(ratios: Iterable[float], cells: int) -> Scale:
    """Shares `cells` out so that the largest of `ratios` (1 = at the limit) fits."""
    largest = min(max(ratios, default=0.0), _WIDEST_RATIO)
    if largest <= 1:
        return Scale(cells - 1, 0)
    beyond = max(1, math.ceil((cells - 1) * (largest - 1) / largest))
    return Scale(cells - 1 - beyond, beyond)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """What a bar shows, in one unit; None where it is unknown."""

    limit: int | None
    promised: int | None
    used: int | None

    @property
    def ratio(self) -> float:
        """The longer of the two against the limit; 0 where nothing can be said."""
        if not self.limit:
            return 0.0
        return max(self.promised or 0, self.used or 0) / self.limit


def draw(level: Level, scale: Scale, glyphs: Glyphs, style: str) -> Text:
    """The bar as text of `scale.cells` cells; striped where limit or use is unknown."""
    if not level.limit:
        return Text(glyphs.unknown * scale.inside + " " * (scale.beyond + 1), QUIET_STYLE)
    promised = _cells(level.promised, level.limit, scale, least=1)
    used = _cells(level.used, level.limit, scale, least=0)
    text = Text()
    text.append(glyphs.resident * min(used, scale.inside), style)
    rest = min(promised, scale.inside) - min(used, scale.inside)
    if level.used is None:  # the sign of a promise alone would say that nothing is used of it
        text.append(glyphs.unknown * rest, QUIET_STYLE)
    else:
        text.append(glyphs.allocated * rest, style)
    text.append(glyphs.free * (scale.inside - len(text)))
    over = max(promised, used) > scale.inside
    text.append(glyphs.limit, OVER_STYLE if over else QUIET_STYLE)
    text.append(_beyond(promised, used, scale, glyphs), OVER_STYLE)
    text.append(" " * (scale.cells - len(text)))
    return text


def _cells(value: int | None, limit: int, scale: Scale, *, least: int) -> int:
    """Cells of a value, `least` for any that is not 0; only what passes the limit crosses it."""
    if not value:
        return 0
    exact = value * scale.inside / limit
    if value <= limit:
        return min(max(least, round(exact)), scale.inside)
    # One cell more than there are says that it is cut off, however far it goes.
    return min(max(scale.inside + 1, round(exact)), scale.inside + scale.beyond + 1)


def _beyond(promised: int, used: int, scale: Scale, glyphs: Glyphs) -> str:
    past_used = max(0, used - scale.inside)
    past = max(0, promised - scale.inside, past_used)
    drawn = glyphs.resident * past_used + glyphs.allocated * (past - past_used)
    if past > scale.beyond:
        return drawn[: scale.beyond - 1] + glyphs.clipped if scale.beyond else ""
    return drawn

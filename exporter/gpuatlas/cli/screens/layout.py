"""Rows under aligned columns, with lines of any text between them, fitted to a width.

Own layout rather than a ready-made table: groups share one set of columns, columns are given up by
rank when the terminal is narrow, and the text is the same on a terminal and in a pipe.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile
from typing import Final

from rich.text import Text

_GAP: Final = 2
# Text is not wrapped into a narrower column than this, however narrow the terminal.
_LEAST_TEXT: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column. `rank` 0 is always shown; the highest rank is given up first.

    `flexible` columns are cut to what is left, but not below `least` cells. Neighbours of one
    `group` have its name above their titles.
    """

    title: str
    group: str = ""
    right: bool = False
    rank: int = 0
    flexible: bool = False
    least: int = 10


@dataclass(frozen=True, slots=True)
class Fitted:
    """A cell that knows better than a plain cut how to say less: `fit(width)` gives its text."""

    full: int
    fit: Callable[[int], Text]

    @property
    def cell_len(self) -> int:
        """Its width where there is room."""
        return self.full


@dataclass(frozen=True, slots=True)
class Row:
    """One row: a cell for each column."""

    cells: Sequence[Text | Fitted]


@dataclass(frozen=True, slots=True)
class Line:
    """A line over the whole width, cut at its end; under column `indent` where one is given."""

    text: Text
    indent: int | None = None


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A sentence of one style, wrapped to the width; under column `indent` where one is given."""

    text: str
    style: str = ""
    indent: int | None = None


@dataclass(slots=True)
class Sheet:
    """Columns, and the rows and lines below them in order."""

    columns: Sequence[Column]
    ellipsis: str
    body: list[Row | Line | Paragraph] = field(default_factory=list)
    shown: frozenset[int] = frozenset()
    """The columns that the last rendering had room for."""

    def render(self, width: int) -> Iterator[Text]:
        """The lines, none wider than `width` as long as the columns of rank 0 allow it."""
        if not any(isinstance(part, Row) for part in self.body):
            yield from self._without_rows(width)
            return
        widths = self._fit(self._natural(), width)
        self.shown = frozenset(widths)
        if any(self.columns[i].group for i in widths):
            yield self._groups(widths)
        yield self._row([Text(column.title, "bold") for column in self.columns], widths)
        for part in self.body:
            if isinstance(part, Row):
                yield self._row(part.cells, widths)
                continue
            indent = sum(size + _GAP for i, size in widths.items() if i < (part.indent or 0))
            if isinstance(part, Line):
                yield self._line(part.text, indent, width)
            else:
                yield from wrapped(part.text, part.style, width=width, indent=indent)

    def _without_rows(self, width: int) -> Iterator[Text]:
        """Columns of nothing would only confuse."""
        for part in dropwhile(_is_blank, self.body):
            if isinstance(part, Line):
                yield self._line(part.text, 0, width)
            elif isinstance(part, Paragraph):
                yield from wrapped(part.text, part.style, width=width, indent=_GAP)

    def _natural(self) -> dict[int, int]:
        rows = [part for part in self.body if isinstance(part, Row)]
        return {
            i: max([len(column.title), *(row.cells[i].cell_len for row in rows)])
            for i, column in enumerate(self.columns)
        }

    def _fit(self, natural: dict[int, int], width: int) -> dict[int, int]:
        kept = dict(natural)
        by_rank = sorted(kept, key=lambda i: self.columns[i].rank, reverse=True)
        for i in by_rank:
            if self.columns[i].rank == 0 or self._least(kept) <= width:
                break
            del kept[i]
        return self._squeeze(kept, width)

    def _least(self, widths: dict[int, int]) -> int:
        return _total(
            min(size, self.columns[i].least) if self.columns[i].flexible else size
            for i, size in widths.items()
        )

    def _squeeze(self, widths: dict[int, int], width: int) -> dict[int, int]:
        """Take what is too much from the flexible columns, the widest first."""
        squeezed = dict(widths)
        excess = _total(widths.values()) - width
        while excess > 0:
            loose = [
                i
                for i in squeezed
                if self.columns[i].flexible and squeezed[i] > self.columns[i].least
            ]
            if not loose:
                break
            widest = max(loose, key=lambda i: squeezed[i])
            squeezed[widest] -= 1
            excess -= 1
        return squeezed

    def _groups(self, widths: dict[int, int]) -> Text:
        line, before = Text(), ""
        column = 0
        for i, size in widths.items():
            group = self.columns[i].group
            if group and group != before:
                start = min(column, _total(widths.values()) - len(group))
                line.append(" " * (start - len(line)) + group, "bold")
            before = group
            column += size + _GAP
        return line

    def _row(self, cells: Sequence[Text | Fitted], widths: dict[int, int]) -> Text:
        line = Text()
        for i, size in widths.items():
            given = cells[i]
            cell = self._cut(given.fit(size) if isinstance(given, Fitted) else given, size)
            cell.align("right" if self.columns[i].right else "left", size)
            line.append_text(cell)
            line.append(" " * _GAP)
        line.rstrip()
        return line

    def _line(self, line: Text, indent: int, width: int) -> Text:
        text = Text(" " * indent)
        text.append_text(self._cut(line, max(width - indent, 1)))
        text.rstrip()
        return text

    def _cut(self, text: Text, size: int) -> Text:
        if text.cell_len <= size:
            return text.copy()
        cut = text.copy()
        cut.truncate(max(size - len(self.ellipsis), 0))
        cut.append(self.ellipsis)
        return cut


def _is_blank(part: Row | Line | Paragraph) -> bool:
    return isinstance(part, Line) and not part.text


def wrapped(text: str, style: str, *, width: int, indent: int = 0) -> Iterator[Text]:
    """The words on as many lines as they need, all below one another."""
    room = max(width - indent, _LEAST_TEXT)
    for line in textwrap.wrap(text, room, break_on_hyphens=False):
        yield Text(" " * indent + line, style)


def flowed(parts: Iterable[Text], *, width: int) -> Iterator[Text]:
    """Parts side by side, on a new line where one does not fit any more."""
    line = Text()
    for part in parts:
        if line and line.cell_len + _GAP + part.cell_len > width:
            yield line
            line = Text()
        if line:
            line.append(" " * _GAP)
        line.append_text(part)
    if line:
        yield line


def _total(sizes: Iterable[int]) -> int:
    listed = list(sizes)
    return sum(listed) + _GAP * max(len(listed) - 1, 0)

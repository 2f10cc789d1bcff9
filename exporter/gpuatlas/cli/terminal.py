"""Standard output: how wide, which characters, colour or none."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from rich.console import Console
from rich.text import Text

from gpuatlas.cli.screens.glyphs import Glyphs, drawn_for
from gpuatlas.cli.screens.wording import visible

# For a pipe, where nobody can tell: wide enough for the names of tenants.
_WIDTH_OF_A_PIPE: Final = 160
_LEAST_WIDTH: Final = 40
_MOST_WIDTH: Final = 1000


@dataclass(frozen=True, slots=True)
class Terminal:
    """Where a screen goes."""

    console: Console
    width: int
    glyphs: Glyphs

    def show(self, lines: Iterable[Text]) -> None:
        """Prints the lines, without wrapping; no text in them can command the terminal."""
        for line in lines:
            line.plain = visible(line.plain)
            self.console.print(line, soft_wrap=True, highlight=False)


def open_terminal(color: str) -> Terminal:
    """Standard output; `color` is auto, always or never."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    width = _width()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A reason or a name may hold characters that the terminal's encoding lacks.
        sys.stdout.reconfigure(errors="replace")
    console = Console(
        file=sys.stdout,
        color_system="standard" if wants_color(color, sys.stdout.isatty()) else None,
        force_terminal=False,
        width=width,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    return Terminal(console, width, drawn_for(sys.stdout.encoding or "ascii"))


def wants_color(color: str, is_terminal: bool) -> bool:
    """https://no-color.org: NO_COLOR counts when it is set and not empty."""
    if color != "auto":
        return color == "always"
    return is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _width() -> int:
    """COLUMNS, the terminal that any of our streams is on, or a pipe's."""
    asked = os.environ.get("COLUMNS", "")
    if asked.isascii() and asked.isdecimal() and int(asked) > 0:
        return max(_LEAST_WIDTH, min(int(asked), _MOST_WIDTH))
    for stream in (sys.__stdout__, sys.__stderr__, sys.__stdin__):
        try:
            columns = os.get_terminal_size(stream.fileno()).columns if stream else 0
        except (OSError, ValueError):
            continue
        if columns > 0:
            return max(_LEAST_WIDTH, columns)
    return _WIDTH_OF_A_PIPE

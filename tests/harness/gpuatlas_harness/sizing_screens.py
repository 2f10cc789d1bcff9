"""Writes the sizing screens that tests compare with: run it as a module."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from gpuatlas.cli.screens.glyphs import UNICODE
from gpuatlas.cli.screens.sizing import sizing_screen

from .sizing_reports import of_everything

GOLDEN: Final = Path(__file__).parents[2] / "exporter" / "cli" / "golden"
# Name → width, and whether what fits is listed, too.
SCREENS: Final = {
    "sizing-80": (80, False),
    "sizing-200": (200, False),
    "sizing-all-80": (80, True),
    "sizing-all-200": (200, True),
}


def screen_of(name: str) -> str:
    """One of them."""
    width, everything = SCREENS[name]
    lines = sizing_screen(of_everything(), everything=everything, width=width, glyphs=UNICODE)
    return "".join(f"{line.plain}\n" for line in lines)


if __name__ == "__main__":
    for each in SCREENS:
        (GOLDEN / f"{each}.txt").write_text(screen_of(each), encoding="utf-8")

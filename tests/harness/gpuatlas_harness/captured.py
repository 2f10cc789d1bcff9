"""The page that a capture folder gives, through the same code as `gpuatlas serve --from DIR`."""

from __future__ import annotations

import sys
from pathlib import Path

from gpuatlas.families.catalogue import SOURCE_FAMILIES
from gpuatlas.families.exposition import Format, write_families
from gpuatlas.families.page import PageCache
from gpuatlas.join.snapshot import Joiner
from gpuatlas.sources.capture.projection import project_capture
from gpuatlas.sources.capture.reader import read_capture

from .evening import GOLDEN, evening_page

CAPTURES = Path(__file__).parents[2] / "fixtures" / "captures"
EXPECTED = "expected.prom"


def folders() -> list[Path]:
    """Every capture that is a test."""
    return sorted(path for path in CAPTURES.iterdir() if path.is_dir())


def page_of(folder: Path) -> str:
    """The text page of a capture. Without a `clock` file the time is 0."""
    captured = project_capture(read_capture(folder), now=0.0)
    page = PageCache().update(Joiner().build(captured.observations))
    sources = write_families(SOURCE_FAMILIES, captured.statuses, Format.TEXT)
    return b"".join(page.body(Format.TEXT, tail=sources).chunks).decode()


def main() -> None:
    """Write the expected page of every capture, and of the evening, again (`make golden`)."""
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(evening_page())
    for folder in folders():
        (folder / EXPECTED).write_text(page_of(folder))
        sys.stdout.write(f"{folder.name}/{EXPECTED}\n")


if __name__ == "__main__":
    main()

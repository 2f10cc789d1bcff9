"""`python -m gpuatlas.families docs/metrics.md` writes the document, `--check` compares it.

The only module here that touches a file, and nothing imports it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gpuatlas.families.documents import metrics_document


def main(arguments: list[str] | None = None) -> int:
    """Exit code: 0 done or equal, 1 the file differs from the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m gpuatlas.families", description="Writes the document of all metrics."
    )
    parser.add_argument("path", type=Path, help="the document, usually docs/metrics.md")
    parser.add_argument("--check", action="store_true", help="compare only, write nothing")
    options = parser.parse_args(arguments)
    return _check(options.path) if options.check else _write(options.path)


def _write(path: Path) -> int:
    path.write_text(metrics_document(), encoding="utf-8")
    return 0


def _check(path: Path) -> int:
    if path.exists() and path.read_text(encoding="utf-8") == metrics_document():
        return 0
    sys.stderr.write(
        f"{path} differs from the metric tables: run python -m gpuatlas.families {path}\n"
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())

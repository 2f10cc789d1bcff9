"""`python -m gpuatlas_dashboards [FOLDER] [--check]` writes the boards, or compares them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gpuatlas_dashboards.render import differing, write

GENERATED = Path(__file__).resolve().parents[1] / "generated"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m gpuatlas_dashboards", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=GENERATED)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 = differs")
    arguments = parser.parse_args()
    if not arguments.check:
        write(arguments.folder)
        return 0
    stale = differing(arguments.folder)
    for path in stale:
        sys.stderr.write(f"{path} is not what the code makes: run `make docs`\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())

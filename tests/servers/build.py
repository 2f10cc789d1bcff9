#!/usr/bin/env python3
"""Find, or build from their Go modules, the real servers that the integration tests start.

``python tests/servers/build.py`` makes every binary of ``programs.py`` available and prints where
each one is. A binary is looked for in the folder named by ``KUBEBUILDER_ASSETS``, then on ``PATH``,
then in the cache, and only then is it built. The cache is ``.cache`` of the repository; ``--cache``
or ``GPUATLAS_CACHE`` names another. With ``--find NAME`` nothing is built: the path is printed, or
what to do about its absence.

Exit codes: 0 all there; 1 a build failed; 2 wrong arguments; 3 Go is missing or too old;
4 ``--find`` did not find the binary.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from go_build import build, cached_path, say
from programs import BINARIES, SERVERS, Binary, BuildError

EXIT_NOT_FOUND = 4
REPOSITORY = SERVERS.parent.parent


def cache_root(argument: Path | None = None) -> Path:
    """The cache folder: the argument, else ``GPUATLAS_CACHE``, else ``.cache`` here."""
    if argument is not None:
        return argument.resolve()
    named = os.environ.get("GPUATLAS_CACHE")
    return Path(named).resolve() if named else REPOSITORY / ".cache"


def find(binary: Binary, cache: Path) -> Path | None:
    """The binary where it already is, or None."""
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    if assets and os.access(Path(assets) / binary.name, os.X_OK):
        return Path(assets).resolve() / binary.name
    on_path = shutil.which(binary.name)
    if on_path:
        return Path(on_path).resolve()
    cached = cached_path(binary, cache)
    return cached if cached.is_file() else None


def ensure(binaries: Sequence[Binary], cache: Path) -> dict[str, Path]:
    """Every binary's path by its name, after building those that are nowhere."""
    paths = {}
    for binary in binaries:
        path = find(binary, cache) or build(binary, cache)
        say(f"{binary.name}: {path}")
        paths[binary.name] = path
    return paths


def report_found(binary: Binary, cache: Path) -> int:
    path = find(binary, cache)
    if path is None:
        sys.stderr.write(
            f"{binary.name} is neither in KUBEBUILDER_ASSETS, nor on PATH, nor in {cache};"
            " build it with `python tests/servers/build.py`\n"
        )
        return EXIT_NOT_FOUND
    say(str(path))
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    by_name = {binary.name: binary for binary in BINARIES}
    parser = argparse.ArgumentParser(description="Build the servers of the integration tests.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(by_name)}; all")
    parser.add_argument("--cache", type=Path, help="cache folder instead of .cache")
    parser.add_argument("--find", action="store_true", help="print one path, build nothing")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(by_name))
    if unknown:
        parser.error(f"no such binary: {', '.join(unknown)}")
    if options.find and len(options.names) != 1:
        parser.error("--find takes exactly one NAME")
    cache = cache_root(options.cache)
    chosen = [by_name[name] for name in options.names] or list(BINARIES)
    if options.find:
        return report_found(chosen[0], cache)
    try:
        ensure(chosen, cache)
    except BuildError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())

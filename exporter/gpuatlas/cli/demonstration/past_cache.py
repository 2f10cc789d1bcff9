"""Keeps pasts that were written, as Prometheus' own blocks, so that the next demo starts at once.

One folder for each cluster and code: $XDG_CACHE_HOME/gpuatlas/demo/<digest>/ with `past.json` and
`blocks/`. Blocks are never changed by Prometheus once they are written, so a run gets links to
them and leaves them as they are.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import gpuatlas
from gpuatlas.cli.demonstration.stretch import Episode
from gpuatlas.demo.scenario import FaultSpec

_META: Final = "past.json"
_BLOCKS: Final = "blocks"
_KEPT: Final = 3  # pasts of other scenarios and versions; each has a few dozen MiB


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """A past that was written: begin and end in Unix seconds, and the faults in it."""

    begin: float
    end: float
    episodes: tuple[Episode, ...]


class PastCache:
    """The pasts of one cluster: `digest` tells it from all others (`digest_of`)."""

    def __init__(self, digest: str, root: Path | None = None) -> None:
        self._root = root or _default_root()
        self._folder = self._root / digest

    def known(self) -> Past | None:
        """What is kept, None where that is nothing that can be used."""
        try:
            content = json.loads((self._folder / _META).read_text("utf-8"))
            return Past(
                begin=content["begin"],
                end=content["end"],
                episodes=tuple(
                    Episode(fault=FaultSpec(**episode["fault"]), until=episode["until"])
                    for episode in content["episodes"]
                ),
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def lend(self, data: Path) -> None:
        """Put the blocks that are kept into an empty data folder of Prometheus."""
        data.mkdir(parents=True, exist_ok=True)
        if (self._folder / _BLOCKS).is_dir():
            _copy_blocks(self._folder / _BLOCKS, data)

    def keep(self, past: Past, blocks: Path) -> None:
        """Keep a past in place of the one before; `blocks` holds folders of blocks.

        Another demo may do the same at the same time: the last one wins.
        """
        self._root.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix="new-", dir=self._root))
        try:
            (new / _BLOCKS).mkdir()
            _copy_blocks(blocks, new / _BLOCKS)
            (new / _META).write_text(json.dumps(asdict(past)), "utf-8")
            self._put_in_place(new)
        finally:
            shutil.rmtree(new, ignore_errors=True)
        self._drop_old()

    def _put_in_place(self, new: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="old-", dir=self._root) as old:
            with contextlib.suppress(FileNotFoundError):
                self._folder.rename(Path(old) / "past")
            # Somebody else may have been quicker; theirs is as good.
            with contextlib.suppress(OSError):
                new.rename(self._folder)

    def _drop_old(self) -> None:
        others = [path for path in self._root.iterdir() if path.is_dir() and path != self._folder]
        newest_first = sorted(others, key=lambda path: path.stat().st_mtime, reverse=True)
        for path in newest_first[_KEPT:]:
            shutil.rmtree(path, ignore_errors=True)


def digest_of(*parts: object, files: Iterable[Path] = ()) -> str:
    """What tells a past from others: these parts, the files' content, and all code of ours."""
    package = Path(gpuatlas.__file__).parent
    code = sorted(path for path in package.rglob("*") if path.suffix in {".py", ".yaml"})
    content = hashlib.sha256(repr(parts).encode())
    for path in (*code, *files):
        content.update(path.name.encode())
        content.update(path.read_bytes())
    return content.hexdigest()[:20]


def fault_key(faults: Sequence[FaultSpec]) -> str:
    """Faults as text, for a digest; options in any order are the same."""
    return json.dumps([asdict(fault) for fault in faults], sort_keys=True)


def _default_root() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "gpuatlas" / "demo"


def _copy_blocks(source: Path, target: Path) -> None:
    for block in source.iterdir():
        if (block / "meta.json").is_file():
            shutil.copytree(block, target / block.name, copy_function=_link)


def _link(source: str, target: str) -> None:
    """A link where the file system has them across these folders, else a copy."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)

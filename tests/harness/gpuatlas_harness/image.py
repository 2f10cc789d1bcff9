"""The image without a container: what its recipe says, and what its build step makes."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

ROOT: Final = Path(__file__).parents[3]
RECIPE: Final = ROOT / "Containerfile"
IGNORED: Final = ROOT / ".dockerignore"


def context() -> tuple[Path, ...]:
    """The files that a builder is sent, relative to the repository."""
    return tuple(sorted(path for path in _files() if not _left_out(path)))


def _left_out(path: Path) -> bool:
    """As docker reads the file: the last line wins that meets the path or a folder above it."""
    above = [PurePosixPath("/", path), *PurePosixPath("/", path).parents[:-1]]
    out = False
    for line in IGNORED.read_text("utf-8").splitlines():
        pattern = line.removeprefix("!")
        deep = pattern.removeprefix("**/")
        if (
            line
            and line[0] != "#"
            and any(part.match(deep if deep != pattern else f"/{pattern}") for part in above)
        ):
            out = not line.startswith("!")
    return out


def _files() -> Iterator[Path]:
    for folder, folders, names in os.walk(ROOT):
        # Builders walk these as well; what they hold matches nothing that is let in.
        folders[:] = [name for name in folders if name not in {".git", ".venv", ".cache"}]
        yield from ((Path(folder) / name).relative_to(ROOT) for name in names)


def copy_context(folder: Path) -> Path:
    """The context, as the build stage finds it."""
    for path in context():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, folder / path)
    return folder


def build(source: Path, target: Path, *, epoch: int) -> None:
    """What the build stage runs. Raises `AssertionError` with what it printed."""
    answer = subprocess.run(
        [source / "deploy" / "image" / "build.sh", target],
        env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch), "TZ": "UTC"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr


def layer(folder: Path) -> dict[str, tuple[str, int, int]]:
    """What a layer would hold of each file: a hash of its content, its mode and its time."""
    return {
        str(path.relative_to(folder)): (
            _hash(path),
            path.lstat().st_mode,
            int(path.lstat().st_mtime),
        )
        for path in sorted(folder.rglob("*"))
    }


def _hash(path: Path) -> str:
    if path.is_symlink():
        return f"-> {path.readlink()}"
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""

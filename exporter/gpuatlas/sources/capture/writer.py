"""Writes a `Capture` as a folder: only into a new or empty one, so that nothing is overwritten.

What is written is what it was given: trimming (`collector`) and anonymising come before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import yaml

from gpuatlas.sources.capture.contents import (
    CLOCK,
    ERROR_SUFFIX,
    OBJECTS,
    PAGES,
    Capture,
    CaptureError,
    RawObject,
)
from gpuatlas.sources.capture.documents import resolve_plain
from gpuatlas.sources.capture.layer import LAYER_KINDS
from gpuatlas.sources.kubernetes.kinds import KINDS

_README: Final = "README"
_ABSENT: Final = b"# Read: there are none.\n"
_ABOUT: Final = """\
A capture of GPU Atlas: all that `gpuatlas` reads of a cluster, at one instant.

objects/*.yaml          {objects} Kubernetes objects, cut to the fields that are read: of commands
                        only words that name a known program and options of the sharing layer,
                        no environment beyond a fixed list, no secrets; a file without an
                        object says that there is none of that kind
pages/<source>/*.prom   {pages} pages of metrics as they were served; .error: why there is none
clock                   the time of the capture

Names, addresses, card ids and images are {naming}.

See it:  gpuatlas cards --from {folder}    gpuatlas workloads --from {folder}
"""


def write_capture(capture: Capture, folder: Path, *, anonymised: bool) -> tuple[Path, ...]:
    """Writes the folder and gives the files. Raises `CaptureError`."""
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise CaptureError(str(folder), "is there already and not empty: name a new folder")
        folder.mkdir(parents=True, exist_ok=True)
        return tuple(_write(folder, capture, anonymised=anonymised))
    except OSError as error:
        raise CaptureError(str(error.filename or folder), str(error.strerror)) from error


def _write(folder: Path, capture: Capture, *, anonymised: bool) -> Iterable[Path]:
    yield _file(folder / _README, _about(capture, folder, anonymised=anonymised).encode())
    if capture.clock is not None:
        yield _file(folder / CLOCK, f"{_timestamp(capture.clock)}\n".encode())
    files = _by_file(capture.objects)
    for name, objects in files.items():
        yield _file(folder / OBJECTS / f"{name}.yaml", _documents(objects))
    for name in sorted(capture.absent - files.keys()):
        yield _file(folder / OBJECTS / f"{name}.yaml", _ABSENT)
    for page in capture.pages:
        yield _file(folder / page.file, page.body)
    for silence in capture.silences:
        name = f"{silence.name}{ERROR_SUFFIX}"
        yield _file(folder / PAGES / silence.source / name, f"{silence.reason}\n".encode())


def _file(path: Path, body: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
    return path


def _by_file(objects: Iterable[RawObject]) -> Mapping[str, list[Mapping[str, Any]]]:
    """Objects by their kind: one file each."""
    names = {place: ask.qualified for place, ask in LAYER_KINDS.items()}
    names |= {(kind.api_group, kind.kind): kind.id for kind in KINDS}
    files: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for raw in objects:
        files[names.get((raw.api_group, raw.kind), "others")].append(raw.body)
    return files


def _documents(objects: Iterable[Mapping[str, Any]]) -> bytes:
    text: bytes = yaml.dump_all(
        objects,
        Dumper=_Dumper,
        sort_keys=False,
        explicit_start=True,
        width=2**20,  # annotations stay on one line
        encoding="utf-8",
    )
    return text


class _Dumper(yaml.CSafeDumper):
    """Without anchors: objects share label maps in memory, and nobody wants to read aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _write_text(dumper: _Dumper, value: str) -> yaml.ScalarNode:
    """Quoted where our reader would take it for something else: "1e3" is text in YAML 1.1 only."""
    style = None if isinstance(resolve_plain(value), str) else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _write_text)


def _about(capture: Capture, folder: Path, *, anonymised: bool) -> str:
    return _ABOUT.format(
        objects=len(capture.objects),
        pages=len(capture.pages),
        naming="replaced consistently" if anonymised else "those of the cluster",
        folder=folder.name,
    )


def _timestamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")

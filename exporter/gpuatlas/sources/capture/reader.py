"""Reads a capture folder from disk into a `Capture`; reads and checks files, interprets nothing.

A folder may come from a stranger: sizes are bounded, only plain files inside the folder are read,
and whatever cannot be read is an error that names file and line.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from gpuatlas.sources.capture.contents import (
    CLOCK,
    ERROR_SUFFIX,
    OBJECTS,
    PAGE_SOURCES,
    PAGE_SUFFIX,
    PAGES,
    Capture,
    CaptureError,
    RawObject,
    RawPage,
    Silence,
)
from gpuatlas.sources.capture.documents import Document, read_json, read_yaml
from gpuatlas.sources.layer.asks import ASKS

# 40,000 untrimmed pods are about 220 MB of JSON (facts/k8s.md 6.4: 5,000 pods are 27 MB).
MAX_OBJECT_FILE_BYTES: Final = 512 * 1024**2
# The scraper's own limit: a page that is larger is not read from a live cluster either.
MAX_PAGE_BYTES: Final = 32 * 1024**2
MAX_TOTAL_BYTES: Final = 2 * 1024**3
# 1,000 nodes have up to three pages each; ten times that is a wrong folder.
MAX_FILES: Final = 30_000
MAX_LINE_BYTES: Final = 4096
_READERS: Final = {".yaml": read_yaml, ".yml": read_yaml, ".json": read_json}
_IGNORED: Final = ("readme",)
# Of these kinds an empty file says that there are none.
_LAYER_FILES: Final = frozenset(ask.qualified for ask in ASKS)


def read_capture(folder: Path) -> Capture:
    """Everything in `folder`. Raises `CaptureError`."""
    if not folder.is_dir():
        problem = "is a file" if folder.exists() else "does not exist"
        raise CaptureError(
            str(folder), f"{problem}: a capture is a folder (see gpuatlas capture --help)"
        )
    files = _Files(folder)
    objects: list[RawObject] = []
    absent: set[str] = set()
    for path in files.under(OBJECTS):
        found = tuple(_objects(files, path))
        objects += found
        if not found and path.stem in _LAYER_FILES:
            absent.add(path.stem)
    pages, silences = _pages(files)
    if not (objects or pages or silences):
        raise CaptureError(
            str(folder),
            f"no capture: it holds neither {OBJECTS}/*.yaml nor {PAGES}/<source>/*{PAGE_SUFFIX}",
        )
    return Capture(
        clock=_clock(files),
        objects=tuple(objects),
        pages=pages,
        silences=silences,
        absent=frozenset(absent),
    )


class _Files:
    """The plain files of one folder, read within limits."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._left = MAX_TOTAL_BYTES

    def name(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix()

    def under(self, part: str) -> Iterator[Path]:
        """Files in a part of the capture, by name; hidden files and READMEs are passed over."""
        for number, path in enumerate(sorted((self._root / part).rglob("*"))):
            if number >= MAX_FILES:
                raise CaptureError(part, f"holds more than {MAX_FILES} files")
            name = path.name.lower()
            if not path.is_dir() and not name.startswith((".", *_IGNORED)):
                yield path

    def read(self, path: Path, limit: int) -> bytes:
        """The whole file, which must be a plain one inside the folder and not over `limit`."""
        name = self.name(path)
        if not path.resolve().is_relative_to(self._root):
            raise CaptureError(name, "a link that leads out of the capture is not read")
        if not path.is_file():
            raise CaptureError(name, "not a plain file")
        try:
            with path.open("rb") as stream:
                body = stream.read(min(limit, self._left) + 1)
        except OSError as error:
            raise CaptureError(name, f"{error.strerror}") from error
        if len(body) > limit:
            raise CaptureError(name, f"larger than {limit // 1024**2} MiB")
        self._left -= len(body)
        if self._left < 0:
            raise CaptureError(name, f"the capture is larger than {MAX_TOTAL_BYTES // 1024**2} MiB")
        return body

    def line(self, path: Path) -> str:
        """The first line of a small file."""
        text = self.read(path, MAX_PAGE_BYTES)[:MAX_LINE_BYTES].decode("utf-8", "replace").strip()
        return text.splitlines()[0] if text else ""

    def clock(self) -> Path:
        return self._root / CLOCK


def _objects(files: _Files, path: Path) -> Iterator[RawObject]:
    name = files.name(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise CaptureError(name, "objects lie in .yaml, .yml or .json files")
    for document in reader(files.read(path, MAX_OBJECT_FILE_BYTES), name=name):
        yield from _unpack(document, name)


def _unpack(document: Document, name: str) -> Iterator[RawObject]:
    """An object by itself, or the items of a `List` or a `PodList`, which names the kind once."""
    body = _mapping(document.value, name, document.line)
    kind = body.get("kind")
    if not (isinstance(kind, str) and kind.endswith("List") and "items" in body):
        yield RawObject(body=body, where=f"{name}:{document.line}")
        return
    items = body["items"] if body["items"] is not None else []
    if not isinstance(items, list):
        raise CaptureError(name, f"the items of a {kind} must be a list", line=document.line)
    typed = {"apiVersion": body.get("apiVersion"), "kind": kind.removesuffix("List")}
    for item in items:
        line = document.line_of(item)
        found = _mapping(item, name, line)
        yield RawObject(
            body=found if "kind" in found or kind == "List" else {**typed, **found},
            where=f"{name}:{line}",
        )


def _mapping(value: Any, name: str, line: int) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise CaptureError(
        name,
        f"a Kubernetes object was expected (apiVersion, kind, metadata …), not {_described(value)}",
        line=line,
    )


def _described(value: Any) -> str:
    return "a list" if isinstance(value, list) else f'"{str(value)[:40]}"'


def _pages(files: _Files) -> tuple[tuple[RawPage, ...], tuple[Silence, ...]]:
    pages: list[RawPage] = []
    silences: list[Silence] = []
    for path in files.under(PAGES):
        source = _page_source(files.name(path))
        if path.suffix == PAGE_SUFFIX:
            body = files.read(path, MAX_PAGE_BYTES)
            pages.append(RawPage(source=source, name=path.stem, body=body))
        elif path.suffix == ERROR_SUFFIX:
            reason = files.line(path) or "no answer"
            silences.append(Silence(source=source, name=path.stem, reason=reason))
        else:
            raise CaptureError(files.name(path), f"pages lie in files that end in {PAGE_SUFFIX}")
    return tuple(pages), tuple(silences)


def _page_source(name: str) -> str:
    parts = name.split("/")
    source = parts[1]
    if len(parts) == 3 and source in PAGE_SOURCES:  # noqa: PLR2004 pages/<source>/<file>
        return source
    close = difflib.get_close_matches(source, PAGE_SOURCES, n=1)
    hint = f"; did you mean {PAGES}/{close[0]}/?" if close else ""
    raise CaptureError(
        name,
        "pages lie in a folder named after who served them: "
        f"{', '.join(f'{PAGES}/{s}/' for s in PAGE_SOURCES)}{hint}",
    )


def _clock(files: _Files) -> float | None:
    path = files.clock()
    if not path.exists():
        return None
    text = files.line(path)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise CaptureError(
            CLOCK, f'"{text[:40]}" is no time; write it as 2026-08-21T10:11:12Z', line=1
        ) from error
    zone = moment.tzinfo or UTC
    return moment.replace(tzinfo=zone).timestamp()

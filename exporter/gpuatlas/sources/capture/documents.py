"""YAML and JSON text into plain values, safely and with line numbers. Pure.

Own reader over libyaml's events, for three reasons: no tags, so no file can build anything but
plain values; aliases are counted by what they expand to, so a small file cannot become a huge one;
every complaint has a line. Times stay text and only `true` and `false` are booleans, as Kubernetes
has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import orjson
import yaml

from gpuatlas.sources.capture.contents import CaptureError

# The deepest object that we read (a pod's device statuses) nests 12 levels.
MAX_DEPTH: Final = 64
# Values that aliases of one file may stand for, all together. Captures written by hand share a
# label map or a resource list; ten anchors of ten aliases each would stand for 10**10.
MAX_ALIASED_VALUES: Final = 100_000

_CORE_TAGS: Final = "tag:yaml.org,2002:"
_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS: Final = {
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,30}")
_FLOAT: Final = re.compile(
    r"[-+]?(\.[0-9]{1,30}|[0-9]{1,30}(\.[0-9]{0,30})?)([eE][-+]?[0-9]{1,3})?"
)


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a file. `lines` holds the first line of each mapping three levels deep."""

    value: Any
    line: int
    lines: dict[int, int] = field(default_factory=dict)

    def line_of(self, value: object) -> int:
        """The line on which a mapping near the top begins, else the document's own."""
        return self.lines.get(id(value), self.line)


@dataclass(slots=True)
class _Open:
    """A mapping or sequence whose end has not come yet. `size` counts the values in it."""

    value: dict[str, Any] | list[Any]
    anchor: str | None
    line: int
    size: int = 1
    key: str | None = None


def read_json(body: bytes, *, name: str) -> Iterator[Document]:
    """The one document of a JSON file. Raises `CaptureError`."""
    try:
        yield Document(orjson.loads(body), 1)
    except orjson.JSONDecodeError as error:
        raise CaptureError(name, f"not JSON: {error.msg}", line=error.lineno) from error


def read_yaml(body: bytes, *, name: str) -> Iterator[Document]:
    """All documents of a YAML file that are not empty. Raises `CaptureError`."""
    builder = _Builder(name)
    try:
        for event in yaml.parse(body, Loader=yaml.CSafeLoader):
            document = builder.take(event)
            if document is not None:
                yield document
    except yaml.reader.ReaderError as error:
        line = body.count(b"\n", 0, int(error.position)) + 1
        raise CaptureError(name, f"not text: {error.reason}", line=line) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        problem = error.problem or error.context
        raise CaptureError(name, f"not YAML: {problem}", line=line) from error


class _Builder:
    """Puts libyaml's events together."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._aliased = 0
        self._root: Any = None
        self._line = 1
        self._lines: dict[int, int] = {}

    def take(self, event: yaml.Event) -> Document | None:
        """One event; gives the document that it ends."""
        mark = event.start_mark
        line = mark.line + 1 if mark else 1
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event, line)
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            self._begin(event, line)
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            self._end()
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event, line)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._start(line)
        elif isinstance(event, yaml.DocumentEndEvent) and self._root is not None:
            return Document(self._root, self._line, self._lines)
        return None

    def _start(self, line: int) -> None:
        self._anchors = {}
        self._root = None
        self._line = line
        self._lines = {}

    def _begin(self, event: yaml.CollectionStartEvent, line: int) -> None:
        self._check_tag(event.tag, line, ("map", "seq"))
        if len(self._stack) >= MAX_DEPTH:
            raise self._error(line, f"nested deeper than {MAX_DEPTH} levels")
        value: dict[str, Any] | list[Any]
        value = {} if isinstance(event, yaml.MappingStartEvent) else []
        self._expect_value(line)
        if not self._stack:
            self._line = line
        if len(self._stack) < 3 and isinstance(value, dict):  # noqa: PLR2004 document, items, item
            self._lines[id(value)] = line
        self._stack.append(_Open(value, event.anchor, line))

    def _end(self) -> None:
        done = self._stack.pop()
        if done.anchor:
            self._anchors[done.anchor] = (done.value, done.size)
        self._add(done.value, done.size)

    def _scalar(self, event: yaml.ScalarEvent, line: int) -> None:
        if self._is_key():
            self._key(event.value, line)
            return
        self._check_tag(event.tag, line, ("str", "int", "float", "bool", "null"))
        plain = event.implicit[0] and event.tag is None
        value = resolve_plain(event.value) if plain else event.value
        if event.anchor:
            self._anchors[event.anchor] = (value, 1)
        self._add(value, 1)

    def _alias(self, event: yaml.AliasEvent, line: int) -> None:
        self._expect_value(line)
        if event.anchor not in self._anchors:
            raise self._error(
                line, f"the alias *{event.anchor} stands inside itself or for nothing"
            )
        value, size = self._anchors[event.anchor]
        self._aliased += size
        if self._aliased > MAX_ALIASED_VALUES:
            raise self._error(line, f"aliases stand for more than {MAX_ALIASED_VALUES} values")
        self._add(value, size)

    def _is_key(self) -> bool:
        return (
            bool(self._stack)
            and isinstance(self._stack[-1].value, dict)
            and (self._stack[-1].key is None)
        )

    def _expect_value(self, line: int) -> None:
        if self._is_key():
            raise self._error(line, "a key must be plain text")

    def _key(self, key: str, line: int) -> None:
        top = self._stack[-1]
        if key in top.value:
            raise self._error(line, f'the key "{key[:80]}" appears twice')
        top.key = key

    def _add(self, value: object, size: int) -> None:
        if not self._stack:
            self._root = value
            return
        top = self._stack[-1]
        top.size += size
        if isinstance(top.value, list):
            top.value.append(value)
        elif top.key is not None:
            top.value[top.key] = value
            top.key = None

    def _check_tag(self, tag: str | None, line: int, allowed: tuple[str, ...]) -> None:
        if tag is not None and tag.removeprefix(_CORE_TAGS) not in allowed:
            raise self._error(line, f"the tag {tag[:80]} is not allowed in a capture")

    def _error(self, line: int, problem: str) -> CaptureError:
        return CaptureError(self._name, problem, line=line)


def resolve_plain(text: str) -> Any:
    """What a plain scalar stands for, by the core schema of YAML 1.2."""
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text

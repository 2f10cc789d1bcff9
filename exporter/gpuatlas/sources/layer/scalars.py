"""The single values of a YAML or JSON text with their places in it, so that they can be quoted.

Goes over libyaml's events and builds nothing, so that no tag makes an object and no alias expands:
a file of aliases that stand for 10**10 values costs its own length. An alias of a single value
gives that value; one of a list or a mapping is left out. JSON is YAML for this purpose. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import yaml

from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import clean_text

# The settings that are read stand four levels deep; a text that nests deeper is no configuration.
MAX_DEPTH: Final = 64

_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
_NUMBER: Final = re.compile(
    r"[-+]?(\.[0-9]{1,30}|[0-9]{1,30}(\.[0-9]{0,30})?)([eE][-+]?[0-9]{1,3})?"
)
# JSON writes a character beyond 16 bits as two of these, which YAML does not know.
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value. `path` is made of keys and of positions in lists.

    `plain` is False for quoted text. `record` is the key and the value as the text has them, in
    one line; of a value in a list the value alone. `line` counts from 1.
    """

    path: Path
    text: str
    plain: bool
    line: int
    record: str

    @property
    def is_null(self) -> bool:
        """Whether it stands for nothing."""
        return self.plain and self.text in _NULLS

    @property
    def number(self) -> float | None:
        """The number that it is; None for all else, quoted digits included."""
        return float(self.text) if self.plain and _NUMBER.fullmatch(self.text) else None


def read_scalars(text: str) -> Iterator[Scalar]:
    """All values of the first document in the text, in order.

    Characters that JSON escapes as two surrogates are two replacement characters.

    Raises:
        MalformedError: "bad-text", with the line: neither YAML nor JSON, or nested too deep.
    """
    text = _SURROGATE.sub(r"\\ufffd", text)
    walk = _Walk(text)
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.DocumentEndEvent):
                return
            found = walk.take(event)
            if found is not None:
                yield found
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = f"not YAML: {error.problem or error.context}"
        raise bad_text(mark.line + 1 if mark else 1, problem) from error
    except (yaml.YAMLError, ValueError) as error:
        if isinstance(error, MalformedError):
            raise
        reason = error.reason if isinstance(error, yaml.reader.ReaderError) else error
        raise bad_text(1, f"not text: {reason}") from error


def bad_text(line: int, problem: str) -> MalformedError:
    """The error for a text that is no use, or for one value of it."""
    return MalformedError("bad-text", clean_text(f"line {line}: {problem}"))


@dataclass(slots=True)
class _Level:
    """An open mapping or list. `key` is that of the value to come, `start` where the key begins."""

    is_mapping: bool
    key: str | None = None
    start: int = 0
    position: int = 0


class _Walk:
    """Follows the events and knows where in the text they are."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._levels: list[_Level] = []
        # Text of single values and whether it is plain; None for lists and mappings.
        self._anchors: dict[str, tuple[str, bool] | None] = {}

    def take(self, event: yaml.Event) -> Scalar | None:
        """One event; gives the value that it is."""
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._open(event)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._levels.pop()
            self._value_is_over()
        return None

    def _scalar(self, event: yaml.ScalarEvent) -> Scalar | None:
        if self._awaits_key():
            self._levels[-1].key, self._levels[-1].start = event.value, _begin(event)[0]
            return None
        plain = bool(event.implicit[0])
        if event.anchor:
            self._anchors[event.anchor] = (event.value, plain)
        return self._found(event, event.value, plain=plain)

    def _alias(self, event: yaml.AliasEvent) -> Scalar | None:
        self._refuse_as_key(event)
        name = event.anchor or ""
        if name not in self._anchors:
            raise bad_text(_begin(event)[1], f"the alias *{name} stands for nothing")
        found = self._anchors[name]
        if found is None:
            self._value_is_over()
            return None
        return self._found(event, found[0], plain=found[1])

    def _open(self, event: yaml.CollectionStartEvent) -> None:
        self._refuse_as_key(event)
        if len(self._levels) >= MAX_DEPTH:
            raise bad_text(_begin(event)[1], f"nested deeper than {MAX_DEPTH} levels")
        if event.anchor:
            self._anchors[event.anchor] = None
        self._levels.append(_Level(isinstance(event, yaml.MappingStartEvent)))

    def _found(self, event: yaml.NodeEvent, text: str, *, plain: bool) -> Scalar:
        top = self._levels[-1] if self._levels else None
        begin, line = _begin(event)
        start = top.start if top is not None and top.is_mapping else begin
        end = event.end_mark.index if event.end_mark else begin
        record = self._text[start:end].strip().partition("\n")[0]
        scalar = Scalar(
            path=tuple(self._path()),
            text=text,
            plain=plain,
            line=line,
            record=clean_text(record.strip()),
        )
        self._value_is_over()
        return scalar

    def _path(self) -> Iterator[str | int]:
        for level in self._levels:
            yield (level.key or "") if level.is_mapping else level.position

    def _awaits_key(self) -> bool:
        return bool(self._levels) and self._levels[-1].is_mapping and self._levels[-1].key is None

    def _refuse_as_key(self, event: yaml.NodeEvent) -> None:
        if self._awaits_key():
            raise bad_text(_begin(event)[1], "a key must be plain text")

    def _value_is_over(self) -> None:
        if self._levels:
            self._levels[-1].key = None
            self._levels[-1].position += 1


def _begin(event: yaml.Event) -> tuple[int, int]:
    """Where an event begins: position in the text from 0, line from 1."""
    mark = event.start_mark
    return (mark.index, mark.line + 1) if mark else (0, 1)

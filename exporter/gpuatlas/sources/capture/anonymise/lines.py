"""The lines of an exposition page as pieces, for replacing label values in place. Pure.

Beside `sources.exposition`, because that reads what is wanted and this must keep the rest, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_NAME: Final = re.compile(r"[ \t]*+([a-zA-Z_:][a-zA-Z0-9_:]*+)")
_LABEL: Final = re.compile(
    r'[ \t]*+([a-zA-Z_][a-zA-Z0-9_]*+)[ \t]*+=[ \t]*+"((?:[^"\\]++|\\.)*+)"[ \t]*+,?'
)
_END: Final = re.compile(r"[ \t]*+\}")
_VALUE: Final = re.compile(r"[ \t]++([^ \t]++)(?:[ \t]++([-+0-9.eE]++))?[ \t]*+(?:#.*)?")
_ESCAPES: Final = {"n": "\n", '"': '"', "\\": "\\"}


@dataclass(frozen=True, slots=True)
class Series:
    """One line: a metric, its labels in order, its value and the time, which may be ""."""

    name: str
    labels: tuple[tuple[str, str], ...]
    value: str
    time: str


def metric_of(line: str) -> str:
    """The metric's name at the start of a line that may be broken behind it, or ""."""
    match = _NAME.match(line)
    return match[1] if match else ""


def read_line(line: str) -> Series | None:
    """The pieces of a line, None for one that is broken. Exemplars are dropped."""
    name = _NAME.match(line)
    if name is None:
        return None
    position = name.end()
    labels: list[tuple[str, str]] = []
    if line[position : position + 1] == "{":
        position += 1
        while match := _LABEL.match(line, position):
            labels.append((match[1], _unescaped(match[2])))
            position = match.end()
        end = _END.match(line, position)
        if end is None:
            return None
        position = end.end()
    value = _VALUE.fullmatch(line, position)
    if value is None:
        return None
    return Series(name[1], tuple(labels), value[1], value[2] or "")


def write_line(series: Series) -> str:
    """The line again."""
    labels = ",".join(f'{name}="{_escaped(value)}"' for name, value in series.labels)
    braces = f"{{{labels}}}" if labels else ""
    return " ".join(filter(None, (f"{series.name}{braces}", series.value, series.time)))


def page_labels(body: bytes) -> Iterator[tuple[str, str]]:
    """All labels of all lines that can be read."""
    for line in body.decode("utf-8", "replace").split("\n"):
        series = read_line(line)
        if series is not None:
            yield from series.labels


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[0]), text, flags=re.DOTALL)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')

"""A page with its label values replaced, line by line; numbers and metric names stay."""

from __future__ import annotations

import math
from typing import Final

from gpuatlas.sources.capture.anonymise.inventory import (
    CONTAINER_LABELS,
    NAMESPACE_LABELS,
    NODE_LABELS,
    POD_LABELS,
)
from gpuatlas.sources.capture.anonymise.lines import Series, metric_of, read_line, write_line
from gpuatlas.sources.capture.anonymise.names import Names
from gpuatlas.sources.capture.anonymise.texts import Texts
from gpuatlas.sources.capture.anonymise.vocabulary import keeps_metric_label

_NAMES: Final = NODE_LABELS | NAMESPACE_LABELS | POD_LABELS | CONTAINER_LABELS
_KEPT_COMMENTS: Final = ("# TYPE ", "# EOF")


class PageWriter:
    """Rewrites pages. What cannot be read could hold anything: a line as unreadable stands in."""

    def __init__(self, names: Names, texts: Texts) -> None:
        self._names = names
        self._texts = texts

    def rewrite(self, body: bytes) -> bytes:
        """The page; help texts and other comments are dropped."""
        lines = (self._line(line) for line in body.split(b"\n"))
        return b"\n".join(line for line in lines if line is not None)

    def _line(self, raw: bytes) -> bytes | None:
        try:
            line = raw.decode().rstrip("\r")
        except UnicodeDecodeError:
            metric = metric_of(raw.decode("utf-8", "replace"))
            return b'%s{unreadable="\xff"} 0' % metric.encode() if metric else b"\xff"
        if not line.strip():
            return b""
        if line.lstrip().startswith("#"):
            return line.encode() if line.startswith(_KEPT_COMMENTS) else None
        series = read_line(line)
        if series is None:
            metric = metric_of(line)
            return f"{metric}{{unreadable".encode() if metric else b"unreadable"
        return write_line(self._replaced(series)).encode()

    def _replaced(self, series: Series) -> Series:
        labels = tuple((name, self._value(name, value)) for name, value in series.labels)
        return Series(series.name, labels, _number(series.value), series.time)

    def _value(self, label: str, value: str) -> str:
        if keeps_metric_label(label):
            return value
        if label in _NAMES:
            return self._names.known(value) or self._texts.plain(value)
        return self._texts.plain(value)


def _number(text: str) -> str:
    """The value as written, unless it is none: then as text of the same kind of trouble."""
    try:
        math.isnan(float(text))
    except ValueError:
        return "unreadable"
    return text

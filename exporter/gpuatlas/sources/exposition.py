"""Reads exposition pages line by line: a bad line costs that line only.

Own code, because the parser of `prometheus_client` raises at the first bad line and so loses the
whole page, and because it parses every label of every line, wanted or not. A GPU node's page is
where bad lines happen: dcgm-exporter does not escape label values, and prints whatever text a
field holds as its value (facts/errata.md, DCGM).

Both text formats are read (Prometheus and OpenMetrics). Comments, timestamps and exemplars are
skipped. Values are passed on as they stand, NaN and infinities included: readers know the bounds.
This module must not know any metric; it does no I/O and raises nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Final

from gpuatlas.model.pages import Sample
from gpuatlas.model.rejections import MalformedError, Rejection
from gpuatlas.model.units import MAX_TEXT, clean_text

# Fixed words: they become a metric label.
BAD_LINE: Final = "bad-line"
BAD_VALUE: Final = "bad-value"
NOT_UTF8: Final = "not-utf8"
DUPLICATE_SERIES: Final = "duplicate-series"
REASONS: Final = frozenset({BAD_LINE, BAD_VALUE, NOT_UTF8, DUPLICATE_SERIES})

_MAX_QUOTE: Final = 80
_MAX_NUMBER: Final = 32  # the shortest text of a double has 24 characters
_HASH: Final = ord("#")

# Every pattern is anchored where it is used and possessive: a hostile page is read in linear time.
_HEAD: Final = re.compile(rb"[ \t]*+([a-zA-Z_:][a-zA-Z0-9_:]*+)(?=[ \t{])")
_PLAIN_LABELS: Final = re.compile(r'(?:[a-zA-Z_][a-zA-Z0-9_]*+="[^"\\]*+"(?:,|\Z))*+')
_PLAIN_LABEL: Final = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*+)="([^"]*+)"')
_LABEL: Final = re.compile(
    r'[ \t]*+([a-zA-Z_][a-zA-Z0-9_]*+)[ \t]*+=[ \t]*+"((?:[^"\\]++|\\.)*+)"[ \t]*+(,|(?=\}))'
)
_END_OF_LABELS: Final = re.compile(r"[ \t]*+\}")
_ESCAPE: Final = re.compile(r"\\(.)")
_ESCAPED: Final = {"n": "\n", '"': '"', "\\": "\\"}
_NUMBER: Final = re.compile(
    r"[-+]?(?:[0-9]+(?:\.[0-9]*)?(?:e[-+]?[0-9]+)?|\.[0-9]+(?:e[-+]?[0-9]+)?|inf|infinity|nan)",
    re.IGNORECASE,
)


def parse_text(
    body: bytes, *, wanted: Container[str] | None, source: str, where: str
) -> tuple[list[Sample], list[Rejection]]:
    """The samples of a page in its order, and one rejection for each reason, with lines counted.

    Args:
        body: the page, decompressed.
        wanted: the metric names to read; the labels of others are never looked at, and whatever is
            wrong with such lines is not reported. None reads all.
        source: the `source` of the rejections.
        where: how the rejections name the page.

    Of two lines with the same name and labels the first counts.
    """
    page = _Page(wanted=wanted, refused=ReasonTally(source, where))
    for number, line in enumerate(BytesIO(body), start=1):
        try:
            page.read(line)
        except MalformedError as error:
            page.refuse(number, line, error)
    return page.samples, list(page.refused.rejections())


class ReasonTally:
    """What was refused of one page: one rejection for each reason.

    Only the first record of a reason is quoted, so that no page can flood a log.
    """

    def __init__(self, source: str, where: str) -> None:
        self._source = source
        self._where = where
        self._first: dict[str, str] = {}
        self._counts: Counter[str] = Counter()

    def add(self, reason: str, message: str) -> None:
        """Count one refused record."""
        self._first.setdefault(reason, message)
        self._counts[reason] += 1

    def rejections(self) -> tuple[Rejection, ...]:
        """One for each reason, in the order in which the reasons came up."""
        return tuple(self._rejection(reason, count) for reason, count in self._counts.items())

    def _rejection(self, reason: str, count: int) -> Rejection:
        start = "" if count == 1 else f"{count} times, first: "
        message = clean_text(start + self._first[reason], limit=MAX_TEXT)
        return Rejection(self._source, reason, self._where, message, count)


@dataclass(slots=True, kw_only=True)
class _Page:
    wanted: Container[str] | None
    refused: ReasonTally
    samples: list[Sample] = field(default_factory=list)
    # Text before the first "{" → the metric name, "" for one that nobody wants. Lines of one family
    # follow each other, so most lines are answered here.
    _heads: dict[bytes, str] = field(default_factory=dict)
    # Text of the labels → the labels. The families of a page repeat the same few label sets, so
    # each is parsed once and shared by its samples.
    _label_sets: dict[str, _Labels] = field(default_factory=dict)
    _seen: set[tuple[str, _Labels]] = field(default_factory=set)

    def refuse(self, number: int, line: bytes, error: MalformedError) -> None:
        text = line[:_MAX_QUOTE].decode(errors="replace").rstrip("\r\n")
        self.refused.add(error.reason, f"line {number}, {error}: {text}")

    def read(self, line: bytes) -> None:
        """Keep the sample of one line, if it has one that is wanted."""
        if line[0] == _HASH:
            return
        brace = line.find(b"{")
        name = self._heads.get(line[:brace]) if brace > 0 else None
        if name is None:
            name = self._name(line, brace)
        if name:
            self._keep(name, line)

    def _name(self, line: bytes, brace: int) -> str:
        stripped = line.strip()
        if not stripped or stripped[0] == _HASH:
            return ""
        match = _HEAD.match(line)
        if match is None:
            raise MalformedError(BAD_LINE, "no metric name")
        name = match[1].decode("ascii")
        if self.wanted is not None and name not in self.wanted:
            name = ""
        if match.end() == brace:
            self._heads[line[:brace]] = name
        return name

    def _keep(self, name: str, line: bytes) -> None:
        labels, rest = self._split(_text(name, line))
        value = _value(rest)
        if (name, labels) in self._seen:
            raise MalformedError(DUPLICATE_SERIES, "a series that the page has already")
        self._seen.add((name, labels))
        self.samples.append(Sample(name, labels.pairs, value))

    def _split(self, text: str) -> tuple[_Labels, str]:
        """`{labels} value` → labels and the text behind them."""
        if not text.startswith("{"):
            return _NO_LABELS, text
        # In most lines the last brace ends the labels, and no label holds a backslash.
        close = text.rfind("}")
        head = text[1:close]
        known = self._label_sets.get(head) if close > 0 else None
        if known is not None:
            return known, text[close + 1 :]
        if close > 0 and _PLAIN_LABELS.fullmatch(head):
            found = _PLAIN_LABEL.findall(head)
            labels = _Labels(dict(found))
            if len(labels.pairs) != len(found):
                raise MalformedError(BAD_LINE, "a label twice")
            self._label_sets[head] = labels
            return labels, text[close + 1 :]
        pairs, close = _labels(text)
        return _Labels(pairs), text[close + 1 :]


class _Labels:
    """One label set; equal sets are equal in whatever order they are written."""

    __slots__ = ("_key", "pairs")

    def __init__(self, pairs: Mapping[str, str]) -> None:
        self.pairs = pairs
        self._key = frozenset(pairs.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Labels) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


_NO_LABELS: Final = _Labels({})


def _text(name: str, line: bytes) -> str:
    """What follows the metric name."""
    try:
        return line.decode().lstrip(" \t")[len(name) :].strip()
    except UnicodeDecodeError:
        raise MalformedError(NOT_UTF8, "a byte that is not UTF-8") from None


def _labels(rest: str) -> tuple[dict[str, str], int]:
    """The labels of `{…} value` with all freedoms of the format, and where their brace is."""
    labels: dict[str, str] = {}
    position, more = 1, True
    while more and (match := _LABEL.match(rest, position)):
        label, value, comma = match.groups()
        if label in labels:
            raise MalformedError(BAD_LINE, "a label twice")
        labels[label] = _ESCAPE.sub(_unescape, value) if "\\" in value else value
        position, more = match.end(), bool(comma)
    end = _END_OF_LABELS.match(rest, position)
    if end is None:
        raise MalformedError(BAD_LINE, "broken labels")
    return labels, end.end() - 1


def _unescape(match: re.Match[str]) -> str:
    # Prometheus refuses any other escape, OpenMetrics keeps it as it stands; so do we.
    return _ESCAPED.get(match[1], match[0])


def _value(text: str) -> float:
    """The value of `value [timestamp] [# exemplar]`."""
    value, *rest = text.partition(" # ")[0].split(None, 2) or [""]
    if not value:
        raise MalformedError(BAD_LINE, "no value")
    # Python would read digits of any script and underscores between them; no exporter writes such.
    if len(value) > _MAX_NUMBER or _NUMBER.fullmatch(value) is None:
        raise MalformedError(BAD_VALUE, f"{value[:_MAX_NUMBER]!r} is not a number")
    if rest and (len(rest) > 1 or _NUMBER.fullmatch(rest[0]) is None):
        raise MalformedError(BAD_LINE, "text after the value")
    return float(value)

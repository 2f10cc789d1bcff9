"""Fills a Prometheus by remote write: series with samples of the past, the present and what comes.

Only what a benchmark needs of the protocol: protobuf by hand, and the snappy framing of data that
is not compressed. Labels are encoded once a card and shared by its series.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import requests

BATCH_BYTES = 8_000_000
# A literal element whose length stands in the four bytes behind the tag.
_LITERAL_OF_FOUR_BYTES = 63 << 2
_HEADERS = {
    "Content-Encoding": "snappy",
    "Content-Type": "application/x-protobuf",
    "X-Prometheus-Remote-Write-Version": "0.1.0",
}


@dataclass(frozen=True)
class Curve:
    """A value that grows by `slope` a second from `start` at the time 0 of the benchmark."""

    start: float
    slope: float = 0.0


@dataclass(frozen=True)
class Grid:
    """Sample times in seconds since 1970: from `first` to `last` in steps; `zero` is time 0."""

    zero: int
    first: int
    last: int
    step: int


@dataclass(frozen=True)
class Series:
    """`before` and `after` are the encoded labels that sort before and after the name."""

    name: str
    before: bytes
    after: bytes
    curve: Curve


def varint(number: int) -> bytes:
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def _field(tag: int, content: bytes) -> bytes:
    return bytes((tag,)) + varint(len(content)) + content


@cache
def encoded_label(name: str, value: str) -> bytes:
    return _field(0x0A, _field(0x0A, name.encode()) + _field(0x12, value.encode()))


def encoded_labels(labels: Mapping[str, str]) -> tuple[bytes, bytes]:
    """Those that sort before `__name__`, and those after; empty values are no labels."""
    pairs = [(name, encoded_label(name, labels[name])) for name in sorted(labels) if labels[name]]
    return (
        b"".join(label for name, label in pairs if name < "__name__"),
        b"".join(label for name, label in pairs if name > "__name__"),
    )


@cache
def _encoded_samples(curve: Curve, grid: Grid) -> bytes:
    return b"".join(
        _field(
            0x12,
            b"\x09"
            + struct.pack("<d", curve.start + curve.slope * (time - grid.zero))
            + b"\x10"
            + varint(time * 1000),
        )
        for time in range(grid.first, grid.last + 1, grid.step)
    )


def _encoded(series: Series, grid: Grid) -> bytes:
    return _field(
        0x0A,
        series.before
        + encoded_label("__name__", series.name)
        + series.after
        + _encoded_samples(series.curve, grid),
    )


def _batches(all_series: Iterable[Series], grid: Grid) -> Iterator[bytes]:
    parts: list[bytes] = []
    size = 0
    for series in all_series:
        parts.append(_encoded(series, grid))
        size += len(parts[-1])
        if size > BATCH_BYTES:
            yield b"".join(parts)
            parts, size = [], 0
    if parts:
        yield b"".join(parts)


def write(url: str, all_series: Iterable[Series], grid: Grid) -> int:
    """Send all series with their samples on the grid; how many samples that were.

    Raises:
        RuntimeError: Prometheus refused a batch; the message is its own.
    """
    points = len(range(grid.first, grid.last + 1, grid.step))
    sent = 0

    def counted() -> Iterator[Series]:
        nonlocal sent
        for series in all_series:
            sent += points
            yield series

    with requests.Session() as session:
        session.trust_env = False
        for body in _batches(counted(), grid):
            framed = varint(len(body)) + bytes((_LITERAL_OF_FOUR_BYTES,))
            framed += struct.pack("<I", len(body) - 1) + body
            answer = session.post(f"{url}/api/v1/write", data=framed, headers=_HEADERS, timeout=120)
            if not answer.ok:
                message = f"{answer.status_code}: {answer.text.strip()}"
                raise RuntimeError(message)
    return sent

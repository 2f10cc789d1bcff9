"""Samples of many series at the same instants, in the shape in which remote write takes them. Pure.

A series is known by the bytes of its labels in Prometheus' remote-write message: they are made
once, compared often, and sent as they are.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from gpuatlas.runtime.backfill.write_request import encoded_label

NAME: Final = "__name__"
NO_SAMPLE: Final = float("nan")

SeriesKey: TypeAlias = bytes
"""The labels of a series, encoded; equal label sets are equal bytes."""

Column: TypeAlias = "array[float]"
"""A series' values, one for each instant of its block; NaN where there is no sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A stretch of time. `instants` are Unix seconds, growing; columns have a value for each."""

    instants: tuple[float, ...]
    columns: Mapping[SeriesKey, Column]


def blank(length: int) -> Column:
    """A column without a sample."""
    return array("d", [NO_SAMPLE]) * length


def held(column: Column, times: int, length: int) -> Column:
    """Each value so many times, cut at `length`."""
    if times == 1:
        return column
    values = array("d", (value for value in column for _ in range(times)))
    return values[:length]


def joined(one: Column, other: Column) -> Column:
    """The samples of both; where both have one, that of `one`."""
    pairs = zip(one, other, strict=True)
    return array("d", (b if math.isnan(a) else a for a, b in pairs))


def series_key(labels: Mapping[str, str]) -> SeriesKey:
    """The labels in the order that remote write asks for. An empty value is no label."""
    return _encoded(tuple(sorted(labels.items())))


@lru_cache(maxsize=65_536)
def _encoded(labels: tuple[tuple[str, str], ...]) -> SeriesKey:
    return b"".join(encoded_label(name, value) for name, value in labels if value)


def series_labels(key: SeriesKey) -> dict[str, str]:
    """The labels of a key."""
    return dict(_labels(key))


def _labels(key: SeriesKey) -> Iterable[tuple[str, str]]:
    position = 0
    while position < len(key):
        size, position = _read_varint(key, position + 1)
        end = position + size
        name_size, position = _read_varint(key, position + 1)
        name = key[position : position + name_size]
        _, position = _read_varint(key, position + name_size + 1)
        yield name.decode(), key[position:end].decode()
        position = end


def _read_varint(data: bytes, position: int) -> tuple[int, int]:
    """The number that begins at `position`, and where it ends."""
    number = shift = 0
    while True:
        byte = data[position]
        number |= (byte & 0x7F) << shift
        position += 1
        if byte < 0x80:  # noqa: PLR2004 - seven bits a byte
            return number, position
        shift += 7

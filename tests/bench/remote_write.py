"""Fills a Prometheus by remote write: series with samples of the past, the present and what comes.

Labels are encoded once a card and shared by its series, samples once for all that grow alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import requests

from gpuatlas.runtime.backfill.write_request import (
    HEADERS,
    encoded_label,
    encoded_samples,
    encoded_series,
    encoded_stamp,
    request_body,
)

BATCH_BYTES = 8_000_000


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


_label = cache(encoded_label)


def encoded_labels(labels: Mapping[str, str]) -> tuple[bytes, bytes]:
    """Those that sort before `__name__`, and those after; empty values are no labels."""
    pairs = [(name, _label(name, labels[name])) for name in sorted(labels) if labels[name]]
    return (
        b"".join(label for name, label in pairs if name < "__name__"),
        b"".join(label for name, label in pairs if name > "__name__"),
    )


@cache
def _samples(curve: Curve, grid: Grid) -> bytes:
    times = range(grid.first, grid.last + 1, grid.step)
    values = (curve.start + curve.slope * (time - grid.zero) for time in times)
    return encoded_samples(values, map(encoded_stamp, times))


def _encoded(series: Series, grid: Grid) -> bytes:
    labels = series.before + _label("__name__", series.name) + series.after
    return encoded_series(labels, _samples(series.curve, grid))


def _batches(all_series: Iterable[Series], grid: Grid) -> Iterator[bytes]:
    parts: list[bytes] = []
    size = 0
    for series in all_series:
        parts.append(_encoded(series, grid))
        size += len(parts[-1])
        if size > BATCH_BYTES:
            yield request_body(parts)
            parts, size = [], 0
    if parts:
        yield request_body(parts)


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
            answer = session.post(f"{url}/api/v1/write", data=body, headers=HEADERS, timeout=120)
            if not answer.ok:
                message = f"{answer.status_code}: {answer.text.strip()}"
                raise RuntimeError(message)
    return sent

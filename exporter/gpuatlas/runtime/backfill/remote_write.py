"""Sends blocks to a Prometheus by remote write, with the marks that a scrape or a rule would set.

A series that has a sample at one instant and none at the next ends there with Prometheus' mark for
"stale", so that a query sees it vanish at once and not five minutes later. Text files for
`promtool tsdb create-blocks-from openmetrics` cannot say that, and each block would cost one more
reading of the whole file.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Final

import requests

from gpuatlas.runtime.backfill.series import Block, Column, SeriesKey, varint

# The bits of Prometheus' staleness marker (its model/value package): a NaN that no query returns.
_STALE: Final = struct.pack("<Q", 0x7FF0000000000002)
# One Sample in a TimeSeries: field 2, 16 bytes; value: field 1, double; timestamp: field 2, varint.
# A varint of milliseconds has six bytes from 2004 to 2109.
_SAMPLE_HEAD: Final = b"\x12\x10\x09"
_STAMP_HEAD: Final = b"\x10"
_SAMPLE: Final = struct.Struct("<3sd7s")
_TIMESERIES: Final = b"\x0a"  # field 1 of a WriteRequest
# A literal of snappy whose length follows in four bytes. One literal is a valid stream: nothing is
# compressed between two programs of one machine.
_LITERAL: Final = b"\xfc"
_MOST_BYTES: Final = 2 * 1024 * 1024
_TIMEOUT_SECONDS: Final = 60.0
_HEADERS: Final = {
    "Content-Encoding": "snappy",
    "Content-Type": "application/x-protobuf",
    "X-Prometheus-Remote-Write-Version": "0.1.0",
}


class RemoteWriteError(Exception):
    """Prometheus did not take the samples; the message has its words."""


class RemoteWriter:
    """Writes blocks of several writers, each of whose blocks follow each other in time.

    Args:
        url: the root of a Prometheus that runs with `--web.enable-remote-write-receiver`.
        session: for its HTTP settings.
    """

    def __init__(self, url: str, session: requests.Session) -> None:
        self._url = f"{url}/api/v1/write"
        self._session = session
        self._alive: dict[str, frozenset[SeriesKey]] = {}

    def write(self, block: Block, *, writer: str) -> None:
        """Send a block of `writer` (a scrape, a rule) whose blocks before ended just before it.

        Raises:
            RemoteWriteError: it was refused.
        """
        alive = self._alive.get(writer, frozenset())
        if not block.instants:
            return
        for body in requests_of(block, alive):
            self._post(body)
        self._alive[writer] = frozenset(
            key for key, column in block.columns.items() if not math.isnan(column[-1])
        )

    def _post(self, body: bytes) -> None:
        try:
            answer = self._session.post(
                self._url, data=body, headers=_HEADERS, timeout=_TIMEOUT_SECONDS
            )
        except requests.RequestException as error:
            message = f"{self._url}: {error}"
            raise RemoteWriteError(message) from error
        if not answer.ok:
            message = f"{self._url}: {answer.status_code}: {answer.text.strip()[:500]}"
            raise RemoteWriteError(message)


def requests_of(block: Block, alive: frozenset[SeriesKey]) -> Iterator[bytes]:
    """The bodies of the requests for a block; `alive` are the series of the instant before it."""
    stamps = tuple(_stamp(instant) for instant in block.instants)
    gone = sorted(alive - block.columns.keys())
    messages: list[bytes] = []
    size = 0
    for message in (*_ended(gone, stamps[0]), *_written(block, stamps, alive)):
        if size + len(message) > _MOST_BYTES and messages:
            yield _packed(messages)
            messages, size = [], 0
        messages.append(message)
        size += len(message)
    if messages:
        yield _packed(messages)


def _ended(gone: Iterable[SeriesKey], stamp: bytes) -> Iterator[bytes]:
    sample = _SAMPLE_HEAD + _STALE + stamp
    return (_series(key, sample) for key in gone)


def _written(block: Block, stamps: Sequence[bytes], alive: frozenset[SeriesKey]) -> Iterator[bytes]:
    for key, column in block.columns.items():
        samples = _samples(column, stamps, alive=key in alive)
        if samples:
            yield _series(key, samples)


def _series(key: SeriesKey, samples: bytes) -> bytes:
    return _TIMESERIES + varint(len(key) + len(samples)) + key + samples


def _samples(column: Column, stamps: Sequence[bytes], *, alive: bool) -> bytes:
    # A sum is not a number where one of the values is not: nearly all columns are whole.
    if not math.isnan(sum(column)):
        return b"".join(map(_SAMPLE.pack, repeat(_SAMPLE_HEAD), column, stamps))
    parts: list[bytes] = []
    for value, stamp in zip(column, stamps, strict=True):
        if not math.isnan(value):
            parts.append(_SAMPLE.pack(_SAMPLE_HEAD, value, stamp))
            alive = True
        elif alive:
            parts.append(_SAMPLE_HEAD + _STALE + stamp)
            alive = False
    return b"".join(parts)


def _stamp(instant: float) -> bytes:
    return _STAMP_HEAD + varint(round(instant * 1000))


def _packed(messages: Sequence[bytes]) -> bytes:
    content = b"".join(messages)
    return varint(len(content)) + _LITERAL + struct.pack("<I", len(content) - 1) + content

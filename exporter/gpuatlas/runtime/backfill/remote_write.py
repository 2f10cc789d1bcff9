"""Sends blocks to a Prometheus by remote write, with the marks that a scrape or a rule would set.

A series that has a sample at one instant and none at the next ends there with Prometheus' mark for
"stale", so that a query sees it vanish at once and not five minutes later. Text files for
`promtool tsdb create-blocks-from openmetrics` cannot say that, and each block would cost one more
reading of the whole file.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import requests

from gpuatlas.runtime.backfill.series import Block, Column, SeriesKey
from gpuatlas.runtime.backfill.write_request import (
    HEADERS,
    encoded_sample,
    encoded_samples,
    encoded_series,
    encoded_stamp,
    request_body,
    stale_sample,
)

_MOST_BYTES: Final = 2 * 1024 * 1024
_TIMEOUT_SECONDS: Final = 60.0


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
                self._url, data=body, headers=HEADERS, timeout=_TIMEOUT_SECONDS
            )
        except requests.RequestException as error:
            message = f"{self._url}: {error}"
            raise RemoteWriteError(message) from error
        if not answer.ok:
            message = f"{self._url}: {answer.status_code}: {answer.text.strip()[:500]}"
            raise RemoteWriteError(message)


def requests_of(block: Block, alive: frozenset[SeriesKey]) -> Iterator[bytes]:
    """The bodies of the requests for a block; `alive` are the series of the instant before it."""
    stamps = tuple(map(encoded_stamp, block.instants))
    gone = sorted(alive - block.columns.keys())
    messages: list[bytes] = []
    size = 0
    for message in (*_ended(gone, stamps[0]), *_written(block, stamps, alive)):
        if size + len(message) > _MOST_BYTES and messages:
            yield request_body(messages)
            messages, size = [], 0
        messages.append(message)
        size += len(message)
    if messages:
        yield request_body(messages)


def _ended(gone: Iterable[SeriesKey], stamp: bytes) -> Iterator[bytes]:
    return (encoded_series(key, stale_sample(stamp)) for key in gone)


def _written(block: Block, stamps: Sequence[bytes], alive: frozenset[SeriesKey]) -> Iterator[bytes]:
    for key, column in block.columns.items():
        samples = _samples(column, stamps, alive=key in alive)
        if samples:
            yield encoded_series(key, samples)


def _samples(column: Column, stamps: Sequence[bytes], *, alive: bool) -> bytes:
    # A sum is not a number where one of the values is not: nearly all columns are whole.
    if not math.isnan(sum(column)):
        return encoded_samples(column, stamps)
    parts: list[bytes] = []
    for value, stamp in zip(column, stamps, strict=True):
        if not math.isnan(value):
            parts.append(encoded_sample(value, stamp))
            alive = True
        elif alive:
            parts.append(stale_sample(stamp))
            alive = False
    return b"".join(parts)

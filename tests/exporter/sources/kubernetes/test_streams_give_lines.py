from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from gpuatlas.sources.errors import GoneError, TooLargeError, UnreachableError
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.lines import MAX_LINE_BYTES

if TYPE_CHECKING:
    from tests.exporter.sources.kubernetes.conftest import FakeApiServer

PODS = "/api/v1/pods"
WATCH = {"watch": "true"}


def test_a_stream_gives_lines_as_they_come(
    api: FakeApiServer, connection: Connection, reply: Any
) -> None:
    chunks = [b'{"a":1}\n{"b"', b":2}\n", b"\r\n\n", b'{"c":3}\nunfinished']
    api.reply(PODS, reply(chunks=chunks), watch=True)
    with connection.stream(PODS, WATCH, read_timeout_s=5) as lines:
        assert list(lines) == [b'{"a":1}', b'{"b":2}', b'{"c":3}']


def test_a_stream_without_chunks_gives_lines_too(
    api: FakeApiServer, connection: Connection, reply: Any
) -> None:
    api.reply(PODS, reply(body=b"one\ntwo\n"), watch=True)
    with connection.stream(PODS, WATCH, read_timeout_s=5) as lines:
        assert list(lines) == [b"one", b"two"]


def test_a_stream_that_is_cut_says_so_after_its_lines(
    api: FakeApiServer, connection: Connection, reply: Any
) -> None:
    api.reply(PODS, reply(chunks=[b"one\ntw"], then="cut"), watch=True)
    with connection.stream(PODS, WATCH, read_timeout_s=5) as lines:
        each = iter(lines)
        assert next(each) == b"one"
        with pytest.raises(UnreachableError, match="the connection was cut"):
            next(each)


def test_a_stream_that_stays_silent_is_left(
    api: FakeApiServer, connection: Connection, reply: Any
) -> None:
    api.reply(PODS, reply(chunks=[b"one\n"], then="hang"), watch=True)
    with connection.stream(PODS, WATCH, read_timeout_s=0.1) as lines:
        each = iter(lines)
        assert next(each) == b"one"
        with pytest.raises(UnreachableError, match="no answer in time"):
            next(each)


def test_a_stream_can_be_ended_by_another_thread(
    api: FakeApiServer, connection: Connection, reply: Any
) -> None:
    api.reply(PODS, reply(chunks=[b"one\n"], then="hang"), watch=True)
    with connection.stream(PODS, WATCH, read_timeout_s=60) as lines:
        each = iter(lines)
        assert next(each) == b"one"
        threading.Timer(0.05, lines.interrupt).start()
        started = time.monotonic()
        assert list(each) == []
    assert time.monotonic() - started < 30
    lines.interrupt()


def test_a_line_without_end_is_refused(
    api: FakeApiServer, connection: Connection, reply: Any
) -> None:
    chunks = [b"x" * 2**20] * (MAX_LINE_BYTES // 2**20 + 1)
    api.reply(PODS, reply(chunks=chunks, then="hang"), watch=True)
    with (
        connection.stream(PODS, WATCH, read_timeout_s=20) as lines,
        pytest.raises(TooLargeError),
    ):
        list(lines)


def test_a_stream_that_is_refused_raises_before_its_first_line(
    api: FakeApiServer, connection: Connection, reply: Any
) -> None:
    api.reply(PODS, reply(status=410), watch=True)
    with pytest.raises(GoneError):
        connection.stream(PODS, WATCH, read_timeout_s=5)

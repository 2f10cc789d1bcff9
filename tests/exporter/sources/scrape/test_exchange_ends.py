"""An exchange ends in time and in bounded memory, and says why."""

from __future__ import annotations

import gzip
import socket
import threading
import zlib
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

import pytest
import requests

from gpuatlas.model.targets import Target
from gpuatlas.sources.errors import (
    BadAnswerError,
    ForbiddenError,
    NotFoundError,
    SourceError,
    TooLargeError,
    UnauthorizedError,
    UnreachableError,
)
from gpuatlas.sources.scrape.exchange import Limits, exchange, shown
from gpuatlas.sources.scrape.transport import DirectTransport

Answer = Callable[..., None]
HttpServer = Callable[[Callable[[BaseHTTPRequestHandler], None]], int]
RawServer = Callable[[Callable[[socket.socket, threading.Event], None]], int]


def target(port: int, path: str = "/metrics") -> Target:
    return Target(
        source="dcgm",
        namespace="gpu-operator",
        pod="exporter-x",
        node="gpu-a",
        host="127.0.0.1",
        port=port,
        path=path,
    )


def fetch(port: int, *, limit: int = 100_000, seconds: float = 10.0) -> bytes:
    return DirectTransport().fetch(target(port), limit_bytes=limit, timeout_s=seconds)


def test_a_plain_page(http_server: HttpServer, answer: Answer) -> None:
    asked: list[tuple[str, str | None, str | None]] = []

    def respond(handler: BaseHTTPRequestHandler) -> None:
        asked.append((handler.path, handler.headers["Accept"], handler.headers["Accept-Encoding"]))
        answer(handler, b"up 1\n")

    assert fetch(http_server(respond)) == b"up 1\n"
    assert asked == [("/metrics", "text/plain;version=0.0.4;q=1,*/*;q=0.1", "gzip")]


@pytest.mark.parametrize("encoding", ["gzip", "GZIP", "x-gzip"])
def test_a_compressed_page(http_server: HttpServer, answer: Answer, encoding: str) -> None:
    page = b"up 1\n" * 10_000
    port = http_server(
        lambda h: answer(h, gzip.compress(page), headers={"Content-Encoding": encoding})
    )
    assert fetch(port) == page


def test_a_compressed_page_in_several_members(http_server: HttpServer, answer: Answer) -> None:
    body = gzip.compress(b"up 1\n") + gzip.compress(b"down 2\n")
    port = http_server(lambda h: answer(h, body, headers={"Content-Encoding": "gzip"}))
    assert fetch(port) == b"up 1\ndown 2\n"


def test_a_page_in_chunks(raw_server: RawServer) -> None:
    def talk(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nup 1\n\r\n0\r\n\r\n"
        )

    assert fetch(raw_server(talk)) == b"up 1\n"


def test_a_page_as_large_as_the_limit_is_read(http_server: HttpServer, answer: Answer) -> None:
    assert len(fetch(http_server(lambda h: answer(h, b"x" * 1000)), limit=1000)) == 1000


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        pytest.param(b"x" * 1001, {}, id="plain"),
        pytest.param(gzip.compress(bytes(1001)), {"Content-Encoding": "gzip"}, id="inflated"),
        pytest.param(gzip.compress(bytes(200_000_000), 1), {"Content-Encoding": "gzip"}, id="bomb"),
        pytest.param(
            gzip.compress(b"") * 60, {"Content-Encoding": "gzip"}, id="members without content"
        ),
    ],
)
def test_a_page_over_the_limit_is_refused(
    http_server: HttpServer, answer: Answer, body: bytes, headers: dict[str, str]
) -> None:
    port = http_server(lambda h: answer(h, body, headers=headers))
    with pytest.raises(TooLargeError, match=rf"^the answer of http://127.0.0.1:{port}/metrics is"):
        fetch(port, limit=1000)


def test_a_page_that_never_ends_is_refused(raw_server: RawServer) -> None:
    def talk(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while not over.is_set():
            connection.sendall(b"x" * 65536)

    with pytest.raises(TooLargeError):
        fetch(raw_server(talk), limit=1_000_000)


@pytest.mark.parametrize(
    ("body", "encoding", "said"),
    [
        pytest.param(gzip.compress(b"x" * 999)[:-9], "gzip", "ends too early", id="cut short"),
        pytest.param(b"no gzip at all", "gzip", "damaged gzip", id="no gzip"),
        pytest.param(zlib.compress(b"x"), "deflate", "encoding 'deflate'", id="not asked for"),
    ],
)
def test_a_damaged_body_is_refused(
    http_server: HttpServer, answer: Answer, body: bytes, encoding: str, said: str
) -> None:
    port = http_server(lambda h: answer(h, body, headers={"Content-Encoding": encoding}))
    with pytest.raises(BadAnswerError, match=said):
        fetch(port)


def test_a_body_shorter_than_announced_is_refused(raw_server: RawServer) -> None:
    def talk(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nup 1\n")

    with pytest.raises(UnreachableError, match="no answer from"):
        fetch(raw_server(talk))


def drip(start: bytes, more: bytes) -> Callable[[socket.socket, threading.Event], None]:
    def talk(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(start)
        while not over.wait(0.02):
            connection.sendall(more)

    return talk


@pytest.mark.parametrize(
    ("start", "more"),
    [
        pytest.param(b"", b"", id="says nothing"),
        pytest.param(b"HTTP/1.1 200 OK\r\nX: ", b"x", id="drips a header"),
        pytest.param(b"", b"HTTP/1.1 100 Continue\r\n\r\n", id="continues for ever"),
        pytest.param(b"HTTP/1.1 200 OK\r\n\r\n", b"u", id="drips a body without a length"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b"u", id="drips a body"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nu\r\n", id="chunks"
        ),
        pytest.param(b"HTTP/1.1 500 No\r\n\r\n", b"u", id="drips an error page"),
    ],
)
def test_an_endpoint_that_takes_its_time_is_cut_off(
    raw_server: RawServer, start: bytes, more: bytes
) -> None:
    port = raw_server(drip(start, more))
    said = rf"^no complete answer from http://127.0.0.1:{port}/metrics within 0.3 s$"
    with pytest.raises(UnreachableError, match=said):
        fetch(port, seconds=0.3)


def test_an_endpoint_that_is_not_there() -> None:
    with socket.socket() as placeholder:
        placeholder.bind(("127.0.0.1", 0))
        port = placeholder.getsockname()[1]
        said = rf"^no answer from http://127.0.0.1:{port}/metrics: Connection refused$"
        with pytest.raises(UnreachableError, match=said):
            fetch(port)


def test_an_endpoint_that_hangs_up(raw_server: RawServer) -> None:
    with pytest.raises(UnreachableError, match="no answer from"):
        fetch(raw_server(lambda connection, over: None))


def test_an_endpoint_that_does_not_speak_http(raw_server: RawServer) -> None:
    with pytest.raises(UnreachableError, match="no answer from"):
        fetch(raw_server(lambda connection, over: connection.sendall(b"SSH-2.0-x\r\n")))


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, UnauthorizedError),
        (403, ForbiddenError),
        (404, NotFoundError),
        (500, BadAnswerError),
        (503, BadAnswerError),
        (204, BadAnswerError),
    ],
)
def test_a_status_is_an_error_of_its_kind(
    http_server: HttpServer, answer: Answer, status: int, error: type[SourceError]
) -> None:
    body = b"" if status == 204 else b"gpu 3:\n  reading failed" + b"." * 1_000_000
    port = http_server(lambda h: answer(h, body, status=status))
    said = rf"^HTTP {status} from http://127.0.0.1:{port}/metrics"
    with pytest.raises(error, match=said) as caught:
        fetch(port)
    assert type(caught.value) is error
    assert len(str(caught.value)) < 400
    assert status == 204 or ": gpu 3: reading failed..." in str(caught.value)


def test_redirects_are_not_followed(http_server: HttpServer, answer: Answer) -> None:
    asked: list[str] = []

    def elsewhere(handler: BaseHTTPRequestHandler) -> None:
        asked.append(handler.path)
        answer(handler, b"up 1\n")

    other = http_server(elsewhere)
    location = {"Location": f"http://127.0.0.1:{other}/secret"}
    port = http_server(lambda h: answer(h, b"", status=302, headers=location))
    with pytest.raises(BadAnswerError, match="redirects are not followed"):
        fetch(port)
    assert asked == []


def test_proxies_of_the_environment_are_not_used(
    http_server: HttpServer, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "")
    assert fetch(http_server(lambda h: answer(h, b"up 1\n"))) == b"up 1\n"


def test_no_password_is_shown() -> None:
    assert shown("https://me:secret@prom.example:9090/base?token=x#y") == (
        "https://prom.example:9090/base"
    )
    assert shown("http://[::1") == "an address that is no URL"


@pytest.mark.parametrize("url", ["http://[::1", "ftp://x/y", "no url", "http://"])
def test_an_address_that_cannot_be_asked_is_told(url: str) -> None:
    with pytest.raises(UnreachableError, match="no answer from"):
        exchange(requests.Request("GET", url), limits=Limits(body_bytes=1, seconds=1.0))


@pytest.mark.parametrize("location", [b"http://evil/\x9b31m", b"http://[::1", b"http://a:b:c/\xff"])
def test_a_redirect_to_no_address_is_a_bad_answer(raw_server: RawServer, location: bytes) -> None:
    def talk(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(
            b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + location + b"\r\n\r\n"
        )

    with pytest.raises(SourceError, match="redirect"):
        fetch(raw_server(talk))


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        ("http://user:s3cret@host:99999/", {}),
        ("http://user:s3cret@/x", {}),
        ("http://127.0.0.1:1/", {"Authorization": "Bearer s3cret\nx"}),
        ("http://127.0.0.1:1/", {"Authorization": "Bearer s3cret€"}),
    ],
)
def test_what_cannot_be_sent_is_not_quoted(url: str, headers: dict[str, str]) -> None:
    request = requests.Request("GET", url, headers=headers)
    with pytest.raises(SourceError) as failed:
        exchange(request, limits=Limits(body_bytes=10, seconds=5.0))
    assert "s3cret" not in str(failed.value)

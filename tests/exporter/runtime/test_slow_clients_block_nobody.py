from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml

from gpuatlas.runtime.exporter import Exporter
from gpuatlas.runtime.web.address import ListenAddress
from gpuatlas.runtime.web.deadlines import Deadlines
from gpuatlas.runtime.web.responses import Response
from gpuatlas.runtime.web.security import WebSecurity
from gpuatlas.runtime.web.server import WebServer
from gpuatlas_harness.http import loopback_session
from gpuatlas_harness.pki import Authority
from gpuatlas_harness.polling import poll

Serve = Callable[..., Exporter]
PAGE_BYTES = 64 * 1024 * 1024


@pytest.fixture
def connect() -> Iterator[Callable[[int], socket.socket]]:
    with ExitStack() as opened:
        yield lambda port: opened.enter_context(
            socket.create_connection(("127.0.0.1", port), timeout=10)
        )


@contextmanager
def a_server(threads: int, request_seconds: float) -> Iterator[WebServer]:
    """Serves a page that no socket buffer holds."""

    def application(environ: Mapping[str, Any], start: Any) -> Iterable[bytes]:
        size = PAGE_BYTES if environ["PATH_INFO"] == "/large" else 2
        response = Response(
            status="200 OK", content_type="text/plain", length=size, chunks=[b"x" * size]
        )
        return response.send(start, method=environ["REQUEST_METHOD"], extra={})

    server = WebServer(
        application,
        ListenAddress("127.0.0.1", 0),
        WebSecurity(),
        threads=threads,
        request_seconds=request_seconds,
    )
    server.start()
    try:
        yield server
    finally:
        server.stop()


def test_silent_connections_take_no_thread(
    serve: Serve, connect: Callable[[int], socket.socket], http: requests.Session
) -> None:
    exporter = serve()
    for _ in range(50):
        connect(exporter.port)
    assert http.get(f"{exporter.url}/healthz", timeout=5).status_code == 200


def test_more_idle_connections_than_are_kept_are_turned_away(
    serve: Serve, connect: Callable[[int], socket.socket]
) -> None:
    exporter = serve()
    for _ in range(256):
        connect(exporter.port)
    surplus = connect(exporter.port)
    assert surplus.recv(12) == b"HTTP/1.1 503"


def test_a_silent_tls_client_blocks_no_other(
    serve: Serve, connect: Callable[[int], socket.socket], tmp_path: Path
) -> None:
    authority = Authority("test authority")
    pair = authority.server(["localhost"], ["127.0.0.1"])
    inline = {"cert": pair.certificate.decode(), "key": pair.key.decode()}
    config, ca = tmp_path / "web.yml", tmp_path / "ca.crt"
    config.write_text(yaml.safe_dump({"tls_server_config": inline}))
    ca.write_bytes(authority.certificate)
    exporter = serve(web_config=config)
    for _ in range(20):
        connect(exporter.port)
    half_greeted = connect(exporter.port)
    half_greeted.send(b"\x16\x03\x01")  # the first bytes of a handshake, and never the rest
    with loopback_session(ca=ca) as session:
        assert session.get(f"{exporter.url}/healthz", timeout=5).status_code == 200


def test_a_dripping_request_is_cut(connect: Callable[[int], socket.socket]) -> None:
    with a_server(threads=1, request_seconds=0.6) as server:
        dripping = connect(server.port)
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            drip(dripping)
        # The only thread is free again.
        assert requests.get(f"{server.url}/", timeout=5).text == "xx"


def drip(client: socket.socket) -> None:
    for _ in range(400):
        client.send(b"G")
        time.sleep(0.05)


def test_a_client_that_does_not_read_is_cut(connect: Callable[[int], socket.socket]) -> None:
    with a_server(threads=1, request_seconds=0.6) as server:
        lazy = connect(server.port)
        lazy.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        assert requests.get(f"{server.url}/", timeout=10).text == "xx"
        received = 0
        while data := lazy.recv(1024 * 1024):
            received += len(data)
        assert 0 < received < PAGE_BYTES


def test_a_reading_client_gets_all_of_a_large_page() -> None:
    with a_server(threads=1, request_seconds=30) as server:
        assert len(requests.get(f"{server.url}/large", timeout=30).content) == PAGE_BYTES


def test_more_requests_than_the_queue_holds_are_turned_away(
    connect: Callable[[int], socket.socket],
) -> None:
    with a_server(threads=1, request_seconds=30) as server:
        held = connect(server.port)
        held.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        assert held.recv(1) == b"H"
        waiting = [connect(server.port) for _ in range(140)]
        for client in waiting:
            client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        poll(
            lambda: len(select.select(waiting, [], [], 0)[0]) == 12 or None,
            deadline_seconds=60,
            waiting_for="12 answers: 128 requests wait in the queue, one is served",
        )
        turned_away, _, _ = select.select(waiting, [], [], 0)
        assert {client.recv(12) for client in turned_away} == {b"HTTP/1.1 503"}


def test_a_stop_does_not_wait_for_clients(connect: Callable[[int], socket.socket]) -> None:
    with a_server(threads=2, request_seconds=60) as server:
        lazy, silent = connect(server.port), connect(server.port)
        lazy.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        silent.sendall(b"GET / HT")
        assert lazy.recv(1) == b"H"
        started = time.monotonic()
    # Without the cut the stop would last as long as the clients like, at least the 60 seconds.
    assert time.monotonic() - started < 30


def test_only_overdue_connections_are_cut() -> None:
    now = 0.0
    deadlines = Deadlines(10.0, lambda: now)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.settimeout(5)
        with deadlines.limit(ours):
            now = 9.9
            deadlines.cut_overdue()
            ours.send(b"a")
            now = 10.0
            deadlines.cut_overdue()
            with pytest.raises(BrokenPipeError):
                ours.send(b"b")
        assert theirs.recv(10) == b"a"
        assert theirs.recv(10) == b""


def test_a_connection_that_is_done_is_left_alone() -> None:
    now = 0.0
    deadlines = Deadlines(10.0, lambda: now)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        with deadlines.limit(ours):
            pass
        now = 100.0
        deadlines.cut_all()
        ours.send(b"a")
        assert theirs.recv(10) == b"a"

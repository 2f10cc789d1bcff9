"""Servers on loopback that behave as a test wants, and a scraper of endpoints that do."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from gpuatlas.sources.scrape.scraper import Scraper
from gpuatlas.sources.scrape.settings import ScrapeSettings
from gpuatlas_harness.scraped import Clock, Cluster

Responder = Callable[[BaseHTTPRequestHandler], None]
Conversation = Callable[[socket.socket, threading.Event], None]


@pytest.fixture
def http_server() -> Iterator[Callable[[Responder], int]]:
    """Starts servers that answer each GET and POST with a function; gives their ports."""
    servers: list[ThreadingHTTPServer] = []

    def start(respond: Responder) -> int:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                respond(self)

            do_POST = do_GET  # noqa: N815

            def log_message(self, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return int(server.server_address[1])

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def raw_server() -> Iterator[Callable[[Conversation], int]]:
    """Starts servers that talk bytes; the event is set when the test is over."""
    over = threading.Event()
    listeners: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def talk(listener: socket.socket, conversation: Conversation) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, contextlib.suppress(OSError):
                    connection.recv(65536)
                    conversation(connection, over)

    def start(conversation: Conversation) -> int:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)
        thread = threading.Thread(target=talk, args=(listener, conversation), daemon=True)
        threads.append(thread)
        thread.start()
        return int(listener.getsockname()[1])

    yield start
    over.set()
    for listener in listeners:
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
    for thread in threads:
        thread.join(5)


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make(cluster: Cluster, clock: Clock) -> Iterator[Callable[..., Scraper]]:
    """Scrapers of the cluster that end with the test."""
    made: list[Scraper] = []

    def build(**settings: object) -> Scraper:
        made.append(Scraper(cluster, ScrapeSettings(**settings), clock))  # type: ignore[arg-type]
        return made[-1]

    yield build
    for given in cluster.pages.values():
        if isinstance(given, threading.Event):
            given.set()
    for scraper in made:
        scraper.close()


def answer(
    handler: BaseHTTPRequestHandler,
    body: bytes,
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> None:
    handler.send_response(status)
    for name, value in (headers or {}).items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@pytest.fixture(name="answer")
def answer_fixture() -> Callable[..., None]:
    """Writes one complete answer."""
    return answer

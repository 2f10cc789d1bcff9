"""Loopback listeners: many ports, one accepting thread, a thread per connection.

The standard library's server is enough here: the simulator speaks to nobody but this machine.
"""

from __future__ import annotations

import contextlib
import logging
import selectors
import socket
import sys
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

LOOPBACK: Final = "127.0.0.1"
_ACCEPT_SECONDS: Final = 1.0  # a caller that hangs up before it is accepted blocks no longer
_IDLE_SECONDS: Final = 60.0  # a connection without a request is dropped

_logger = logging.getLogger(__name__)


class Handler(BaseHTTPRequestHandler):
    """HTTP/1.1 with connections that stay open; says nothing on the terminal."""

    protocol_version = "HTTP/1.1"
    server_version = "simulated"
    sys_version = ""
    timeout = _IDLE_SECONDS
    disable_nagle_algorithm = True  # headers and body are two writes

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Requests are not logged: there is one every few seconds from each reader."""

    def send_whole(
        self, status: int, body: bytes, content_type: str, headers: Sequence[tuple[str, str]] = ()
    ) -> None:
        """An answer whose length is known."""
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class Listener(ThreadingHTTPServer):
    """One port. It remembers its open connections, so that stopping does not wait for callers."""

    daemon_threads = False
    request_queue_size = 128
    quiet_errors: tuple[type[Exception], ...] = (ConnectionError, TimeoutError)

    def __init__(self, handler: type[Handler]) -> None:
        self._open: set[socket.socket] = set()
        self._guard = threading.Lock()
        super().__init__((LOOPBACK, 0), handler)
        self.socket.settimeout(_ACCEPT_SECONDS)

    @property
    def port(self) -> int:
        """The free port that it got."""
        return int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        """Hand a connection to its thread."""
        with self._guard:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection."""
        with self._guard:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that hangs up is no error; anything else is one of ours."""
        error = sys.exception()
        if not isinstance(error, self.quiet_errors):
            _logger.error("request from %s failed", client_address, exc_info=error)

    def hang_up(self) -> None:
        """Close all connections under their handlers."""
        with self._guard:
            connections = list(self._open)
        for connection in connections:
            with contextlib.suppress(OSError):
                # The transport's own: TLS would take its state away from under its reader.
                socket.socket.shutdown(connection, socket.SHUT_RDWR)


class Listeners:
    """All ports of one simulated cluster, accepted by one thread."""

    def __init__(self, listeners: Sequence[Listener]) -> None:
        self._listeners = listeners
        self._wake, self._waker = socket.socketpair()
        self._stopping = False
        self._thread = threading.Thread(target=self._accept, name="simulated-cluster-accept")

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Stop answering, close all connections and wait for their threads."""
        self._stopping = True
        self._waker.send(b"\0")
        self._thread.join()
        for listener in self._listeners:
            listener.hang_up()
        for listener in self._listeners:
            listener.server_close()
        self._wake.close()
        self._waker.close()

    def _accept(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._wake, selectors.EVENT_READ)
            for listener in self._listeners:
                selector.register(listener, selectors.EVENT_READ, listener)
            while not self._stopping:
                for key, _ in selector.select():
                    if key.data is not None:
                        key.data.handle_request()

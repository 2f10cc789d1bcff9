"""The HTTP server: cheroot with the manners that a port open to a whole cluster needs.

What cheroot leaves open and what is done about it here:
- TLS handshakes run in the accepting thread, where one silent client blocks all: they are put off
  until a worker has the connection.
- A fresh connection takes a worker at once, where ten silent clients block all: it waits without a
  thread until its first byte is there.
- Time-outs start anew with every byte: `deadlines` bounds the whole request.
- A full queue blocks the accepting thread: the client gets 503 at once.
"""

from __future__ import annotations

import logging
import queue
import socket
import ssl
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from cheroot.makefile import MakeFile
from cheroot.server import HTTPConnection
from cheroot.ssl import Adapter
from cheroot.wsgi import Server as CherootServer

from gpuatlas.runtime.web.address import ListenAddress, bracketed
from gpuatlas.runtime.web.deadlines import Deadlines
from gpuatlas.runtime.web.security import WebSecurity
from gpuatlas.runtime.web.tls import client_name_allowed

logger = logging.getLogger(__name__)

# A whole request, answer included: longer than any scrape time-out in use (Prometheus' default is
# 10 s), short enough that stuck clients free their threads.
REQUEST_SECONDS: Final = 60.0
# An idle connection is kept longer than common scrape intervals, so that each scrape need not
# shake hands anew. It costs no thread.
IDLE_SECONDS: Final = 90
MAX_IDLE_CONNECTIONS: Final = 256
MAX_QUEUED_REQUESTS: Final = 128
MAX_HEADER_BYTES: Final = 16 * 1024
MAX_BODY_BYTES: Final = 1024  # nothing here takes a body
BACKLOG: Final = 128
# What is left of the five seconds for a clean stop belongs to the rest of the process.
STOP_GRACE_SECONDS: Final = 2

_PLAIN_HTTP_ANSWER: Final = (
    b"HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain\r\n\r\nThis port speaks HTTPS only.\n"
)
_BUSY_ANSWER: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n"
    b"Retry-After: 1\r\nConnection: close\r\n\r\n"
)


class WebServer:
    """Serves a WSGI application on one address until `stop`."""

    def __init__(
        self,
        application: Callable[..., Any],
        address: ListenAddress,
        security: WebSecurity,
        *,
        threads: int,
        request_seconds: float = REQUEST_SECONDS,
    ) -> None:
        self._address = address
        self._deadlines = Deadlines(request_seconds)
        self._tls = security.tls
        self._server = _Server(application, address, threads, self._deadlines, security)
        self._thread = threading.Thread(target=self._server.serve, name="web-accept")

    def start(self) -> None:
        """Bind and begin to serve.

        Raises:
            OSError: the address cannot be bound.
        """
        try:
            self._server.prepare()
        except OSError as error:
            msg = f"cannot listen on {self._address}: {error}"
            raise OSError(msg) from error
        self._deadlines.start()
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it serves; after `start` with the real port."""
        host, port = self._server.bind_addr[:2]
        return f"{'https' if self._tls else 'http'}://{bracketed(host)}:{port}"

    @property
    def port(self) -> int:
        """The port; after `start` the real one."""
        return int(self._server.bind_addr[1])

    def stop(self) -> None:
        """End it: requests under way get a moment, then their connections are cut."""
        cut = threading.Timer(STOP_GRACE_SECONDS, self._deadlines.cut_all)
        cut.start()
        self._server.stop()
        cut.cancel()
        self._thread.join()
        self._deadlines.close()


class _Connection(HTTPConnection):
    """A connection whose requests have a deadline, and whose handshake a worker does."""

    def communicate(self) -> bool:
        with self.server.deadlines.limit(self.socket):
            return self._shake_hands() and self._answer()

    def _answer(self) -> bool:
        return bool(super().communicate())  # type: ignore[no-untyped-call]

    def turn_away(self) -> None:
        """Say that there is no room, without waiting for anything: the accepting thread calls."""
        with suppress(OSError):
            if not isinstance(self.socket, ssl.SSLSocket):
                self.socket.send(_BUSY_ANSWER, socket.MSG_DONTWAIT)
            # A request left unread would make the close a reset, and the answer would be lost.
            socket.socket.recv(self.socket, MAX_HEADER_BYTES, socket.MSG_DONTWAIT)
        self.close()

    def _shake_hands(self) -> bool:
        """Finish the TLS handshake, once; False where there is nobody to talk to."""
        if not isinstance(self.socket, ssl.SSLSocket) or self.socket.version():
            return True
        try:
            self.socket.do_handshake()
        except OSError as error:
            self._explain_failed_handshake(error)
            return False
        tls = self.server.security.config.tls
        allowed = tls is None or client_name_allowed(tls, self.socket)
        if not allowed:
            client = {"client": self.remote_addr}
            logger.info("client certificate has no allowed name", extra=client)
        return allowed

    def _explain_failed_handshake(self, error: OSError) -> None:
        reason = getattr(error, "reason", None) or error.strerror or str(error)
        logger.debug("TLS handshake failed", extra={"client": self.remote_addr, "reason": reason})
        if reason == "HTTP_REQUEST":
            # The client speaks plain HTTP, so the answer goes out below TLS.
            socket.socket.send(self.socket, _PLAIN_HTTP_ANSWER)


class _Server(CherootServer):
    """Cheroot's server with our limits; see the module's docstring."""

    ConnectionClass = _Connection
    keep_alive_conn_limit = MAX_IDLE_CONNECTIONS
    expiration_interval = 0.1  # seconds; a stop waits for one of these
    max_request_header_size = MAX_HEADER_BYTES
    max_request_body_size = MAX_BODY_BYTES

    def __init__(
        self,
        application: Callable[..., Any],
        address: ListenAddress,
        threads: int,
        deadlines: Deadlines,
        security: WebSecurity,
    ) -> None:
        super().__init__(
            (address.bind_host(), address.port),
            application,
            numthreads=threads,
            max=threads,
            server_name="gpuatlas",
            request_queue_size=BACKLOG,
            timeout=IDLE_SECONDS,
            shutdown_timeout=STOP_GRACE_SECONDS,
            accepted_queue_size=MAX_QUEUED_REQUESTS,
            accepted_queue_timeout=0,
        )
        self.deadlines = deadlines
        self.security = security
        if security.tls:
            self.ssl_adapter = _TlsAdapter(security)

    @staticmethod
    def bind_socket(socket_: socket.socket, bind_addr: tuple[str, int]) -> socket.socket:
        """Bind it; cheroot itself would leave the socket open when that fails."""
        try:
            socket_.bind(bind_addr)
        except OSError:
            socket_.close()
            raise
        return socket_

    def process_conn(self, conn: Any) -> None:
        """Hand a connection to the workers, a fresh one only when its first byte is there."""
        fresh = conn.last_used is None
        if fresh and self.can_add_keepalive_connection:
            self.put_conn(conn)
        elif fresh or not self._queue(conn):
            conn.turn_away()

    def _queue(self, conn: Any) -> bool:
        try:
            self.requests.put(conn)
        except queue.Full:
            return False
        return True

    def error_log(self, msg: str = "", level: int = logging.INFO, traceback: bool = False) -> None:  # noqa: FBT001, FBT002 - cheroot's signature
        """Log what cheroot reports; a client that went away is no event for an operator."""
        if isinstance(sys.exc_info()[1], OSError):
            logger.debug("connection lost", extra={"reason": msg})
        else:
            logger.log(level, "%s", msg, exc_info=traceback)


class _TlsAdapter(Adapter):
    """Wraps sockets in the context that is in force, without shaking hands yet."""

    def __init__(self, security: WebSecurity) -> None:
        self._security = security

    def bind(self, sock: socket.socket) -> socket.socket:
        return sock

    def wrap(self, sock: socket.socket) -> tuple[ssl.SSLSocket, dict[str, str]]:
        wrapped = self._security.context().wrap_socket(
            sock, server_side=True, do_handshake_on_connect=False
        )
        return wrapped, {}

    def get_environ(self) -> dict[str, str]:
        return {}

    def makefile(self, sock: socket.socket, mode: str = "r", bufsize: int = -1) -> Any:
        return MakeFile(sock, mode, bufsize)

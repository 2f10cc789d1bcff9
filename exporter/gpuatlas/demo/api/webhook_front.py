"""The HTTPS front of HAMi's webhook: it lets every pod pass as it is.

The certificate is chosen for each connection: it can change while the cluster runs.
"""

from __future__ import annotations

import json
import socket
import ssl
import tempfile
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from gpuatlas.demo.api.answers import Answer, json_answer, not_found
from gpuatlas.demo.api.listeners import Handler, Listener
from gpuatlas.demo.api.routes import split_path
from gpuatlas.demo.wire.certificates import Pair

_MOST_BYTES: Final = 4 * 1024 * 1024  # an object of the API has at most 1.5 MiB
_HEALTHY: Final = frozenset({("healthz",), ("readyz",)})

# The certificate to serve now; None cuts the connection.
Serving = Callable[[], Pair | None]


class WebhookHandler(Handler):
    """The routes of the scheduler's extender that anybody may call."""

    def do_GET(self) -> None:  # noqa: N802
        found = split_path(self.path) in _HEALTHY
        self._send(Answer(HTTPStatus.OK, b"") if found else not_found(self.path))

    def do_POST(self) -> None:  # noqa: N802
        body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), _MOST_BYTES))
        if split_path(self.path) != ("webhook",):
            self._send(not_found(self.path))
        else:
            self._send(_review(body))

    def _send(self, answer: Answer) -> None:
        self.send_whole(answer.status, answer.body, answer.content_type)


def _review(body: bytes) -> Answer:
    try:
        review = json.loads(body)
        uid = str(review["request"]["uid"])
    except (ValueError, KeyError, TypeError):
        return Answer(HTTPStatus.BAD_REQUEST, b"no AdmissionReview\n", "text/plain")
    return json_answer(
        {
            "kind": "AdmissionReview",
            "apiVersion": review.get("apiVersion", "admission.k8s.io/v1beta1"),
            "response": {"uid": uid, "allowed": True},
        }
    )


class WebhookListener(Listener):
    """One port that speaks TLS. Handshakes are made in each connection's own thread."""

    quiet_errors = (*Listener.quiet_errors, ssl.SSLError)

    def __init__(self, serving: Serving) -> None:
        self._serving = serving
        self._context: tuple[Pair, ssl.SSLContext] | None = None
        super().__init__(WebhookHandler)

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection, and make TLS of it."""
        connection, address = super().get_request()
        pair = self._serving()
        if pair is None:
            connection.close()
            raise ConnectionAbortedError
        wrapped = self._context_of(pair).wrap_socket(
            connection, server_side=True, do_handshake_on_connect=False
        )
        return wrapped, address

    def _context_of(self, pair: Pair) -> ssl.SSLContext:
        if self._context is None or self._context[0] != pair:
            self._context = (pair, _context(pair))
        return self._context[1]


def _context(pair: Pair) -> ssl.SSLContext:
    """The standard library reads certificates from files alone."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory(prefix="gpuatlas-demo-") as folder:
        path = Path(folder) / "tls.pem"
        path.touch(mode=0o600)
        path.write_bytes(pair.key + pair.certificate)
        context.load_cert_chain(path)
    return context

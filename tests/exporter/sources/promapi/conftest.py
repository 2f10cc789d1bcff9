"""A Prometheus on loopback that answers selectors from lists of series, or as told."""

from __future__ import annotations

import json
import re
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pytest

Points = Sequence[tuple[float, float | str]]
PRESENT = 1_800_000_000.5


@dataclass
class FakePrometheus:
    """`series` are (labels with `__name__`, points), `present` what plain names are answered with.

    `broken` may answer a query instead. `alerts` are those of its own rules, None for no such API.
    """

    series: list[tuple[dict[str, str], Points]] = field(default_factory=list)
    present: list[tuple[dict[str, str], float]] = field(default_factory=list)
    alerts: list[object] | None = None
    broken: Callable[[str], tuple[int, bytes] | None] = lambda _query: None
    warnings: list[str] = field(default_factory=list)
    asked: list[Mapping[str, str]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)
    url: str = ""

    @property
    def queries(self) -> list[str]:
        return [form["query"] for form in self.asked]

    def add(self, name: str, points: Points, **labels: str) -> None:
        self.series.append(({"__name__": name, **labels}, points))

    def answer(self, query: str) -> tuple[int, bytes]:
        broken = self.broken(query)
        if broken is not None:
            return broken
        data = self._matrix(query) if query.endswith("]") else self._vector(query)
        answer = {"status": "success", "data": data, "warnings": self.warnings}
        return 200, json.dumps(answer).encode()

    def _matrix(self, query: str) -> dict[str, object]:
        result = [
            {"metric": labels, "values": [[instant, str(value)] for instant, value in points]}
            for labels, points in self.series
            if labels["__name__"] in _names(query)
        ]
        return {"resultType": "matrix", "result": result}

    def _vector(self, query: str) -> dict[str, object]:
        result = [
            {"metric": labels, "value": [PRESENT, str(value)]}
            for labels, value in self.present
            if labels["__name__"] in _names(query)
        ]
        return {"resultType": "vector", "result": result}

    def active(self, path: str) -> tuple[int, bytes]:
        """What a GET is answered with."""
        if path != "/api/v1/alerts" or self.alerts is None:
            return 404, b"not found"
        return 200, json.dumps({"status": "success", "data": {"alerts": self.alerts}}).encode()


def _names(query: str) -> set[str]:
    several = re.match(r'\{__name__=~"([^"]*)"', query)
    return set(several[1].split("|")) if several else {query.partition("{")[0]}


@pytest.fixture
def serve_prometheus() -> Iterator[Callable[..., FakePrometheus]]:
    servers: list[ThreadingHTTPServer] = []

    def start(*, tls: ssl.SSLContext | None = None) -> FakePrometheus:
        fake = FakePrometheus()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                form = {name: values[0] for name, values in parse_qs(body).items()}
                fake.asked.append(form)
                fake.headers.append(dict(self.headers))
                fake.paths.add(self.path)
                self.reply(*fake.answer(form["query"]))

            def do_GET(self) -> None:
                fake.headers.append(dict(self.headers))
                fake.paths.add(self.path)
                self.reply(*fake.active(self.path))

            def reply(self, status: int, answer: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        fake.url = f"http{'s' if tls else ''}://127.0.0.1:{server.server_address[1]}"
        return fake

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def prometheus(serve_prometheus: Callable[..., FakePrometheus]) -> FakePrometheus:
    return serve_prometheus()

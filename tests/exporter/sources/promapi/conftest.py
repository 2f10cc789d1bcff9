"""A Prometheus on loopback that answers range selectors from a list of series, or as told."""

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


@dataclass
class FakePrometheus:
    """`series` are (labels with `__name__`, points). `broken` may answer a query instead."""

    series: list[tuple[dict[str, str], Points]] = field(default_factory=list)
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
        names = _names(query)
        result = [
            {"metric": labels, "values": [[instant, str(value)] for instant, value in points]}
            for labels, points in self.series
            if labels["__name__"] in names
        ]
        answer = {
            "status": "success",
            "data": {"resultType": "matrix", "result": result},
            "warnings": self.warnings,
        }
        return 200, json.dumps(answer).encode()


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
                status, answer = fake.answer(form["query"])
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

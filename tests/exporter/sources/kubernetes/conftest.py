"""A scripted API server on loopback, and API objects to serve from it."""

from __future__ import annotations

import copy
import itertools
import json
import ssl
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import yaml

from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas_harness.discovery import aggregated

Object = dict[str, Any]
OBJECTS = Path(__file__).parent / "objects"


@dataclass(frozen=True)
class Reply:
    """One answer: a whole body, or `chunks` sent one by one, and what happens after them.

    `then` is "end" (in order), "cut" (the connection is closed in the middle), "hang" (silence
    until the client hangs up or the server stops) or "wait" (silence until `until`, then "end").
    """

    status: int = 200
    body: bytes = b""
    chunks: Sequence[bytes] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    then: str = "end"
    pause_s: float = 0.0  # before each chunk
    until: threading.Event | None = None


@dataclass(frozen=True)
class Request:
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]

    @property
    def is_watch(self) -> bool:
        return "watch" in self.query


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Clients hang up in the middle, and some talk TLS to a server without: both are meant."""


class FakeApiServer:
    """Answers with the replies that a test queued for a path, lists and watches apart.

    Without a queued reply a list is answered with the objects of `serve`, and a watch stays open
    and silent. `documents` are answers by path; at first, discovery says that nothing of what can
    be missing is there.
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[Request] = []
        self.clients: set[tuple[str, int]] = set()
        self.released = threading.Event()
        self.changed = threading.Condition()
        self._replies: dict[tuple[str, bool], deque[Reply]] = defaultdict(deque)
        self._served: dict[str, tuple[list[object], str]] = {}
        self.documents: dict[str, Object] = {"/apis": aggregated(())}
        handler = type("Handler", (_Handler,), {"fake": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self._scheme = "https" if tls else "http"
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def serve(self, path: str, objects: Sequence[object], version: str = "100") -> None:
        self._served[path] = (list(objects), version)

    def withdraw(self, path: str) -> None:
        del self._served[path]

    def offer(self, *resources: str) -> None:
        """Say from now on that these ("group/version/plural") are served, and nothing else."""
        self.documents["/apis"] = aggregated(resources)

    def reply(self, path: str, *replies: Reply, watch: bool = False) -> None:
        self._replies[path, watch].extend(replies)

    def watches(self, path: str) -> list[Request]:
        return [r for r in self.requests if r.path == path and r.is_watch]

    def lists(self, path: str) -> list[Request]:
        return [r for r in self.requests if r.path == path and not r.is_watch]

    def answer_to(self, path: str, query: Mapping[str, str]) -> Reply:
        """What a list of `path` would be answered now."""
        return self._page(Request(path, query, {}))

    @staticmethod
    def list_of(objects: Sequence[object], version: str = "100") -> Reply:
        return Reply(body=a_list(objects, {"resourceVersion": version}))

    def answer(self, request: Request) -> Reply:
        with self.changed:
            self.requests.append(request)
            self.changed.notify_all()
            queued = self._replies[request.path, request.is_watch]
            if queued:
                return queued.popleft()
        if request.is_watch:
            return Reply(chunks=(), then="hang")
        if request.path in self._served:
            return self._page(request)
        if request.path in self.documents:
            return Reply(body=json.dumps(self.documents[request.path]).encode())
        return Reply(status=404, body=a_status(404, "NotFound", "no such path"))

    def _page(self, request: Request) -> Reply:
        objects, version = self._served[request.path]
        start, limit = int(request.query.get("continue", "0")), int(request.query["limit"])
        metadata: Object = {"resourceVersion": version}
        if start + limit < len(objects):
            metadata["continue"] = str(start + limit)
            metadata["remainingItemCount"] = len(objects) - start - limit
        return Reply(body=a_list(objects[start : start + limit], metadata))


class _Handler(BaseHTTPRequestHandler):
    fake: FakeApiServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.fake.clients.add(self.client_address)
        url = urlsplit(self.path)
        headers = {name.title(): value for name, value in self.headers.items()}
        request = Request(url.path, dict(parse_qsl(url.query)), headers)
        reply = self.fake.answer(request)
        try:
            self._send(reply)
        except OSError:
            self.close_connection = True  # the client hung up

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.chunks is None:
            missing = 0 if reply.then in {"end", "wait"} else 1
            self._hold(reply)
            self.send_header("Content-Length", str(len(reply.body) + missing))
            self.end_headers()
            self.wfile.write(reply.body)
        else:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for chunk in reply.chunks:
                self.fake.released.wait(reply.pause_s)
                self.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
                self.wfile.flush()
            self._hold(reply)
        if reply.then == "hang":
            self.fake.released.wait(30)
        if reply.then not in {"end", "wait"}:
            self.close_connection = True
        elif reply.chunks is not None:
            self.wfile.write(b"0\r\n\r\n")

    def _hold(self, reply: Reply) -> None:
        if reply.then == "wait" and reply.until is not None:
            reply.until.wait(30)


def a_list(objects: Sequence[object], metadata: Mapping[str, object]) -> bytes:
    return json.dumps({"kind": "List", "metadata": metadata, "items": objects}).encode()


def a_status(code: int, reason: str, message: str) -> bytes:
    status = {"kind": "Status", "code": code, "reason": reason, "message": message}
    return json.dumps(status).encode()


def an_event(kind: str, raw: object) -> bytes:
    return json.dumps({"type": kind, "object": raw}).encode() + b"\n"


def write_kubeconfig(path: Path, server: str, *, user: Object | None = None) -> Path:
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "test",
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
        "clusters": [{"name": "test", "cluster": {"server": server}}],
        "users": [{"name": "test", "user": user or {"token": "a-token"}}],
    }
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path


@pytest.fixture
def api() -> Iterator[FakeApiServer]:
    server = FakeApiServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def make_api() -> Callable[[ssl.SSLContext], FakeApiServer]:
    def make(tls: ssl.SSLContext) -> FakeApiServer:
        server = FakeApiServer(tls)
        server.start()
        return server

    return make


@pytest.fixture
def kubeconfig(tmp_path: Path) -> Callable[..., Path]:
    """Writes a kubeconfig for a server's URL, each time in a file of its own."""
    numbers = itertools.count()

    def write(server: str, *, user: Object | None = None) -> Path:
        return write_kubeconfig(tmp_path / f"config-{next(numbers)}", server, user=user)

    return write


@pytest.fixture
def reply() -> type[Reply]:
    return Reply


@pytest.fixture
def event() -> Callable[[str, object], bytes]:
    return an_event


@pytest.fixture
def settings(api: FakeApiServer, tmp_path: Path) -> KubernetesSettings:
    return KubernetesSettings(
        kubeconfig=write_kubeconfig(tmp_path / "config", api.url),
        connect_timeout_s=5,
        read_timeout_s=5,
        backoff_start_s=0.01,
        backoff_cap_s=0.08,
        refused_pause_s=0.02,
    )


@pytest.fixture
def connection(settings: KubernetesSettings) -> Iterator[Connection]:
    opened = Connection.open(settings, {})
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def _recorded() -> Mapping[str, Object]:
    found: dict[str, Object] = {}
    for path in sorted(OBJECTS.glob("*.yaml")):
        for raw in yaml.safe_load(path.read_text(encoding="utf-8")):
            found[raw["metadata"]["name"]] = raw
    return found


@pytest.fixture
def recorded(_recorded: Mapping[str, Object]) -> Callable[[str], Object]:
    """A fresh copy of the recorded object of a name."""
    return lambda name: copy.deepcopy(_recorded[name])


@pytest.fixture(scope="session")
def objects(_recorded: Mapping[str, Object]) -> Sequence[Object]:
    """All recorded objects, not to be changed."""
    return list(_recorded.values())

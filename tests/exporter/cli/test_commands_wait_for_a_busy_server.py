"""An API server that puts everything off once, as one does that has just started."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gpuatlas_harness.discovery import aggregated

if TYPE_CHECKING:
    from tests.exporter.cli.conftest import Run

QUEUES = "/apis/kueue.x-k8s.io/v1beta2/localqueues"
LISTS = (
    "/api/v1/nodes",
    "/api/v1/pods",
    "/apis/apps/v1/replicasets",
    "/apis/batch/v1/jobs",
    QUEUES,
)
# Of sharing layers: asked for by one label after the other.
LAYER = ("/apis/apps/v1/daemonsets", "/apis/apps/v1/deployments")
ANSWERS: dict[str, Any] = {
    **{path: {"kind": "List", "metadata": {}, "items": []} for path in (*LISTS, *LAYER)},
    "/apis": aggregated(["kueue.x-k8s.io/v1beta2/localqueues"]),
    "/version": {"gitVersion": "v1.36.3"},
}
REVIEWS = {
    "/apis/authentication.k8s.io/v1/selfsubjectreviews": {"userInfo": {"username": "ann"}},
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": {"allowed": True},
}


class BusyServer:
    """`asked` counts the requests of each path."""

    def __init__(self, folder: Path) -> None:
        self.asked: Counter[str] = Counter()
        self._lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        address = f"http://127.0.0.1:{self.server.server_port}"
        self.kubeconfig = folder / "kubeconfig"
        self.kubeconfig.write_text(
            json.dumps(
                {
                    "clusters": [{"name": "c", "cluster": {"server": address}}],
                    "users": [{"name": "u", "user": {"token": "t"}}],
                    "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
                    "current-context": "x",
                }
            )
        )

    def answer(self, path: str, *, review: bool) -> tuple[int, dict[str, Any]]:
        with self._lock:
            self.asked[path] += 1
            first = self.asked[path] == 1
        if first:
            return 429, {"kind": "Status", "message": "storage is (re)initializing", "code": 429}
        if review and path in REVIEWS:
            return 201, {"status": REVIEWS[path]}
        if path in ANSWERS:
            return 200, ANSWERS[path]
        return 404, {"kind": "Status", "message": "not found", "code": 404}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        busy = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._send(*busy.answer(self.path.partition("?")[0], review=False))

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self._send(*busy.answer(self.path, review=True))

            def _send(self, status: int, answer: dict[str, Any]) -> None:
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Retry-After", "0")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Quiet."""

        return Handler


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[BusyServer]:
    found = BusyServer(tmp_path)
    thread = threading.Thread(target=found.server.serve_forever, args=(0.01,))
    thread.start()
    yield found
    found.server.shutdown()
    thread.join()
    found.server.server_close()


@pytest.mark.parametrize("words", [("cards",), ("workloads",), ("checks",), ("capture", "OUT")])
def test_nothing_is_missing_that_was_put_off(
    words: tuple[str, ...], run: Run, busy: BusyServer, tmp_path: Path
) -> None:
    command, *rest = words
    result = run(command, *(tmp_path / name for name in rest), "--kubeconfig", busy.kubeconfig)
    assert (result.exit_code, result.stderr) == (0, "")
    assert {path: busy.asked[path] for path in ("/apis", *LISTS)} == dict.fromkeys(
        ("/apis", *LISTS), 2
    )


def test_nor_is_it_for_the_doctor(run: Run, busy: BusyServer) -> None:
    result = run("doctor", "--kubeconfig", busy.kubeconfig, "-o", "json")
    shown = json.loads(result.stdout)
    texts = [one["text"] for one in shown["results"]]
    assert "you are ann, by the kubeconfig" in texts
    assert "16 of 16 rights to read what this cluster serves" in texts
    assert [text for text in texts if "initializing" in text] == []

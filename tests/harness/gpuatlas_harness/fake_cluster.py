"""A scripted API server and one page of an exporter, both on loopback."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml

from .discovery import aggregated


class FakeCluster:
    """An API server and one page of an exporter on one port, until it is closed.

    `objects` are the lists by path; `add` also tells the watches. `served` are the kinds that
    discovery tells of, as "group/version/plural"; `missing` paths answer 404, `forbidden` ones 403,
    `hanging` ones not before the end,
    `away` makes every path answer 503 and cuts the watches. `page` is served at /metrics on the
    same port: None hangs until the end, b"" is a 500.
    """

    def __init__(self, folder: Path) -> None:
        self.objects: dict[str, list[dict[str, Any]]] = {}
        self.served: list[str] = []
        self.missing: set[str] = set()
        self.forbidden: set[str] = set()
        self.hanging: set[str] = set()
        self.away = False
        self.page: bytes | None = b""
        self.page_reads = 0
        self._events: list[tuple[str, dict[str, Any]]] = []
        self._news = threading.Condition()
        self._closing = False
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        self.port: int = self._server.server_address[1]
        self.kubeconfig = self._write_kubeconfig(folder)

    def add(self, path: str, item: dict[str, Any]) -> None:
        self.objects.setdefault(path, []).append(item)
        with self._news:
            self._events.append((path, {"type": "ADDED", "object": item}))
            self._news.notify_all()

    def leave(self) -> None:
        """Be away: cut the watches and answer 503."""
        with self._news:
            self.away = True
            self._news.notify_all()

    def close(self) -> None:
        with self._news:
            self._closing = True
            self._news.notify_all()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _write_kubeconfig(self, folder: Path) -> Path:
        path = folder / "kubeconfig"
        cluster = {"name": "c", "cluster": {"server": f"http://127.0.0.1:{self.port}"}}
        context = {"name": "c", "context": {"cluster": "c", "user": "u"}}
        user = {"name": "u", "user": {"token": "t"}}
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "c",
            "clusters": [cluster],
            "contexts": [context],
            "users": [user],
        }
        path.write_text(yaml.safe_dump(document))
        return path

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path, _, query = self.path.partition("?")
                if path == "/metrics":
                    fake._answer_page(self)
                elif fake.away:
                    fake._answer(self, 503, {"kind": "Status", "code": 503, "message": "away"})
                elif path in fake.forbidden:
                    fake._answer(self, 403, {"kind": "Status", "code": 403, "message": "no right"})
                elif path in fake.missing:
                    fake._answer(self, 404, {"kind": "Status", "code": 404, "message": "none"})
                elif path in fake.hanging:
                    fake._hang()
                elif path == "/apis":
                    fake._answer(self, 200, aggregated(fake.served))
                elif "watch=true" in query:
                    fake._watch(self, path)
                else:
                    meta = {"resourceVersion": str(len(fake._events) + 1)}
                    items = fake.objects.get(path, [])
                    fake._answer(self, 200, {"kind": "List", "metadata": meta, "items": items})

            def log_message(self, *_: object) -> None:
                """Nothing."""

        return Handler

    def _answer(self, handler: BaseHTTPRequestHandler, status: int, body: object) -> None:
        data = json.dumps(body).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    def _hang(self) -> None:
        with self._news:
            self._news.wait_for(lambda: self._closing)

    def _answer_page(self, handler: BaseHTTPRequestHandler) -> None:
        self.page_reads += 1
        if self.page is None:
            self._hang()
            return
        handler.send_response(200 if self.page else 500)
        handler.send_header("Content-Length", str(len(self.page)))
        handler.end_headers()
        handler.wfile.write(self.page)

    def _watch(self, handler: BaseHTTPRequestHandler, path: str) -> None:
        handler.send_response(200)
        handler.end_headers()
        sent = len(self._events)
        while True:
            with self._news:
                self._news.wait_for(
                    lambda: self._closing or self.away or len(self._events) > sent  # noqa: B023
                )
                news, sent = self._events[sent:], len(self._events)
                if self._closing or self.away:
                    return
            for changed, event in news:
                if changed == path:
                    event["object"]["metadata"]["resourceVersion"] = str(sent + 1)
                    handler.wfile.write(json.dumps(event).encode() + b"\n")
                    handler.wfile.flush()


def api_node(name: str) -> dict[str, Any]:
    amount = {"nvidia.com/gpu": "1", "cpu": "8"}
    return {
        "metadata": {"name": name, "uid": f"node-{name}", "resourceVersion": "1", "labels": {}},
        "spec": {},
        "status": {
            "capacity": amount,
            "allocatable": amount,
            "conditions": [{"type": "Ready", "status": "True"}],
            "nodeInfo": {"kubeletVersion": "v1.33.0"},
        },
    }


def api_pod(
    name: str,
    node: str,
    *,
    limits: dict[str, str] | None = None,
    labels: dict[str, str] | None = None,
    port: int | None = None,
) -> dict[str, Any]:
    ports = [{"name": "metrics", "containerPort": port}] if port else []
    container = {
        "name": "main",
        "image": "x",
        "resources": {"limits": limits or {}},
        "ports": ports,
    }
    return {
        "metadata": {
            "name": name,
            "namespace": "team-a",
            "uid": f"pod-{name}",
            "resourceVersion": "1",
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": labels or {},
        },
        "spec": {"nodeName": node, "schedulerName": "default-scheduler", "containers": [container]},
        "status": {"phase": "Running", "podIP": "127.0.0.1"},
    }


def dcgm_page(used_mib: int) -> bytes:
    labels = (
        'gpu="0",UUID="GPU-00000001-0000-4000-8000-000000000000",device="nvidia0",'
        'modelName="NVIDIA A10G",Hostname="gpu-a",DCGM_FI_DRIVER_VERSION="580.105.08"'
    )
    fields = {
        "DCGM_FI_DEV_FB_USED": used_mib,
        "DCGM_FI_DEV_FB_FREE": 23_028 - used_mib,
        "DCGM_FI_DEV_FB_RESERVED": 0,
        "DCGM_FI_DEV_GPU_UTIL": 50,
    }
    return "".join(f"{name}{{{labels}}} {value}\n" for name, value in fields.items()).encode()

"""Serves the generated cluster: a Kubernetes API with watches, and the exporters' pages.

A process of its own, so that the exporter's memory and time are its own. `POST /-/change?pods=200`
sends that many MODIFIED events. Prints "ready API_PORT" when it listens.
"""

from __future__ import annotations

import argparse
import json
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

import cluster
import cluster_pages

PATHS = {
    "/api/v1/nodes": ("v1", "NodeList"),
    "/api/v1/pods": ("v1", "PodList"),
    "/apis/apps/v1/replicasets": ("apps/v1", "ReplicaSetList"),
    "/apis/batch/v1/jobs": ("batch/v1", "JobList"),
}


class State:
    """All documents, encoded once: the benchmark must not wait for its own server."""

    def __init__(self, size: cluster.Size) -> None:
        self.size = size
        sources = {
            "/api/v1/nodes": cluster.nodes(size),
            "/api/v1/pods": cluster.pods(size),
            "/apis/apps/v1/replicasets": cluster.replicasets(size),
            "/apis/batch/v1/jobs": iter(()),
        }
        self.items = {
            p: [json.dumps(o).encode() for o in objects] for p, objects in sources.items()
        }
        self.watchers: list[Queue[bytes]] = []
        tenants: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.places = list(cluster.placed(size))
        for number, node, card in self.places:
            tenants[node].append((number, card))
        self.dcgm = {
            cluster.address(n): cluster_pages.dcgm_page(n, size).encode() for n in range(size.nodes)
        }
        self.monitors = {
            cluster.address(n): cluster_pages.monitor_page(tenants[n], n, size).encode()
            for n in range(size.nodes)
            if cluster.is_hami(n)
        }
        self.revision = 0

    def change(self, count: int) -> None:
        """Changes pods spread over the cluster, as a rollout would."""
        self.revision += 1
        step = max(1, len(self.places) // count)
        for number, node, card in self.places[::step][:count]:
            pod = cluster.gpu_pod(number, node, card, self.size, self.revision)
            pod["metadata"]["resourceVersion"] = str(2_000 + self.revision)
            pod["status"]["phase"] = "Succeeded" if self.revision % 2 else "Running"
            line = json.dumps({"type": "MODIFIED", "object": pod}).encode() + b"\n"
            for queue in self.watchers:
                queue.put(line)


class Handler(BaseHTTPRequestHandler):
    """One connection. `state` is set once, before the servers start."""

    protocol_version = "HTTP/1.1"
    state: ClassVar[State]

    def log_message(self, *_: object) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        self.state.change(int(parse_qs(urlsplit(self.path).query)["pods"][0]))
        self._send(b"{}")

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = parse_qs(url.query)
        if url.path == "/metrics":
            address, port = self.connection.getsockname()[:2]
            monitors = port == self.state.size.port + 1
            pages = self.state.monitors if monitors else self.state.dcgm
            self._send(pages.get(address, b""), "text/plain")
        elif url.path not in PATHS:
            self.send_error(404)
        elif query.get("watch"):
            self._watch(url.path)
        else:
            self._list(url.path, query)

    def _list(self, path: str, query: dict[str, list[str]]) -> None:
        items, start = self.state.items[path], int(query.get("continue", ["0"])[0])
        end = start + int(query.get("limit", [str(len(items) or 1)])[0])
        version, kind = PATHS[path]
        metadata = {"resourceVersion": "1000"}
        if end < len(items):
            metadata["continue"] = str(end)
        head = json.dumps({"apiVersion": version, "kind": kind, "metadata": metadata})
        body = head[:-1].encode() + b',"items":[' + b",".join(items[start:end]) + b"]}"
        self._send(body)

    def _watch(self, path: str) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        queue: Queue[bytes] = Queue()
        if path == "/api/v1/pods":
            self.state.watchers.append(queue)
        while True:
            line = queue.get()
            self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")

    def _send(self, body: bytes, kind: str = "application/json") -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, *_: object) -> None:
        """The exporter hangs up when it is stopped."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True, help="first of two free ports")
    parser.add_argument("--nodes", type=int, default=1_000)
    parser.add_argument("--gpu-pods", type=int, default=20_000)
    parser.add_argument("--other-pods", type=int, default=20_000)
    options = parser.parse_args()
    size = cluster.Size(
        nodes=options.nodes,
        gpu_pods=options.gpu_pods,
        other_pods=options.other_pods,
        port=options.port,
    )
    state = State(size)
    Handler.state = state
    api = Server(("127.0.0.1", 0), Handler)
    # Every node's exporter has a loopback address of its own, one listener serves them all.
    exporters = [Server(("0.0.0.0", size.port + i), Handler) for i in range(2)]
    for server in exporters:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"ready {api.server_address[1]}", flush=True)
    api.serve_forever()


if __name__ == "__main__":
    main()

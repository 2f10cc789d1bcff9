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
from urllib.parse import parse_qs, urlsplit

import cluster

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
            cluster.address(n): cluster.dcgm_page(n, size).encode() for n in range(size.nodes)
        }
        self.monitors = {
            cluster.address(n): cluster.monitor_page(tenants[n], n, size).encode()
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


def handler(state: State) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            state.change(int(parse_qs(urlsplit(self.path).query)["pods"][0]))
            self._send(b"{}")

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            query = parse_qs(url.query)
            if url.path == "/metrics":
                host = self.connection.getsockname()
                pages = state.monitors if host[1] == state.size.port + 1 else state.dcgm
                self._send(pages.get(host[0], b""), "text/plain")
            elif url.path in PATHS and query.get("watch"):
                self._watch(url.path)
            elif url.path in PATHS:
                self._list(url.path, query)
            else:
                self.send_error(404)

        def _list(self, path: str, query: dict[str, list[str]]) -> None:
            items, start = state.items[path], int(query.get("continue", ["0"])[0])
            end = start + int(query.get("limit", [str(len(items) or 1)])[0])
            more = f',"continue":"{end}"' if end < len(items) else ""
            version, kind = PATHS[path]
            head = f'{{"apiVersion":"{version}","kind":"{kind}","metadata":{{"resourceVersion":"1000"{more}}},"items":['
            self._send(head.encode() + b",".join(items[start:end]) + b"]}")

        def _watch(self, path: str) -> None:
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            queue: Queue[bytes] = Queue()
            if path == "/api/v1/pods":
                state.watchers.append(queue)
            while True:
                line = queue.get()
                self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")

        def _send(self, body: bytes, kind: str = "application/json") -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


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
    handle = handler(state)
    api = Server(("127.0.0.1", 0), handle)
    # Every node's exporter has a loopback address of its own, one listener serves them all.
    exporters = [Server(("0.0.0.0", size.port + i), handle) for i in range(2)]
    for server in exporters:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"ready {api.server_address[1]}", flush=True)
    api.serve_forever()


if __name__ == "__main__":
    main()

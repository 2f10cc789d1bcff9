from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pytest

from gpuatlas.model.targets import Target
from gpuatlas.sources.promapi.client import Series
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas.sources.services.prometheus import PrometheusServices, pages_of
from gpuatlas.sources.services.targets import ServiceTarget, ServiceTargets

NOW = 1_800_000_000.0
RUNNING, TOKENS = "vllm:num_requests_running", "vllm:generation_tokens_total"


def a_target(pod: str = "chat-0") -> ServiceTarget:
    target = Target(
        source="services", namespace="team-a", pod=pod, node="", host="10.0.0.1", port=8000
    )
    return ServiceTarget(target=target, runtime="vllm")


def series(name: str, value: float, at: float = NOW, **labels: str) -> Series:
    usual = {"namespace": "team-a", "pod": "chat-0", "job": "models", "instance": "10.0.0.1:8000"}
    return Series({"__name__": name, **(usual | labels)}, {at - 30: "0", at: str(value)})


def readings(*given: Series, pods: tuple[str, ...] = ("chat-0",)) -> list[tuple[object, ...]]:
    return [
        (r.pod, r.at, r.running, r.tokens_total)
        for page in pages_of(given, map(a_target, pods))
        for r in page.readings
    ]


def test_the_last_scrape_of_a_pod_is_its_page() -> None:
    found = readings(series(RUNNING, 4), series(TOKENS, 900), series(RUNNING, 2, engine="1"))
    assert found == [("chat-0", NOW, 6.0, 900.0)]


def test_two_scrapes_are_never_mixed() -> None:
    old = Series({**series(TOKENS, 1).labels}, {NOW - 30: "500"})
    assert readings(series(RUNNING, 4), old) == [("chat-0", NOW, 4.0, None)]


def test_a_pod_scraped_by_two_jobs_counts_once() -> None:
    found = readings(series(RUNNING, 4), series(TOKENS, 900), series(RUNNING, 4, job="again"))
    assert found == [("chat-0", NOW, 4.0, 900.0)]


def test_pods_that_nobody_asked_for_are_left_out() -> None:
    assert readings(series(RUNNING, 4, pod="other")) == []


def test_a_gateway_in_the_namespace_may_speak_for_its_servers() -> None:
    said = series(RUNNING, 4, pod="gateway-x", exported_pod="chat-0", exported_namespace="team-a")
    assert readings(said) == [("chat-0", NOW, 4.0, None)]


def test_a_page_cannot_speak_for_a_pod_of_another_namespace() -> None:
    forged = series(
        RUNNING,
        99,
        namespace="team-b",
        pod="evil",
        exported_namespace="team-a",
        exported_pod="chat-0",
    )
    assert readings(forged) == []


def test_a_page_cannot_speak_for_a_pod_that_speaks_itself() -> None:
    found = readings(
        series(RUNNING, 4),
        series(RUNNING, 99, pod="sidecar", exported_pod="chat-0"),
        series(TOKENS, 99, pod="sidecar", exported_pod="chat-0"),
    )
    assert found == [("chat-0", NOW, 4.0, None)]


def test_a_page_of_ours_cannot_speak_for_another_of_ours() -> None:
    found = readings(
        series(RUNNING, 4, exported_pod="chat-1", exported_namespace="team-a"),
        pods=("chat-0", "chat-1"),
    )
    assert found == [("chat-0", NOW, 4.0, None)]


class Prometheus:
    """Answers any query with `result`, or with `status`."""

    def __init__(self) -> None:
        self.result: list[object] = []
        self.status = 200
        self.queries: list[str] = []
        prometheus = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                form = self.rfile.read(int(self.headers["Content-Length"])).decode()
                prometheus.queries.append(parse_qs(form)["query"][0])
                data = {"resultType": "matrix", "result": prometheus.result}
                body = json.dumps({"status": "success", "data": data}).encode()
                self.send_response(prometheus.status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def prometheus() -> Iterator[Prometheus]:
    fake = Prometheus()
    yield fake
    fake.close()


def test_one_query_reads_all_servers(prometheus: Prometheus) -> None:
    prometheus.result = [
        {"metric": series(RUNNING, 4).labels, "values": [[NOW, "4"]]},
        {"metric": series(RUNNING, 2, pod="chat-1").labels, "values": [[NOW, "NaN"]]},
    ]
    services = PrometheusServices(PrometheusSettings(url=prometheus.url))
    wanted = ServiceTargets(targets=(a_target(), a_target("chat-1"), a_target("chat-2")))
    found = services.read(wanted)
    assert [(r.pod, r.running) for r in found.readings] == [("chat-0", 4.0), ("chat-1", None)]
    assert found.status.targets == {"up": 2, "down": 1}
    assert (found.status.up, found.status.rejected) == (True, {"bad-number": 1})
    (query,) = prometheus.queries
    assert "vllm:num_requests_running" in query
    assert query.endswith("[90s]")


def test_without_servers_nothing_is_asked(prometheus: Prometheus) -> None:
    found = PrometheusServices(PrometheusSettings(url=prometheus.url)).read(ServiceTargets())
    assert (found.readings, found.status.up, prometheus.queries) == ((), None, [])


def test_a_prometheus_that_fails_is_a_failure(prometheus: Prometheus) -> None:
    prometheus.status = 503
    services = PrometheusServices(PrometheusSettings(url=prometheus.url))
    found = services.read(ServiceTargets(targets=(a_target(),)))
    assert (found.readings, found.status.up) == ((), False)
    assert found.status.error.startswith(f"HTTP 503 from {prometheus.url}")
    prometheus.status = 200
    assert services.read(ServiceTargets(targets=(a_target(),))).status.up is None

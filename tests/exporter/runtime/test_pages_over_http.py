from __future__ import annotations

import gzip
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
import requests
from prometheus_client import Metric
from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

from gpuatlas.model.units import MIB
from gpuatlas.runtime.exporter import Exporter
from gpuatlas.runtime.observe import Observed
from gpuatlas.runtime.settings import Settings
from gpuatlas.runtime.static import StaticObserver
from gpuatlas_harness import build
from gpuatlas_harness.fixtures import PrometheusFactory
from gpuatlas_harness.observed import observations
from gpuatlas_harness.polling import poll, poll_until
from gpuatlas_harness.prometheus import scrape_config

Serve = Callable[..., Exporter]
Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]

PROMETHEUS_ACCEPT = (
    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
    "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
)
OWN_AND_MOVING = ("process_", "python_gc_", "gpuatlas_refresh_")


def samples(families: Iterable[Metric]) -> Samples:
    found: Samples = {}
    for family in families:
        for sample in family.samples:
            key = (sample.name, frozenset(sample.labels.items()))
            assert key not in found
            found[key] = sample.value
    return found


def steady(found: Samples) -> Samples:
    return {key: v for key, v in found.items() if not key[0].startswith(OWN_AND_MOVING)}


def scrape(http: requests.Session, exporter: Exporter, path: str = "/metrics") -> Samples:
    """The samples of a page, once the first snapshot is there."""
    ready(http, exporter)
    answer = http.get(exporter.url + path, timeout=5)
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return samples(parse_text(answer.text))


def ready(http: requests.Session, exporter: Exporter) -> None:
    poll(
        lambda: http.get(f"{exporter.url}/readyz", timeout=5).status_code == 200 or None,
        deadline_seconds=60,
        waiting_for="the first snapshot",
    )


def test_the_page_holds_the_cards_and_the_exporter_itself(
    serve: Serve, http: requests.Session
) -> None:
    found = scrape(http, serve(settings=None))
    by_name = {name: value for (name, _), value in found.items()}
    assert by_name["gpuatlas_card_memory_allocated_bytes"] == 12_000 * MIB
    assert by_name["gpuatlas_workload_cards_requested"] == 1
    assert by_name["gpuatlas_refresh_total"] == 1
    assert by_name["gpuatlas_refresh_failures_total"] == 0
    assert {"process_resident_memory_bytes", "python_info", "python_gc_collections_total"} <= set(
        by_name
    )


def test_the_build_is_named(serve: Serve, http: requests.Session) -> None:
    found = scrape(http, serve(settings=Settings(revision="abc123")))
    (labels,) = [dict(labels) for name, labels in found if name == "gpuatlas_build_info"]
    assert labels["revision"] == "abc123"
    assert set(labels) == {"version", "revision", "python_version"}


def test_both_formats_say_the_same_and_are_read_whole(
    serve: Serve, observer: StaticObserver, http: requests.Session
) -> None:
    observer.replace(replace(observer.observe(0), statuses=(build.a_source(),)))
    exporter = serve()
    text = scrape(http, exporter)
    answer = http.get(f"{exporter.url}/metrics", headers={"Accept": PROMETHEUS_ACCEPT}, timeout=5)
    assert (
        answer.headers["Content-Type"]
        == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    )
    assert answer.text.endswith("# EOF\n")
    assert answer.text.count("# EOF") == 1
    families: Iterable[Metric] = openmetrics.text_string_to_metric_families(answer.text)  # type: ignore[no-untyped-call]
    assert steady(samples(families)) == steady(text)


def test_gzip_carries_the_same_page(serve: Serve, http: requests.Session) -> None:
    exporter = serve()
    plain = scrape(http, exporter)
    headers = {"Accept-Encoding": "gzip"}
    answer = http.get(f"{exporter.url}/metrics", headers=headers, timeout=5, stream=True)
    body = answer.raw.read(decode_content=False)
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["Content-Length"] == str(len(body))
    assert steady(samples(parse_text(gzip.decompress(body).decode()))) == steady(plain)


def test_the_answer_depends_on_the_two_headers(serve: Serve, http: requests.Session) -> None:
    answer = http.get(f"{serve().url}/metrics", timeout=5)
    assert answer.headers["Vary"] == "Accept, Accept-Encoding"
    assert answer.headers["Cache-Control"] == "no-store"


def test_head_gives_the_headers_alone(serve: Serve, http: requests.Session) -> None:
    exporter = serve()
    ready(http, exporter)
    answer = http.head(f"{exporter.url}/metrics", timeout=5)
    assert (answer.status_code, answer.content) == (200, b"")
    assert int(answer.headers["Content-Length"]) > 1000
    # The connection is still in step: nothing of a body came behind the headers.
    assert http.get(f"{exporter.url}/healthz", timeout=5).text == "ok\n"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
@pytest.mark.parametrize("path", ["/metrics", "/", "/healthz", "/readyz"])
def test_other_methods_are_refused(
    serve: Serve, http: requests.Session, method: str, path: str
) -> None:
    answer = http.request(method, serve().url + path, data="x=1", timeout=5)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("path", ["/metrics/", "/federate", "/..%2fmetrics", "/favicon.ico"])
def test_other_paths_are_not_found(serve: Serve, http: requests.Session, path: str) -> None:
    assert http.get(serve().url + path, timeout=5).status_code == 404


def test_large_requests_are_refused(serve: Serve, http: requests.Session) -> None:
    url = f"{serve().url}/metrics"
    assert http.get(url, headers={"X-Large": "x" * 20_000}, timeout=5).status_code == 413
    assert http.post(url, data=b"x" * 10_000, timeout=5).status_code == 413


def test_browsers_are_told_to_be_careful_and_nobody_the_version(
    serve: Serve, http: requests.Session
) -> None:
    headers = http.get(serve().url, timeout=5).headers
    assert headers["Server"] == "gpuatlas"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "deny"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; ")


def test_headers_of_the_web_configuration_win(
    serve: Serve, http: requests.Session, tmp_path: Path
) -> None:
    path = tmp_path / "web.yml"
    path.write_text(
        "http_server_config: {headers: {X-Frame-Options: sameorigin, "
        "Strict-Transport-Security: max-age=60, Content-Security-Policy: ''}}"
    )
    headers = http.get(serve(web_config=path).url, timeout=5).headers
    assert headers["X-Frame-Options"] == "sameorigin"
    assert headers["Strict-Transport-Security"] == "max-age=60"
    assert "Content-Security-Policy" not in headers


def test_the_landing_page_shows_sources_and_escapes_their_words(
    serve: Serve, observer: StaticObserver, http: requests.Session
) -> None:
    down = build.a_source(source="hami-monitor", up=False, error="<script>alert(1)</script>")
    silent = build.a_source(source="hami-scheduler", up=None)
    seen = observer.observe(0)
    observer.replace(replace(seen, statuses=(build.a_source(), down, silent)))
    exporter = serve(clock=lambda: build.NOW + 300)
    ready(http, exporter)
    page = http.get(exporter.url, timeout=5).text
    assert "The picture of the cluster is complete." in page
    assert "<td>dcgm<td>up<td>5 min ago<td>2 up, 1 down<td>3<td></tr>" in page
    assert '<td>hami-monitor<td><span class="down">down</span>' in page
    assert "<td>hami-scheduler<td>nothing to read" in page
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert '<a href="/metrics">' in page
    assert "http" not in page.split("</style>")[1]


def test_the_landing_page_says_what_is_missing(serve: Serve, http: requests.Session) -> None:
    waiting = StaticObserver(observations([]), missing=("kubernetes-pods: first list",))
    exporter = serve(waiting)
    poll(
        lambda: "kubernetes-pods: first list" in http.get(exporter.url, timeout=5).text or None,
        deadline_seconds=60,
        waiting_for="the first look",
    )
    assert "Still waiting for: kubernetes-pods: first list." in http.get(exporter.url).text


def test_a_source_that_dies_takes_its_series_along_and_says_so(
    serve: Serve, observer: StaticObserver, http: requests.Session
) -> None:
    exporter = serve()
    seen = observer.observe(0)
    observer.replace(replace(seen, statuses=(build.a_source(source="kubernetes-pods"),)))
    assert_eventually(http, exporter, "gpuatlas_source_up", 1)
    down = build.a_source(source="kubernetes-pods", up=False, error="refused")
    observer.replace(
        Observed(observations=seen.observations, statuses=(down,), missing=("kubernetes-pods",))
    )
    assert_eventually(http, exporter, "gpuatlas_source_up", 0)
    assert not [name for name, _ in scrape(http, exporter) if name.startswith("gpuatlas_card_")]

    observer.replace(seen)
    assert_eventually(http, exporter, "gpuatlas_card_memory_allocated_bytes", 12_000 * MIB)


def assert_eventually(http: requests.Session, exporter: Exporter, name: str, value: float) -> None:
    def values() -> set[float]:
        page = samples(parse_text(http.get(f"{exporter.url}/metrics", timeout=5).text))
        return {v for (n, _), v in page.items() if n == name}

    poll_until(
        values,
        lambda seen: seen == {value},
        deadline_seconds=60,
        waiting_for=f"{name} = {value}",
    )


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
def test_promtool_finds_no_fault(
    serve: Serve, observer: StaticObserver, http: requests.Session
) -> None:
    observer.replace(replace(observer.observe(0), statuses=(build.a_source(),)))
    exporter = serve()
    ready(http, exporter)
    page = http.get(f"{exporter.url}/metrics", timeout=5).content
    checked = subprocess.run(
        ["promtool", "check", "metrics"], input=page, capture_output=True, check=False, timeout=30
    )
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, b"", b"")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_reads_the_compressed_page(serve: Serve, http: requests.Session) -> None:
    exporter = serve()
    expected = steady(scrape(http, exporter))
    command = ["curl", "--silent", "--fail", "--compressed", "--noproxy", "*"]
    page = subprocess.run(
        [*command, f"{exporter.url}/metrics"], capture_output=True, check=True, timeout=30
    ).stdout
    assert steady(samples(parse_text(page.decode()))) == expected


def test_a_real_prometheus_scrapes_it(
    serve: Serve, http: requests.Session, prometheus_server: PrometheusFactory
) -> None:
    exporter = serve()
    ready(http, exporter)
    job = scrape_config("gpuatlas", [f"127.0.0.1:{exporter.port}"], honor_labels=True)
    prometheus = prometheus_server([job])
    (allocated,) = prometheus.wait_for("gpuatlas_card_memory_allocated_bytes")
    assert allocated.value == 12_000 * MIB
    assert allocated.labels["node"] == "gpu-a"
    (build_info,) = prometheus.wait_for('gpuatlas_build_info{job="gpuatlas"}')
    assert build_info.value == 1

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest
import requests

from gpuatlas.families.exposition import Format
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.sizing import SizingReport
from gpuatlas.runtime.exporter import Exporter
from gpuatlas.runtime.live import LiveObserver
from gpuatlas.runtime.observe import Observed
from gpuatlas.runtime.refresh import RefreshLoop
from gpuatlas.runtime.scope import Shard
from gpuatlas.runtime.settings import RefreshSettings, ServerSettings, Settings
from gpuatlas.runtime.sizing_round import SIZING
from gpuatlas.runtime.static import StaticObserver
from gpuatlas.runtime.web.address import ListenAddress
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas_harness.observed import observations
from gpuatlas_harness.page import Page
from gpuatlas_harness.polling import poll, poll_until
from gpuatlas_harness.recorded import RecordedPrometheus, recorded_prometheus
from gpuatlas_harness.recorded_cluster import GIB, add_container, add_days, add_node
from gpuatlas_harness.sizing_page import a_sizing_report

Serve = Callable[..., Exporter]
VERDICT = "gpuatlas_sizing_verdict_info"
QUICK = RefreshSettings(min_interval_seconds=0.0, tick_seconds=0.01)


def observed(report: SizingReport | None, *missing: str) -> Observed:
    return Observed(observations=observations([], []), statuses=(), missing=missing, sizing=report)


def page_of(http: requests.Session, exporter: Exporter) -> Page:
    return Page(http.get(f"{exporter.url}/metrics", timeout=5).text)


def wait_for(http: requests.Session, exporter: Exporter, *, told: bool) -> Page:
    return poll_until(
        lambda: page_of(http, exporter),
        lambda page: bool(page.labels(VERDICT)) is told,
        deadline_seconds=60,
        waiting_for=f"verdicts: {told}",
        showing=lambda page: page.labels(VERDICT),
    )


def test_the_report_is_on_the_page_and_goes_with_it(serve: Serve, http: requests.Session) -> None:
    observer = StaticObserver(observations([], []))
    exporter = serve(observer)
    observer.replace(observed(a_sizing_report()))
    page = wait_for(http, exporter, told=True)
    assert page.value("gpuatlas_sizing_memory_proposed_bytes", workload="chat") == 5.5 * GIB
    assert page.value("gpuatlas_sizing_node_overcommit_safe_ratio", node="gpu-a") == 1.5
    observer.replace(observed(None, "pods"))
    wait_for(http, exporter, told=False)
    observer.replace(observed(a_sizing_report()))
    wait_for(http, exporter, told=True)
    observer.replace(observed(None))
    wait_for(http, exporter, told=False)


def text(loop: RefreshLoop) -> bytes:
    assert loop.published.page is not None
    return b"".join(loop.published.page.body(Format.TEXT).chunks)


def test_the_same_report_leaves_the_page_as_it_is() -> None:
    observer = StaticObserver(observations([], []))
    observer.replace(observed(a_sizing_report()))
    loop = RefreshLoop(
        observer=observer, builder=Joiner(), settings=QUICK, clock=lambda: 0.0, monotonic=lambda: 0
    )
    loop.refresh(changed=True)
    page = loop.published.page
    assert VERDICT.encode() in text(loop)
    loop.refresh(changed=False)
    assert loop.published.page is page
    observer.replace(observed(replace(a_sizing_report(), proposals=())))
    loop.refresh(changed=True)
    assert VERDICT.encode() not in text(loop)


# A live cluster with a Prometheus


@pytest.fixture
def prometheus() -> Iterator[RecordedPrometheus]:
    """A container that needs 5 of its 12 GiB, in a namespace of its own."""
    with recorded_prometheus(1_800_000_000.5) as server:
        add_node(server)
        add_days(server, add_container(server), [5 * GIB] * 14)
        add_days(server, add_container(server, namespace="team-b"), [5 * GIB] * 14)
        yield server


@pytest.fixture
def watch(cluster: Any, prometheus: RecordedPrometheus) -> Iterator[Callable[..., Exporter]]:
    """Starts exporters of the live cluster that end with the test."""
    with ExitStack() as running:

        def start(refresh: dict[str, float] | None = None, **changes: Any) -> Exporter:
            settings = Settings(
                kubernetes=KubernetesSettings(kubeconfig=cluster.kubeconfig),
                prometheus=PrometheusSettings(url=prometheus.url),
                server=ServerSettings(listen=ListenAddress("127.0.0.1", 0)),
                refresh=replace(
                    RefreshSettings(
                        min_interval_seconds=0.01,
                        tick_seconds=0.02,
                        sizing_interval_seconds=60.0,
                        sizing_start_seconds=0.0,
                    ),
                    **(refresh or {}),
                ),
            )
            settings = replace(settings, **changes)
            return running.enter_context(Exporter(settings, LiveObserver(settings)))

        yield start


def test_days_of_the_prometheus_become_proposals(
    watch: Callable[..., Exporter], http: requests.Session
) -> None:
    exporter = watch(exclude_namespaces=frozenset({"team-b"}))
    page = wait_for(http, exporter, told=True)
    assert page.values("gpuatlas_sizing_memory_proposed_bytes") == [5.5 * GIB]
    assert page.value("gpuatlas_source_up", source=SIZING) == 1


def test_a_prometheus_that_is_away_takes_the_source_down(
    watch: Callable[..., Exporter], http: requests.Session, prometheus: RecordedPrometheus
) -> None:
    prometheus.broken = lambda _query: (503, b"away")
    exporter = watch()

    def is_down(page: Page) -> bool:
        told = page.values("gpuatlas_source_up", source=SIZING) == [0]
        return told and page.labels("gpuatlas_node_info") != []

    page = poll_until(
        lambda: page_of(http, exporter),
        is_down,
        deadline_seconds=60,
        waiting_for="the source to be down",
        showing=lambda page: page.labels("gpuatlas_source_up"),
    )
    assert page.labels(VERDICT) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"prometheus": None},
        {"refresh": {"sizing_interval_seconds": 0.0}},
        *({"shard": Shard(i, 3)} for i in range(3) if not Shard(i, 3).owns(SIZING)),
    ],
)
def test_who_does_not_look_says_nothing(
    watch: Callable[..., Exporter], http: requests.Session, changes: dict[str, Any]
) -> None:
    exporter = watch(**changes)
    poll(lambda: exporter.loop.published.ready or None, deadline_seconds=60, waiting_for="a page")
    page = page_of(http, exporter)
    assert page.labels(VERDICT) == []
    assert SIZING not in {labels["source"] for labels in page.labels("gpuatlas_source_up")}


def test_one_shard_of_several_looks(watch: Callable[..., Exporter], http: requests.Session) -> None:
    (owner,) = [Shard(i, 3) for i in range(3) if Shard(i, 3).owns(SIZING)]
    wait_for(http, watch(shard=owner), told=True)

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families

from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.targets import Target
from gpuatlas.model.units import MIB
from gpuatlas.runtime.exporter import Exporter
from gpuatlas.runtime.live import LiveObserver
from gpuatlas.runtime.rounds import EndpointPages, PageRounds
from gpuatlas.runtime.scope import Shard
from gpuatlas.runtime.settings import RefreshSettings, ServerSettings, Settings
from gpuatlas.runtime.web.address import ListenAddress
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas.sources.scrape.round import ScrapeRound
from gpuatlas.sources.scrape.scraper import Scraper
from gpuatlas.sources.scrape.settings import ScrapeSettings
from gpuatlas_harness.observed import a_container, a_node, a_pod
from gpuatlas_harness.polling import poll

Watch = Callable[..., Exporter]
Series = dict[tuple[str, str], float]  # (metric, the label that tells it apart) → value

NODES, PODS, REPLICASETS = "/api/v1/nodes", "/api/v1/pods", "/apis/apps/v1/replicasets"


def settings_for(cluster: Any, **changes: Any) -> Settings:
    """Everything as short as it goes."""
    settings = Settings(
        kubernetes=KubernetesSettings(
            kubeconfig=cluster.kubeconfig,
            backoff_start_s=0.02,
            backoff_cap_s=0.05,
            refused_pause_s=0.05,
        ),
        scrape=ScrapeSettings(timeout=0.5, round_timeout=1.0, page_max_age=0.5),
        server=ServerSettings(listen=ListenAddress("127.0.0.1", 0)),
        refresh=RefreshSettings(
            min_interval_seconds=0.01,
            tick_seconds=0.02,
            scrape_interval_seconds=0.1,
            outage_seconds=0.3,
        ),
    )
    return replace(settings, **changes)


@pytest.fixture
def watch() -> Iterator[Watch]:
    """Starts exporters of live clusters."""
    with ExitStack() as running:

        def start(settings: Settings) -> Exporter:
            return running.enter_context(Exporter(settings, LiveObserver(settings)))

        yield start


def series(http: requests.Session, exporter: Exporter) -> Series:
    text = http.get(f"{exporter.url}/metrics", timeout=5).text
    return {
        (sample.name, sample.labels.get("source") or sample.labels.get("pod") or ""): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def until(
    http: requests.Session, exporter: Exporter, holds: Callable[[Series], bool], what: str
) -> Series:
    def attempt() -> Series | None:
        found = series(http, exporter)
        return found if holds(found) else None

    return poll(attempt, deadline_seconds=15, waiting_for=what)


RESIDENT = ("gpuatlas_card_memory_resident_bytes", "")
DCGM_UP = ("gpuatlas_source_up", "dcgm")
PODS_UP = ("gpuatlas_source_up", "kubernetes-pods")


def test_objects_and_pages_become_one_picture(
    cluster: Any, watch: Watch, http: requests.Session
) -> None:
    exporter = watch(settings_for(cluster))
    found = until(http, exporter, lambda s: RESIDENT in s, "the first picture")
    assert found[RESIDENT] == 1000 * MIB
    assert found["gpuatlas_card_memory_physical_bytes", ""] == 23_028 * MIB
    assert found["gpuatlas_card_tenants", ""] == 1
    assert found[DCGM_UP] == 1
    for kind in ("nodes", "pods", "replicasets", "jobs"):
        assert found["gpuatlas_source_up", f"kubernetes-{kind}"] == 1
    assert ("gpuatlas_source_up", "hami-monitor") not in found
    assert http.get(f"{exporter.url}/readyz", timeout=5).status_code == 200


def test_changes_are_served_soon(cluster: Any, watch: Watch, http: requests.Session) -> None:
    exporter = watch(settings_for(cluster))
    until(http, exporter, lambda s: RESIDENT in s, "the first picture")
    pod = cluster.objects[PODS][0]
    later = {**pod, "metadata": {**pod["metadata"], "name": "late-0", "uid": "pod-late-0"}}
    cluster.add(PODS, later)
    key = ("gpuatlas_pod_workload_info", "late-0")
    until(http, exporter, lambda s: key in s, "the new pod")


def test_an_exporter_that_fails_takes_its_series_along(
    cluster: Any, watch: Watch, http: requests.Session
) -> None:
    exporter = watch(settings_for(cluster))
    until(http, exporter, lambda s: RESIDENT in s, "the first picture")
    cluster.page = b""
    found = until(http, exporter, lambda s: RESIDENT not in s, "the series to go")
    assert found[DCGM_UP] == 0
    assert found["gpuatlas_node_info", ""] == 1
    cluster.page = cluster_page(2000)
    found = until(http, exporter, lambda s: s.get(RESIDENT) == 2000 * MIB, "the series to return")
    assert found[DCGM_UP] == 1


def cluster_page(used_mib: int) -> bytes:
    labels = 'gpu="0",UUID="GPU-00000001-0000-4000-8000-000000000000",Hostname="gpu-a"'
    return f"DCGM_FI_DEV_FB_USED{{{labels}}} {used_mib}\n".encode()


def test_an_endpoint_that_hangs_does_not_hold_up_the_rest(
    cluster: Any, watch: Watch, http: requests.Session
) -> None:
    cluster.page = None
    exporter = watch(settings_for(cluster))
    found = until(http, exporter, lambda s: ("gpuatlas_node_info", "") in s, "the first picture")
    assert found[DCGM_UP] == 0
    assert RESIDENT not in found


def test_without_a_right_to_owners_the_picture_is_complete(
    cluster: Any, watch: Watch, http: requests.Session
) -> None:
    cluster.forbidden.add(REPLICASETS)
    exporter = watch(settings_for(cluster))
    found = until(http, exporter, lambda s: RESIDENT in s, "the first picture")
    assert found["gpuatlas_source_up", "kubernetes-replicasets"] == 0
    assert found["gpuatlas_source_up", "kubernetes-jobs"] == 1


def test_without_a_right_to_pods_there_is_no_picture(
    cluster: Any, watch: Watch, http: requests.Session
) -> None:
    cluster.forbidden.add(PODS)
    exporter = watch(settings_for(cluster))
    found = until(http, exporter, lambda s: s.get(PODS_UP) == 0, "the refusal")
    assert not [name for name, _ in found if name.startswith(("gpuatlas_card", "gpuatlas_node"))]
    answer = http.get(f"{exporter.url}/readyz", timeout=5)
    assert answer.status_code == 503
    assert "kubernetes-pods: first list" in answer.text
    cluster.forbidden.clear()
    until(http, exporter, lambda s: RESIDENT in s, "the first picture")


def test_a_long_outage_takes_the_cluster_s_series_away(
    cluster: Any, watch: Watch, http: requests.Session
) -> None:
    exporter = watch(settings_for(cluster))
    until(http, exporter, lambda s: RESIDENT in s, "the first picture")
    cluster.leave()
    gone = {PODS_UP: 0.0}
    until(http, exporter, lambda s: RESIDENT not in s and gone.items() <= s.items(), "the end")
    assert http.get(f"{exporter.url}/readyz", timeout=5).status_code == 200
    cluster.away = False
    back = {PODS_UP: 1.0, RESIDENT: 1000.0 * MIB}
    until(http, exporter, lambda s: back.items() <= s.items(), "the series to return")


def test_a_short_outage_keeps_the_last_picture(
    cluster: Any, watch: Watch, http: requests.Session
) -> None:
    settings = settings_for(cluster)
    patient = replace(settings.refresh, outage_seconds=3600.0)
    exporter = watch(replace(settings, refresh=patient))
    until(http, exporter, lambda s: RESIDENT in s, "the first picture")
    cluster.leave()
    found = until(http, exporter, lambda s: s.get(PODS_UP) == 0, "the outage to be seen")
    assert found["gpuatlas_node_cards", ""] == 1


def test_a_prometheus_that_is_not_there_is_a_source_that_is_down(
    cluster: Any, watch: Watch, http: requests.Session
) -> None:
    prometheus = PrometheusSettings(url=f"http://127.0.0.1:{cluster.port}/nothing")
    exporter = watch(settings_for(cluster, prometheus=prometheus))
    found = until(http, exporter, lambda s: ("gpuatlas_node_info", "") in s, "the first picture")
    assert found[DCGM_UP] == 0
    assert cluster.page_reads == 0


def test_a_prometheus_for_history_alone_leaves_the_pages_to_their_pods(
    cluster: Any, watch: Watch, http: requests.Session
) -> None:
    """It need not scrape what it is not asked for: of HAMi's pages most do not."""
    prometheus = PrometheusSettings(url=f"http://127.0.0.1:{cluster.port}/nothing")
    exporter = watch(settings_for(cluster, prometheus=prometheus, prometheus_pages=False))
    found = until(http, exporter, lambda s: RESIDENT in s, "the first picture")
    assert found[RESIDENT] == 1000 * MIB
    assert found[DCGM_UP] == 1
    assert cluster.page_reads > 0


def test_unchanged_objects_are_the_same_mappings(cluster: Any) -> None:
    observer = LiveObserver(settings_for(cluster))
    observer.start()
    try:
        poll(
            lambda: observer.observe(0.0).complete or None,
            deadline_seconds=15,
            waiting_for="a complete picture",
        )
        first = observer.observe(0.0)
        second = observer.observe(1.0)
        assert second.observations.nodes is first.observations.nodes
        assert second.observations.pods is first.observations.pods
        assert second.observations.owners is first.observations.owners
    finally:
        observer.close()


def test_a_close_ends_all_threads_of_the_source(cluster: Any) -> None:
    before = set(threading.enumerate())
    cluster.page = None
    observer = LiveObserver(settings_for(cluster))
    observer.start()
    poll(lambda: cluster.page_reads or None, deadline_seconds=15, waiting_for="a read")
    observer.close()
    poll(
        lambda: not own_threads(before) or None,
        deadline_seconds=15,
        waiting_for="the threads to end",
    )


def own_threads(before: set[threading.Thread]) -> list[str]:
    names = [thread.name for thread in set(threading.enumerate()) - before]
    return [name for name in names if name.startswith(("watch-", "page-rounds", "scrape"))]


class Nobody:
    """A cluster of two nodes whose pods each serve a DCGM page, and a HAMi scheduler."""

    settled = True

    def __init__(self) -> None:
        labels = {"app": "nvidia-dcgm-exporter"}
        pods = [a_pod(f"dcgm-{n}", n, labels=labels) for n in ("gpu-a", "gpu-b", "gpu-c")]
        scheduler = a_pod(
            "hami-scheduler-1",
            "cpu-1",
            labels={"app.kubernetes.io/component": "hami-scheduler"},
            containers=(a_container("vgpu-scheduler-extender"),),
        )
        self.nodes: dict[str, Node] = {n: a_node(n) for n in ("gpu-a", "gpu-b", "gpu-c")}
        self.pods: dict[str, Pod] = {pod.uid: pod for pod in (*pods, scheduler)}


class Asked:
    """Remembers who was asked."""

    def __init__(self) -> None:
        self.targets: list[Target] = []

    def fetch(self, target: Target, *, limit_bytes: int, timeout_s: float) -> bytes:
        self.targets.append(target)
        return b"x 1\n"


def asked_by(shard: Shard, namespaces: frozenset[str] = frozenset()) -> list[str]:
    asked = Asked()
    scraper = Scraper(asked, ScrapeSettings(), lambda: 0.0)
    pages = EndpointPages(Nobody(), scraper, shard=shard, namespaces=namespaces)
    pages.read(0.0)
    pages.close()
    return sorted(target.name for target in asked.targets)


def test_shards_ask_each_node_once_and_schedulers_each() -> None:
    scheduler = "team-a/hami-scheduler-1"
    assert asked_by(Shard(0, 3)) == [scheduler]
    assert asked_by(Shard(1, 3)) == ["gpu-b", scheduler]
    assert asked_by(Shard(2, 3)) == ["gpu-a", "gpu-c", scheduler]


def test_exporters_can_be_bound_to_namespaces() -> None:
    assert asked_by(Shard(), frozenset({"gpu-operator"})) == []
    assert len(asked_by(Shard(), frozenset({"team-a"}))) == 4


class BrokenPages:
    """Raises what nobody expects, then works."""

    def __init__(self) -> None:
        self.reads = 0

    def read(self, now: float) -> ScrapeRound:
        self.reads += 1
        if self.reads == 1:
            message = "a fault of ours"
            raise RuntimeError(message)
        return ScrapeRound(silent={("dcgm", ""): "works"})

    def close(self) -> None:
        """Nothing."""


def test_an_unexpected_error_is_told_once_and_the_rounds_go_on() -> None:
    changed = threading.Event()
    source = BrokenPages()
    rounds = PageRounds(source, Nobody(), changed, interval_seconds=0.01, clock=lambda: 0.0)
    rounds.start()
    try:
        poll(lambda: source.reads > 1 or None, deadline_seconds=15, waiting_for="a second round")
        assert rounds.finished
        assert changed.is_set()
        with pytest.raises(RuntimeError, match="a fault of ours"):
            rounds.last()
        poll(
            lambda: rounds.last().silent == {("dcgm", ""): "works"} or None,
            deadline_seconds=15,
            waiting_for="the round after it",
        )
    finally:
        rounds.close()

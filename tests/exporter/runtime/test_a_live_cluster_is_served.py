from __future__ import annotations

import threading

import requests

from gpuatlas.model.units import MIB
from gpuatlas.runtime.live import LiveObserver
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas_harness.fake_cluster import FakeCluster
from gpuatlas_harness.live_exporter import DCGM_UP, PODS, RESIDENT, Watch, settings_for, until
from gpuatlas_harness.polling import poll, poll_until


def test_objects_and_pages_become_one_picture(
    cluster: FakeCluster, watch: Watch, http: requests.Session
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


def test_changes_are_served_soon(
    cluster: FakeCluster, watch: Watch, http: requests.Session
) -> None:
    exporter = watch(settings_for(cluster))
    until(http, exporter, lambda s: RESIDENT in s, "the first picture")
    pod = cluster.objects[PODS][0]
    later = {**pod, "metadata": {**pod["metadata"], "name": "late-0", "uid": "pod-late-0"}}
    cluster.add(PODS, later)
    key = ("gpuatlas_pod_workload_info", "late-0")
    until(http, exporter, lambda s: key in s, "the new pod")


def test_a_prometheus_for_history_alone_leaves_the_pages_to_their_pods(
    cluster: FakeCluster, watch: Watch, http: requests.Session
) -> None:
    """It need not scrape what it is not asked for: of HAMi's pages most do not."""
    prometheus = PrometheusSettings(url=f"http://127.0.0.1:{cluster.port}/nothing")
    exporter = watch(settings_for(cluster, prometheus=prometheus, prometheus_pages=False))
    found = until(http, exporter, lambda s: RESIDENT in s, "the first picture")
    assert found[RESIDENT] == 1000 * MIB
    assert found[DCGM_UP] == 1
    assert cluster.page_reads > 0


def test_unchanged_objects_are_the_same_mappings(cluster: FakeCluster) -> None:
    observer = LiveObserver(settings_for(cluster))
    observer.start()
    try:
        poll(
            lambda: observer.observe(0.0).complete or None,
            deadline_seconds=60,
            waiting_for="a complete picture",
        )
        first = observer.observe(0.0)
        second = observer.observe(1.0)
        assert second.observations.nodes is first.observations.nodes
        assert second.observations.pods is first.observations.pods
        assert second.observations.owners is first.observations.owners
    finally:
        observer.close()


def test_a_close_ends_all_threads_of_the_source(cluster: FakeCluster) -> None:
    before = set(threading.enumerate())
    cluster.page = None
    observer = LiveObserver(settings_for(cluster))
    observer.start()
    poll(lambda: cluster.page_reads or None, deadline_seconds=60, waiting_for="a read")
    observer.close()
    poll_until(
        lambda: own_threads(before),
        lambda names: not names,
        deadline_seconds=60,
        waiting_for="the threads to end",
    )


def own_threads(before: set[threading.Thread]) -> list[str]:
    names = [thread.name for thread in set(threading.enumerate()) - before]
    return [name for name in names if name.startswith(("watch-", "page-rounds", "scrape"))]

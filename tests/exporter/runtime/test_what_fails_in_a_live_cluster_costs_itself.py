from __future__ import annotations

from dataclasses import replace

import requests

from gpuatlas.model.units import MIB
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas_harness.fake_cluster import FakeCluster
from gpuatlas_harness.live_exporter import (
    DCGM_UP,
    PODS,
    PODS_UP,
    REPLICASETS,
    RESIDENT,
    Watch,
    settings_for,
    until,
)


def test_an_exporter_that_fails_takes_its_series_along(
    cluster: FakeCluster, watch: Watch, http: requests.Session
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
    cluster: FakeCluster, watch: Watch, http: requests.Session
) -> None:
    cluster.page = None
    exporter = watch(settings_for(cluster))
    found = until(http, exporter, lambda s: ("gpuatlas_node_info", "") in s, "the first picture")
    assert found[DCGM_UP] == 0
    assert RESIDENT not in found


def test_without_a_right_to_owners_the_picture_is_complete(
    cluster: FakeCluster, watch: Watch, http: requests.Session
) -> None:
    cluster.forbidden.add(REPLICASETS)
    exporter = watch(settings_for(cluster))
    found = until(http, exporter, lambda s: RESIDENT in s, "the first picture")
    assert found["gpuatlas_source_up", "kubernetes-replicasets"] == 0
    assert found["gpuatlas_source_up", "kubernetes-jobs"] == 1


def test_without_a_right_to_pods_there_is_no_picture(
    cluster: FakeCluster, watch: Watch, http: requests.Session
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
    cluster: FakeCluster, watch: Watch, http: requests.Session
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
    cluster: FakeCluster, watch: Watch, http: requests.Session
) -> None:
    settings = settings_for(cluster)
    patient = replace(settings.refresh, outage_seconds=3600.0)
    exporter = watch(replace(settings, refresh=patient))
    until(http, exporter, lambda s: RESIDENT in s, "the first picture")
    cluster.leave()
    found = until(http, exporter, lambda s: s.get(PODS_UP) == 0, "the outage to be seen")
    assert found["gpuatlas_node_cards", ""] == 1


def test_a_prometheus_that_is_not_there_is_a_source_that_is_down(
    cluster: FakeCluster, watch: Watch, http: requests.Session
) -> None:
    prometheus = PrometheusSettings(url=f"http://127.0.0.1:{cluster.port}/nothing")
    exporter = watch(settings_for(cluster, prometheus=prometheus))
    found = until(http, exporter, lambda s: ("gpuatlas_node_info", "") in s, "the first picture")
    assert found[DCGM_UP] == 0
    assert cluster.page_reads == 0

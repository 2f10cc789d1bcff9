"""An exporter of a live cluster: as quick as it can be, and what its page has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import requests
from prometheus_client.parser import text_string_to_metric_families

from gpuatlas.runtime.exporter import Exporter
from gpuatlas.runtime.settings import RefreshSettings, ServerSettings, Settings
from gpuatlas.runtime.web.address import ListenAddress
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.scrape.settings import ScrapeSettings

from .fake_cluster import FakeCluster
from .polling import poll_until

Watch = Callable[[Settings], Exporter]
Series = dict[tuple[str, str], float]  # (metric, the label that tells it apart) → value

PODS, REPLICASETS = "/api/v1/pods", "/apis/apps/v1/replicasets"
RESIDENT = ("gpuatlas_card_memory_resident_bytes", "")
DCGM_UP = ("gpuatlas_source_up", "dcgm")
PODS_UP = ("gpuatlas_source_up", "kubernetes-pods")


def settings_for(cluster: FakeCluster, **changes: Any) -> Settings:
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
    return poll_until(lambda: series(http, exporter), holds, deadline_seconds=60, waiting_for=what)

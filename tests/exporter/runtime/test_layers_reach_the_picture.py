"""What observers of a cluster see of its sharing layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import Any

import pytest

from gpuatlas.model.layer import LayerObjects
from gpuatlas.runtime.live import LiveObserver
from gpuatlas.runtime.once import ClusterSettings, NoProgress, look_at_cluster
from gpuatlas.runtime.settings import RefreshSettings, Settings
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.layer.settings import LayerSettings
from gpuatlas.sources.scrape.settings import ScrapeSettings
from gpuatlas_harness.layered import SERVICE, installation
from gpuatlas_harness.polling import poll

# Live and once, over HTTP

DAEMON_SETS, DEPLOYMENTS = "/apis/apps/v1/daemonsets", "/apis/apps/v1/deployments"
PATHS = {
    "DaemonSet": DAEMON_SETS,
    "Deployment": DEPLOYMENTS,
    "MutatingWebhookConfiguration": (
        "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
    ),
    "Service": "/api/v1/services",
    "EndpointSlice": "/apis/discovery.k8s.io/v1/endpointslices",
}
Watch = Callable[..., LiveObserver]


def install(cluster: Any) -> None:
    """HAMi's objects, but for those that are read by name."""
    for raw in installation():
        if raw["kind"] in PATHS:
            raw["metadata"]["resourceVersion"] = "1"
            cluster.objects.setdefault(PATHS[raw["kind"]], []).append(raw)


def kubernetes(cluster: Any) -> KubernetesSettings:
    return KubernetesSettings(
        kubeconfig=cluster.kubeconfig, backoff_start_s=0.02, backoff_cap_s=0.05
    )


@pytest.fixture
def watch(cluster: Any) -> Iterator[Watch]:
    """Starts live observers that end with the test."""
    with ExitStack() as running:

        def start(**refresh: float) -> LiveObserver:
            settings = Settings(
                kubernetes=kubernetes(cluster),
                scrape=ScrapeSettings(timeout=0.5, round_timeout=1.0, page_max_age=0.5),
                layer=LayerSettings(probe=False),
                refresh=replace(
                    RefreshSettings(scrape_interval_seconds=0.1, layer_interval_seconds=0.05),
                    **refresh,
                ),
            )
            observer = LiveObserver(settings)
            running.enter_context(closing(observer))
            observer.start()
            return observer

        yield start


def complete(observer: LiveObserver) -> LayerObjects:
    poll(
        lambda: observer.observe(0.0).complete or None,
        deadline_seconds=60,
        waiting_for="a complete picture",
    )
    return observer.observe(0.0).observations.layer


def test_the_first_picture_has_the_layer(cluster: Any, watch: Watch) -> None:
    install(cluster)
    layer = complete(watch())
    assert [c.name for c in layer.controllers] == ["vgpu-hami-device-plugin", SERVICE]
    assert [(e.port, e.ready) for e in layer.endpoints] == [(443, 1), (31993, 1)]
    assert layer.read_at is not None


def test_statuses_have_the_layers_sources(cluster: Any, watch: Watch) -> None:
    install(cluster)
    cluster.forbidden.add(PATHS["Service"])
    observer = watch()
    layer = complete(observer)
    statuses = {status.source: status for status in observer.observe(0.0).statuses}
    assert statuses["kubernetes-daemonsets.apps"].up is True
    assert statuses["kubernetes-services"].up is False
    assert statuses["webhook-certificate"].up is None
    assert layer.unread["services"] == statuses["kubernetes-services"].error
    assert len(statuses) == len(observer.observe(0.0).statuses)


def test_without_a_layer_its_sources_have_nothing_to_read(cluster: Any, watch: Watch) -> None:
    observer = watch()
    assert replace(complete(observer), read_at=None) == LayerObjects()
    statuses = {status.source: status.up for status in observer.observe(0.0).statuses}
    assert statuses["kubernetes-daemonsets.apps"] is None


def test_the_picture_waits_for_the_first_look_but_not_for_ever(cluster: Any, watch: Watch) -> None:
    install(cluster)
    cluster.hanging.add(DAEMON_SETS)
    waiting = watch(layer_wait_seconds=60.0)
    poll(
        lambda: waiting.observe(0.0).missing == ("sharing layers: first look",) or None,
        deadline_seconds=60,
        waiting_for="all but the layer",
    )
    assert complete(watch(layer_wait_seconds=0.1)) == LayerObjects()


def test_a_look_at_a_cluster_reads_the_layer_and_leaves_its_webhook_alone(cluster: Any) -> None:
    install(cluster)
    look = look_at_cluster(
        ClusterSettings(kubernetes=kubernetes(cluster)),
        clock=lambda: 300.0,
        progress=NoProgress(),
    )
    layer = look.observed.observations.layer
    assert layer.read_at == 300.0
    assert [w.webhook for w in layer.webhooks] == ["vgpu.hami.io"]
    assert layer.probes == ()
    assert "add --probe-webhook" in layer.unread["certificate"]
    sources = [status.source for status in look.observed.statuses]
    assert sources.count("kubernetes-daemonsets.apps") == 1
    assert len(sources) == len(set(sources))

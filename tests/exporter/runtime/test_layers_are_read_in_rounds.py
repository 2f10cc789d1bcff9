"""The thread that reads the sharing layers' objects, and what observers see of it."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import Any, Protocol

import pytest

from gpuatlas.model.layer import CertificateProbe, LayerObjects, SchedulerLease
from gpuatlas.model.status import SourceStatus
from gpuatlas.runtime.layers import LayerRounds, merged
from gpuatlas.runtime.live import LiveObserver
from gpuatlas.runtime.once import ClusterSettings, NoProgress, look_at_cluster
from gpuatlas.runtime.settings import RefreshSettings, Settings
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.layer.settings import LayerSettings
from gpuatlas.sources.scrape.settings import ScrapeSettings
from gpuatlas_harness.layered import NAMESPACE, SERVICE, installation
from gpuatlas_harness.polling import poll

LEASE = SchedulerLease(
    namespace=NAMESPACE, name="lock", holder="a", renewed_at=100.0, duration_seconds=15.0
)
PROBE = CertificateProbe(
    configuration="c", webhook="w", address="10.0.0.7:443", at=100.0, reached=True
)
OBJECTS = LayerObjects(read_at=100.0, leases=(LEASE,), probes=(PROBE,))


def a_status(source: str = "s", *, error: str = "", **changes: Any) -> SourceStatus:
    status = SourceStatus(
        source=source,
        up=not error,
        last_success_at=100.0,
        read_seconds=1.0,
        error=error,
        targets={},
        rejected={},
    )
    return replace(status, **changes)


class Scripted:
    """A cluster, and a layer source that gives what a test puts in place, one read at a time."""

    def __init__(self) -> None:
        self.settled = True
        self.objects = OBJECTS
        self.statuses: tuple[SourceStatus, ...] = (a_status(),)
        self.error: Exception | None = None
        self.reads = 0
        self.hold = threading.Event()
        self.hold.set()

    def read(self, now: float) -> tuple[LayerObjects, tuple[SourceStatus, ...]]:
        self.hold.wait(30)
        self.reads += 1
        if self.error is not None:
            raise self.error
        return replace(self.objects, read_at=now), self.statuses


class Begin(Protocol):
    def __call__(self, source: Scripted, *, wait_seconds: float = 30.0) -> LayerRounds: ...


@pytest.fixture
def changed() -> threading.Event:
    return threading.Event()


@pytest.fixture
def begin(changed: threading.Event) -> Iterator[Begin]:
    """Starts rounds that end with the test."""
    with ExitStack() as running:

        def start(source: Scripted, *, wait_seconds: float = 30.0) -> LayerRounds:
            rounds = LayerRounds(
                source,
                source,
                changed,
                interval_seconds=0.01,
                wait_seconds=wait_seconds,
                clock=lambda: 200.0,
            )
            running.callback(source.hold.set)
            running.enter_context(closing(rounds))
            rounds.start()
            return rounds

        yield start


def reads(source: Scripted, more: int = 2) -> None:
    """Wait until it was read so often again: the last but one of them is over then."""
    until = source.reads + more
    poll(lambda: source.reads >= until or None, deadline_seconds=15, waiting_for="more reads")


def test_the_last_look_is_at_hand(begin: Begin) -> None:
    source = Scripted()
    rounds = begin(source)
    reads(source)
    look = rounds.last()
    assert look.objects == replace(OBJECTS, read_at=200.0)
    assert look.statuses == source.statuses
    assert rounds.finished


def test_only_differences_are_changes(begin: Begin, changed: threading.Event) -> None:
    source = Scripted()
    rounds = begin(source)
    reads(source)
    assert changed.is_set()  # the first look
    changed.clear()
    renewed = replace(LEASE, renewed_at=110.0)
    source.objects = replace(OBJECTS, leases=(renewed,), probes=(replace(PROBE, at=110.0),))
    reads(source)
    assert not changed.is_set()
    # ... but whoever looks for another reason sees the newest times.
    assert rounds.last().objects.leases == (renewed,)
    assert rounds.last().objects.probes[0].at == 110.0
    source.objects = replace(OBJECTS, leases=(replace(LEASE, holder="b"),))
    assert changed.wait(15)
    changed.clear()
    source.objects = replace(OBJECTS, probes=(replace(PROBE, reached=False),))
    assert changed.wait(15)


def test_nothing_is_read_before_the_cluster_is_known(begin: Begin) -> None:
    source = Scripted()
    source.settled = False
    rounds = begin(source, wait_seconds=0.0)
    assert not rounds.finished
    assert source.reads == 0
    assert rounds.last().objects == LayerObjects()
    source.settled = True
    reads(source)


def test_a_read_that_takes_too_long_is_not_waited_for(begin: Begin) -> None:
    source = Scripted()
    source.hold.clear()
    rounds = begin(source, wait_seconds=0.05)
    poll(lambda: rounds.finished or None, deadline_seconds=15, waiting_for="the wait to end")
    assert rounds.last().objects == LayerObjects()
    source.hold.set()
    reads(source)
    assert rounds.last().objects.leases == (LEASE,)


def test_an_unexpected_error_is_raised_once_and_outlived(
    begin: Begin, changed: threading.Event
) -> None:
    source = Scripted()
    source.error = RuntimeError("a mistake of ours")
    rounds = begin(source)
    assert changed.wait(15)
    assert rounds.finished
    with pytest.raises(RuntimeError, match="a mistake of ours"):
        rounds.last()
    source.error = None
    reads(source)
    with contextlib.suppress(RuntimeError):
        rounds.last()  # that of the last bad read, if there was a second one
    reads(source)
    assert rounds.last().objects.leases == (LEASE,)


def test_sources_that_fail_are_logged_when_they_begin_and_end(
    begin: Begin, caplog: pytest.LogCaptureFixture
) -> None:
    source = Scripted()
    source.statuses = (a_status(error="403"), a_status("other"))
    with caplog.at_level(logging.INFO, logger="gpuatlas.runtime.layers"):
        begin(source)
        reads(source, 4)
        source.statuses = (a_status(), a_status("other"))
        reads(source, 4)
    assert [(r.levelname, r.getMessage()) for r in caplog.records] == [
        ("WARNING", "cannot read s: 403"),
        ("INFO", "s can be read again"),
    ]


def test_a_close_before_the_start_reads_nothing(changed: threading.Event) -> None:
    source = Scripted()
    rounds = LayerRounds(
        source, source, changed, interval_seconds=1, wait_seconds=1, clock=lambda: 0.0
    )
    rounds.close()
    assert source.reads == 0


def test_statuses_of_one_source_are_one() -> None:
    owner = a_status("kubernetes-deployments.apps", last_success_at=90.0, rejected={"a": 1})
    layers = a_status("kubernetes-deployments.apps", error="403", read_seconds=2.0)
    other = a_status("pages")
    assert merged([owner, other, layers]) == (
        a_status(
            "kubernetes-deployments.apps",
            error="403",
            last_success_at=90.0,
            read_seconds=2.0,
            rejected={"a": 1},
        ),
        other,
    )
    nothing = a_status("kubernetes-deployments.apps", up=None, rejected={"a": 2, "b": 1})
    assert merged([nothing, owner]) == (replace(owner, rejected={"a": 3, "b": 1}),)
    assert merged([owner, nothing]) == (replace(owner, rejected={"a": 3, "b": 1}),)
    never = replace(layers, last_success_at=None)
    assert merged([owner, never])[0].last_success_at is None


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
        deadline_seconds=15,
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
        deadline_seconds=15,
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

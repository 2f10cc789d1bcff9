from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
import requests

from gpuatlas.families.exposition import Format
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.observations import Observations
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.snapshot import Snapshot
from gpuatlas.runtime.exporter import Exporter
from gpuatlas.runtime.observe import Observed
from gpuatlas.runtime.refresh import RefreshLoop
from gpuatlas.runtime.settings import RefreshSettings, Settings
from gpuatlas.runtime.static import StaticObserver
from gpuatlas_harness import build
from gpuatlas_harness.observed import a_node, a_pod, observations
from gpuatlas_harness.polling import poll

Serve = Callable[..., Exporter]
QUICK = RefreshSettings(min_interval_seconds=0.0, tick_seconds=0.01)


class FailingJoiner:
    """The real one, until told to fail."""

    def __init__(self) -> None:
        self._joiner = Joiner()
        self.error: Exception | None = None
        self.builds = 0

    def build(self, observations: Observations) -> Snapshot:
        self.builds += 1
        if self.error is not None:
            raise self.error
        return self._joiner.build(observations)


def a_loop(observer: StaticObserver, builder: FailingJoiner | None = None) -> RefreshLoop:
    return RefreshLoop(
        observer=observer,
        builder=builder or FailingJoiner(),
        settings=QUICK,
        clock=lambda: 1_790_000_000.0,
    )


def nodes_on_page(loop: RefreshLoop) -> int:
    page = loop.published.page
    assert page is not None
    body = b"".join(page.body(Format.TEXT).chunks)
    return sum(line.startswith(b"gpuatlas_node_info{") for line in body.splitlines())


def two_nodes() -> Observed:
    return Observed(observations=observations([a_node("gpu-a"), a_node("gpu-b")]), statuses=())


def test_an_error_in_the_join_keeps_the_last_page_and_is_counted(
    observer: StaticObserver, caplog: pytest.LogCaptureFixture
) -> None:
    builder = FailingJoiner()
    loop = a_loop(observer, builder)
    loop.refresh(changed=True)
    assert (nodes_on_page(loop), loop.published.counts.rounds) == (1, 1)

    builder.error = RuntimeError("a fault of ours")
    observer.replace(two_nodes())
    loop.refresh(changed=True)
    loop.refresh(changed=True)
    assert nodes_on_page(loop) == 1
    assert (loop.published.counts.rounds, loop.published.counts.failures) == (1, 2)

    builder.error = None
    loop.refresh(changed=True)
    assert nodes_on_page(loop) == 2
    assert (loop.published.counts.rounds, loop.published.counts.failures) == (2, 2)
    errors = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(errors) == 1, "the same error is worth one record"
    assert "a fault of ours" in caplog.text
    assert "Traceback" in caplog.text


def test_the_statuses_go_on_although_the_join_fails(observer: StaticObserver) -> None:
    builder = FailingJoiner()
    builder.error = RuntimeError("a fault of ours")
    loop = a_loop(observer, builder)
    observer.replace(replace(two_nodes(), statuses=(build.a_source(up=False),)))
    loop.refresh(changed=True)
    assert loop.published.page is None
    assert (loop.published.missing, loop.published.statuses) == ((), (build.a_source(up=False),))


def test_the_guard_lets_a_keyboard_interrupt_pass(observer: StaticObserver) -> None:
    class Interrupted:
        def build(self, observations: Observations) -> Snapshot:
            raise KeyboardInterrupt

    loop = RefreshLoop(observer=observer, builder=Interrupted(), settings=QUICK)
    with pytest.raises(KeyboardInterrupt):
        loop.refresh(changed=True)


def test_an_error_of_the_observer_costs_one_round(serve: Serve, http: requests.Session) -> None:
    class Moody(StaticObserver):
        angry = False

        def observe(self, now: float) -> Observed:
            if self.angry:
                self.angry = False
                message = "a fault of ours"
                raise RuntimeError(message)
            return super().observe(now)

    moody = Moody(two_nodes().observations)
    exporter = serve(moody)
    poll(lambda: exporter.loop.published.page, deadline_seconds=60, waiting_for="a page")
    moody.angry = True
    poll(
        lambda: exporter.loop.published.counts.failures == 1 or None,
        deadline_seconds=60,
        waiting_for="the failure",
    )
    page = http.get(f"{exporter.url}/metrics", timeout=5).text
    assert "gpuatlas_refresh_failures_total 1.0" in page
    assert page.count("\ngpuatlas_node_info{") == 2


def test_nothing_is_built_without_a_change(observer: StaticObserver) -> None:
    builder = FailingJoiner()
    loop = a_loop(observer, builder)
    loop.refresh(changed=True)
    for _ in range(3):
        loop.refresh(changed=False)
    assert builder.builds == 1


def test_the_first_picture_needs_no_change_to_be_published() -> None:
    observer = StaticObserver(two_nodes().observations, missing=("pages: first round",))
    loop = a_loop(observer)
    loop.refresh(changed=True)
    assert (loop.published.page, loop.published.ready) == (None, False)
    assert loop.published.missing == ("pages: first round",)
    observer.replace(two_nodes())
    loop.refresh(changed=False)
    assert (nodes_on_page(loop), loop.published.ready) == (2, True)


def test_ready_stays_when_a_source_is_lost_and_the_series_go() -> None:
    observer = StaticObserver(two_nodes().observations)
    loop = a_loop(observer)
    loop.refresh(changed=True)
    observer.replace(replace(two_nodes(), missing=("kubernetes-pods: cannot be read",)))
    loop.refresh(changed=True)
    assert (loop.published.page, loop.published.ready) == (None, True)


def test_refused_records_reach_the_statuses() -> None:
    refused = Rejection("hami-annotations", "not-json", "pod team-a/app-0", "x", count=3)
    observer = StaticObserver(observations([a_node()], [a_pod(rejections=(refused,))]))
    loop = a_loop(observer)
    loop.refresh(changed=True)
    (status,) = loop.published.statuses
    assert (status.source, status.rejected) == ("hami-annotations", {"not-json": 3})


def test_renders_keep_their_distance(observer: StaticObserver) -> None:
    builder = FailingJoiner()
    settings = RefreshSettings(min_interval_seconds=3600, tick_seconds=0.01)
    loop = RefreshLoop(observer=observer, builder=builder, settings=settings)
    thread = threading.Thread(target=loop.run)
    thread.start()
    observer.changed.set()
    poll(lambda: loop.published.page, deadline_seconds=60, waiting_for="a page")
    observer.changed.set()
    loop.stop()
    thread.join(10)
    assert not thread.is_alive(), "a stop ends the pause"
    assert builder.builds == 1


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_it_counts_as_hanging_without_a_beat(observer: StaticObserver) -> None:
    clock = Clock()
    settings = RefreshSettings(stall_seconds=120)
    loop = RefreshLoop(
        observer=observer, builder=FailingJoiner(), settings=settings, monotonic=clock
    )
    clock.now += 120
    assert loop.stalled() == ""
    clock.now += 1
    assert loop.stalled() == "the refresh loop has shown no life for 121 s"
    loop.refresh(changed=True)
    assert loop.stalled() == ""


def test_health_fails_when_the_loop_hangs_and_the_page_stays(
    serve: Serve, observer: StaticObserver, http: requests.Session
) -> None:
    release = threading.Event()

    class Hanging(FailingJoiner):
        def build(self, observations: Observations) -> Snapshot:
            if self.builds:
                release.wait(30)
            return super().build(observations)

    settings = RefreshSettings(min_interval_seconds=0.0, tick_seconds=0.01, stall_seconds=0.3)
    exporter = serve(builder=Hanging(), settings=Settings(refresh=settings))
    poll(lambda: exporter.loop.published.page, deadline_seconds=60, waiting_for="a page")
    try:
        observer.replace(two_nodes())
        poll(
            lambda: http.get(f"{exporter.url}/healthz", timeout=5).status_code == 503 or None,
            deadline_seconds=60,
            waiting_for="healthz to fail",
        )
        reason = http.get(f"{exporter.url}/healthz", timeout=5).text
        assert reason.startswith("the refresh loop has shown no life for ")
        assert "\ngpuatlas_node_info{" in http.get(f"{exporter.url}/metrics", timeout=5).text
    finally:
        release.set()
    poll(
        lambda: http.get(f"{exporter.url}/healthz", timeout=5).status_code == 200 or None,
        deadline_seconds=60,
        waiting_for="healthz to recover",
    )


def test_readiness_names_what_is_missing(serve: Serve, http: requests.Session) -> None:
    observer = StaticObserver(
        two_nodes().observations, missing=("kubernetes-pods: first list", "pages: first round")
    )
    exporter = serve(observer)
    expected = "waiting for kubernetes-pods: first list, pages: first round\n"
    poll(
        lambda: http.get(f"{exporter.url}/readyz", timeout=5).text == expected or None,
        deadline_seconds=60,
        waiting_for="the first look",
    )
    assert http.get(f"{exporter.url}/readyz", timeout=5).status_code == 503
    assert http.get(f"{exporter.url}/healthz", timeout=5).status_code == 200
    assert "gpuatlas_build_info" in http.get(f"{exporter.url}/metrics", timeout=5).text

    observer.replace(two_nodes())
    poll(
        lambda: http.get(f"{exporter.url}/readyz", timeout=5).status_code == 200 or None,
        deadline_seconds=60,
        waiting_for="readiness",
    )


class FailingObserver(StaticObserver):
    """Raises as often as it is told to."""

    failures = 0

    def observe(self, now: float) -> Observed:
        if self.failures:
            self.failures -= 1
            raise RuntimeError("a fault of ours")
        return super().observe(now)


def test_a_change_that_an_error_kept_from_being_looked_at_is_not_lost() -> None:
    observer = FailingObserver(observations([a_node("gpu-a")]))
    loop = a_loop(observer)
    loop.refresh(changed=True)
    observer.replace(two_nodes())
    observer.failures = 2
    loop.refresh(changed=True)
    loop.refresh(changed=False)
    assert nodes_on_page(loop) == 1
    loop.refresh(changed=False)
    assert nodes_on_page(loop) == 2
    assert (loop.published.counts.rounds, loop.published.counts.failures) == (2, 2)
    loop.refresh(changed=False)
    assert loop.published.counts.rounds == 2

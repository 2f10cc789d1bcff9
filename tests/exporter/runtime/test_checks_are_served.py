"""What a page says of the checks, and when they are judged again."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

import pytest
import requests

from gpuatlas.families.exposition import Format
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.checks import InputState
from gpuatlas.model.observations import Observations
from gpuatlas.model.snapshot import Snapshot
from gpuatlas.runtime.checking import Checker
from gpuatlas.runtime.exporter import Exporter
from gpuatlas.runtime.observe import Observed
from gpuatlas.runtime.refresh import RefreshLoop
from gpuatlas.runtime.scope import Scope
from gpuatlas.runtime.settings import RefreshSettings, Settings
from gpuatlas.runtime.static import StaticObserver
from gpuatlas_harness.checked_books import a_layer, a_lease
from gpuatlas_harness.judged_books import Tripping, books_of, seen_books
from gpuatlas_harness.observed import uuid
from gpuatlas_harness.page import Page
from gpuatlas_harness.polling import poll

Serve = Callable[..., Exporter]
QUICK = RefreshSettings(min_interval_seconds=0.0, tick_seconds=0.01)
FINDING = "gpuatlas_finding_info"


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self, now: float = 1_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def test_the_page_has_the_findings_the_inputs_and_the_layer(
    serve: Serve, http: requests.Session
) -> None:
    exporter = serve(StaticObserver(seen_books("gpu-a")))
    poll(
        lambda: http.get(f"{exporter.url}/readyz", timeout=5).status_code == 200 or None,
        deadline_seconds=60,
        waiting_for="readiness",
    )
    page = Page(http.get(f"{exporter.url}/metrics", timeout=5).text)

    (found,) = page.labels(FINDING, check="S14", node="gpu-a")
    assert (found["signal"], found["card"]) == ("over-schedulable", uuid(1))
    assert page.value("gpuatlas_findings", check="S14", signal="over-schedulable") == 1
    assert page.value("gpuatlas_check_inputs", check="S14", state="ok") == 1
    assert page.value("gpuatlas_check_inputs", check="S17", state="not_applicable") == 1
    assert len(page.values("gpuatlas_check_inputs")) == 17 * 3
    assert page.value("gpuatlas_node_check_inputs", node="gpu-a", check="S14", state="ok") == 1
    assert page.value("gpuatlas_node_registered_cards", node="gpu-a") == 1
    assert page.value("gpuatlas_sharing_leader_lease_duration_seconds") == 15
    assert len(page.labels("gpuatlas_sharing_component_info")) == 2


def test_they_go_with_the_page_and_come_back_with_it(serve: Serve, http: requests.Session) -> None:
    observer = StaticObserver(seen_books("gpu-a"))
    exporter = serve(observer)

    def has_findings() -> bool:
        return f"{FINDING}{{" in http.get(f"{exporter.url}/metrics", timeout=5).text

    poll(lambda: has_findings() or None, deadline_seconds=60, waiting_for="findings")
    observer.replace(Observed(observations=seen_books(), statuses=(), missing=("pods",)))
    poll(lambda: not has_findings() or None, deadline_seconds=60, waiting_for="none")
    assert exporter.loop.published.report is None
    observer.replace(Observed(observations=seen_books("gpu-a"), statuses=()))
    poll(lambda: has_findings() or None, deadline_seconds=60, waiting_for="findings again")


def a_loop(observer: StaticObserver, clock: Clock) -> RefreshLoop:
    return RefreshLoop(
        observer=observer,
        builder=Joiner(),
        settings=QUICK,
        clock=lambda: 1_800_000_000.0,
        monotonic=clock,
    )


def observed(*nodes: str) -> Observed:
    return Observed(observations=seen_books(*nodes), statuses=())


def reported(loop: RefreshLoop) -> list[str]:
    assert loop.published.report is not None
    return books_of(loop.published.report)


def test_a_busy_cluster_is_judged_every_ten_seconds() -> None:
    clock, observer = Clock(), StaticObserver(seen_books("gpu-a"))
    loop = a_loop(observer, clock)
    loop.refresh(changed=True)
    observer.replace(observed("gpu-a", "gpu-b"))
    clock.now += 9.9
    loop.refresh(changed=True)
    assert (reported(loop), loop.published.counts.rounds) == (["gpu-a"], 2)
    clock.now += 0.1
    loop.refresh(changed=False)
    assert (reported(loop), loop.published.counts.rounds) == (["gpu-a", "gpu-b"], 2)


def test_a_quiet_cluster_is_judged_every_half_minute() -> None:
    """A Lease that nobody renews changes nothing, and is a finding when it is old enough."""
    clock, observer = Clock(), StaticObserver(seen_books("gpu-a", mib=100))
    loop = a_loop(observer, clock)
    loop.refresh(changed=True)
    before = loop.published.report
    assert before is not None
    assert before.findings == ()
    abandoned = seen_books("gpu-a", mib=100, layer=a_layer(leases=(a_lease(61.0),)))
    observer.replace(Observed(observations=abandoned, statuses=()))
    clock.now += 29.9
    loop.refresh(changed=False)
    assert loop.published.report is before
    clock.now += 0.1
    loop.refresh(changed=False)
    after = loop.published.report
    assert after is not None
    assert [f.signal for f in after.findings] == ["no-leader"]
    assert loop.published.counts.rounds == 1
    page = loop.published.page
    assert page is not None
    assert b'signal="no-leader"' in b"".join(page.body(Format.TEXT).chunks)


def test_a_new_picture_keeps_the_last_verdict_until_the_next_one() -> None:
    clock, observer = Clock(), StaticObserver(seen_books("gpu-a"))
    loop = a_loop(observer, clock)
    loop.refresh(changed=True)
    observer.replace(observed("gpu-b"))
    clock.now += 1.0
    loop.refresh(changed=True)
    page = loop.published.page
    assert page is not None
    text = b"".join(page.body(Format.TEXT).chunks).decode()
    assert 'gpuatlas_node_info{node="gpu-b"' in text
    assert f'{FINDING}{{check="S14",signal="over-schedulable",node="gpu-a"' in text


class TrippingJoiner:
    """Gives snapshots over which every evaluator trips."""

    def __init__(self) -> None:
        self._joiner = Joiner()

    def build(self, observations: Observations) -> Snapshot:
        snapshot = self._joiner.build(observations)
        return replace(snapshot, nodes=Tripping(snapshot.nodes))


def test_rules_that_fail_keep_no_page_back() -> None:
    loop = RefreshLoop(
        observer=StaticObserver(seen_books("gpu-a")), builder=TrippingJoiner(), settings=QUICK
    )
    loop.refresh(changed=True)
    page = loop.published.page
    assert page is not None
    text = b"".join(page.body(Format.TEXT).chunks).decode()
    assert 'gpuatlas_node_info{node="gpu-a"' in text
    assert 'gpuatlas_check_missing_input_info{check="S14",node="",input="evaluator"' in text
    counts = loop.published.counts
    assert (loop.published.ready, counts.rounds, counts.failures) == (True, 1, 0)


def test_a_fault_of_ours_is_logged_once_for_each_check(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    inputs, clean = seen_books("gpu-a"), Joiner().build(seen_books("gpu-a"))
    checker = Checker(Scope())
    broken = replace(clean, nodes=Tripping(clean.nodes))
    for now in (0.0, 10.0):
        report = checker.judge(inputs, broken, now)
        assert len(report.results) == 17
        states = {r.check: r.state for r in report.results}
        assert states["S14"] is InputState.MISSING
    errors = [r for r in caplog.records if r.levelno == logging.ERROR]
    told = [record.__dict__["check"] for record in errors]
    assert len(told) == len(set(told)) > 0, "the same error is worth one record for each check"
    assert "S14" in told
    caplog.clear()
    assert books_of(checker.judge(inputs, clean, 20.0)) == ["gpu-a"]
    assert {(r.levelno, r.getMessage()) for r in caplog.records} == {
        (logging.INFO, "a check works again")
    }


def test_an_exporter_hides_the_namespaces_of_its_settings(
    serve: Serve, http: requests.Session
) -> None:
    settings = Settings(refresh=QUICK, exclude_namespaces=frozenset({"team-a"}))
    exporter = serve(StaticObserver(seen_books("gpu-a")), settings=settings)
    poll(
        lambda: exporter.loop.published.report, deadline_seconds=60, waiting_for="the first verdict"
    )
    text = http.get(f"{exporter.url}/metrics", timeout=5).text
    assert 'signal="over-schedulable"' in text
    assert "team-a" not in text

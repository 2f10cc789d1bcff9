from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

import pytest
import requests

from gpuatlas.families.exposition import Format
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.checks import CheckReport, InputState
from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.observations import Observations
from gpuatlas.model.snapshot import NodeSnapshot, Snapshot
from gpuatlas.runtime.checking import CLUSTER, Checker
from gpuatlas.runtime.exporter import Exporter
from gpuatlas.runtime.observe import Observed
from gpuatlas.runtime.refresh import RefreshLoop
from gpuatlas.runtime.scope import Scope, Shard
from gpuatlas.runtime.settings import RefreshSettings, Settings
from gpuatlas.runtime.static import StaticObserver
from gpuatlas_harness.checked_books import a_book, a_layer, a_lease, a_tenant, in_books
from gpuatlas_harness.checked_layers import a_plugin_pod, a_shared_node
from gpuatlas_harness.observed import a_device, observations, uuid
from gpuatlas_harness.page import Page
from gpuatlas_harness.polling import poll

Serve = Callable[..., Exporter]
QUICK = RefreshSettings(min_interval_seconds=0.0, tick_seconds=0.01)
NODES = ("gpu-a", "gpu-b", "gpu-c", "gpu-d", "gpu-e")
FINDING = "gpuatlas_finding_info"


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self, now: float = 1_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def seen(*nodes: str, mib: int = 40_000, **changes: object) -> Observations:
    """HAMi nodes with one card each, of which a tenant was promised so much."""
    numbered = list(enumerate(nodes, start=1))
    pods = [
        a_tenant(
            f"t-{name}",
            mib,
            card=number,
            node=name,
            annotations={"hami.io/vgpu-node": name},
        )
        for number, name in numbered
    ]
    values: dict[str, object] = {
        "layer": a_layer(),
        "schedulers": (a_book(in_books(None)),),
    }
    return observations(
        [a_shared_node(name, a_device(number)) for number, name in numbered],
        [*pods, *(a_plugin_pod(name) for name in nodes)],
        **(values | changes),
    )


def judged(inputs: Observations, scope: Scope) -> CheckReport:
    return Checker(scope).judge(inputs, Joiner().build(inputs), 0.0)


def books_of(report: CheckReport) -> list[str]:
    """Nodes whose card is promised beyond what is registered."""
    return [f.node for f in report.findings if f.signal == "over-schedulable"]


def test_the_page_has_the_findings_the_inputs_and_the_layer(
    serve: Serve, http: requests.Session
) -> None:
    exporter = serve(StaticObserver(seen("gpu-a")))
    poll(
        lambda: http.get(f"{exporter.url}/readyz", timeout=5).status_code == 200 or None,
        deadline_seconds=10,
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
    observer = StaticObserver(seen("gpu-a"))
    exporter = serve(observer)

    def has_findings() -> bool:
        return f"{FINDING}{{" in http.get(f"{exporter.url}/metrics", timeout=5).text

    poll(lambda: has_findings() or None, deadline_seconds=10, waiting_for="findings")
    observer.replace(Observed(observations=seen(), statuses=(), missing=("pods",)))
    poll(lambda: not has_findings() or None, deadline_seconds=10, waiting_for="none")
    assert exporter.loop.published.report is None
    observer.replace(Observed(observations=seen("gpu-a"), statuses=()))
    poll(lambda: has_findings() or None, deadline_seconds=10, waiting_for="findings again")


def a_loop(observer: StaticObserver, clock: Clock) -> RefreshLoop:
    return RefreshLoop(
        observer=observer,
        builder=Joiner(),
        settings=QUICK,
        clock=lambda: 1_800_000_000.0,
        monotonic=clock,
    )


def observed(*nodes: str) -> Observed:
    return Observed(observations=seen(*nodes), statuses=())


def reported(loop: RefreshLoop) -> list[str]:
    assert loop.published.report is not None
    return books_of(loop.published.report)


def test_a_busy_cluster_is_judged_every_ten_seconds() -> None:
    clock, observer = Clock(), StaticObserver(seen("gpu-a"))
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
    clock, observer = Clock(), StaticObserver(seen("gpu-a", mib=100))
    loop = a_loop(observer, clock)
    loop.refresh(changed=True)
    before = loop.published.report
    assert before is not None
    assert before.findings == ()
    abandoned = seen("gpu-a", mib=100, layer=a_layer(leases=(a_lease(61.0),)))
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
    clock, observer = Clock(), StaticObserver(seen("gpu-a"))
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


class Tripping(dict[str, NodeSnapshot]):
    """Nodes of a snapshot that no evaluator can look at."""

    def items(self) -> object:  # type: ignore[override]
        raise RuntimeError("a fault of ours")


class TrippingJoiner:
    """Gives snapshots over which every evaluator trips."""

    def __init__(self) -> None:
        self._joiner = Joiner()

    def build(self, observations: Observations) -> Snapshot:
        snapshot = self._joiner.build(observations)
        return replace(snapshot, nodes=Tripping(snapshot.nodes))


def test_rules_that_fail_keep_no_page_back() -> None:
    loop = RefreshLoop(
        observer=StaticObserver(seen("gpu-a")), builder=TrippingJoiner(), settings=QUICK
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
    inputs, clean = seen("gpu-a"), Joiner().build(seen("gpu-a"))
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


def parts(inputs: Observations, count: int) -> list[CheckReport]:
    return [judged(inputs, Scope(Shard(index, count))) for index in range(count)]


def test_each_finding_is_published_by_one_shard() -> None:
    inputs = seen(*NODES, layer=a_layer(leases=(a_lease(999.0),)))
    whole = judged(inputs, Scope())
    shards = parts(inputs, 3)
    together = [finding for part in shards for finding in part.findings]
    assert sorted(together, key=repr) == sorted(whole.findings, key=repr)
    assert len(together) == 6
    for index, part in enumerate(shards):
        shard = Shard(index, 3)
        assert all(shard.owns(finding.node or CLUSTER) for finding in part.findings)
        assert all(shard.owns(node.node) for node in part.nodes)
    assert sorted(n.node for part in shards for n in part.nodes) == list(NODES)


def test_the_layers_objects_are_told_by_one_shard() -> None:
    owner = next(i for i in range(3) if Shard(i, 3).owns(CLUSTER))
    layers = [Checker(Scope(Shard(i, 3))).layer(seen("gpu-a")) for i in range(3)]
    assert [layer != LayerObjects() for layer in layers] == [i == owner for i in range(3)]


def test_pages_that_another_shard_reads_are_not_missing() -> None:
    inputs = seen(*NODES)
    lacking = {lack.node for lack in judged(inputs, Scope()).results[5].missing}
    assert lacking <= set(NODES)
    for index, part in enumerate(parts(inputs, 3)):
        shard = Shard(index, 3)
        for result in part.results:
            assert all(shard.owns(lack.node or CLUSTER) for lack in result.missing)
            assert all(shard.owns(node) for node, _ in result.nodes)
            own = any(lack.check == result.check for lack in result.missing)
            assert (result.state is InputState.MISSING) == own


def test_the_shards_together_say_what_one_process_says() -> None:
    inputs = seen(*NODES)
    shards = parts(inputs, 3)
    for position, result in enumerate(judged(inputs, Scope()).results):
        states = {part.results[position].state for part in shards}
        worst = InputState.MISSING if InputState.MISSING in states else max(states)
        assert worst is result.state


def test_a_fault_in_what_one_shard_has_read_is_told_by_that_shard() -> None:
    inputs = seen(*NODES)
    snapshot = Joiner().build(inputs)
    broken = replace(snapshot, nodes=Tripping(snapshot.nodes))
    for index in range(3):
        part = Checker(Scope(Shard(index, 3))).judge(inputs, broken, 0.0)
        (books,) = [result for result in part.results if result.check == "S14"]
        assert (books.state, [lack.input for lack in books.missing]) == (
            InputState.MISSING,
            ["evaluator"],
        )


def test_excluded_namespaces_leave_no_findings() -> None:
    card_of_nobody = a_tenant("x", 100, card=9, uid="x", namespace="team-b")
    inputs = seen("gpu-a", mib=100)
    inputs = replace(inputs, pods={**inputs.pods, "x": card_of_nobody})
    assert [f.pod for f in judged(inputs, Scope()).findings if f.check == "S14"] == ["x"]
    scope = Scope(excluded_namespaces=frozenset({"team-b"}))
    assert [f for f in judged(inputs, scope).findings if f.check == "S14"] == []


def test_an_exporter_hides_the_namespaces_of_its_settings(
    serve: Serve, http: requests.Session
) -> None:
    settings = Settings(refresh=QUICK, exclude_namespaces=frozenset({"team-a"}))
    exporter = serve(StaticObserver(seen("gpu-a")), settings=settings)
    poll(
        lambda: exporter.loop.published.report, deadline_seconds=10, waiting_for="the first verdict"
    )
    text = http.get(f"{exporter.url}/metrics", timeout=5).text
    assert 'signal="over-schedulable"' in text
    assert "team-a" not in text

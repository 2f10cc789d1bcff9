"""The thread that looks at days, and the judging of what it found."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace

import pytest

from gpuatlas.model.readings import Known
from gpuatlas.model.sizing import Resource, SizingReport, Verdict
from gpuatlas.model.status import SourceStatus
from gpuatlas.runtime.sizing_report import look_back, report_of, serves
from gpuatlas.runtime.sizing_round import SizingReader, SizingRounds
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas_harness.polling import poll
from gpuatlas_harness.recorded import RecordedPrometheus, recorded_prometheus
from gpuatlas_harness.recorded_cluster import (
    GIB,
    NODE,
    add_container,
    add_days,
    add_node,
    add_run,
    workload_of,
)
from gpuatlas_harness.sizing_page import a_sizing_report

NOW = 1_800_000_000.5
REPORT = a_sizing_report()
COMPLETE = replace(REPORT, missing=())


def a_status(error: str = "") -> SourceStatus:
    return SourceStatus(
        source="sizing",
        up=not error,
        last_success_at=NOW,
        read_seconds=0.5,
        error=error,
        targets={},
        rejected={},
    )


class Scripted:
    """A cluster, and a source that gives what a test puts in place."""

    def __init__(self) -> None:
        self.settled = True
        self.report: SizingReport | None = COMPLETE
        self.error = ""
        self.fault: Exception | None = None
        self.reads = 0

    def read(self, now: float) -> tuple[SizingReport | None, SourceStatus]:
        self.reads += 1
        if self.fault is not None:
            raise self.fault
        return None if self.error else self.report, a_status(self.error)


Begin = Callable[[Scripted], SizingRounds]


@pytest.fixture
def changed() -> threading.Event:
    return threading.Event()


def rounds_of(source: Scripted, changed: threading.Event, interval: float) -> SizingRounds:
    return SizingRounds(
        source,
        source,
        changed,
        interval_seconds=interval,
        start_seconds=0.0,
        clock=lambda: NOW,
    )


@pytest.fixture
def begin(changed: threading.Event) -> Iterator[Begin]:
    """Starts rounds that end with the test."""
    with ExitStack() as running:

        def start(source: Scripted) -> SizingRounds:
            rounds = running.enter_context(closing(rounds_of(source, changed, 0.01)))
            rounds.start()
            return rounds

        yield start


def reads(source: Scripted, more: int = 2) -> None:
    """Wait until it was read so often again: the last but one of them is over then."""
    until = source.reads + more
    poll(lambda: source.reads >= until or None, deadline_seconds=15, waiting_for="more reads")


def test_the_last_report_is_at_hand(begin: Begin, changed: threading.Event) -> None:
    source = Scripted()
    rounds = begin(source)
    reads(source)
    assert rounds.last().report is COMPLETE
    assert rounds.last().statuses == (a_status(),)
    assert changed.is_set()


def test_a_report_that_says_the_same_stays_the_same_object(
    begin: Begin, changed: threading.Event
) -> None:
    source = Scripted()
    rounds = begin(source)
    reads(source)
    changed.clear()
    (first, *others) = COMPLETE.nodes
    later = replace(first, safe=Known(1.5, 99.0, "later"))
    source.report = replace(COMPLETE, at=1.0, nodes=(later, *others))
    reads(source)
    assert (rounds.last().report, changed.is_set()) == (COMPLETE, False)
    source.report = replace(COMPLETE, nodes=(replace(first, safe=Known(1.6, 0.0, "x")), *others))
    assert changed.wait(15)
    changed.clear()
    source.report = replace(COMPLETE, missing=("something",))
    assert changed.wait(15)


def test_nothing_is_asked_before_the_cluster_is_known(begin: Begin) -> None:
    source = Scripted()
    source.settled = False
    rounds = begin(source)
    assert (source.reads, rounds.last().report) == (0, None)
    source.settled = True
    reads(source)


def test_a_report_outlives_a_server_that_is_away_for_a_while(
    begin: Begin, changed: threading.Event, caplog: pytest.LogCaptureFixture
) -> None:
    source = Scripted()
    with caplog.at_level(logging.INFO, logger="gpuatlas.runtime.sizing_round"):
        slow = rounds_of(source, changed, 60.0)
        with closing(slow):
            slow.start()
            poll(lambda: slow.last().report, deadline_seconds=15, waiting_for="a report")
            source.error = "HTTP 503"
            slow._read()
            assert slow.last().report is COMPLETE
            assert slow.last().statuses == (a_status("HTTP 503"),)
            source.error = ""
            slow._read()
    assert [(r.levelname, r.getMessage()) for r in caplog.records] == [
        ("WARNING", "cannot read sizing: HTTP 503"),
        ("INFO", "sizing can be read again"),
    ]
    rounds = begin(source)
    reads(source)
    source.error = "HTTP 503"
    poll(lambda: rounds.last().report is None or None, deadline_seconds=15, waiting_for="the end")


def test_an_unexpected_error_is_raised_once_and_outlived(
    begin: Begin, changed: threading.Event
) -> None:
    source = Scripted()
    source.fault = RuntimeError("a mistake of ours")
    rounds = begin(source)
    assert changed.wait(15)
    with pytest.raises(RuntimeError, match="a mistake of ours"):
        rounds.last()
    source.fault = None
    reads(source)
    with contextlib.suppress(RuntimeError):
        rounds.last()  # that of the last bad look, if there was a second one
    reads(source)
    assert rounds.last().report is COMPLETE


@pytest.mark.parametrize(
    ("interval", "failures", "pauses"),
    [
        (3600.0, 0, 3600.0),
        (3600.0, 1, 60.0),
        (3600.0, 3, 240.0),
        (3600.0, 9, 3600.0),
        (90.0, 1, 60.0),
        (90.0, 2, 90.0),
        (3600.0, 5000, 3600.0),
    ],
)
def test_after_a_failure_the_next_look_comes_sooner(
    changed: threading.Event, interval: float, failures: int, pauses: float
) -> None:
    rounds = rounds_of(Scripted(), changed, interval)
    rounds._failures = failures
    assert rounds.pause() == pauses


def test_while_something_is_missing_too(changed: threading.Event) -> None:
    source = Scripted()
    rounds = rounds_of(source, changed, 3600.0)
    rounds._read()
    assert rounds.pause() == 3600.0
    source.report = REPORT
    rounds._read()
    assert rounds.pause() == 300.0
    source.error = "away"
    rounds._read()
    assert rounds.pause() == 60.0


def test_a_close_before_the_start_reads_nothing(changed: threading.Event) -> None:
    source = Scripted()
    rounds_of(source, changed, 1.0).close()
    assert source.reads == 0


# The real source


@pytest.fixture
def prometheus() -> Iterator[RecordedPrometheus]:
    """A HAMi node with a container that needs 5 of its 12 GiB, and a nightly Job."""
    with recorded_prometheus(NOW) as server:
        add_node(server, allocated=12 * GIB)
        add_days(server, add_container(server), [5 * GIB] * 14)
        for ago in range(1, 6):
            add_run(server, f"nightly-{ago}", days_ago=ago, peak=3 * GIB)
        of = {"node": NODE}
        server.days("node:gpuatlas_memory_demand_bytes:max1d", [6 * GIB] * 14, **of)
        server.days("node:gpuatlas_demand_known:ratio1d", [1] * 14, **of)
        yield server


def reader(prometheus: RecordedPrometheus, **changes: object) -> SizingReader:
    return SizingReader(PrometheusSettings(url=prometheus.url), **changes)  # type: ignore[arg-type]


def test_what_was_recorded_is_judged(prometheus: RecordedPrometheus) -> None:
    report, status = reader(prometheus).read(NOW)
    assert (status.source, status.up, status.error, status.rejected) == ("sizing", True, "", {})
    assert status.last_success_at == NOW
    assert report is not None
    assert (report.at, report.window_days, report.missing) == (NOW, 14, ())
    told = {(p.of.name, p.resource): (p.verdict, p.present, p.proposed) for p in report.proposals}
    assert told["chat", Resource.MEMORY] == (Verdict.SMALLER, 12 * GIB, 5.5 * GIB)
    assert told["nightly-*", Resource.MEMORY] == (Verdict.SMALLER, 12 * GIB, 3.5 * GIB)
    promised = {of.name: reserved.memory for of, reserved in report.reservations.items()}
    assert promised == {"chat": 12 * GIB, "nightly-*": 12 * GIB}
    (node,) = report.nodes
    assert node.present == Known(0.5, NOW, "allocated / physical")
    assert node.fits.keys() == {("team-a", "Deployment", "chat")}
    assert isinstance(node.safe, Known)
    assert node.safe.value == pytest.approx(1.8)


def test_hidden_namespaces_are_not_told(prometheus: RecordedPrometheus) -> None:
    chat = workload_of(add_container(prometheus))
    prometheus.days("workload:gpuatlas_slowed_seconds:increase1d", [36_000], **chat)
    shown, _ = reader(prometheus).read(NOW)
    hidden, _ = reader(prometheus, hidden={"team-a"}).read(NOW)
    assert shown is not None
    assert hidden is not None
    assert [c.victim_minutes for c in shown.contended] == [600.0]
    assert (hidden.proposals, hidden.contended, hidden.priorities) == ((), (), ())
    (before,), (after,) = shown.nodes, hidden.nodes
    assert (before.safe, dict(after.fits)) == (after.safe, {})


def test_a_server_that_cannot_be_asked(prometheus: RecordedPrometheus) -> None:
    prometheus.broken = lambda _query: (403, b"no")
    report, status = reader(prometheus).read(NOW)
    assert report is None
    assert (status.up, status.last_success_at) == (False, None)
    assert status.error.startswith(f"HTTP 403 from {prometheus.url}")


def test_several_clusters_would_be_told_as_one(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus, cluster="west")
    report, status = reader(prometheus).read(NOW)
    assert report is None
    assert status.error == (
        'the Prometheus holds several clusters ("", west …): set a matcher for the label cluster, '
        "since sizing is told of this one alone"
    )
    matched = PrometheusSettings(url=prometheus.url, matchers={"cluster": "west"})
    report, status = SizingReader(matched).read(NOW)
    assert (status.error, report and report.proposals) == ("", ())


def test_refused_values_add_up(prometheus: RecordedPrometheus) -> None:
    prometheus.add("node:gpuatlas_memory_demand_bytes:max1d", "NaN", node="gpu-b")
    source = reader(prometheus)
    assert [source.read(NOW)[1].rejected for _ in range(2)] == [{"bad-value": 1}, {"bad-value": 2}]


def test_what_is_missing_is_logged_once(
    prometheus: RecordedPrometheus, caplog: pytest.LogCaptureFixture
) -> None:
    prometheus.samples.clear()
    prometheus.warnings = ["a store is away"]
    source = reader(prometheus)
    for _ in range(2):
        source.read(NOW)
    assert [record.getMessage() for record in caplog.records] == [
        "sizing: a store is away",
        "sizing: gpuatlas_node_info: no series of GPU Atlas: let this Prometheus scrape "
        "`gpuatlas serve`",
    ]


def test_a_fault_of_ours_costs_what_it_was_found_in(
    prometheus: RecordedPrometheus, caplog: pytest.LogCaptureFixture
) -> None:
    look = look_back(PrometheusSettings(url=prometheus.url), now=NOW)
    good = next(h for h in look.histories if h.of.name == "chat")
    bad = replace(good, reservation=None)  # type: ignore[arg-type]
    report = report_of(replace(look, histories=(bad, good, bad)))
    assert {p.of.name for p in report.proposals} == {"chat"}
    assert len(report.nodes) == 1
    assert [record.getMessage() for record in caplog.records] == [
        "sizing failed, the rest is judged",
        "sizing failed 2 times in all",
    ]


@pytest.mark.parametrize(
    ("kind", "runtime", "answers"),
    [
        ("Deployment", "vllm", True),
        ("InferenceService", "unknown", True),
        ("Job", "vllm", False),
        ("Notebook", "jupyter", False),
        ("Deployment", "pytorch", None),
    ],
)
def test_who_answers_requests(kind: str, runtime: str, answers: object) -> None:
    assert serves(kind, runtime) is answers

"""What a look at days found is judged, and what it lacked is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from gpuatlas.model.readings import Known
from gpuatlas.model.sizing import Resource, Verdict
from gpuatlas.runtime.sizing_report import look_back, report_of, serves
from gpuatlas.runtime.sizing_round import SizingReader
from gpuatlas.sources.promapi.settings import PrometheusSettings
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

NOW = 1_800_000_000.5


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

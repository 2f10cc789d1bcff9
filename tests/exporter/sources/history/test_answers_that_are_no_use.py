"""Other servers have other clocks, some do not answer, and what is missing is told."""

from __future__ import annotations

import math

import pytest

from gpuatlas.sources.errors import BadAnswerError, ForbiddenError, UnreachableError
from gpuatlas.sources.history import daily, names, present
from gpuatlas.sources.history.reader import read_history
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas_harness.histories import look, only
from gpuatlas_harness.recorded import DAY, RecordedPrometheus
from gpuatlas_harness.recorded_cluster import GIB, NODE, add_container, add_days, add_node, add_run


def test_days_that_end_at_midnight_and_the_one_that_ends_now(
    prometheus: RecordedPrometheus,
) -> None:
    """Thanos' query frontend moves instants to whole days."""
    add_node(prometheus)
    of = add_container(prometheus)
    midnight = prometheus.now // DAY * DAY
    for back in range(20):
        prometheus.add(names.MEMORY_PEAK, (20 - back) * GIB, midnight - back * DAY, **of)
    prometheus.add(names.MEMORY_PEAK, 21 * GIB, **of)
    prometheus.moves = True
    days = only(prometheus).days
    assert [(day.ends_at, day.memory_peak) for day in days[-2:]] == [
        (midnight, 20 * GIB),
        (prometheus.now, 21 * GIB),
    ]
    assert len(days) == 14
    assert math.isclose(days[0].ends_at, midnight - 12 * DAY)


def test_a_server_that_was_away_at_that_time_of_the_day(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    of = add_container(prometheus)
    for minutes, found in ((59, 1), (61, 0)):
        prometheus.samples = [s for s in prometheus.samples if s[0]["__name__"] != names.PRESENT]
        prometheus.add(names.PRESENT, 1, prometheus.now - 3 * DAY - minutes * 60, **of)
        there = [day for day in only(prometheus).days if day.present]
        assert len(there) == found


def test_warnings_are_told_once(prometheus: RecordedPrometheus) -> None:
    prometheus.warnings = ["a store is away"]
    add_node(prometheus)
    add_run(prometheus, "nightly-1", days_ago=1, peak=GIB)
    assert look(prometheus).warnings == ("a store is away",)


@pytest.mark.parametrize("name", [present.SOURCES[0].names[0], daily.SOURCES[-1].name])
def test_a_query_that_fails_is_an_error(prometheus: RecordedPrometheus, name: str) -> None:
    prometheus.broken = lambda query: (403, b"no") if name in query else None
    with pytest.raises(ForbiddenError, match="HTTP 403"):
        look(prometheus)


def test_an_answer_of_something_else_is_an_error(prometheus: RecordedPrometheus) -> None:
    prometheus.broken = lambda _query: (200, b"<html>")
    with pytest.raises(BadAnswerError, match="check the URL"):
        look(prometheus)


def test_nobody_listens() -> None:
    with pytest.raises(UnreachableError, match="Connection refused"):
        read_history(PrometheusSettings(url="http://127.0.0.1:9"), now=0.0)


# What is missing


def test_an_empty_server(prometheus: RecordedPrometheus) -> None:
    found = look(prometheus)
    assert (found.histories, found.nodes, found.clusters, found.at) == ((), (), (), 0.0)
    assert found.missing == (
        "gpuatlas_node_info: no series of GPU Atlas: let this Prometheus scrape `gpuatlas serve`",
    )


def test_labels_that_a_scrape_renamed(prometheus: RecordedPrometheus) -> None:
    prometheus.add(names.NODE_INFO, 1, node="worker", exported_node=NODE, sharing="hami")
    (told,) = look(prometheus).missing
    assert told.endswith("set honorLabels: true for it")


def test_rules_that_are_not_loaded(prometheus: RecordedPrometheus) -> None:
    prometheus.add(names.NODE_INFO, 1, node=NODE, sharing="hami")
    (told,) = look(prometheus).missing
    assert told.startswith("cluster:gpuatlas_watched:ratio1d: no recording of ours")


def test_no_use_of_memory_was_recorded(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus, cluster="west")
    add_node(prometheus, cluster="east")
    add_container(prometheus, cluster="west")
    add_days(prometheus, add_container(prometheus, cluster="east"), [GIB])
    (told,) = look(prometheus).missing
    assert told.startswith(
        "cluster west: container:gpuatlas_memory_used_bytes:max1d: no memory use of a container"
    )


def test_no_host_memory_was_recorded(prometheus: RecordedPrometheus) -> None:
    for sharing, told in (("plain", 0), ("hami", 1)):
        prometheus.samples.clear()
        add_node(prometheus, sharing=sharing)
        prometheus.samples = [
            s for s in prometheus.samples if s[0]["__name__"] != names.HOST_AVAILABLE
        ]
        missing = look(prometheus).missing
        assert len(missing) == told
        assert all("let this Prometheus scrape node_exporter" in text for text in missing)


def test_a_matcher_that_no_recording_has(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus, cluster="west")
    told = look(prometheus, job="gpu", cluster="west").missing
    assert told[0].startswith("--prometheus-matcher job=gpu: recordings have no such label")
    assert look(prometheus, cluster="west").missing == ()

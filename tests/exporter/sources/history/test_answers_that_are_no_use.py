"""Bad values cost themselves, other servers have other clocks, and what is missing is told."""

from __future__ import annotations

import json
import math

import pytest

from gpuatlas.model.sizing import History
from gpuatlas.sources.errors import BadAnswerError, ForbiddenError, UnreachableError
from gpuatlas.sources.history import daily, names, present
from gpuatlas.sources.history.look import HistoryLook
from gpuatlas.sources.history.reader import read_history
from gpuatlas.sources.promapi.client import Point, Series
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas_harness.recorded import DAY, RecordedPrometheus
from gpuatlas_harness.recorded_cluster import (
    GIB,
    NODE,
    add_container,
    add_days,
    add_node,
    add_run,
    workload_of,
)


def look(prometheus: RecordedPrometheus, **matchers: str) -> HistoryLook:
    return read_history(PrometheusSettings(url=prometheus.url, matchers=matchers), now=0.0)


def only(prometheus: RecordedPrometheus) -> History:
    (history,) = look(prometheus).histories
    return history


# Bad values

ABSURD = {
    names.MEMORY_PEAK: ("NaN", "-1", "+Inf", "1.8446744073709552e19", "3e12", "many"),
    names.COMPUTE_P95: ("NaN", "-0.1", "101"),
    names.CARDS_USED: ("NaN", "-1", "1e9"),
    names.REPLICAS: ("NaN", "-1", "1e9"),
    names.PRESENT: ("NaN", "-0.5", "1.2"),
    names.MEASURED: ("NaN", "-0.5", "1.2", "+Inf"),
    names.LIMIT_HIT: ("NaN", "2", "-1"),
    names.WATCHED: ("NaN", "1.2"),
    names.RESTARTS: ("NaN", "-1", "1e9"),
    names.CACHE_USED: ("NaN", "-1", "1.2"),
    names.SLOWED: ("NaN", "-1", "100000"),
    names.SUSPECTED: ("NaN", "-1", "100000"),
    names.DEMAND: ("NaN", "-1", "1e18"),
    names.DEMAND_KNOWN: ("NaN", "2"),
    names.HOST_AVAILABLE: ("NaN", "-1", "1e18"),
}
PRESENT_ABSURD = {
    names.RESERVED: ("NaN", "-1", "3e12"),
    names.COMPUTE_RESERVED: ("NaN", "-1", "101"),
    names.PROMISES: ("NaN", "-1", "1e9"),
    names.CARD_MEMORY: ("NaN", "-1", "3e12"),
    names.CARD_ALLOCATED: ("NaN", "-1", "3e12"),
    names.MEMORY_AHEAD: ("NaN", "-1", "1.2"),
    names.CACHE_POOL: ("NaN", "-1", "3e12"),
    names.WORKLOAD_PODS: ("NaN", "-1"),
    names.CARDS_REQUESTED: ("NaN", "-1"),
}


def test_every_recording_of_numbers_has_its_bad_values() -> None:
    words = {names.REVISION, names.RUN_GROUP}
    assert {source.name for source in daily.SOURCES} - words == ABSURD.keys()


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in ABSURD.items() for value in values]
)
def test_a_day_that_cannot_be_is_left_out(name: str, value: str) -> None:
    (source,) = [source for source in daily.SOURCES if source.name == name]
    told = {"workload_kind": "Job", "namespace": "team-a", "workload": "x", "node": NODE}
    table = daily.Daily()
    assert source.put(table, [Series({"__name__": name, **told}, {1.0: value, 2.0: "1"})]) == 1
    rows = [row for field in table.__slots__ for row in getattr(table, field).values()]
    assert rows == [{2.0: 1}]


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, values in PRESENT_ABSURD.items() for value in values],
)
def test_a_present_value_that_cannot_be_is_left_out(name: str, value: str) -> None:
    (source,) = [source for source in present.SOURCES if source.names == (name,)]
    told = {"workload_kind": "Job", "namespace": "team-a", "workload": "x", "phase": "Running"}
    there = present.Present()
    source.take(there, [Point({"__name__": name, **told}, float(value), 1.0)])
    assert there == present.Present(refused=1)


def test_what_was_refused_is_counted_and_the_rest_stays(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    of = add_container(prometheus)
    add_days(prometheus, of, [GIB, GIB])
    before = look(prometheus)
    prometheus.add(names.MEMORY_PEAK, "NaN", prometheus.now - 5 * DAY, **of)
    prometheus.add(names.RESERVED, "-1", **of, replica="b")
    after = look(prometheus)
    assert (before.refused, after.refused) == (0, 2)
    assert after.histories == before.histories


def test_a_share_a_little_above_one_is_one(prometheus: RecordedPrometheus) -> None:
    """361 evaluations of a day's 360."""
    add_node(prometheus)
    of = add_container(prometheus)
    prometheus.days(names.PRESENT, [361 / 360], **of)
    assert [day.present for day in only(prometheus).days] == [1.0]


@pytest.mark.parametrize("value", ["NaN", "-1", "0.5"])
def test_a_limit_that_is_not_surely_in_force_is_not(
    prometheus: RecordedPrometheus, value: str
) -> None:
    add_node(prometheus)
    add_container(prometheus)
    of = {"namespace": "team-a", "pod": "chat-0", "container": "main", "resource": "memory"}
    prometheus.add(names.ISOLATED, value, **of)
    assert only(prometheus).reservation.limited is False


@pytest.mark.parametrize("size", ["None", "", "-5", "1e9", "9" * 20, "٣"])
def test_a_cache_size_in_words_is_none(prometheus: RecordedPrometheus, size: str) -> None:
    add_node(prometheus)
    add_container(prometheus, runtime="vllm")
    labels = {"namespace": "team-a", "pod": "chat-0", "gpu_memory_utilization": "0.9"}
    prometheus.add(names.VLLM_CACHE[0], 1, **labels, kv_cache_memory_bytes=size)
    taken = only(prometheus).taken_ahead
    assert taken is not None
    assert (taken.share, taken.pool_bytes) == (0.9, None)


@pytest.mark.parametrize("share", ["0", "1.5", "-0.5", "NaN", "most", "$SHARE"])
def test_a_share_that_cannot_be_is_none(prometheus: RecordedPrometheus, share: str) -> None:
    add_node(prometheus)
    add_container(prometheus, runtime="vllm")
    labels = {"namespace": "team-a", "pod": "chat-0"}
    prometheus.add(names.VLLM_CACHE[0], 1, **labels, gpu_memory_utilization=share)
    assert only(prometheus).taken_ahead is None


# Bad labels


@pytest.mark.parametrize("missing", ["namespace", "workload_kind", "workload"])
def test_recordings_of_nobody_are_nobodys(prometheus: RecordedPrometheus, missing: str) -> None:
    add_node(prometheus)
    of = add_container(prometheus)
    add_days(prometheus, {k: v for k, v in of.items() if k != missing}, [GIB])
    assert only(prometheus).days == ()


def test_allocations_of_pods_of_nobody_are_nobodys(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    prometheus.add(names.ALLOCATION_INFO, 1, namespace="team-a", pod="chat-0", container="main")
    prometheus.add(names.POD_WORKLOAD, 1, namespace="team-a", pod="chat-0")
    prometheus.add(names.ALLOCATION_INFO, 1, container="main")
    assert look(prometheus).histories == ()


@pytest.mark.parametrize("name", ["exported_pod", "exported_node"])
def test_allocations_with_renamed_labels_are_of_the_exporter(
    prometheus: RecordedPrometheus, name: str
) -> None:
    add_node(prometheus)
    workload = workload_of(add_container(prometheus))
    prometheus.add(names.POD_WORKLOAD, 1, **workload, pod="exporter-0")
    prometheus.add(
        names.ALLOCATION_INFO, 1, namespace="team-a", pod="exporter-0", container="serve",
        node=NODE, card="GPU-x", **{name: "chat-0"},
    )  # fmt: skip
    assert [h.of.container for h in look(prometheus).histories] == ["main"]


def test_names_are_one_line_and_not_endless(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    add_container(prometheus, "a\nb" + "x" * 300, container="c\x00")
    of = only(prometheus).of
    assert (len(of.name), of.name[:3], of.name[-1]) == (253, "a\N{REPLACEMENT CHARACTER}b", "…")
    assert of.container == "c\N{REPLACEMENT CHARACTER}"


# Other servers


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


def test_entries_of_another_shape_are_counted(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    result = [{"metric": {"__name__": names.DEMAND}, "histograms": []}, 5]
    body = json.dumps({"data": {"resultType": "matrix", "result": result}}).encode()
    prometheus.broken = lambda query: (200, body) if names.DEMAND in query else None
    assert look(prometheus).refused == 2


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
    assert told.startswith("cluster:gpuatlas_watched:ratio1d: the recording rules are not loaded")


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

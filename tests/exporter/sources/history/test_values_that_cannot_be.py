"""Bad values of a Prometheus cost themselves, and are counted."""

from __future__ import annotations

import json

import pytest

from gpuatlas.sources.history import daily, names, present
from gpuatlas.sources.promapi.client import Point, Series
from gpuatlas_harness.histories import look, only
from gpuatlas_harness.recorded import DAY, RecordedPrometheus
from gpuatlas_harness.recorded_cluster import (
    GIB,
    NODE,
    add_container,
    add_days,
    add_node,
    workload_of,
)

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


def test_entries_of_another_shape_are_counted(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    result = [{"metric": {"__name__": names.DEMAND}, "histograms": []}, 5]
    body = json.dumps({"data": {"resultType": "matrix", "result": result}}).encode()
    prometheus.broken = lambda query: (200, body) if names.DEMAND in query else None
    assert look(prometheus).refused == 2

"""What is promised and what was recorded, put together as one history for each container."""

from __future__ import annotations

from gpuatlas.model.sizing import Day, History, Reservation, SizedContainer
from gpuatlas.model.snapshot import Sharing
from gpuatlas.sources.history.reader import read_history
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas_harness.histories import look, only
from gpuatlas_harness.recorded import DAY, RecordedPrometheus
from gpuatlas_harness.recorded_cluster import (
    CARD,
    GIB,
    MODEL,
    NODE,
    PHYSICAL,
    add_container,
    add_days,
    add_node,
    workload_of,
)


def test_a_container_with_two_weeks_behind_it(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    of = add_container(prometheus, pods=("chat-0", "chat-1"))
    add_days(prometheus, of, [5 * GIB + n for n in range(14)], replicas=2)
    workload = workload_of(of)
    prometheus.days("workload:gpuatlas_restarts:increase1d", [0] * 13 + [2], **workload)
    prometheus.days("workload:gpuatlas_kv_cache_used_ratio:max1d", [0.5] * 14, **workload)
    prometheus.days(
        "workload:gpuatlas_workload_revision:group", [1] * 14, **workload, revision="6c5d"
    )

    found = look(prometheus)
    assert found.at == prometheus.now
    assert (found.window_days, found.missing, found.refused) == (14, (), 0)
    (history,) = found.histories
    assert history == History(
        of=SizedContainer(
            cluster="", namespace="team-a", kind="Deployment", name="chat", container="main"
        ),
        reservation=Reservation(
            sharing=Sharing.HAMI,
            memory=12 * GIB,
            compute=0.5,
            cards=1,
            containers=2,
            card_memory=PHYSICAL,
            card_model=MODEL,
            node_names=(NODE,),
        ),
        days=tuple(
            Day(
                ends_at=prometheus.now - (13 - n) * DAY,
                memory_peak=5 * GIB + n,
                compute_p95=0.25,
                present=1.0,
                watched=1.0,
                measured=1.0,
                replicas=2,
                kv_cache_peak=0.5,
                restarts=2 if n == 13 else 0,
                revisions=frozenset({"6c5d"}),
            )
            for n in range(14)
        ),
        runtime="pytorch",
    )


def test_a_container_that_is_new_has_no_days(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    add_container(prometheus)
    assert only(prometheus).days == ()


def test_days_reach_back_as_far_as_the_window(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    add_days(prometheus, add_container(prometheus), [GIB] * 40)
    settings = PrometheusSettings(url=prometheus.url)
    for days in (1, 14, 30):
        (history,) = read_history(settings, now=0.0, window_days=days).histories
        assert len(history.days) == days


def test_containers_of_one_pod_are_told_apart(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    add_days(prometheus, add_container(prometheus, container="main"), [2 * GIB])
    add_days(prometheus, add_container(prometheus, container="draft", memory=4 * GIB), [GIB])
    found = look(prometheus).histories
    assert [(h.of.container, h.reservation.memory, h.days[0].memory_peak) for h in found] == [
        ("draft", 4 * GIB, GIB),
        ("main", 12 * GIB, 2 * GIB),
    ]


def test_a_pod_whose_container_nobody_knows(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    add_days(prometheus, add_container(prometheus, container=""), [GIB])
    assert (only(prometheus).of.container, len(only(prometheus).days)) == ("", 1)


def test_workloads_without_a_promise_now_have_no_history(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    gone = {"namespace": "team-a", "workload_kind": "Deployment", "workload": "gone"}
    add_days(prometheus, {**gone, "container": "main"}, [GIB] * 3)
    assert look(prometheus).histories == ()


def test_clusters_are_told_apart(prometheus: RecordedPrometheus) -> None:
    for cluster, peak in (("west", 3), ("east", 2), ("", 1)):
        add_node(prometheus, cluster=cluster)
        add_days(prometheus, add_container(prometheus, cluster=cluster), [peak * GIB])
    found = look(prometheus)
    assert found.clusters == ("", "east", "west")
    assert [(h.of.cluster, h.days[0].memory_peak) for h in found.histories] == [
        ("", GIB),
        ("east", 2 * GIB),
        ("west", 3 * GIB),
    ]
    (matched,) = look(prometheus, cluster="east").histories
    assert matched.of.cluster == "east"


def test_replicas_of_a_prometheus_say_it_twice(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    of = add_container(prometheus)
    add_days(prometheus, {**of, "replica": "a"}, [GIB])
    add_days(prometheus, {**of, "replica": "b"}, [2 * GIB])
    prometheus.add(
        "gpuatlas_allocation_info", 1, namespace="team-a", pod="chat-0", container="main",
        node=NODE, card=CARD, partition="vgpu", evidence="annotation", replica="b",
    )  # fmt: skip
    history = only(prometheus)
    assert [day.memory_peak for day in history.days] == [2 * GIB]
    assert (history.reservation.cards, history.reservation.containers) == (1, 1)

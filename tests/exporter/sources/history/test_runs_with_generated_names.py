"""Runs have histories of their own, a group in common, and promises although they are over."""

from __future__ import annotations

from gpuatlas.model.sizing import Day, History, Reservation, SizedContainer
from gpuatlas.model.snapshot import Sharing
from gpuatlas.sources.history.daily import Daily
from gpuatlas.sources.history.labels import WorkloadKey
from gpuatlas.sources.history.reader import read_history
from gpuatlas.sources.history.runs import groups_of
from gpuatlas.sources.promapi.settings import PrometheusSettings
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
    add_run,
    workload_of,
)


def histories(prometheus: RecordedPrometheus) -> tuple[History, ...]:
    return read_history(PrometheusSettings(url=prometheus.url), now=0.0).histories


def test_a_run_that_ended_days_ago(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    add_run(prometheus, "nightly-28912345", days_ago=3, peak=6 * GIB)
    assert histories(prometheus) == (
        History(
            of=SizedContainer(
                cluster="",
                namespace="team-a",
                kind="Job",
                name="nightly-28912345",
                container="main",
                group="Job/nightly-*",
            ),
            reservation=Reservation(
                sharing=Sharing.HAMI,
                memory=12 * GIB,
                compute=None,
                cards=1,
                containers=1,
                card_memory=PHYSICAL,
                card_model=MODEL,
                node_names=(NODE,),
            ),
            days=(
                Day(
                    ends_at=prometheus.now - 3 * DAY,
                    memory_peak=6 * GIB,
                    compute_p95=None,
                    present=2 / 24,
                    watched=1.0,
                    measured=1.0,
                    replicas=1,
                    runs=frozenset({"nightly-28912345"}),
                ),
            ),
            runtime="pytorch",
        ),
    )


def test_runs_of_a_group_and_what_goes_on(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    add_days(prometheus, add_container(prometheus), [GIB])
    for ago in (1, 2):
        add_run(prometheus, f"nightly-{9 - ago}", days_ago=ago, peak=ago * GIB)
    found = histories(prometheus)
    assert [(h.of.kind, h.of.name, h.of.group) for h in found] == [
        ("Deployment", "chat", ""),
        ("Job", "nightly-7", "Job/nightly-*"),
        ("Job", "nightly-8", "Job/nightly-*"),
    ]
    assert [len(h.days) for h in found] == [1, 1, 1]


def test_runs_that_failed_are_none_that_were_completed(prometheus: RecordedPrometheus) -> None:
    """Three that broke off in their first minutes would be sized by what they had by then."""
    add_node(prometheus)
    for ago in (1, 2, 3):
        add_run(prometheus, f"train-{ago}", days_ago=ago, peak=GIB, phase="Failed")
    assert [day.runs for h in histories(prometheus) for day in h.days] == [frozenset()] * 3


def test_a_run_that_goes_on_is_not_over(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    of = add_container(prometheus, "train-x7k2p", kind="PyTorchJob", memory=8 * GIB)
    add_days(prometheus, of, [GIB, 2 * GIB])
    workload = workload_of(of)
    prometheus.add("workload:gpuatlas_workload_run_group:group", 1, **workload, group="train")
    (history,) = histories(prometheus)
    assert history.of.group == "PyTorchJob/train-*"
    assert [day.runs for day in history.days] == [frozenset(), frozenset()]
    assert history.reservation.memory == 8 * GIB


def test_nothing_is_asked_about_the_past_of_what_goes_on(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    add_days(prometheus, add_container(prometheus), [GIB])
    histories(prometheus)
    assert "workload:gpuatlas_card_info:group" not in prometheus.names()
    add_run(prometheus, "nightly-1", days_ago=1, peak=GIB, kind="Job.batch.volcano.sh")
    prometheus.asked.clear()
    histories(prometheus)
    past = [form["query"] for _, form in prometheus.asked if "1209600s" in form["query"]]
    assert past == [
        f'last_over_time({name}{{workload_kind=~"Job\\\\.batch\\\\.volcano\\\\.sh"}}[1209600s])'
        for name in (
            "container:gpuatlas_memory_reserved_bytes:max",
            "container:gpuatlas_compute_reserved_ratio:max",
            "container:gpuatlas_allocations:count",
            "gpuatlas_workload_info",
            "workload:gpuatlas_card_info:group",
        )
    ] + [
        'last_over_time(gpuatlas_workload_pods{phase=~"Succeeded",'
        'workload_kind=~"Job\\\\.batch\\\\.volcano\\\\.sh"}[1209600s])'
    ]


def test_the_cards_of_a_run_that_is_over(prometheus: RecordedPrometheus) -> None:
    """Two pods on two nodes, with two cards each, as far as anybody can tell."""
    cards = ("GPU-0", "GPU-1")
    other = ("GPU-2", "GPU-3")
    add_node(prometheus, cards=cards, model="H100")
    add_node(prometheus, "gpu-b", cards=other, model="H100", sharing="plain")
    of = add_run(prometheus, "big-x7k2p", days_ago=1, peak=GIB, card="GPU-0")
    at = prometheus.now - DAY - 7200
    for node, held in ((NODE, cards), ("gpu-b", other)):
        for card in held:
            prometheus.add(
                "workload:gpuatlas_card_info:group", 1, at, **workload_of(of), node=node, card=card
            )
    prometheus.add("container:gpuatlas_allocations:count", 4, at + 60, **of)
    reservation = histories(prometheus)[0].reservation
    assert (reservation.cards, reservation.containers) == (2, 4)
    assert (reservation.sharing, reservation.card_model) == (Sharing.UNKNOWN, "H100")
    assert reservation.node_names == (NODE, "gpu-b")


def test_a_run_of_which_only_its_group_is_known(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    workload = {"namespace": "team-a", "workload_kind": "Job", "workload": "quick-1"}
    prometheus.add("workload:gpuatlas_workload_run_group:group", 1, **workload, group="quick")
    assert histories(prometheus) == ()


def test_a_card_that_left_is_not_known(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    add_run(prometheus, "nightly-1", days_ago=1, peak=GIB, card="GPU-gone")
    reservation = histories(prometheus)[0].reservation
    assert (reservation.sharing, reservation.card_memory, reservation.card_model) == (
        Sharing.UNKNOWN,
        None,
        "",
    )
    assert CARD not in reservation.node_names


def test_the_last_group_of_a_run_counts() -> None:
    run = WorkloadKey("", "a", "Job", "x-1")
    daily = Daily(run_groups={run: {1.0: {"old"}, 2.0: {"new", "newer"}}})
    assert groups_of(daily) == {run: "Job/new-*"}

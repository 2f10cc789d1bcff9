"""Runs with generated names are one history."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gpuatlas.model.sizing import CannotReason, Day, History, Resource, TakenAhead, Verdict
from gpuatlas.sizing.judge import size
from gpuatlas.sizing.runs import merge_runs
from gpuatlas_harness.truth.sizing_build import (
    GIB,
    NOON,
    a_container,
    a_day,
    a_history,
    a_reservation,
)


def a_run(ago: int, group: str = "CronJob/nightly", **fields: Any) -> History:
    """It ran on one day, and its name tells which."""
    name = f"nightly-{ago}"
    day = a_day(ago, present=0.25, runs=frozenset({name}), **fields)
    gone = a_day(ago + 1, present=0.0, memory_peak=None, compute_p95=None, measured=0.0)
    return a_history((gone, day), of=a_container(kind="Job", name=name, group=group))


def test_runs_of_a_group_are_sized_together() -> None:
    runs = [a_run(4), a_run(2, memory_peak=6 * GIB), a_run(1)]
    memory, compute = size(runs)
    assert (memory.verdict, memory.peak, memory.window_days) == (Verdict.SMALLER, 6 * GIB, 0.75)
    assert compute.resource is Resource.COMPUTE
    assert (memory.of.kind, memory.of.name, memory.of.group) == (
        "CronJob",
        "nightly",
        "CronJob/nightly",
    )


def test_a_pattern_is_the_name_of_runs_without_an_owner() -> None:
    (merged,) = merge_runs([a_run(1, "nightly-*"), a_run(2, "nightly-*")])
    assert (merged.of.kind, merged.of.name) == ("Job", "nightly-*")


def test_others_stay_as_they_are() -> None:
    alone = a_history()
    other = a_history(of=a_container(name="other"))
    assert merge_runs([alone, other]) == (alone, other)
    assert merge_runs([]) == ()


def test_groups_containers_and_namespaces_are_told_apart() -> None:
    one, two = a_run(1), a_run(2, "nightly-*")
    third = a_history(one.days, of=a_container(kind="Job", group="CronJob/nightly", container="b"))
    fourth = a_history(
        one.days, of=a_container(kind="Job", group="CronJob/nightly", namespace="team-b")
    )
    assert len(merge_runs([one, two, third, fourth])) == 4


def test_the_promise_is_that_of_the_latest_run() -> None:
    old = a_run(3)
    new = a_history(
        (a_day(1), a_day(0, present=0.0)),
        a_reservation(memory=8 * GIB),
        of=a_container(kind="Job", name="nightly-1", group="CronJob/nightly"),
    )
    (merged,) = merge_runs([new, old])
    assert merged.reservation.memory == 8 * GIB
    assert [day.ends_at for day in merged.days] == sorted(d.ends_at for d in merged.days)


def test_what_a_larger_run_used_passes_no_limit_of_a_smaller_one() -> None:
    """A prefix holds different jobs together: 30 of its 40 GiB are no 30 of 10 GiB."""
    large = [
        replace(a_run(ago, memory_peak=30 * GIB), reservation=a_reservation(memory=40 * GIB))
        for ago in (2, 3, 4)
    ]
    small = replace(a_run(1, memory_peak=8 * GIB), reservation=a_reservation(memory=10 * GIB))
    memory, _ = size([*large, small])
    assert (memory.verdict, memory.reason) == (Verdict.CANNOT, CannotReason.NOT_PROMISED)


def test_a_limit_that_no_run_is_held_to_is_still_told() -> None:
    runs = [
        replace(a_run(ago, memory_peak=30 * GIB), reservation=a_reservation(memory=10 * GIB))
        for ago in (1, 2, 3)
    ]
    memory, _ = size(runs)
    assert memory.verdict is Verdict.LARGER


def test_the_cache_of_one_run_is_none_of_another() -> None:
    plain = [a_run(ago, memory_peak=15 * GIB, kv_cache_peak=0.1) for ago in (2, 3, 4)]
    cached = replace(
        a_run(1, memory_peak=15 * GIB, kv_cache_peak=0.1),
        runtime="vllm",
        taken_ahead=TakenAhead(runtime="vllm", share=0.95, pool_bytes=12 * GIB),
    )
    memory, _ = size([*plain, cached])
    assert (memory.verdict, memory.reason) == (Verdict.CANNOT, CannotReason.MEMORY_TAKEN_AHEAD)


def test_the_same_day_of_two_runs() -> None:
    one = a_run(
        0,
        compute_p95=0.3,
        measured=1.0,
        replicas=1,
        watched=0.99,
        restarts=1,
        kv_cache_peak=0.2,
        cards_used=2,
    )
    two = a_run(
        0,
        memory_peak=5 * GIB,
        measured=0.6,
        replicas=3,
        watched=0.98,
        restarts=None,
        limit_hit=True,
        revisions=frozenset({"b"}),
    )
    twin = a_history((a_day(0, present=0.25, runs=frozenset({"x"}), memory_peak=None),), of=two.of)
    (merged,) = merge_runs([one, two, twin])
    assert merged.days[-1] == Day(
        ends_at=NOON,
        memory_peak=5 * GIB,
        compute_p95=0.3,
        present=0.75,
        watched=0.98,
        measured=(1.0 + 3 * 0.6 + 1.0) / 5,
        replicas=3,
        kv_cache_peak=0.2,
        limit_hit=True,
        restarts=1,
        revisions=frozenset({"a", "b"}),
        runs=frozenset({"nightly-0", "x"}),
        cards_used=2,
    )


def test_a_day_on_which_none_was_there() -> None:
    gone = [
        a_history(
            (a_day(0, present=0.0, memory_peak=None, watched=watched, measured=0.0),),
            of=a_container(kind="Job", group="CronJob/nightly", name=name),
        )
        for name, watched in (("a", 1.0), ("b", 0.9))
    ]
    (merged,) = merge_runs(gone)
    assert (merged.days[0].present, merged.days[0].watched) == (0.0, 0.9)
    assert (merged.days[0].measured, merged.days[0].memory_peak) == (0.0, None)

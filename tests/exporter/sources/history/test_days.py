"""The days of a container, and what a day that lacks something counts as."""

from __future__ import annotations

from gpuatlas.model.sizing import Day
from gpuatlas.sources.history.daily import Daily
from gpuatlas.sources.history.days import days_of
from gpuatlas.sources.history.labels import ContainerKey, WorkloadKey

WORKLOAD = WorkloadKey("", "team-a", "Deployment", "chat")
CHAT = ContainerKey(WORKLOAD, "main")
INSTANTS = (1.0, 2.0, 3.0, 4.0)


def a_day(at: float, **changes: object) -> Day:
    fields: dict[str, object] = {
        "ends_at": at,
        "memory_peak": None,
        "compute_p95": None,
        "present": 0.0,
        "watched": 0.0,
        "measured": 0.0,
        "replicas": 0,
    }
    return Day(**(fields | changes))  # type: ignore[arg-type]


def test_nothing_is_known_of_it() -> None:
    assert days_of(CHAT, Daily(watched={"": dict.fromkeys(INSTANTS, 1.0)}), INSTANTS) == ()


def test_what_a_day_lacks_counts_as_not_seen() -> None:
    daily = Daily(memory_peak={CHAT: {2.0: 7}}, compute_p95={CHAT: {3.0: 0.5}})
    assert days_of(CHAT, daily, INSTANTS) == (
        a_day(2.0, memory_peak=7),
        a_day(3.0, compute_p95=0.5),
    )


def test_a_day_on_which_it_was_not_there_is_one_that_somebody_watched() -> None:
    daily = Daily(
        present={CHAT: {2.0: 1.0}},
        watched={"": {1.0: 1.0, 2.0: 0.9, 3.0: 0.8, 4.0: 0.0}, "other": {4.0: 1.0}},
    )
    assert days_of(CHAT, daily, INSTANTS) == (
        a_day(2.0, present=1.0, watched=0.9),
        a_day(3.0, watched=0.8),
    )
    assert days_of(CHAT, daily, INSTANTS, pauses=False) == (a_day(2.0, present=1.0, watched=0.9),)


def test_instants_outside_the_window_have_no_day() -> None:
    assert days_of(CHAT, Daily(replicas={CHAT: {0.5: 1, 9.0: 1}}), INSTANTS) == ()


def test_what_is_of_the_workload_is_of_each_of_its_containers() -> None:
    daily = Daily(
        replicas={CHAT: {1.0: 3}},
        cards_used={CHAT: {1.0: 2}},
        limit_hit={CHAT: {1.0: 1}},
        restarts={WORKLOAD: {1.0: 2}},
        cache_used={WORKLOAD: {1.0: 0.75}},
        revisions={WORKLOAD: {1.0: {"a", "b"}, 2.0: {"c"}}},
    )
    assert days_of(CHAT, daily, INSTANTS) == (
        a_day(
            1.0,
            replicas=3,
            cards_used=2,
            limit_hit=True,
            restarts=2,
            kv_cache_peak=0.75,
            revisions=frozenset({"a", "b"}),
        ),
    )


def test_all_instants_of_all_tables_are_days() -> None:
    daily = Daily(slowed={WORKLOAD: {5.0: 1.0}}, run_groups={WORKLOAD: {4.0: {"a"}}})
    assert daily.instants() == (4.0, 5.0)
    assert Daily().instants() == ()

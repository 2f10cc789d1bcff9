from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.demo.lifecycle import CREATING_SECONDS, jobs_of, pods_at
from gpuatlas.demo.scenario import Scenario
from gpuatlas.demo.scenario_file import load_scenario
from gpuatlas.demo.state import PodState

DAY = 86_400
SCENARIO = load_scenario()


def pods_of(scenario: Scenario, name: str, at: float) -> list[PodState]:
    return [pod for pod in pods_at(scenario, 7, at) if pod.workload.name == name]


@settings(deadline=None, max_examples=60)
@given(st.integers(int(SCENARIO.since), int(SCENARIO.since) + 400 * DAY))
def test_names_and_uids_are_unique_and_nobody_is_from_the_future(at: int) -> None:
    pods = pods_at(SCENARIO, 7, at)
    assert len({(pod.workload.namespace, pod.name) for pod in pods}) == len(pods)
    assert len({pod.uid for pod in pods}) == len(pods)
    for pod in pods:
        assert SCENARIO.since <= pod.created_at <= at
        assert pod.finished_at is None or pod.created_at < pod.finished_at <= at
        assert (pod.finished_at is not None) == (pod.phase in {"Succeeded", "Failed"})


def test_most_pods_live_on_from_one_hour_to_the_next(scenario: Scenario, thursday: float) -> None:
    now, later = ({pod.uid for pod in pods_at(scenario, 7, thursday + s)} for s in (0, 3600))
    assert len(now & later) > 0.7 * len(now)
    assert now != later


def test_a_pod_is_replaced_under_a_new_name(scenario: Scenario, thursday: float) -> None:
    (now,) = pods_of(scenario, "chat-7b", thursday)
    (later,) = pods_of(scenario, "chat-7b", thursday + 6 * DAY)
    assert now.name.rsplit("-", 1)[0] == later.name.rsplit("-", 1)[0]
    assert now.name != later.name
    assert now.uid != later.uid


def test_a_stateful_pod_keeps_its_name(scenario: Scenario, thursday: float) -> None:
    (now,) = pods_of(scenario, "notebook-ann", thursday)
    (later,) = pods_of(scenario, "notebook-ann", thursday + 6 * DAY)
    assert now.name == later.name == "notebook-ann-0"
    assert now.uid != later.uid


def test_a_new_pod_is_created_before_it_runs_and_runs_before_it_is_ready(
    scenario: Scenario, thursday: float
) -> None:
    (pod,) = pods_of(scenario, "chat-7b", thursday)
    moments = [
        (pod.created_at + age, pods_of(scenario, "chat-7b", pod.created_at + age)[0])
        for age in (0, CREATING_SECONDS, CREATING_SECONDS + 90)
    ]
    assert [(new.phase, new.ready) for _, new in moments] == [
        ("Pending", False),
        ("Running", False),
        ("Running", True),
    ]


def test_a_notebook_of_working_days_is_away_at_night_and_on_sundays(
    scenario: Scenario, thursday: float
) -> None:
    assert len(pods_of(scenario, "notebook-di", thursday)) == 1
    assert pods_of(scenario, "notebook-di", thursday + 12 * 3600) == []
    assert pods_of(scenario, "notebook-di", thursday + 3 * DAY) == []


def test_finished_runs_stay_for_a_while(scenario: Scenario, thursday: float) -> None:
    phases = Counter(pod.phase for pod in pods_of(scenario, "sweep", thursday))
    assert phases["Succeeded"] == 3
    assert phases["Failed"] == 1
    assert phases["Running"] + phases["Pending"] <= 1


def test_finished_pods_hold_nothing(scenario: Scenario, thursday: float) -> None:
    finished = [pod for pod in pods_at(scenario, 7, thursday) if pod.finished_at]
    assert finished
    assert not any(pod.holds for pod in finished)


def test_jobs_of_a_cron_job_are_named_by_the_minute(scenario: Scenario, thursday: float) -> None:
    jobs = [job for job in jobs_of(pods_at(scenario, 7, thursday)) if job.cron_job == "sweep"]
    assert len(jobs) >= 4
    for job in jobs:
        assert job.name == f"sweep-{int(job.created_at) // 60}"
        assert job.created_at % 60 == 0


def test_a_job_of_two_pods_has_them_numbered(scenario: Scenario, thursday: float) -> None:
    pods = pods_of(scenario, "train-vision", thursday)
    current = [pod for pod in pods if pod.job and pod.job == max(
        (other.job for other in pods if other.job), key=lambda job: job.created_at
    )]  # fmt: skip
    assert [pod.ordinal for pod in current] == [0, 1]
    assert all(pod.job and pod.name.startswith(f"{pod.job.name}-{pod.ordinal}-") for pod in current)


def test_a_pod_waits_for_eight_cards(scenario: Scenario, thursday: float) -> None:
    (pod,) = pods_of(scenario, "pretrain-next", thursday)
    assert (pod.phase, pod.place, pod.holds) == ("Pending", None, False)
    assert pod.workload.requests == {"nvidia.com/gpu": 8}
    assert pod.job is not None
    assert pod.job.finished_at is None
    assert thursday - pod.created_at < 12 * 3600

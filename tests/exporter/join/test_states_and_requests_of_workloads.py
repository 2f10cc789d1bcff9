"""What a workload asks for, how its pods fare and how long it waits."""

from __future__ import annotations

from gpuatlas.model.placement import Waiting
from gpuatlas.model.snapshot import NamespaceSnapshot, Workload, WorkloadId
from gpuatlas_harness.joined_workloads import a_link, an_owner, joined_team
from gpuatlas_harness.observed import NOW, a_container, a_pod
from gpuatlas_harness.placed import a_pod_set, a_queue, a_queued, objects

TRAIN = WorkloadId(namespace="team-a", api_group="batch", kind="Job", name="train")


def test_phases_requests_and_waiting_time() -> None:
    owner = an_owner("StatefulSet", "db")
    pods = (
        a_pod("db-0", controller=owner),
        a_pod("db-1", controller=owner, phase="Failed"),
        a_pod(
            "db-2",
            "",
            controller=owner,
            phase="Pending",
            waiting_reason="Unschedulable",
            created_at=NOW - 90,
        ),
        a_pod(
            "db-3",
            "",
            controller=owner,
            phase="Pending",
            waiting_reason="Unschedulable",
            created_at=NOW - 30,
        ),
    )
    (workload,) = joined_team(*pods).workloads
    assert workload.pods == {"Failed": 1, "Pending": 2, "Running": 1}
    assert workload.cards_requested == {"nvidia.com/gpu": 3}
    assert workload.waiting == {"Unschedulable": 90.0}


def test_a_pod_created_in_the_future_has_waited_for_nothing() -> None:
    pod = a_pod("app", "", phase="Pending", created_at=NOW + 500)
    assert joined_team(pod).workloads[0].waiting == {"Unscheduled": 0.0}


def test_requests_of_a_pod_are_the_larger_of_init_and_main() -> None:
    containers = (
        a_container("warm", {"nvidia.com/gpu": 4}, kind="init"),
        a_container("a", {"nvidia.com/gpu": 1}),
        a_container("b", {"nvidia.com/gpu": 2}),
    )
    assert joined_team(a_pod(containers=containers)).workloads[0].cards_requested == {
        "nvidia.com/gpu": 4
    }


def test_without_a_creation_time_the_waiting_time_is_not_known() -> None:
    pod = a_pod("app", "", phase="Pending", created_at=0.0)
    assert joined_team(pod).workloads[0].waiting == {}


def test_a_job_that_waits_in_a_queue_is_a_workload_without_pods() -> None:
    local = a_queue("LocalQueue", "research", "shared-h100")
    space = joined_team(placement=objects(a_queued("job-train-1", a_pod_set(4, 8)), local))
    assert space == NamespaceSnapshot(
        name="team-a",
        workloads=(
            Workload(
                id=TRAIN,
                runtime="unknown",
                scheduler="",
                queue="shared-h100",
                queue_kind="ClusterQueue",
                local_queue="research",
                gang="job-train-1",
                gang_system="kueue",
                gang_min_members=4,
                gangs=1,
                pods={},
                held_pods=4,
                cards_requested={"nvidia.com/gpu": 32},
                waiting={"KueueWaitingForQuota": 900.0},
                waiting_texts={"KueueWaitingForQuota": "24 more needed"},
            ),
        ),
        pods=(),
    )


def test_a_cron_job_runs_one_job_and_waits_with_the_next() -> None:
    cron = an_owner("CronJob", "nightly", "batch")
    known = tuple(a_link("Job", f"nightly-{n}", cron, "batch") for n in (1, 2))
    pods = (
        a_pod("nightly-1-a", controller=an_owner("Job", "nightly-1", "batch")),
        a_pod(
            "nightly-1-b",
            "",
            controller=an_owner("Job", "nightly-1", "batch"),
            phase="Pending",
            created_at=NOW - 60,
            annotations={"kueue.x-k8s.io/workload": "job-nightly-1"},
        ),
    )
    running = a_queued(
        "job-nightly-1",
        a_pod_set(2),
        owner=an_owner("Job", "nightly-1", "batch"),
        cluster_queue="shared-h100",
        waiting=Waiting(),
    )
    next_one = a_queued(
        "job-nightly-2", a_pod_set(3, 2), owner=an_owner("Job", "nightly-2", "batch")
    )
    (workload,) = joined_team(*pods, links=known, placement=objects(running, next_one)).workloads
    assert (workload.id.kind, workload.id.name) == ("CronJob", "nightly")
    assert workload.pods == {"Pending": 1, "Running": 1}
    assert workload.held_pods == 3
    assert workload.cards_requested == {"nvidia.com/gpu": 8}
    assert workload.waiting == {"KueueWaitingForQuota": 900.0, "Unscheduled": 60.0}
    assert (workload.queue, workload.queue_kind) == ("shared-h100", "ClusterQueue")
    assert (workload.gang, workload.gang_min_members, workload.gangs) == ("job-nightly-2", 3, 2)


def test_the_longer_wait_for_one_reason_is_told() -> None:
    pod = a_pod(
        "train-1",
        "",
        controller=an_owner("Job", "other", "batch"),
        phase="Pending",
        created_at=NOW - 2000,
        annotations={"kueue.x-k8s.io/workload": "job-other"},
    )
    cron = an_owner("CronJob", "c", "batch")
    known = (a_link("Job", "other", cron, "batch"), a_link("Job", "train", cron, "batch"))
    own = a_queued("job-other", owner=an_owner("Job", "other", "batch"))
    held = a_queued(
        "job-train-1",
        owner=an_owner("Job", "train", "batch"),
        waiting=Waiting(reason="KueueWaitingForQuota", text="shorter"),
    )
    (workload,) = joined_team(pod, links=known, placement=objects(own, held)).workloads
    assert workload.waiting == {"KueueWaitingForQuota": 2000.0}
    assert workload.waiting_texts == {"KueueWaitingForQuota": "24 more needed"}


def test_a_job_that_waits_since_nobody_knows_when_still_waits() -> None:
    (workload,) = joined_team(placement=objects(a_queued(waiting_since=0.0))).workloads
    assert workload.waiting == {}
    assert workload.reasons == ("KueueWaitingForQuota",)

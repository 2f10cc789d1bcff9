"""A job that Kueue holds back has no pods: its demand stands in its Workload alone."""

from __future__ import annotations

import pytest

from gpuatlas.join.placement import HeldWorkload, PlacementInputs, Wait
from gpuatlas.join.queues import QueueName
from gpuatlas.model.objects import Owner, Pod
from gpuatlas.model.placement import PodSet, Waiting
from gpuatlas.model.pod_spec import Gang
from gpuatlas.model.snapshot import WorkloadId
from gpuatlas_harness.observed import NOW, a_pod
from gpuatlas_harness.owned import an_owner, links
from gpuatlas_harness.placed import a_pod_set, a_queue, a_queued, held_workloads, inputs

JOB, CRON = ("batch", "Job"), ("batch", "CronJob")
LOCAL = a_queue("LocalQueue", "research", "shared-h100")
QUOTA = "KueueWaitingForQuota"


def an_id(group: str, kind: str, name: str, namespace: str = "team-a") -> WorkloadId:
    return WorkloadId(namespace=namespace, api_group=group, kind=kind, name=name)


def held(given: PlacementInputs, *pods: Pod) -> tuple[HeldWorkload, ...]:
    return held_workloads(given, pods, NOW)


def test_a_suspended_job_is_a_workload_of_its_own() -> None:
    sets = (a_pod_set(1, 2, name="driver"), a_pod_set(4, 8, minimum=2), a_pod_set(3, 0))
    assert held(inputs(a_queued("job-train-1", *sets), LOCAL)) == (
        HeldWorkload(
            id=an_id("batch", "Job", "train"),
            queue=QueueName(name="shared-h100", kind="ClusterQueue", local="research"),
            gang=Gang(system="kueue", name="job-train-1", minimum=6),
            gangs=1,
            waiting={QUOTA: Wait(seconds=900.0, text="24 more needed")},
            requested={"nvidia.com/gpu": 34},
            pods=8,
        ),
    )


def test_resources_that_are_no_cards_are_not_counted() -> None:
    limits = {"nvidia.com/gpu": 2, "nvidia.com/gpumem": 8000, "rdma/hca": 1, "amd.com/gpu": 1}
    mixed = PodSet(name="main", count=3, minimum=None, limits=limits)
    (workload,) = held(inputs(a_queued("j", mixed)))
    assert workload.requested == {"amd.com/gpu": 3, "nvidia.com/gpu": 6}


@pytest.mark.parametrize(
    "workload",
    [
        a_queued("admitted", waiting=Waiting(), cluster_queue="shared-h100"),
        a_queued("cpu", a_pod_set(4, 0)),
        a_queued("empty", a_pod_set(0, 8)),
    ],
    ids=["admitted", "asks for no cards", "has no pods to be"],
)
def test_who_holds_no_demand_back(workload: object) -> None:
    assert held(inputs(workload)) == ()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "pod",
    [
        a_pod(node="", phase="Pending", annotations={"kueue.x-k8s.io/workload": "job-train-1"}),
        a_pod(node="", phase="Pending", labels={"kueue.x-k8s.io/pod-group-name": "job-train-1"}),
        a_pod(controller=an_owner(JOB, "train")),
    ],
    ids=["named by annotation", "named as its group", "of the same job"],
)
def test_demand_of_pods_that_exist_is_not_counted_twice(pod: Pod) -> None:
    assert held(inputs(a_queued()), pod) == ()


def test_pods_of_others_and_finished_ones_are_not_its_own() -> None:
    others = (
        a_pod("a", controller=an_owner(JOB, "other")),
        a_pod("b", controller=an_owner(JOB, "train"), phase="Failed"),
        a_pod("c", namespace="team-b", annotations={"kueue.x-k8s.io/workload": "job-train-1"}),
        a_pod("d", namespace="team-b", controller=an_owner(JOB, "train")),
    )
    assert [w.id.name for w in held(inputs(a_queued()), *others)] == ["train"]


def test_pods_behind_a_jobset_belong_to_it() -> None:
    jobset = ("jobset.x-k8s.io", "JobSet")
    known = links((JOB, "ranks-0"), end=an_owner(jobset, "ranks"))
    workload = a_queued("jobset-ranks-1", owner=an_owner(jobset, "ranks"))
    pod = a_pod(controller=an_owner(JOB, "ranks-0"))
    assert held(inputs(workload, owners=known), pod) == ()
    assert len(held(inputs(workload), pod)) == 1  # without the right to read Jobs


def test_jobs_of_one_cron_job_are_added_up() -> None:
    known = links((JOB, "n-1"), end=an_owner(CRON, "n")) | links(
        (JOB, "n-2"), end=an_owner(CRON, "n")
    )
    first = a_queued("job-n-1", a_pod_set(2, 4), owner=an_owner(JOB, "n-1"))
    later = a_queued("job-n-2", a_pod_set(2, 4), owner=an_owner(JOB, "n-2"), waiting_since=NOW - 60)
    other = a_queued(
        "job-n-3",
        a_pod_set(3, 4),
        owner=an_owner(CRON, "n"),
        waiting=Waiting(reason="KueueSuspended", text="LocalQueue research is inactive"),
        waiting_since=NOW + 5,
    )
    (workload,) = held(inputs(later, other, first, owners=known))
    assert workload.id == an_id("batch", "CronJob", "n")
    assert workload.requested == {"nvidia.com/gpu": 28}
    assert workload.pods == 7
    assert workload.gang == Gang(system="kueue", name="job-n-3", minimum=3)
    assert workload.gangs == 3
    assert workload.waiting == {
        "KueueSuspended": Wait(seconds=0.0, text="LocalQueue research is inactive"),
        QUOTA: Wait(seconds=900.0, text="24 more needed"),
    }


def test_a_group_of_plain_pods_that_do_not_exist_yet() -> None:
    (workload,) = held(inputs(a_queued("sweep", a_pod_set(2), owner=None)))
    assert workload.id == an_id("kueue.x-k8s.io", "Workload", "sweep")


def test_order_and_equal_names_of_several_groups() -> None:
    volcano = Owner(api_group="batch.volcano.sh", kind="Job", name="train", uid="v")
    given = inputs(
        a_queued("c", owner=an_owner(("ray.io", "RayJob"), "a")),
        a_queued("b", owner=volcano),
        a_queued("a"),
        a_queued("d", namespace="a-team"),
    )
    assert [w.id for w in held(given)] == [
        an_id("batch", "Job", "train", "a-team"),
        an_id("batch", "Job", "train"),
        an_id("batch.volcano.sh", "Job", "train"),
        an_id("ray.io", "RayJob", "a"),
    ]

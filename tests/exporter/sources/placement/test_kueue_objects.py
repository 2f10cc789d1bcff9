from __future__ import annotations

from calendar import timegm
from collections.abc import Callable
from typing import Any

import pytest

from gpuatlas.model.objects import Owner
from gpuatlas.model.placement import PodSet, Queue, QueuedWorkload, Waiting
from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.placement.kueue import (
    project_cluster_queue,
    project_local_queue,
    project_workload,
)

Object = dict[str, Any]
Written = Callable[[str], Object]


def at(hour: int, minute: int = 0) -> float:
    return float(timegm((2027, 1, 15, hour, minute, 0)))


def project(raw: Object) -> QueuedWorkload:
    found = project_workload(raw)
    assert found is not None
    return found


def test_a_job_without_quota(written: Written) -> None:
    assert project(written("kueue-v1beta2/workload-waiting-for-quota")) == QueuedWorkload(
        uid="31000000-0000-4000-8000-000000000001",
        namespace="team-a",
        name="job-pretrain-5f2b1",
        owner=Owner(
            api_group="batch",
            kind="Job",
            name="pretrain",
            uid="32000000-0000-4000-8000-000000000001",
        ),
        queue="research",
        cluster_queue="",
        pod_sets=(
            PodSet(name="main", count=4, minimum=None, limits={"nvidia.com/gpu": 8, "rdma/hca": 1}),
        ),
        waiting=Waiting(
            reason="KueueWaitingForQuota",
            text="couldn't assign flavors to pod set main: insufficient unused quota for "
            "nvidia.com/gpu in flavor h100, 24 more needed",
        ),
        waiting_since=at(7),
    )


def test_an_admitted_workload_waits_for_nothing(written: Written) -> None:
    workload = project(written("kueue-v1beta2/workload-admitted"))
    assert workload.waiting == Waiting()
    assert (workload.queue, workload.cluster_queue) == ("research", "shared-h100")
    assert workload.pod_sets[0].minimum == 1
    assert workload.owner is not None
    assert (workload.owner.api_group, workload.owner.kind) == ("trainer.kubeflow.org", "TrainJob")


def test_waiting_begins_anew_with_an_eviction(written: Written) -> None:
    workload = project(written("kueue-v1beta2/workload-evicted-waiting-for-checks"))
    assert workload.waiting == Waiting(
        reason="KueueUnsatisfiedAdmissionChecks", text="The workload has not all checks ready"
    )
    assert workload.waiting_since == at(6)
    assert [(s.name, s.count) for s in workload.pod_sets] == [("master", 1), ("worker", 3)]


def test_an_eviction_that_is_over_does_not_count(written: Written) -> None:
    raw = written("kueue-v1beta2/workload-evicted-waiting-for-checks")
    raw["status"]["conditions"][2]["status"] = "False"
    assert project(raw).waiting_since == at(4)


def test_a_group_of_plain_pods_has_no_single_owner(written: Written) -> None:
    workload = project(written("kueue-v1beta2/workload-pod-group"))
    assert workload.owner is None
    assert workload.waiting == Waiting(reason="KueuePending")
    assert workload.pod_sets[0].limits == {"nvidia.com/mig-1g.10gb": 1}


def test_an_owner_that_is_not_the_controller_is_one_if_it_is_alone(written: Written) -> None:
    raw = written("kueue-v1beta2/workload-pod-group")
    raw["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "uid": "u"}
    ]
    assert project(raw).owner == Owner(api_group="apps", kind="StatefulSet", name="db", uid="u")


@pytest.mark.parametrize("name", ["workload-finished", "workload-variant"])
def test_what_claims_no_cards_of_its_own_is_left_out(name: str, written: Written) -> None:
    assert project_workload(written(f"kueue-v1beta2/{name}")) is None


def test_older_releases_use_generic_reasons(written: Written) -> None:
    workload = project(written("kueue-v1beta1/workload-inadmissible"))
    assert workload.waiting == Waiting(
        reason="KueueInadmissible", text="LocalQueue missing doesn't exist"
    )
    assert [s.limits for s in workload.pod_sets] == [{}, {"nvidia.com/gpu": 4}]


def test_a_deactivated_workload_says_why_it_was_evicted(written: Written) -> None:
    workload = project(written("kueue-v1beta1/workload-deactivated"))
    assert workload.waiting == Waiting(
        reason="KueueDeactivated", text="exceeding the maximum number of re-queuing retries"
    )


@pytest.mark.parametrize(
    "reason",
    [
        *("NoMatchingFlavor", "WaitingForQuota", "ExceedsMaxQuota", "TopologyPlacementFailed"),
        *("WaitingForPreemptedWorkloads", "Misconfigured", "Suspended", "PendingEvaluation"),
        *("WaitingForPodsReady", "Pending", "Inadmissible", "OnHold", "Waiting", "AdmissionGated"),
    ],
)
def test_each_reason_that_kueue_knows_has_a_word(reason: str, written: Written) -> None:
    raw = written("kueue-v1beta2/workload-waiting-for-quota")
    raw["status"]["conditions"][0]["reason"] = reason
    assert project(raw).waiting.reason == f"Kueue{reason}"


def test_a_reason_that_nobody_knows_is_no_label_value(written: Written) -> None:
    raw = written("kueue-v1beta2/workload-waiting-for-quota")
    raw["status"]["conditions"][0]["reason"] = "Invented-by-a-tenant"
    assert project(raw).waiting.reason == "KueuePending"
    raw["status"]["conditions"][0]["status"] = "True"
    raw["status"]["conditions"][1]["reason"] = "Invented"
    assert project(raw).waiting.reason == "KueueNotAdmitted"


def test_texts_are_cut_and_cleaned(written: Written) -> None:
    raw = written("kueue-v1beta2/workload-waiting-for-quota")
    raw["status"]["conditions"][0]["message"] = "a\nb\x1b" + "x" * 5000
    text = project(raw).waiting.text
    assert len(text) == 200
    assert text.startswith("a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}x")


@pytest.mark.parametrize("count", [-1, 1_000_001, 2.5, "4", True, [], {"a": 1}])
def test_a_number_of_pods_that_is_none_costs_the_object(count: object, written: Written) -> None:
    raw = written("kueue-v1beta2/workload-waiting-for-quota")
    raw["spec"]["podSets"][0]["count"] = count
    with pytest.raises(MalformedError, match=r"workload team-a/job-pretrain-5f2b1 podSets\[\]"):
        project_workload(raw)


def test_an_absurd_quantity_costs_that_resource_only(written: Written) -> None:
    raw = written("kueue-v1beta2/workload-waiting-for-quota")
    raw["spec"]["podSets"][0]["template"]["spec"]["containers"][0]["resources"]["limits"][
        "rdma/hca"
    ] = "1e300"
    workload = project(raw)
    assert workload.pod_sets[0].limits == {"nvidia.com/gpu": 8, "rdma/hca": 1}
    (refused,) = workload.rejections
    assert (refused.source, refused.reason) == ("kubernetes", "out-of-range")
    assert refused.where == "workload team-a/job-pretrain-5f2b1 container train rdma/hca"


def test_an_unreadable_time_of_a_condition_is_no_time(written: Written) -> None:
    raw = written("kueue-v1beta2/workload-evicted-waiting-for-checks")
    raw["status"]["conditions"][2]["lastTransitionTime"] = "yesterday"
    assert project(raw).waiting_since == at(4)


def test_an_object_without_a_name_is_refused() -> None:
    for project_any in (project_workload, project_local_queue, project_cluster_queue):
        with pytest.raises(MalformedError) as caught:
            project_any({"metadata": {"namespace": "a"}})
        assert caught.value.reason == "no-name"


def test_queues_of_both_versions(written: Written) -> None:
    assert project_local_queue(written("kueue-v1beta2/local-queue")) == Queue(
        kind="LocalQueue",
        uid="33000000-0000-4000-8000-000000000001",
        namespace="team-a",
        name="research",
        parent="shared-h100",
        open=True,
    )
    assert project_cluster_queue(written("kueue-v1beta2/cluster-queue")) == Queue(
        kind="ClusterQueue",
        uid="33000000-0000-4000-8000-000000000002",
        namespace="",
        name="shared-h100",
        parent="company",
        open=False,
    )
    older = project_cluster_queue(written("kueue-v1beta1/cluster-queue"))
    assert (older.parent, older.open) == ("company", True)

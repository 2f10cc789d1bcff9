from __future__ import annotations

import pytest

from gpuatlas_harness.wired import Document, Objects


def workload(objects: Objects, job: str) -> Document:
    (found,) = [
        w
        for w in objects["workloads.kueue.x-k8s.io"]
        if w["metadata"]["ownerReferences"][0]["name"] == job
    ]
    return found


def conditions(document: Document) -> dict[str, tuple[str, str]]:
    return {c["type"]: (c["status"], c["reason"]) for c in document["status"]["conditions"]}


@pytest.mark.parametrize(
    ("job", "kind", "sets", "cards"),
    [
        ("resnet", "PyTorchJob", {"master": 1, "worker": 1}, ["1", "1"]),
        ("tune-support", "TrainJob", {"node": 1}, ["1"]),
    ],
)
def test_an_admitted_job_has_its_quota(
    objects: Objects, job: str, kind: str, sets: dict[str, int], cards: list[str]
) -> None:
    document = workload(objects, job)
    assert document["metadata"]["name"].startswith(f"{kind.lower()}-{job}-")
    assert document["metadata"]["ownerReferences"][0]["kind"] == kind
    assert {s["name"]: s["count"] for s in document["spec"]["podSets"]} == sets
    admission = document["status"]["admission"]
    assert admission["clusterQueue"] == "shared-l40s"
    used = [a["resourceUsage"]["nvidia.com/gpu"] for a in admission["podSetAssignments"]]
    assert used == cards
    assert conditions(document) == {
        "QuotaReserved": ("True", "QuotaReserved"),
        "Admitted": ("True", "Admitted"),
    }


def test_a_job_that_is_held_back_has_a_workload_and_no_pods(objects: Objects) -> None:
    document = workload(objects, "vit-large")
    assert conditions(document) == {
        "QuotaReserved": ("False", "WaitingForQuota"),
        "Admitted": ("False", "NoReservation"),
    }
    sets = {
        s["name"]: (s["count"], s["template"]["spec"]["containers"][0]["resources"]["limits"])
        for s in document["spec"]["podSets"]
    }
    asked = {"nvidia.com/gpu": "2"}
    assert sets == {"master": (1, asked), "worker": (1, asked)}
    assert "admission" not in document["status"]
    # Four cards are asked for, and one of the quota's four is free.
    assert document["status"]["conditions"][0]["message"].endswith(", 3 more needed")
    assert not [p for p in objects["pods"] if p["metadata"]["name"].startswith("vit-large")]
    jobs = {j["metadata"]["name"]: j for j in objects["pytorchjobs.kubeflow.org"]}
    job = jobs["vit-large"]
    assert job["spec"] == {"runPolicy": {"suspend": True}}
    assert job["metadata"]["labels"] == {"kueue.x-k8s.io/queue-name": "training"}
    assert job["metadata"]["uid"] == document["metadata"]["labels"]["kueue.x-k8s.io/job-uid"]


def test_admitted_pods_carry_kueues_marks(objects: Objects) -> None:
    (pod,) = [p for p in objects["pods"] if p["metadata"]["name"] == "resnet-worker-0"]
    name = workload(objects, "resnet")["metadata"]["name"]
    assert pod["metadata"]["annotations"]["kueue.x-k8s.io/workload"] == name
    marks = {
        key.partition("/")[2]: value
        for key, value in pod["metadata"]["labels"].items()
        if key.startswith("kueue.x-k8s.io/")
    }
    assert marks == {
        "cluster-queue-name": "shared-l40s", "local-queue-name": "training", "podset": "worker",
    }  # fmt: skip


def test_a_local_queue_leads_to_the_one_with_the_quota(objects: Objects) -> None:
    (local,) = objects["localqueues.kueue.x-k8s.io"]
    (cluster,) = objects["clusterqueues.kueue.x-k8s.io"]
    assert (local["metadata"]["namespace"], local["metadata"]["name"]) == ("research", "training")
    assert local["spec"]["clusterQueue"] == cluster["metadata"]["name"] == "shared-l40s"
    (group,) = cluster["spec"]["resourceGroups"]
    (quota,) = group["flavors"][0]["resources"]
    assert quota == {"name": "nvidia.com/gpu", "nominalQuota": "4"}
    for queue in (local, cluster):
        status = queue["status"]
        assert (status["pendingWorkloads"], status["admittedWorkloads"]) == (1, 2)
        assert status["flavorsUsage"][0]["resources"][0]["total"] == "3"

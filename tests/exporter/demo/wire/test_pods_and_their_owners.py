"""Pods and what owns them, as an API server gives them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

import pytest

from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.world import build_world
from gpuatlas_harness.wired import Document, Objects, first_named

OWNERS = [
    ("chat-7b-", "ReplicaSet", "apps/v1"),
    ("notebook-ann-0", "StatefulSet", "apps/v1"),
    ("transcode-", "DaemonSet", "apps/v1"),
    ("sweep-", "Job", "batch/v1"),
    ("nvidia-dcgm-exporter-", "DaemonSet", "apps/v1"),
]


@pytest.mark.parametrize(("pod", "kind", "version"), OWNERS)
def test_pods_name_their_controller(objects: Objects, pod: str, kind: str, version: str) -> None:
    (owner,) = first_named(objects, "pods", pod)["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["apiVersion"], owner["controller"]) == (kind, version, True)


def test_a_bare_pod_has_no_owner(objects: Objects) -> None:
    assert "ownerReferences" not in first_named(objects, "pods", "scratch")["metadata"]


BETWEEN = {("apps/v1", "ReplicaSet"), ("batch/v1", "Job")}


def test_owners_in_between_are_there_and_name_theirs(objects: Objects) -> None:
    between = {d["metadata"]["uid"]: d for kind in ("replicasets", "jobs") for d in objects[kind]}
    tops = set()
    for pod in objects["pods"]:
        for owner in pod["metadata"].get("ownerReferences", []):
            if (owner["apiVersion"], owner["kind"]) in BETWEEN:
                document = between[owner["uid"]]
                assert document["kind"] == owner["kind"]
                assert document["metadata"]["name"] == owner["name"]
                references = document["metadata"].get("ownerReferences", [])
                tops |= {(o["kind"], o["name"]) for o in references}
    assert {("Deployment", "chat-7b"), ("CronJob", "sweep"), ("Deployment", "hami-scheduler")} <= (
        tops
    )
    assert {kind for kind, _ in tops} == {"Deployment", "CronJob", "JobSet"}


def limits(pod: Document) -> dict[str, str]:
    asked = pod["spec"]["containers"][0]["resources"]["limits"]
    return {key: value for key, value in asked.items() if "/" in key}


@pytest.mark.parametrize(
    ("pod", "asked", "scheduler"),
    [
        (
            "chat-7b-",
            {
                "nvidia.com/gpu": "1",
                "nvidia.com/gpumem": "12000",
                "nvidia.com/gpucores": "40",
                "nvidia.com/priority": "0",
            },
            "hami-scheduler",
        ),
        (
            "notebook-cy-0",
            {"nvidia.com/gpu": "1", "nvidia.com/gpumem": "8000", "nvidia.com/priority": "1"},
            "hami-legacy-scheduler",
        ),
        ("chat-70b-lora", {"nvidia.com/mig-3g.40gb": "1"}, "default-scheduler"),
        ("ocr-", {"nvidia.com/gpu": "1"}, "default-scheduler"),
        ("evaluation-0", {"nvidia.com/gpu": "1"}, "default-scheduler"),
        ("pretrain-next", {"nvidia.com/gpu": "8"}, "default-scheduler"),
        (
            "npu-chat",
            {"huawei.com/Ascend910B3": "1", "huawei.com/Ascend910B3-memory": "32768"},
            "hami-scheduler",
        ),
    ],
)
def test_pods_ask_in_the_words_of_their_layer(
    objects: Objects, pod: str, asked: dict[str, str], scheduler: str
) -> None:
    document = first_named(objects, "pods", pod)
    assert limits(document) == asked
    assert document["spec"]["schedulerName"] == scheduler


def test_priority_reaches_the_library_by_the_environment(
    objects: Objects,
) -> None:
    env = first_named(objects, "pods", "rerank-")["spec"]["containers"][0]["env"]
    assert {"name": "CUDA_TASK_PRIORITY", "value": "1"} in env


def test_a_pod_over_four_cards_says_so_to_its_runtime(objects: Objects) -> None:
    chat = next(p for p in objects["pods"] if p["metadata"]["labels"].get("app") == "chat-70b")
    assert limits(chat) == {"nvidia.com/gpu": "4"}
    assert "--tensor-parallel-size=4" in chat["spec"]["containers"][0]["args"]


def test_a_finished_pod_shows_how_it_ended(objects: Objects) -> None:
    sweeps = [p for p in objects["pods"] if p["metadata"]["labels"].get("app") == "sweep"]
    ends = {
        p["status"]["phase"]: p["status"]["containerStatuses"][0]["state"]["terminated"]
        for p in sweeps
        if p["status"]["phase"] in {"Succeeded", "Failed"}
    }
    assert ends["Succeeded"]["exitCode"] == 0
    assert ends["Failed"]["exitCode"] == 1
    for pod in sweeps:
        conditions = {c["type"]: c["status"] for c in pod["status"]["conditions"]}
        finished = pod["status"]["phase"] in {"Succeeded", "Failed"}
        assert conditions["PodScheduled"] == "True"
        assert not (finished and conditions["Ready"] == "True")


def test_the_waiting_pod_says_what_it_waits_for(objects: Objects) -> None:
    pod = first_named(objects, "pods", "pretrain-next")
    (condition,) = pod["status"]["conditions"]
    assert (condition["type"], condition["status"]) == ("PodScheduled", "False")
    assert condition["reason"] == "Unschedulable"
    assert "13 Insufficient nvidia.com/gpu" in condition["message"]
    assert "nodeName" not in pod["spec"]
    assert "podIP" not in pod["status"]


def test_jobs_show_their_end(objects: Objects) -> None:
    sweeps = [job for job in objects["jobs"] if job["metadata"]["name"].startswith("sweep-")]
    ends = [
        condition["type"] for job in sweeps for condition in job["status"].get("conditions", [])
    ]
    assert sorted(ends) == ["Complete", "Complete", "Complete", "Failed"]
    trains = [job for job in objects["jobs"] if job["metadata"]["name"].startswith("train-v")]
    assert trains[0]["spec"]["completionMode"] == "Indexed"
    assert first_named(objects, "jobs", "pretrain-next")["status"]["active"] == 1


RESTARTS = FaultSpec(name="tenant-restarts", node="a10g-1", card=0, options={"minutes": 5})


def test_a_container_that_was_started_again_says_when_and_why(
    scenario: Scenario, world: World
) -> None:
    fault = replace(RESTARTS, since=world.at - 999)
    struck = build_world(scenario, seed=world.seed, at=world.at, faults=(fault,))
    before, after = (
        {d["metadata"]["name"]: d["status"].get("containerStatuses") for d in documents(w)["pods"]}
        for w in (world, struck)
    )
    (changed,) = [name for name in before if before[name] != after[name]]
    (old,), (new,) = before[changed], after[changed]
    assert (old["restartCount"], new["restartCount"]) == (0, 3)
    assert new["containerID"] != old["containerID"]
    assert new["ready"] == old["ready"]
    ended = new["lastState"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (137, "OOMKilled")
    again = datetime.fromisoformat(new["state"]["running"]["startedAt"]).timestamp()
    assert datetime.fromisoformat(ended["finishedAt"]).timestamp() == again
    assert again == int(world.at - 99)


def test_a_fault_that_has_just_begun_has_restarted_nothing(
    scenario: Scenario, world: World
) -> None:
    fault = replace(RESTARTS, since=world.at - 299)
    struck = build_world(scenario, seed=world.seed, at=world.at, faults=(fault,))
    assert documents(struck)["pods"] == documents(world)["pods"]


def test_names_of_runs_are_generated_and_say_from_what(
    objects: Objects,
) -> None:
    jobs = {d["metadata"]["name"]: d["metadata"] for d in objects["jobs"]}
    runs = [m for m in jobs.values() if m["name"].startswith("pretrain-next-")]
    assert [m["generateName"] for m in runs] == ["pretrain-next-"]
    assert re.fullmatch(r"pretrain-next-[bcdfghjklmnpqrstvwxz2456789]{5}", runs[0]["name"])
    assert all("generateName" not in m for name, m in jobs.items() if name.startswith("sweep-"))
    workflow = first_named(objects, "workflows.argoproj.io", "nightly-report-")["metadata"]
    assert workflow["generateName"] == "nightly-report-"

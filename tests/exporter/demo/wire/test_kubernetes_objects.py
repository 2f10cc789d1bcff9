from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.addresses import Address, default_addresses
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.world import build_world

Document = dict[str, Any]


@pytest.fixture(scope="module")
def objects(world: World) -> dict[str, list[Document]]:
    return dict(documents(world))


def named(objects: dict[str, list[Document]], resource: str, name: str) -> Document:
    found = [d for d in objects[resource] if d["metadata"]["name"].startswith(name)]
    return found[0]


def test_objects_are_json_with_all_that_a_server_gives(
    objects: dict[str, list[Document]],
) -> None:
    uids = []
    for documents_of_kind in objects.values():
        for document in documents_of_kind:
            assert json.loads(json.dumps(document)) == document
            metadata = document["metadata"]
            assert re.fullmatch(r"[a-z0-9.-]{1,253}", metadata["name"])
            assert datetime.fromisoformat(metadata["creationTimestamp"]).tzinfo
            assert metadata["managedFields"][0]["fieldsType"] == "FieldsV1"
            assert "resourceVersion" not in metadata
            uids.append(metadata["uid"])
    assert len(set(uids)) == len(uids)


def test_objects_are_in_the_order_of_a_server(objects: dict[str, list[Document]]) -> None:
    for documents_of_kind in objects.values():
        keys = [
            (d["metadata"].get("namespace", ""), d["metadata"]["name"]) for d in documents_of_kind
        ]
        assert keys == sorted(keys)
        assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("node", "capacity"),
    [
        ("a10g-1", {"nvidia.com/gpu": "40"}),
        ("t4-1", {"nvidia.com/gpu": "16"}),
        ("a100-1", {"nvidia.com/gpu": "8"}),
        ("ascend-1", {"huawei.com/Ascend910B3": "16"}),
        (
            "h100-1",
            {
                "nvidia.com/gpu": "5",
                "nvidia.com/mig-1g.10gb": "9",
                "nvidia.com/mig-2g.20gb": "1",
                "nvidia.com/mig-3g.40gb": "3",
            },
        ),
        ("system-1", {}),
    ],
)
def test_nodes_advertise_what_their_plugins_hand_out(
    objects: dict[str, list[Document]], node: str, capacity: dict[str, str]
) -> None:
    status = named(objects, "nodes", node)["status"]
    assert {key: value for key, value in status["capacity"].items() if "/" in key} == capacity
    if node != "a10g-1":
        assert status["allocatable"] == status["capacity"]


def test_an_unhealthy_card_takes_its_slots_from_what_can_be_asked_for(
    objects: dict[str, list[Document]],
) -> None:
    assert named(objects, "nodes", "a10g-1")["status"]["allocatable"]["nvidia.com/gpu"] == "30"


def test_labels_tell_how_cards_are_shared(objects: dict[str, list[Document]]) -> None:
    sliced = named(objects, "nodes", "t4-1")["metadata"]["labels"]
    assert sliced["nvidia.com/gpu.product"] == "Tesla-T4-SHARED"
    assert sliced["nvidia.com/gpu.sharing-strategy"] == "time-slicing"
    assert sliced["nvidia.com/gpu.replicas"] == "4"
    assert sliced["nvidia.com/gpu.count"] == "4"
    assert sliced["nvidia.com/gpu.memory"] == "15360"
    cut = named(objects, "nodes", "h100-1")["metadata"]["labels"]
    assert cut["nvidia.com/mig.strategy"] == "mixed"
    assert cut["nvidia.com/mig-1g.10gb.count"] == "9"
    assert cut["nvidia.com/gpu.product"] == "NVIDIA-H100-80GB-HBM3"
    plain = named(objects, "nodes", "a100-1")["metadata"]["labels"]
    assert plain["nvidia.com/gpu.sharing-strategy"] == "none"
    assert plain["nvidia.com/cuda.driver-version.full"] == "570.195.03"
    assert plain["nodepool"] == "research"
    assert "nvidia.com/mig.strategy" not in plain
    assert named(objects, "nodes", "a10g-1")["metadata"]["labels"]["gpu"] == "on"
    ascend = named(objects, "nodes", "ascend-1")["metadata"]["labels"]
    assert not [key for key in ascend if key.startswith("nvidia.com/")]


OWNERS = [
    ("chat-7b-", "ReplicaSet", "apps/v1"),
    ("notebook-ann-0", "StatefulSet", "apps/v1"),
    ("transcode-", "DaemonSet", "apps/v1"),
    ("sweep-", "Job", "batch/v1"),
    ("nvidia-dcgm-exporter-", "DaemonSet", "apps/v1"),
]


@pytest.mark.parametrize(("pod", "kind", "version"), OWNERS)
def test_pods_name_their_controller(
    objects: dict[str, list[Document]], pod: str, kind: str, version: str
) -> None:
    (owner,) = named(objects, "pods", pod)["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["apiVersion"], owner["controller"]) == (kind, version, True)


def test_a_bare_pod_has_no_owner(objects: dict[str, list[Document]]) -> None:
    assert "ownerReferences" not in named(objects, "pods", "scratch")["metadata"]


BETWEEN = {("apps/v1", "ReplicaSet"), ("batch/v1", "Job")}


def test_owners_in_between_are_there_and_name_theirs(objects: dict[str, list[Document]]) -> None:
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
    objects: dict[str, list[Document]], pod: str, asked: dict[str, str], scheduler: str
) -> None:
    document = named(objects, "pods", pod)
    assert limits(document) == asked
    assert document["spec"]["schedulerName"] == scheduler


def test_priority_reaches_the_library_by_the_environment(
    objects: dict[str, list[Document]],
) -> None:
    env = named(objects, "pods", "rerank-")["spec"]["containers"][0]["env"]
    assert {"name": "CUDA_TASK_PRIORITY", "value": "1"} in env


def test_a_pod_over_four_cards_says_so_to_its_runtime(objects: dict[str, list[Document]]) -> None:
    chat = next(p for p in objects["pods"] if p["metadata"]["labels"].get("app") == "chat-70b")
    assert limits(chat) == {"nvidia.com/gpu": "4"}
    assert "--tensor-parallel-size=4" in chat["spec"]["containers"][0]["args"]


def test_a_finished_pod_shows_how_it_ended(objects: dict[str, list[Document]]) -> None:
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


def test_the_waiting_pod_says_what_it_waits_for(objects: dict[str, list[Document]]) -> None:
    pod = named(objects, "pods", "pretrain-next")
    (condition,) = pod["status"]["conditions"]
    assert (condition["type"], condition["status"]) == ("PodScheduled", "False")
    assert condition["reason"] == "Unschedulable"
    assert "13 Insufficient nvidia.com/gpu" in condition["message"]
    assert "nodeName" not in pod["spec"]
    assert "podIP" not in pod["status"]


def test_jobs_show_their_end(objects: dict[str, list[Document]]) -> None:
    sweeps = [job for job in objects["jobs"] if job["metadata"]["name"].startswith("sweep-")]
    ends = [
        condition["type"] for job in sweeps for condition in job["status"].get("conditions", [])
    ]
    assert sorted(ends) == ["Complete", "Complete", "Complete", "Failed"]
    trains = [job for job in objects["jobs"] if job["metadata"]["name"].startswith("train-v")]
    assert trains[0]["spec"]["completionMode"] == "Indexed"
    assert named(objects, "jobs", "pretrain-next")["status"]["active"] == 1


EXPORTERS = [
    (("dcgm", "t4-1"), "gpu-operator", "nvidia-dcgm-exporter", 9400),
    (("hami-monitor", "a10g-1"), "hami-system", "vgpu-monitor", 9394),
    (("hami-monitor", "a10g-2"), "hami-legacy", "vgpu-monitor", 9394),
    (("hami-scheduler", "hami"), "hami-system", "vgpu-scheduler-extender", 9395),
]


@pytest.mark.parametrize(("key", "namespace", "container", "port"), EXPORTERS)
def test_exporters_can_be_found_by_their_ports(
    world: World, key: tuple[str, str], namespace: str, container: str, port: int
) -> None:
    addresses = dict(default_addresses(world))
    assert addresses[key].port == port
    addresses[key] = Address("127.0.0.1", 12345)
    pods = [
        pod
        for pod in documents(world, addresses)["pods"]
        if pod["status"].get("podIP") == "127.0.0.1"
    ]
    (pod,) = pods
    assert pod["metadata"]["namespace"] == namespace
    (ports,) = [c["ports"] for c in pod["spec"]["containers"] if c["name"] == container]
    assert {"name": "metrics", "containerPort": 12345, "protocol": "TCP"} in ports
    assert [port["name"] for port in ports if port["containerPort"] == 12345] == ["metrics"]


def test_exporters_carry_the_labels_of_the_real_ones(objects: dict[str, list[Document]]) -> None:
    def labels(name: str) -> dict[str, str]:
        result: dict[str, str] = named(objects, "pods", name)["metadata"]["labels"]
        return result

    assert labels("nvidia-dcgm-exporter-")["app"] == "nvidia-dcgm-exporter"
    assert labels("hami-device-plugin-")["app.kubernetes.io/component"] == "hami-device-plugin"
    newer, older = labels("hami-scheduler-"), labels("hami-legacy-scheduler-")
    assert newer["app.kubernetes.io/component"] == "hami-scheduler"
    assert newer["hami.io/scheduler-role"] == "leader"
    assert "hami.io/scheduler-role" not in older


def test_an_exporter_that_is_gone_does_not_run(scenario: Scenario, thursday: float) -> None:
    fault = FaultSpec(name="endpoint-gone", node="t4-1")
    world = build_world(scenario, seed=7, at=thursday, faults=(fault,))
    (pod,) = [
        pod
        for pod in documents(world)["pods"]
        if pod["spec"].get("nodeName") == "t4-1"
        and pod["metadata"]["name"].startswith("nvidia-dcgm-exporter-")
    ]
    assert pod["status"]["phase"] == "Pending"
    assert "podIP" not in pod["status"]


def test_virtual_gpus_are_switched_on_where_cards_are_sliced(
    objects: dict[str, list[Document]],
) -> None:
    switched_on = [
        pod["spec"]["nodeName"]
        for pod in objects["pods"]
        for container in pod["spec"]["containers"]
        for variable in container.get("env", [])
        if variable == {"name": "KUBERNETES_VIRTUAL_GPUS", "value": "true"}
    ]
    assert switched_on == ["t4-1"]


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
    objects: dict[str, list[Document]],
) -> None:
    jobs = {d["metadata"]["name"]: d["metadata"] for d in objects["jobs"]}
    runs = [m for m in jobs.values() if m["name"].startswith("pretrain-next-")]
    assert [m["generateName"] for m in runs] == ["pretrain-next-"]
    assert re.fullmatch(r"pretrain-next-[bcdfghjklmnpqrstvwxz2456789]{5}", runs[0]["name"])
    assert all("generateName" not in m for name, m in jobs.items() if name.startswith("sweep-"))
    workflow = named(objects, "workflows.argoproj.io", "nightly-report-")["metadata"]
    assert workflow["generateName"] == "nightly-report-"

"""What faults of pods that wait, of locks and of registrations write, field by field."""

from __future__ import annotations

import json

import pytest

from gpuatlas.demo.pages import page_text
from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.world import build_world
from gpuatlas_harness.struck import BEGAN, Bench, Document

# Pods that faults bring


def test_a_pod_that_nobody_admitted(bench: Bench) -> None:
    pod = bench.pod("pod-unadmitted", "unadmitted-a10g-1")
    assert pod["metadata"]["namespace"] == "sandbox"
    assert pod["spec"]["schedulerName"] == "default-scheduler"
    assert pod["spec"]["nodeName"] == "a10g-1"
    assert pod["status"]["phase"] == "Running"
    assert "annotations" not in pod["metadata"]
    assert "hami.io/vgpu-node" not in pod["metadata"]["labels"]
    limits = pod["spec"]["containers"][0]["resources"]["limits"]
    assert {k: v for k, v in limits.items() if "/" in k} == {"nvidia.com/gpu": "1"}
    above = {d["metadata"]["uid"]: d for d in _of(bench, "pod-unadmitted", "replicasets")}
    replicas = above[pod["metadata"]["ownerReferences"][0]["uid"]]
    tops = {d["metadata"]["uid"]: d for d in _of(bench, "pod-unadmitted", "deployments")}
    top = tops[replicas["metadata"]["ownerReferences"][0]["uid"]]
    assert top["metadata"]["name"] == "unadmitted-a10g-1"


def _of(bench: Bench, fault: str, resource: str) -> list[Document]:
    return documents(bench.world(fault))[resource]


def test_a_pod_that_the_default_scheduler_cannot_place(bench: Bench) -> None:
    pod = bench.pod("pod-unschedulable", "unschedulable-a10g-1")
    assert pod["status"]["phase"] == "Pending"
    assert "nodeName" not in pod["spec"]
    assert pod["spec"]["schedulerName"] == "default-scheduler"
    limits = pod["spec"]["containers"][0]["resources"]["limits"]
    assert limits["nvidia.com/gpumem"] == "1000"


@pytest.mark.parametrize("node", ["a10g-1", "kai-1", "volcano-1"])
def test_pods_that_reach_cards_beside_their_resources(bench: Bench, node: str) -> None:
    seeing = bench.pod("pod-sees-cards", f"all-cards-{node}", node=node)
    mounting = bench.pod("pod-mounts-device", f"raw-device-{node}", node=node)
    privileged = bench.pod("pod-privileged", f"debug-shell-{node}", node=node)
    for pod in (seeing, mounting, privileged):
        limits = pod["spec"]["containers"][0]["resources"]["limits"]
        assert not [key for key in limits if "/" in key]
        assert pod["spec"]["nodeName"] == node
        assert pod["spec"]["schedulerName"] == "default-scheduler"
        assert "annotations" not in pod["metadata"]
    env = seeing["spec"]["containers"][0]["env"]
    assert env == [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]
    (volume,) = [v for v in mounting["spec"]["volumes"] if "hostPath" in v]
    assert volume["hostPath"]["path"] == "/dev/nvidia0"
    mounts = mounting["spec"]["containers"][0]["volumeMounts"]
    assert {"name": "device", "mountPath": "/dev/nvidia0"} in mounts
    assert privileged["spec"]["runtimeClassName"] == "nvidia"
    assert privileged["spec"]["containers"][0]["securityContext"] == {"privileged": True}


def test_a_pod_that_waits_for_its_plugin(bench: Bench) -> None:
    pod = bench.pod("allocation-stuck", "stuck-a10g-2-3", node="a10g-2", card=3)
    marks = pod["metadata"]["annotations"]
    assert marks["hami.io/bind-phase"] == "allocating"
    assert int(marks["hami.io/bind-time"]) == bench.healthy.at - BEGAN - 15 * 60
    assert (
        marks["hami.io/vgpu-devices-to-allocate"]
        == marks["hami.io/vgpu-devices-allocated"]
        == f"{bench.healthy.node('a10g-2').cards[3].uuid},NVIDIA,1000,0:;"
    )
    assert pod["status"]["phase"] == "Pending"
    assert pod["spec"]["schedulerName"] == "hami-legacy-scheduler"


def test_pods_that_the_plugin_refuses_come_one_after_the_other(
    scenario: Scenario, healthy_world: World
) -> None:
    at = healthy_world.at
    fault = FaultSpec(name="admission-errors", node="a10g-1", since=at)
    found = []
    for minutes in (0, 5, 9.5, 60):
        world = build_world(scenario, seed=7, at=at + minutes * 60, faults=(fault,))
        pods = [p for p in documents(world)["pods"] if p["metadata"]["namespace"] == "sandbox"]
        found.append(len(pods))
        for pod in pods:
            assert pod["status"].keys() == {"phase", "reason", "message", "startTime", "qosClass"}
            assert pod["status"]["reason"] == "UnexpectedAdmissionError"
            assert "device number not matched" in pod["status"]["message"]
            assert pod["metadata"]["annotations"]["hami.io/bind-phase"] == "failed"
            assert pod["metadata"]["ownerReferences"][0]["kind"] == "Job"
        # They hold nothing.
        cards = world.node("a10g-1").cards
        assert not any(t.pod.workload.namespace == "sandbox" for c in cards for t in c.tenants)
    assert found == [1, 1, 2, 3]


def test_a_card_that_was_promised_twice(bench: Bench) -> None:
    world = bench.world("double-allocation", "a10g-2", card=1)
    card = world.node("a10g-2").cards[1]
    promised = {t.pod.workload.name: t.pod.promised_mib for t in card.tenants}
    assert promised == {"notebook-cy": 8_000, "promised-twice-a10g-2-1": 34_542}
    assert sum(promised.values()) > card.node.schedulable_mib


def test_a_promise_of_a_card_that_is_not_there(bench: Bench) -> None:
    pod = bench.pod("promise-of-unknown-card", "stale-promise-a10g-1")
    allocated = pod["metadata"]["annotations"]["hami.io/vgpu-devices-allocated"]
    uuid, vendor, memory, cores = allocated.split(":")[0].split(",")
    assert (vendor, memory, cores) == ("NVIDIA", "1000", "0")
    assert uuid.startswith("GPU-")
    assert uuid not in {c.uuid for node in bench.healthy.nodes for c in node.cards}
    limits = pod["spec"]["containers"][0]["resources"]["limits"]
    assert (limits["nvidia.com/gpu"], limits["nvidia.com/gpumem"]) == ("1", "1000")


def test_faults_of_two_nodes_bring_two_pods(scenario: Scenario, healthy_world: World) -> None:
    faults = tuple(FaultSpec(name="pod-unadmitted", node=n) for n in ("a10g-1", "a10g-2"))
    world = build_world(scenario, seed=7, at=healthy_world.at, faults=faults)
    names = {p.workload.name for p in world.pods if p.workload.namespace == "sandbox"}
    assert names == {"unadmitted-a10g-1", "unadmitted-a10g-2"}
    assert world.scenario is not scenario
    assert len(world.scenario.workloads) == len(scenario.workloads) + 2


# Nodes


def test_a_lock_that_a_pod_which_is_gone_holds(bench: Bench) -> None:
    text = bench.node("node-locked")["metadata"]["annotations"]["hami.io/mutex.lock"]
    assert text == "2026-06-18T12:45:00Z,lab,never-started"
    text = bench.node("node-locked", minutes=1)["metadata"]["annotations"]["hami.io/mutex.lock"]
    assert text == "2026-06-18T12:59:00Z,lab,never-started"


HANDSHAKES = [
    ("handshake-deleted", "a10g-1", "hami.io/node-handshake", "Deleted_2026-06-18 12:50:00"),
    ("handshake-deleted", "a10g-2", "hami.io/node-handshake", "Deleted_2026-06-18 12:50:00"),
    ("handshake-deleted", "ascend-1", "hami.io/node-handshake-Ascend910B3",
     "Deleted_2026.06.18 12:50:00"),
    ("heartbeat-stopped", "a10g-2", "hami.io/node-handshake",
     "Reported 2026-06-18 12:50:00.125 +0000 UTC m=+14561400.000"),
    ("heartbeat-stopped", "ascend-1", "hami.io/node-handshake-Ascend910B3",
     "Reported_2026.06.18 12:50:00"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "node", "key", "text"), HANDSHAKES)
def test_handshakes_of_broken_nodes(
    bench: Bench, name: str, node: str, key: str, text: str
) -> None:
    assert bench.node(name, node)["metadata"]["annotations"][key] == text


def test_a_card_that_was_not_registered(bench: Bench) -> None:
    found = bench.node("card-not-registered", "a10g-2", card=3)
    records = found["metadata"]["annotations"]["hami.io/node-nvidia-register"].split(":")[:-1]
    assert len(records) == 3
    assert found["status"]["capacity"]["nvidia.com/gpu"] == "30"
    world = bench.world("card-not-registered", "a10g-2", card=3)
    (endpoint,) = [e for e in world.endpoints if e.key == ("dcgm", "a10g-2")]
    assert bench.healthy.node("a10g-2").cards[3].uuid in page_text(world, endpoint)


def test_a_card_that_is_registered_and_not_there(bench: Bench) -> None:
    found = bench.node("registered-card-unknown")
    devices = json.loads(found["metadata"]["annotations"]["hami.io/node-nvidia-register"])
    assert [device.get("index", 0) for device in devices] == [0, 1, 2, 3, 4]
    assert devices[4]["health"] is True
    assert found["status"]["capacity"]["nvidia.com/gpu"] == "50"
    world = bench.world("registered-card-unknown")
    (endpoint,) = [e for e in world.endpoints if e.key == ("dcgm", "a10g-1")]
    assert devices[4]["id"] not in page_text(world, endpoint)


def test_a_missing_plugin_takes_its_monitor_along(bench: Bench) -> None:
    world = bench.world("device-plugin-missing")
    gone = [e.key for e in world.endpoints if e.behaviour == "gone"]
    assert gone == [("hami-monitor", "a10g-1")]

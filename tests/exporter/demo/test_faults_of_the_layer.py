"""What faults of tenants and nodes write, field by field."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gpuatlas.demo.pages import page_text
from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.world import build_world

MIB = 1024 * 1024
Document = dict[str, Any]
BEGAN = 600.0  # seconds before the instant that is looked at, which is 13:10


class Bench:
    """One fault in an otherwise healthy world."""

    def __init__(self, scenario: Scenario, healthy: World) -> None:
        self.scenario, self.healthy = scenario, healthy

    def world(
        self, name: str, node: str = "a10g-1", card: int | None = None, **options: Any
    ) -> World:
        fault = FaultSpec(
            name=name, node=node, card=card, options=options, since=self.healthy.at - BEGAN
        )
        return build_world(
            self.scenario, seed=self.healthy.seed, at=self.healthy.at, faults=(fault,)
        )

    def node(self, name: str, node: str = "a10g-1", **options: Any) -> Document:
        world = self.world(name, node, **options)
        (found,) = [d for d in documents(world)["nodes"] if d["metadata"]["name"] == node]
        return found

    def pods(self, world: World, app: str) -> list[Document]:
        return [
            pod for pod in documents(world)["pods"] if pod["metadata"]["labels"].get("app") == app
        ]

    def pod(self, name: str, app: str, **where: Any) -> Document:
        (found,) = self.pods(self.world(name, **where), app)
        return found


@pytest.fixture(scope="module")
def bench(scenario: Scenario, healthy_world: World) -> Bench:
    return Bench(scenario, healthy_world)


def values(world: World, kind: str, subject: str, family: str) -> dict[str, float]:
    """A family of a page, by the pod, or else by the node and the card's index."""
    (endpoint,) = [e for e in world.endpoints if e.key == (kind, subject)]
    return {
        sample.labels.get("pod") or _card(sample.labels): sample.value
        for found in text_string_to_metric_families(page_text(world, endpoint))
        for sample in found.samples
        if sample.name == family
    }


def _card(labels: dict[str, str]) -> str:
    return f"{labels.get('node', '')}/{labels['device_index']}"


# Tenants


def test_the_library_can_be_switched_off(bench: Bench) -> None:
    pod = bench.pod("disable-control", "notebook-ann", card=0, tenant=1)
    env = pod["spec"]["containers"][0]["env"]
    assert {"name": "CUDA_DISABLE_CONTROL", "value": "true"} in env
    world = bench.world("disable-control", card=0, tenant=1)
    counted = values(world, "hami-monitor", "a10g-1", "hami_vgpu_memory_used_bytes")
    assert "notebook-ann-0" not in counted
    assert "notebook-bo-0" in counted


@pytest.mark.parametrize(
    ("name", "options", "limit"),
    [
        ("limit-off", {}, 0),
        ("limit-differs", {}, 24_000),
        ("limit-differs", {"percent": 50}, 8_000),
    ],
)
def test_a_limit_is_not_the_promise(bench: Bench, name: str, options: Document, limit: int) -> None:
    world = bench.world(name, card=1, **options)
    limits = values(world, "hami-monitor", "a10g-1", "hami_vgpu_memory_limit_bytes")
    (found,) = [v for pod, v in limits.items() if pod.startswith("chat-13b-")]
    assert found == limit * MIB
    promised = values(world, "hami-scheduler", "hami", "hami_vgpu_memory_allocated_bytes")
    assert [v for pod, v in promised.items() if pod.startswith("chat-13b-")] == [16_000 * MIB]


def test_a_tenant_can_run_in_a_sandbox(bench: Bench) -> None:
    pod = bench.pod("sandbox-runtime", "chat-7b", card=0)
    assert pod["spec"]["runtimeClassName"] == "gvisor"
    pod = bench.pod("sandbox-runtime", "chat-7b", card=0, runtime_class="kata-qemu")
    assert pod["spec"]["runtimeClassName"] == "kata-qemu"


def test_a_tenant_holds_more_than_its_limit(bench: Bench) -> None:
    world = bench.world("memory-over-limit", card=3)
    used = values(world, "hami-monitor", "a10g-1", "hami_vgpu_memory_used_bytes")
    (held,) = [v for pod, v in used.items() if pod.startswith("asr-")]
    assert held == 9_000 * 1.2 * MIB
    before, after = (w.node("a10g-1").cards[3] for w in (bench.healthy, world))
    (tenant,) = before.tenants
    assert after.used_mib - before.used_mib == 10_800 - tenant.counted_mib


def test_a_card_holds_memory_that_nobody_is_counted_for(bench: Bench) -> None:
    before, after = (
        w.node("a10g-1").cards[3] for w in (bench.healthy, bench.world("memory-uncounted", card=3))
    )
    assert after.used_mib - before.used_mib == 8_000
    assert after.tenants == before.tenants


def test_a_full_card_takes_no_more(bench: Bench) -> None:
    card = bench.world("memory-uncounted", card=0).node("a10g-1").cards[0]
    model = card.node.card
    assert card.used_mib <= model.memory_mib - model.reserved_mib


def test_a_tenant_takes_compute_from_its_neighbours(bench: Bench) -> None:
    world = bench.world("compute-over-promise", card=0)
    card = world.node("a10g-1").cards[0]
    assert [round(t.compute, 4) for t in card.tenants] == [0.8, 0.0667, 0.0667, 0.0667]
    assert card.compute == 0.97
    busy = values(world, "hami-monitor", "a10g-1", "hami_container_device_utilization_ratio")
    assert [v for pod, v in busy.items() if pod.startswith("chat-7b-")] == [80]
    assert busy["notebook-ann-0"] == 7


def test_alone_on_a_card_there_is_nobody_to_take_from(bench: Bench) -> None:
    card = bench.world("compute-over-promise", card=3).node("a10g-1").cards[3]
    assert card == bench.healthy.node("a10g-1").cards[3]


def test_a_forged_promise_is_believed_by_the_layer(bench: Bench) -> None:
    pod = bench.pod("promise-forged", "asr", card=3)
    allocated = pod["metadata"]["annotations"]["hami.io/vgpu-devices-allocated"]
    assert allocated.split(",")[1:3] == ["NVIDIA", "13500"]
    assert pod["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpumem"] == "9000"
    world = bench.world("promise-forged", card=3)
    booked = values(world, "hami-scheduler", "hami", "hami_gpu_memory_allocated_bytes")
    assert booked["a10g-1/3"] == 13_500 * MIB


def test_the_books_can_differ_from_the_promises(bench: Bench) -> None:
    family = "hami_gpu_shared_count"
    world = bench.world("scheduler-books-stale", card=3)
    booked = values(world, "hami-scheduler", "hami", "hami_gpu_memory_allocated_bytes")
    assert booked["a10g-1/3"] == 13_000 * MIB
    assert values(world, "hami-scheduler", "hami", family) == values(
        bench.healthy, "hami-scheduler", "hami", family
    )


def test_marks_that_keep_the_webhook_away(bench: Bench) -> None:
    ignored = bench.pod("webhook-ignored", "chat-13b", card=1)
    assert ignored["metadata"]["labels"]["hami.io/webhook"] == "ignore"
    privileged = bench.pod("tenant-privileged", "chat-13b", card=1)
    assert privileged["spec"]["containers"][0]["securityContext"] == {"privileged": True}
    for pod in (ignored, privileged):
        assert pod["metadata"]["annotations"]["hami.io/vgpu-node"] == "a10g-1"
        assert pod["spec"]["schedulerName"] == "hami-scheduler"


def test_a_tenant_that_does_not_end(bench: Bench) -> None:
    pod = bench.pod("tenant-terminating", "chat-13b", card=1)
    assert pod["metadata"]["deletionTimestamp"] == "2026-06-18T12:50:00Z"
    assert pod["metadata"]["deletionGracePeriodSeconds"] == 30
    assert pod["status"]["phase"] == "Running"


def test_a_tenant_that_the_card_does_not_have_is_struck_by_nothing(bench: Bench) -> None:
    assert replace(bench.world("limit-off", card=3, tenant=5), faults=()) == bench.healthy


def test_two_faults_can_strike_one_tenant(scenario: Scenario, healthy_world: World) -> None:
    faults = tuple(
        FaultSpec(name=name, node="a10g-1", card=1)
        for name in ("disable-control", "core-limit-off")
    )
    world = build_world(scenario, seed=7, at=healthy_world.at, faults=faults)
    (pod,) = [p for p in world.pods if p.workload.name == "chat-13b"]
    assert [name for name, _ in pod.deviations.env] == [
        "CUDA_DISABLE_CONTROL", "GPU_CORE_UTILIZATION_POLICY",
    ]  # fmt: skip


def test_volcanos_tenants_can_switch_their_library_off_too(bench: Bench) -> None:
    world = bench.world("disable-control", "volcano-1", card=0)
    (pod,) = [p for p in documents(world)["pods"] if p["metadata"]["name"] == "ablation-worker-0"]
    env = pod["spec"]["containers"][0]["env"]
    assert {"name": "CUDA_DISABLE_CONTROL", "value": "true"} in env


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

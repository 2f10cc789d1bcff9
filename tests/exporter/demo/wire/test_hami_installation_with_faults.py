"""What of HAMi's installation is different where something is wrong with it."""

from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.addresses import Address, default_addresses
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.world import build_world
from gpuatlas_harness.wired import Objects, one


def with_fault(scenario: Scenario, world: World, name: str, **where: Any) -> Objects:
    options = {key: where.pop(key) for key in list(where) if key not in {"node", "card"}}
    fault = FaultSpec(name=name, options=options, since=world.at - 600, **where)
    return dict(documents(build_world(scenario, seed=world.seed, at=world.at, faults=(fault,))))


def test_a_failing_plugin_keeps_its_pod_and_its_monitor(
    scenario: Scenario, healthy_world: World
) -> None:
    objects = with_fault(scenario, healthy_world, "device-plugin-not-ready", node="a10g-1")
    (pod,) = [p for p in objects["pods"] if p["metadata"]["name"].startswith("hami-device-plugin-")]
    assert pod["status"]["phase"] == "Running"
    assert pod["status"]["podIP"]
    assert {c["type"]: c["status"] for c in pod["status"]["conditions"]} == {
        "Ready": "False", "ContainersReady": "False", "PodScheduled": "True",
    }  # fmt: skip
    plugin, monitor = pod["status"]["containerStatuses"]
    assert plugin["state"] == {"waiting": {"reason": "CrashLoopBackOff"}}
    assert (plugin["ready"], plugin["restartCount"], monitor["ready"]) == (False, 7, True)
    status = one(objects, "daemonsets", "hami-system", "hami-device-plugin")["status"]
    assert (status["desiredNumberScheduled"], status["numberReady"]) == (1, 0)
    assert status["numberUnavailable"] == 1


@pytest.mark.parametrize("node", ["t4-1", "ascend-1", "volcano-1", "a10g-2"])
def test_a_missing_plugin_has_no_pod_and_is_still_wanted(
    scenario: Scenario, healthy_world: World, node: str
) -> None:
    objects = with_fault(scenario, healthy_world, "device-plugin-missing", node=node)
    plugins = [
        p
        for p in objects["pods"]
        if p["spec"].get("nodeName") == node and "device-plugin" in p["metadata"]["name"]
    ]
    assert plugins == []
    lacking = [
        d["status"]["desiredNumberScheduled"] - d["status"]["currentNumberScheduled"]
        for d in objects["daemonsets"]
        if d["status"] and d["status"]["numberReady"] < d["status"]["desiredNumberScheduled"]
    ]
    assert lacking == [1]


def test_a_plugin_of_another_version_is_on_one_node_alone(
    scenario: Scenario, healthy_world: World
) -> None:
    objects = with_fault(
        scenario, healthy_world, "device-plugin-version", node="t4-1", version="v0.17.4"
    )
    images = {
        p["spec"]["nodeName"]: p["spec"]["containers"][0]["image"].rsplit(":", 1)[1]
        for p in objects["pods"]
        if p["metadata"]["name"].startswith("nvidia-device-plugin-daemonset-")
    }
    assert images.pop("t4-1") == "v0.17.4"
    assert set(images.values()) == {"v0.18.0"}
    status = one(objects, "daemonsets", "gpu-operator", "nvidia-device-plugin-daemonset")["status"]
    assert (status["updatedNumberScheduled"], status["numberReady"]) == (6, 7)


def test_a_lost_label_leaves_the_plugins_pod_where_nobody_wants_it(
    scenario: Scenario, healthy_world: World
) -> None:
    objects = with_fault(scenario, healthy_world, "sharing-label-lost", node="a10g-1")
    labels = one(objects, "nodes", "", "a10g-1")["metadata"]["labels"]
    assert "gpu" not in labels
    assert labels["hami.io/installation"] == "hami"
    status = one(objects, "daemonsets", "hami-system", "hami-device-plugin")["status"]
    assert (status["desiredNumberScheduled"], status["numberMisscheduled"]) == (0, 1)
    (pod,) = [p for p in objects["pods"] if p["metadata"]["name"].startswith("hami-device-plugin-")]
    assert pod["status"]["conditions"][0] == {
        "type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:30Z",
    }  # fmt: skip


def test_a_second_leader_is_a_second_pod_of_the_deployment(
    scenario: Scenario, healthy_world: World
) -> None:
    objects = with_fault(scenario, healthy_world, "two-leaders", node="a10g-1")
    roles = [
        p["metadata"]["labels"]["hami.io/scheduler-role"]
        for p in objects["pods"]
        if p["metadata"]["name"].startswith("hami-scheduler-")
    ]
    assert roles == ["leader", "leader"]
    found = one(objects, "deployments", "hami-system", "hami-scheduler")
    assert found["spec"]["replicas"] == found["status"]["replicas"] == 2


def test_real_ports_are_in_the_pods_and_not_in_the_templates(healthy_world: World) -> None:
    addresses = dict(default_addresses(healthy_world))
    addresses["hami-webhook", "hami"] = Address("127.0.0.1", 4443)
    addresses["hami-scheduler", "hami"] = Address("127.0.0.1", 4395)
    objects = dict(documents(healthy_world, addresses))
    (pod,) = [p for p in objects["pods"] if p["metadata"]["name"].startswith("hami-scheduler-")]
    extender = pod["spec"]["containers"][1]
    assert [p["containerPort"] for p in extender["ports"]] == [4443, 4395]
    assert "--http_bind=0.0.0.0:4443" in extender["command"]
    template = one(objects, "deployments", "hami-system", "hami-scheduler")["spec"]["template"]
    assert [p["containerPort"] for p in template["spec"]["containers"][1]["ports"]] == [443, 9395]

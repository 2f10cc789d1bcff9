"""What the chart installs of HAMi, against facts/hami.md 6.1 and the chart itself."""

from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.addresses import Address, default_addresses
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.world import build_world

Document = dict[str, Any]
Objects = dict[str, list[Document]]


@pytest.fixture(scope="module")
def objects(healthy_world: World) -> Objects:
    return dict(documents(healthy_world))


def one(objects: Objects, resource: str, namespace: str, name: str) -> Document:
    (found,) = [
        d
        for d in objects[resource]
        if d["metadata"]["name"] == name and d["metadata"].get("namespace", "") == namespace
    ]
    return found


def with_fault(scenario: Scenario, world: World, name: str, **where: Any) -> Objects:
    options = {key: where.pop(key) for key in list(where) if key not in {"node", "card"}}
    fault = FaultSpec(name=name, options=options, since=world.at - 600, **where)
    return dict(documents(build_world(scenario, seed=world.seed, at=world.at, faults=(fault,))))


SELECTED = {
    "app.kubernetes.io/component": "hami-device-plugin",
    "app.kubernetes.io/name": "hami",
    "app.kubernetes.io/instance": "hami",
}


def test_the_plugins_daemon_set_is_the_charts(objects: Objects) -> None:
    found = one(objects, "daemonsets", "hami-system", "hami-device-plugin")
    assert (found["kind"], found["apiVersion"]) == ("DaemonSet", "apps/v1")
    assert found["metadata"]["labels"] == SELECTED | {
        "helm.sh/chart": "hami-2.9.0",
        "app.kubernetes.io/version": "2.9.0",
        "app.kubernetes.io/managed-by": "Helm",
    }
    assert found["metadata"]["generation"] == 1
    template = found["spec"]["template"]
    assert found["spec"]["selector"] == {"matchLabels": SELECTED}
    assert template["metadata"]["labels"] == SELECTED | {"hami.io/webhook": "ignore"}
    pod = template["spec"]
    assert pod["nodeSelector"] == {"gpu": "on", "hami.io/installation": "hami"}
    assert pod["hostPID"] is True
    assert pod["priorityClassName"] == "system-node-critical"
    plugin, monitor = pod["containers"]
    assert (plugin["name"], monitor["name"]) == ("device-plugin", "vgpu-monitor")
    assert plugin["image"] == monitor["image"] == "docker.io/projecthami/hami:v2.9.0"
    assert plugin["command"][:4] == [
        "nvidia-device-plugin",
        "--config-file=/device-config.yaml",
        "--mig-strategy=none",
        "--disable-core-limit=false",
    ]
    assert plugin["securityContext"] == {"privileged": True}
    assert "securityContext" not in monitor
    assert {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"} in monitor["env"]
    assert monitor["ports"] == [{"name": "metrics", "containerPort": 9394, "protocol": "TCP"}]
    maps = {v["name"]: v["configMap"]["name"] for v in pod["volumes"] if "configMap" in v}
    assert maps == {
        "deviceconfig": "hami-device-plugin",
        "device-config": "hami-scheduler-device",
    }
    mounts = {m["name"]: m for m in plugin["volumeMounts"]}
    assert mounts["device-config"] == {
        "name": "device-config",
        "mountPath": "/device-config.yaml",
        "subPath": "device-config.yaml",
    }
    assert found["status"] == {
        "currentNumberScheduled": 1,
        "numberMisscheduled": 0,
        "desiredNumberScheduled": 1,
        "numberReady": 1,
        "observedGeneration": 1,
        "updatedNumberScheduled": 1,
        "numberAvailable": 1,
    }


@pytest.mark.parametrize(
    ("namespace", "name", "version", "follows", "port"),
    [
        ("hami-system", "hami-scheduler", "v2.9.0", True, "https"),
        ("hami-legacy", "hami-legacy-scheduler", "v2.7.1", False, "http"),
    ],
)
def test_the_schedulers_deployment_is_the_charts(
    objects: Objects, namespace: str, name: str, version: str, port: str, *, follows: bool
) -> None:
    found = one(objects, "deployments", namespace, name)
    assert found["metadata"]["labels"]["app.kubernetes.io/component"] == "hami-scheduler"
    assert found["metadata"]["labels"]["app.kubernetes.io/version"] == version[1:]
    pod = found["spec"]["template"]["spec"]
    kube, extender = pod["containers"]
    assert kube["image"] == "registry.k8s.io/kube-scheduler:v1.34.2"
    assert extender["image"] == f"docker.io/projecthami/hami:{version}"
    election = {
        "--leader-elect=true",
        f"--leader-elect-resource-name={name}",
        f"--leader-elect-resource-namespace={namespace}",
    }
    assert (election <= set(extender["command"])) is follows
    assert (election <= set(kube["command"])) is not follows
    assert {
        "--http_bind=0.0.0.0:443",
        "--cert_file=/tls/tls.crt",
        f"--scheduler-name={name}",
        "--metrics-bind-address=:9395",
        "--force-overwrite-default-scheduler=true",
        "--device-config-file=/device-config.yaml",
    } <= set(extender["command"])
    assert [(p["name"], p["containerPort"]) for p in extender["ports"]] == [
        (port, 443), ("metrics", 9395),
    ]  # fmt: skip
    sources = {v["name"]: v for v in pod["volumes"]}
    assert sources["tls-config"]["secret"]["secretName"] == f"{name}-tls"
    assert sources["scheduler-config"]["configMap"]["name"] == name
    assert sources["device-config"]["configMap"]["name"] == f"{name}-device"
    assert found["spec"]["replicas"] == found["status"]["readyReplicas"] == 1
    assert [(c["type"], c["status"]) for c in found["status"]["conditions"]] == [
        ("Progressing", "True"), ("Available", "True"),
    ]  # fmt: skip


def test_pods_are_what_their_templates_say(objects: Objects) -> None:
    for resource in ("daemonsets", "deployments"):
        for controller in objects[resource]:
            template = controller["spec"].get("template")
            if template is None:
                continue  # a workload's: of these only the name is ever read
            labels = template["metadata"]["labels"]
            pods = [
                p
                for p in objects["pods"]
                if p["metadata"]["namespace"] == controller["metadata"]["namespace"]
                and labels.items() <= p["metadata"]["labels"].items()
            ]
            status = controller["status"]
            count = status.get("currentNumberScheduled", status.get("replicas"))
            assert len(pods) == count > 0, controller["metadata"]["name"]
            for pod in pods:
                for key in ("volumes", "nodeSelector", "hostPID", "priorityClassName"):
                    assert pod["spec"].get(key) == template["spec"].get(key)
                assert [c["name"] for c in pod["spec"]["containers"]] == [
                    c["name"] for c in template["spec"]["containers"]
                ]


def test_every_node_with_cards_is_selected_by_the_plugin_that_runs_on_it(
    objects: Objects,
) -> None:
    nodes = {n["metadata"]["name"]: n["metadata"]["labels"] for n in objects["nodes"]}
    plugins = {
        "hami-device-plugin": {"a10g-1"},
        "hami-legacy-device-plugin": {"a10g-2"},
        "hami-ascend-device-plugin": {"ascend-1"},
        "volcano-device-plugin": {"volcano-1"},
        "nvidia-dra-driver-gpu-kubelet-plugin": {"dra-1"},
        "nvidia-device-plugin-daemonset": {
            "h100-1", "t4-1", "a100-1", "a100-2", "l40s-1", "kai-1", "l40s-2",
        },
    }  # fmt: skip
    for found in objects["daemonsets"]:
        wanted = plugins.get(found["metadata"]["name"])
        if wanted is not None:
            selector = found["spec"]["template"]["spec"]["nodeSelector"]
            selected = {n for n, labels in nodes.items() if selector.items() <= labels.items()}
            assert selected == wanted
            on = {
                p["spec"]["nodeName"]
                for p in objects["pods"]
                if found["metadata"]["uid"]
                in [o["uid"] for o in p["metadata"].get("ownerReferences", [])]
            }
            assert on == wanted


def test_images_and_versions_of_an_installation_are_one(objects: Objects) -> None:
    for namespace, version in (("hami-system", "v2.9.0"), ("hami-legacy", "v2.7.1")):
        tags = {
            container["image"].rsplit(":", 1)[1]
            for pod in objects["pods"]
            if pod["metadata"]["namespace"] == namespace
            for container in pod["spec"]["containers"]
            if container["image"].startswith("docker.io/projecthami/hami:")
        }
        assert tags == {version}


def test_volcanos_plugin_is_labelled_as_its_own_chart_does(objects: Objects) -> None:
    found = one(objects, "daemonsets", "volcano-system", "volcano-device-plugin")
    assert found["metadata"]["labels"]["app.kubernetes.io/name"] == "volcano-vgpu-device-plugin"
    assert found["metadata"]["labels"]["app.kubernetes.io/version"] == "1.12.0"
    assert found["spec"]["selector"] == {"matchLabels": {"name": "volcano-device-plugin"}}
    (container,) = found["spec"]["template"]["spec"]["containers"]
    assert container["image"].endswith(":v1.12.0")


def test_the_operators_plugin_serves_all_ways_of_sharing_that_it_knows(objects: Objects) -> None:
    found = one(objects, "daemonsets", "gpu-operator", "nvidia-device-plugin-daemonset")
    assert found["status"]["desiredNumberScheduled"] == found["status"]["numberReady"] == 7
    pod = found["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == {"nvidia.com/gpu.deploy.device-plugin": "true"}
    assert pod["containers"][0]["securityContext"] == {"privileged": True}


def test_schedulers_of_queues_have_deployments(objects: Objects) -> None:
    for namespace, name in (
        ("kai-scheduler", "kai-scheduler-default"),
        ("volcano-system", "volcano-scheduler"),
        ("kueue-system", "kueue-controller-manager"),
    ):
        found = one(objects, "deployments", namespace, name)
        assert found["status"]["readyReplicas"] == 1
        assert found["spec"]["selector"]["matchLabels"] == {"app": name}


def test_workloads_daemon_sets_are_there_as_far_as_they_are_read(objects: Objects) -> None:
    names = {d["metadata"]["name"] for d in objects["daemonsets"]}
    assert {"transcode", "gpu-watch", "kube-proxy", "nvidia-dcgm-exporter"} <= names


# Faults of the installation


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

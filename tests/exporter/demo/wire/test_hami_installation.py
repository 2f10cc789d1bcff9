"""What the chart installs of HAMi, against facts/hami.md 6.1 and the chart itself."""

from __future__ import annotations

import pytest

from gpuatlas.demo.state import World
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas_harness.wired import Objects, one


@pytest.fixture(scope="module")
def objects(healthy_world: World) -> Objects:
    return dict(documents(healthy_world))


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
            if not controller["status"]:
                continue  # a workload's: those say it in other tests
            template = controller["spec"]["template"]
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

"""Pods of device plugins are kept and told apart, whoever installed them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.checks.plugin_index import index_plugins
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.device_plugins import DEVICE_PLUGINS, device_plugin_of
from gpuatlas.model.objects import Pod
from gpuatlas.sources.kubernetes.discovery import find_targets
from gpuatlas.sources.kubernetes.project import project_pod
from gpuatlas_harness.checked_layers import COMPONENT, a_plugin_pod, daemon_set_owner
from gpuatlas_harness.observed import NOW, a_container, a_node, a_pod, observations

NAME = "app.kubernetes.io/name"


@pytest.mark.parametrize(
    ("labels", "container", "expected"),
    [
        ({COMPONENT: "hami-device-plugin"}, "device-plugin", "hami"),
        ({COMPONENT: "hami-ascend-device-plugin"}, "device-plugin", "hami-ascend"),
        ({"name": "volcano-device-plugin"}, "volcano-device-plugin", "volcano"),
        ({"app": "volcano-vgpu-device-plugin"}, "x", "volcano"),
        ({NAME: "nvidia-device-plugin"}, "nvidia-device-plugin-ctr", "nvidia"),
        ({"app": "nvidia-device-plugin-daemonset"}, "nvidia-device-plugin", "nvidia"),
        ({"name": "nvidia-device-plugin-ds"}, "nvidia-device-plugin-ctr", "nvidia"),
        ({"k8s-app": "nvidia-gpu-device-plugin"}, "nvidia-gpu-device-plugin", "nvidia"),
        ({NAME: "nvidia-device-plugin"}, "gpu-feature-discovery-ctr", ""),
        ({NAME: "nvidia-device-plugin"}, "mps-control-daemon-ctr", ""),
        ({"app": "nvidia-device-plugin-mps-control-daemon"}, "x", ""),
        ({}, "nvidia-device-plugin-ctr", ""),
    ],
)
def test_a_plugin_is_known_by_its_labels(
    labels: dict[str, str], container: str, expected: str
) -> None:
    found = device_plugin_of(labels, [container])
    assert (found.name if found else "") == expected


def test_each_plugin_of_a_layer_registers_somewhere() -> None:
    assert [p.name for p in DEVICE_PLUGINS if p.layer and not (p.register and p.components)] == []
    assert len({p.name for p in DEVICE_PLUGINS}) == len(DEVICE_PLUGINS)


def a_raw_plugin(container: str = "nvidia-device-plugin-ctr") -> dict[str, object]:
    return {
        "metadata": {
            "uid": "u-1",
            "namespace": "kube-system",
            "name": "nvidia-device-plugin-x",
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": {NAME: "nvidia-device-plugin"},
        },
        "spec": {"nodeName": "gpu-a", "containers": [{"name": container, "image": "x:1"}]},
        "status": {
            "phase": "Running",
            "podIP": "10.0.0.3",
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def test_nvidias_plugin_is_kept_and_is_neither_target_nor_tenant() -> None:
    pod = project_pod(a_raw_plugin())
    assert pod is not None
    assert (pod.asks, pod.ready, pod.node) == (False, True, "gpu-a")
    assert find_targets([pod], {"gpu-a": a_node()}) == ()
    snapshot = Joiner().build(observations([a_node()], [pod]))
    assert list(snapshot.workloads()) == []
    assert list(snapshot.allocations()) == []


def test_what_else_its_chart_installs_is_not_kept() -> None:
    assert project_pod(a_raw_plugin("gpu-feature-discovery-ctr")) is None


def an_nvidia_pod(name: str, namespace: str, node: str, age: float = 100) -> Pod:
    return a_pod(
        name,
        node,
        namespace=namespace,
        labels={"app": "nvidia-device-plugin-daemonset"},
        containers=(a_container("nvidia-device-plugin", limits={}),),
        controller=daemon_set_owner("nvidia"),
        created_at=NOW - age,
    )


def test_on_each_node_the_namespace_counts_that_has_most_nodes() -> None:
    usual = [an_nvidia_pod(f"p-{node}", "gpu-operator", node) for node in ("a", "b")]
    stranger = an_nvidia_pod("s", "team-a", "a", age=999)
    alone = an_nvidia_pod("g", "kube-system", "c")
    index = index_plugins([stranger, *usual, alone], frozenset())
    assert {place: [p.name for p in pods] for place, pods in index.pods.items()} == {
        ("a", "nvidia"): ["p-a"],
        ("b", "nvidia"): ["p-b"],
        ("c", "nvidia"): ["g"],
    }
    assert index.by_controller == {("gpu-operator", "nvidia"): 2, ("kube-system", "nvidia"): 1}


def test_of_equals_the_oldest_counts() -> None:
    index = index_plugins(
        [an_nvidia_pod("new", "team-a", "a", age=5), an_nvidia_pod("old", "gpu", "a", age=50)],
        frozenset(),
    )
    assert [pod.name for pod in index.pods["a", "nvidia"]] == ["old"]


def test_the_newest_pod_of_a_node_comes_last() -> None:
    pods = [an_nvidia_pod("b", "gpu", "a", age=5), an_nvidia_pod("a", "gpu", "a", age=50)]
    assert [p.name for p in index_plugins(pods, frozenset()).pods["a", "nvidia"]] == ["a", "b"]


def test_hamis_plugin_counts_where_hami_runs() -> None:
    pod = a_plugin_pod()
    assert list(index_plugins([pod], frozenset({"kube-system"})).pods) == [("gpu-a", "hami")]
    assert index_plugins([pod], frozenset({"elsewhere"})).pods == {}
    assert index_plugins([replace(pod, node="")], frozenset({"kube-system"})).pods == {}

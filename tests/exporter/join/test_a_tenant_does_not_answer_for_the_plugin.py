"""A tenant's pod that wears the device plugin's label says nothing of the sharing layer."""

from __future__ import annotations

from typing import Any

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Pod
from gpuatlas.model.readings import Reading, Unknown, value_of
from gpuatlas_harness.observed import NOW, a_device, a_node, a_pod, a_registration, observations


def a_plugin(namespace: str, node: str, **changes: Any) -> Pod:
    labels = {"app.kubernetes.io/component": "hami-device-plugin"}
    uid = f"{namespace}-{node}"
    return a_pod(uid, node, containers=(), labels=labels, namespace=namespace, uid=uid, **changes)


def readiness(*pods: Pod) -> dict[str, Reading[bool]]:
    capacity = {"nvidia.com/gpu": 10}
    nodes = [
        a_node("gpu-a", a_registration(a_device(1)), capacity=capacity),
        a_node("gpu-b", a_registration(a_device(2)), capacity=capacity),
        a_node("plain"),
    ]
    snapshot = Joiner().build(observations(nodes, pods))
    return {name: node.sharing_ready for name, node in snapshot.nodes.items()}


def test_a_dead_plugin_is_not_covered_by_a_tenants_pod() -> None:
    ready = readiness(
        a_plugin("kube-system", "gpu-a", ready=False),
        a_plugin("kube-system", "gpu-b"),
        a_plugin("team-a", "gpu-a"),
    )
    assert (value_of(ready["gpu-a"]), value_of(ready["gpu-b"])) == (False, True)


def test_of_equally_many_the_oldest_is_believed() -> None:
    ready = readiness(
        a_plugin("kube-system", "gpu-a", ready=False, created_at=NOW - 9_000),
        a_plugin("a-team", "gpu-a", created_at=NOW - 60),
    )
    assert value_of(ready["gpu-a"]) is False


def test_a_plain_node_gets_no_sharing_layer_from_a_tenant() -> None:
    ready = readiness(
        a_plugin("kube-system", "gpu-a"),
        a_plugin("kube-system", "gpu-b"),
        a_plugin("team-a", "plain", ready=False),
    )
    assert isinstance(ready["plain"], Unknown)

"""What check S13 says of pods that a layer bound to a node."""

from __future__ import annotations

from typing import Any

from gpuatlas.checks import stuck
from gpuatlas.model.checks import Finding
from gpuatlas.model.objects import Node, Owner, OwnerLink, Pod
from gpuatlas_harness.checked_layers import (
    a_checked_cluster,
    a_plugin_pod,
    a_shared_node,
    a_shared_pod,
)
from gpuatlas_harness.observed import NOW

DEPLOYMENT = Owner(api_group="apps", kind="Deployment", name="llm", uid="d-1")
OWNERS = {
    "rs-1": OwnerLink(
        uid="rs-1",
        api_group="apps",
        kind="ReplicaSet",
        namespace="team-a",
        name="llm-7c9d",
        controller=DEPLOYMENT,
    ),
    "d-1": OwnerLink(
        uid="d-1",
        api_group="apps",
        kind="Deployment",
        namespace="team-a",
        name="llm",
        controller=None,
    ),
}


def a_bound_pod(binding: str, age: float = 61, name: str = "chat-0", **changes: Any) -> Pod:
    """A pod that waits for its cards since `age` seconds."""
    values: dict[str, Any] = {
        "phase": "Pending",
        "ready": False,
        "annotations": {
            "hami.io/vgpu-node": "gpu-a",
            "hami.io/bind-phase": binding,
            "hami.io/bind-time": str(int(NOW - age)),
        },
    }
    return a_shared_pod(name, **(values | changes))


def found(*pods: Pod, node: Node | None = None) -> tuple[Finding, ...]:
    cluster = a_checked_cluster([node or a_shared_node()], [a_plugin_pod(), *pods], owners=OWNERS)
    return stuck.allocations(cluster).findings

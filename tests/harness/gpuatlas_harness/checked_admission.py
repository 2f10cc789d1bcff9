"""Pods that ask for shares, and what check S09 says of them."""

from __future__ import annotations

from gpuatlas.checks.tenants import bypassed
from gpuatlas.model.checks import CheckResult
from gpuatlas.model.objects import Node, Pod
from gpuatlas_harness.checked_tenants import a_context, a_hami_node, a_plugin
from gpuatlas_harness.observed import a_container, a_pod

IGNORED = {"hami.io/webhook": "ignore"}


def judged_admission(*pods: Pod, node: Node | None = None, **changes: object) -> CheckResult:
    return bypassed(a_context([node or a_hami_node()], [a_plugin(), *pods], **changes))


def asking(name: str = "app-0", node: str = "gpu-a", **changes: object) -> Pod:
    """A pod that asks for a share and carries nothing of the layer's."""
    values: dict[str, object] = {
        "containers": (a_container(limits={"nvidia.com/gpu": 1, "nvidia.com/gpumem": 4096}),)
    }
    return a_pod(name, node, **(values | changes))  # type: ignore[arg-type]


def waiting(**changes: object) -> Pod:
    return asking(**({"node": "", "phase": "Pending"} | changes))  # type: ignore[arg-type]

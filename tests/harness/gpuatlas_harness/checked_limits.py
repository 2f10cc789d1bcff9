"""What check S01 says of tenants on a node."""

from __future__ import annotations

from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.isolation import disabled
from gpuatlas.model.checks import CheckResult
from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.pages import MonitorPage
from gpuatlas_harness.checked_tenants import a_context, a_hami_node, a_page, counted

OFF = {"CUDA_DISABLE_CONTROL": "true"}


def judged(
    *pods: Pod, page: MonitorPage | None = None, node: Node | None = None, **changes: object
) -> CheckResult:
    return disabled(context_of(*pods, page=page, node=node, **changes))


def context_of(
    *pods: Pod, page: MonitorPage | None = None, node: Node | None = None, **changes: object
) -> CheckContext:
    node = node or a_hami_node()
    readings = [counted(pod, limit_mib=None) for pod in pods]
    monitor = page or a_page(*readings, node=node.name)
    return a_context([node], pods, monitors=(monitor,), **changes)

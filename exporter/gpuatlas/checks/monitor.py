"""S06: a node's sharing monitor is silent, and whoever it paused stays paused. Pure.

Facts: facts/hami.md 5.5 (nobody else resets a pause), 1.3 and 1.4 (who serves a page where).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpuatlas.checks.conditions import joined, node_doubt, pod_status
from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.daemon_sets import nearest
from gpuatlas.checks.plugin_pods import Monitor, is_starting, monitor_of, owner_of
from gpuatlas.checks.verdict import MONITOR_PAGE, unread_pods, verdict
from gpuatlas.model.catalogue import Severity
from gpuatlas.model.checks import CheckResult, Finding, MissingInput
from gpuatlas.model.device_plugins import HAMI_PLUGIN
from gpuatlas.model.readings import Known

CHECK: Final = "S06"
SILENT: Final = "silent"
# A monitor pauses tenants of this priority number and above, 0 being the highest (facts/hami.md
# 5.5): `gpuatlas_allocation_priority >= 1` in alerts/sharing.yaml.
PAUSABLE_PRIORITY: Final = 1
_ADVICE: Final = (
    "see that the layer's monitor is among the endpoints that gpuatlas, or the Prometheus that it "
    "reads, asks"
)


def silent(context: CheckContext) -> CheckResult:
    """Nodes whose monitor should answer and does not."""
    expected = {
        node: monitor
        for node in sorted(context.layers)
        if (monitor := monitor_of(context, node)) is not None
    }
    missing = [
        MissingInput(
            check=CHECK, input=MONITOR_PAGE, node=node, reason=f"{monitor.reason}: {_ADVICE}"
        )
        for node, monitor in expected.items()
        if monitor.up is None
    ]
    return verdict(
        CHECK, expected, _findings(context, expected), (*unread_pods(context, CHECK), *missing)
    )


def _findings(context: CheckContext, expected: dict[str, Monitor]) -> Iterator[Finding]:
    for node, monitor in expected.items():
        if monitor.up is not False or is_starting(context, monitor.pods):
            continue
        pod = monitor.pods[-1] if monitor.pods else None
        paused = _pausable(context, node)
        yield Finding(
            check=CHECK,
            signal=SILENT,
            object=_object(context, monitor, node),
            source=MONITOR_PAGE,
            record=joined(
                monitor.reason,
                pod_status(pod) if pod is not None else "no such pod on the node",
                node_doubt(context, node),
                paused,
            ),
            node=node,
            namespace=pod.namespace if pod is not None else "",
            pod=pod.name if pod is not None else "",
            severity=Severity.CRITICAL if paused else Severity.WARNING,
        )


def _object(context: CheckContext, monitor: Monitor, node: str) -> str:
    if monitor.pods:
        return owner_of(monitor.pods[-1])
    found = nearest(context, context.nodes[node], HAMI_PLUGIN)
    return found.object if found is not None else f"Node/{node}"


def _pausable(context: CheckContext, node: str) -> str:
    """Who may be paused for good."""
    joined_node = context.snapshot.nodes.get(node)
    tenants = {
        (allocation.namespace, allocation.pod)
        for allocation in (joined_node.allocations if joined_node is not None else ())
        if isinstance(allocation.priority, Known) and allocation.priority.value >= PAUSABLE_PRIORITY
    }
    return (
        f"tenants of priority 1 or lower, which may stay paused: {len(tenants)}" if tenants else ""
    )

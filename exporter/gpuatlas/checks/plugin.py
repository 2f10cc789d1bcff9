"""S10: a device plugin is not ready. S11: a node lost the plugin's label. Pure.

Facts: facts/hami.md 6.1 (DaemonSets), 2.4; facts/k8s.md 1.2, 1.12 (plugins outside of pods).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from gpuatlas.checks.conditions import joined, node_doubt, pod_status
from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.daemon_sets import daemon_sets, lacking, nearest, quoted_selector
from gpuatlas.checks.layer_inputs import DAEMON_SETS, unread
from gpuatlas.checks.node_labels import label_plugins, lost_labels, unseen_keys
from gpuatlas.checks.plugin_pods import (
    expected_plugins,
    has_tenants,
    is_ready,
    is_registered,
    is_starting,
    offered,
    owner_of,
    pods_of,
)
from gpuatlas.checks.verdict import unread_pods, verdict
from gpuatlas.model.checks import CheckResult, Finding, MissingInput
from gpuatlas.model.device_plugins import DevicePlugin
from gpuatlas.model.objects import Node, Pod

DOWN: Final = "S10"
LABEL: Final = "S11"


def down(context: CheckContext) -> CheckResult:
    """Nodes without a ready device plugin of those that they should have."""
    expected = {node: expected_plugins(context, node) for node in sorted(context.nodes)}
    nodes = [n for n, plugins in expected.items() if plugins or context.layers.get(n)]
    findings = (
        finding
        for node in nodes
        for plugin in expected[node]
        for finding in _down(context, context.nodes[node], plugin)
    )
    missing = (*unread_pods(context, DOWN), *unread(context, DOWN, DAEMON_SETS))
    return verdict(DOWN, nodes, findings, missing)


def _down(context: CheckContext, node: Node, plugin: DevicePlugin) -> Iterator[Finding]:
    pods = pods_of(context, node.name, plugin)
    if is_ready(pods) or (is_starting(context, pods) and node.ready):
        return
    if unread_pods(context, DOWN):
        return
    if pods:
        yield _not_ready(context, node.name, pods[-1])
    else:
        yield _missing(context, node, plugin)


def _not_ready(context: CheckContext, node: str, pod: Pod) -> Finding:
    return Finding(
        check=DOWN,
        signal="not-ready",
        object=owner_of(pod),
        source="pod status",
        record=joined(pod_status(pod), node_doubt(context, node)),
        node=node,
        namespace=pod.namespace,
        pod=pod.name,
    )


def _missing(context: CheckContext, node: Node, plugin: DevicePlugin) -> Finding:
    controller = nearest(context, node, plugin)
    return Finding(
        check=DOWN,
        signal="missing",
        object=controller.object if controller is not None else f"Node/{node.name}",
        source=f"{controller.object} nodeSelector" if controller is not None else "node",
        record=joined(
            "no pod of the plugin on the node",
            _selection(context, node, plugin),
            _trace(context, node, plugin),
            node_doubt(context, node.name),
        ),
        node=node.name,
        namespace=controller.namespace if controller is not None else "",
    )


def _selection(context: CheckContext, node: Node, plugin: DevicePlugin) -> str:
    """What the DaemonSet's nodeSelector says of the node."""
    controller = nearest(context, node, plugin)
    if controller is None:
        return ""
    if not lacking(controller, node):
        counts = f"desired {controller.desired}, ready {controller.ready}"
        return f"nodeSelector {quoted_selector(controller) or 'empty'} matches ({counts})"
    unseen = ", ".join(unseen_keys(context, node, plugin))
    doubt = f"cannot be compared: {unseen} is not read" if unseen else "does not match"
    return f"nodeSelector {quoted_selector(controller)} {doubt}"


def _trace(context: CheckContext, node: Node, plugin: DevicePlugin) -> str:
    """What shows that the plugin belongs there."""
    found = []
    if has_tenants(context, node.name, plugin):
        found.append("tenants")
    if is_registered(node, plugin):
        found.append("a registration")
    proof = f"the node has {' and '.join(found)}" if found else ""
    return joined(proof, f"allocatable {offered(node.allocatable, plugin)}")


def label_missing(context: CheckContext) -> CheckResult:
    """Nodes with cards of a layer that no DaemonSet of its plugin selects any more."""
    belonging = {
        node.name: plugins
        for _, node in sorted(context.nodes.items())
        if (plugins := label_plugins(context, node))
    }
    missing = [*unread_pods(context, LABEL), *unread(context, LABEL, DAEMON_SETS)]
    if not missing:
        missing += _unjudged(context, belonging)
    findings = (
        finding
        for node, plugins in belonging.items()
        for plugin in plugins
        for finding in _label(context, context.nodes[node], plugin)
    )
    return verdict(LABEL, belonging, findings, missing)


def _unjudged(
    context: CheckContext, belonging: Mapping[str, tuple[DevicePlugin, ...]]
) -> Iterator[MissingInput]:
    for node, plugins in belonging.items():
        for plugin in plugins:
            if not daemon_sets(context, plugin):
                names = ", ".join(sorted(plugin.components))
                reason = f"no DaemonSet has the label app.kubernetes.io/component={names}"
                yield MissingInput(check=LABEL, input=DAEMON_SETS, node=node, reason=reason)
            for key in unseen_keys(context, context.nodes[node], plugin):
                reason = f"the DaemonSet selects by the label {key}, which gpuatlas does not read"
                yield MissingInput(check=LABEL, input="node label", node=node, reason=reason)


def _label(context: CheckContext, node: Node, plugin: DevicePlugin) -> Iterator[Finding]:
    for controller, label in lost_labels(context, node, plugin):
        key = label.partition("=")[0]
        now = f"{key}={node.labels[key]}" if key in node.labels else f"no label {key}"
        yield Finding(
            check=LABEL,
            signal="label",
            object=f"Node/{node.name}",
            source=f"{controller.object} nodeSelector",
            record=joined(f"nodeSelector {quoted_selector(controller)}", f"node has {now}"),
            node=node.name,
        )

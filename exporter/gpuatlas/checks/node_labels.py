"""Which labels a node lacks of those that its device plugin's DaemonSets select by. Pure.

Facts: facts/hami.md 6.1 (`gpu=on`, `ascend=on` and their like, all configurable).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.daemon_sets import daemon_sets, lacking, runs_on
from gpuatlas.checks.plugin_pods import belongs, has_tenants
from gpuatlas.model.device_plugins import DEVICE_PLUGINS, DevicePlugin
from gpuatlas.model.layer import LayerController
from gpuatlas.model.objects import Node

# Of a node's labels only some are read (`sources.kubernetes.kept.NODE_LABELS`). That one of these
# is not there means that the node does not have it; of any other key it means nothing.
READ_KEYS: Final = frozenset(
    {
        "gpu",
        "ascend",
        "dcu",
        "mlu",
        "accelerator",
        "accelerator-type",
        "pool",
        "nodepool",
        "node-pool",
        "agentpool",
        "kubernetes.io/hostname",
        "kubernetes.io/arch",
        "kubernetes.io/os",
        "node.kubernetes.io/instance-type",
    }
)
READ_DOMAINS: Final = frozenset(
    {
        "hami.io",
        "volcano.sh",
        "nvidia.com",
        "huawei.com",
        "kai.scheduler",
        "run.ai",
        "cloud.google.com",
        "kubernetes.azure.com",
        "karpenter.sh",
        "eks.amazonaws.com",
        "topology.kubernetes.io",
        "node-role.kubernetes.io",
    }
)


class LostLabel(NamedTuple):
    """A label, as "key=value", that the DaemonSet nearest to the node selects by."""

    controller: LayerController
    label: str


def missing_labels(context: CheckContext, name: str) -> tuple[str, ...]:
    """The labels, as "key=value", that keep the layer's plugins off a node with its cards."""
    node = context.nodes.get(name)
    if node is None:
        return ()
    found = {
        lost.label
        for plugin in label_plugins(context, node)
        for lost in lost_labels(context, node, plugin)
    }
    return tuple(sorted(found))


def label_plugins(context: CheckContext, node: Node) -> tuple[DevicePlugin, ...]:
    """The layers' plugins whose cards or tenants are on the node."""
    return tuple(p for p in DEVICE_PLUGINS if p.layer and belongs(context, node, p))


def lost_labels(context: CheckContext, node: Node, plugin: DevicePlugin) -> tuple[LostLabel, ...]:
    """What the node lacks of the DaemonSet that is nearest to selecting it; () where one does.

    A label with another value ("gpu=off") is no lost label on a node that nobody uses any more:
    somebody took it out.
    """
    lacks = [(_read_lack(context, c, node), c) for c in daemon_sets(context, plugin)]
    if not lacks or not all(labels for labels, _ in lacks):
        return ()
    labels, controller = min(lacks, key=lambda lack: (len(lack[0]), lack[1].object))
    if not has_tenants(context, node.name, plugin) and all(
        label.partition("=")[0] in node.labels for label in labels
    ):
        return ()
    return tuple(LostLabel(controller, label) for label in labels)


def unseen_keys(context: CheckContext, node: Node, plugin: DevicePlugin) -> tuple[str, ...]:
    """Keys that decide whether a DaemonSet selects the node, and of which nobody can tell."""
    lacks = [(lacking(c, node), c) for c in daemon_sets(context, plugin)]
    undecided = [
        (labels, controller)
        for labels, controller in lacks
        if not _read_lack(context, controller, node)
    ]
    if any(
        not labels or runs_on(context, controller, node.name) for labels, controller in undecided
    ):
        return ()
    return tuple(sorted({label.partition("=")[0] for labels, _ in undecided for label in labels}))


def _read_lack(context: CheckContext, controller: LayerController, node: Node) -> tuple[str, ...]:
    """What the node lacks for certain of the DaemonSet's nodeSelector."""
    return tuple(
        label for label in lacking(controller, node) if _is_read(context, label.partition("=")[0])
    )


def _is_read(context: CheckContext, key: str) -> bool:
    domain, slash, _ = key.partition("/")
    if key in READ_KEYS or (slash and domain in READ_DOMAINS):
        return True
    return any(key in node.labels for node in context.nodes.values())

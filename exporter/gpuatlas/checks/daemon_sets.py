"""The DaemonSets of device plugins, and which nodes they select. Pure."""

from __future__ import annotations

from typing import Final

from gpuatlas.checks.context import CheckContext
from gpuatlas.model.device_plugins import HAMI_PLUGIN, DevicePlugin
from gpuatlas.model.layer import LayerController
from gpuatlas.model.objects import Node

DAEMON_SET: Final = "DaemonSet"


def daemon_sets(context: CheckContext, plugin: DevicePlugin) -> tuple[LayerController, ...]:
    """The plugin's DaemonSets; HAMi's where HAMi is installed, since anybody can label one."""
    return tuple(
        controller
        for controller in context.layer.controllers
        if controller.kind == DAEMON_SET
        and controller.component in plugin.components
        and (plugin is not HAMI_PLUGIN or _is_hamis(context, controller))
    )


def _is_hamis(context: CheckContext, controller: LayerController) -> bool:
    return not context.hami_homes or controller.namespace in context.hami_homes


def selecting(
    context: CheckContext, node: Node, plugin: DevicePlugin
) -> tuple[LayerController, ...]:
    """Those of the plugin's DaemonSets whose nodeSelector the node's labels match."""
    return tuple(c for c in daemon_sets(context, plugin) if not lacking(c, node))


def lacking(controller: LayerController, node: Node) -> tuple[str, ...]:
    """What the node lacks of the DaemonSet's nodeSelector, as "key=value"."""
    return tuple(
        f"{key}={value}"
        for key, value in sorted(controller.node_selector.items())
        if node.labels.get(key) != value
    )


def nearest(context: CheckContext, node: Node, plugin: DevicePlugin) -> LayerController | None:
    """The plugin's DaemonSet that selects the node or lacks least to do so; None without one."""
    return min(
        daemon_sets(context, plugin),
        key=lambda controller: (len(lacking(controller, node)), controller.object),
        default=None,
    )


def quoted_selector(controller: LayerController) -> str:
    """The nodeSelector as kubectl writes it: "gpu=on,zone=a"."""
    return ",".join(f"{key}={value}" for key, value in sorted(controller.node_selector.items()))


def wants_another(context: CheckContext, controller: LayerController) -> bool:
    """Whether the DaemonSet still waits for a pod on one of the nodes that it selects.

    A taint or an affinity can keep a node out that the selector matches: then the DaemonSet wants
    no more pods than it has.
    """
    if not controller.settled:
        return True
    seen = context.plugins.by_controller.get((controller.namespace, controller.name), 0)
    return controller.desired > seen


def runs_on(context: CheckContext, controller: LayerController, node: str) -> bool:
    """Whether the DaemonSet has a pod there that is to stay, which proves that it selects it."""
    return any(
        pod.controller is not None
        and (pod.namespace, pod.controller.name) == (controller.namespace, controller.name)
        and not pod.deleting
        for pod in context.pods_by_node.get(node, ())
    )

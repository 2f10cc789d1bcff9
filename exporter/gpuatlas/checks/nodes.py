"""Facts of the sharing layers about each of their nodes: what the metrics of nodes show. Pure.

Nothing is judged here. Sources: facts/hami.md 2.2, 2.4, 2.5, 6.1.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.handshakes import heartbeat_at
from gpuatlas.checks.locks import node_locks
from gpuatlas.checks.node_labels import missing_labels
from gpuatlas.checks.plugin_pods import expected_plugins, monitor_state, plugin_state, pods_of
from gpuatlas.checks.verdict import unread_pods
from gpuatlas.model.checks import NodeLayer
from gpuatlas.model.devices import Registration
from gpuatlas.model.objects import Node, Pod


def node_layers(context: CheckContext) -> tuple[NodeLayer, ...]:
    """The facts of every node that belongs to a layer, by name."""
    return tuple(_facts(context, name) for name in sorted(context.layers))


def _facts(context: CheckContext, name: str) -> NodeLayer:
    node = context.nodes.get(name)
    locks = node_locks(node) if node is not None else ()
    lock = next((lock for lock in locks if lock.at is not None), None)
    blind = bool(unread_pods(context, ""))
    return NodeLayer(
        node=name,
        layers=tuple(sorted(context.layers[name])),
        monitor_up=monitor_state(context, name),
        plugin_ready=None if blind else plugin_state(context, name),
        missing_labels=() if blind else missing_labels(context, name),
        registered_cards=_registered(context, node) if node is not None else None,
        driver_cards=len(context.listed.get(name, ())) or None,
        heartbeat_at=heartbeat_at(context, name),
        lock_at=lock.at if lock is not None else None,
        lock_owner=lock.owner if lock is not None else "",
        plugin_version=_plugin_version(context, name),
    )


def _registered(context: CheckContext, node: Node) -> int | None:
    """Cards in the registrations that layers' plugins wrote on the node.

    0 where a plugin should have written one; None where it wrote something unreadable, or where no
    plugin registers cards. What is derived from capacity is no registration.
    """
    written = list(_written(node))
    if written:
        return len({device.card for found in written for device in found.devices})
    keys = [p.register for p in expected_plugins(context, node.name) if p.register]
    if not keys or any(key.startswith(tuple(keys)) for key in node.annotations):
        return None
    return 0


def _written(node: Node) -> Iterator[Registration]:
    return (found for found in node.registrations if found.source not in node.capacity)


def _plugin_version(context: CheckContext, name: str) -> str:
    """The tag of the image of the node's layer plugin, of the newest pod; "" where it has none."""
    for plugin in expected_plugins(context, name):
        pods = pods_of(context, name, plugin)
        if plugin.layer and pods:
            return _tag(_plugin_image(pods[-1]))
    return ""


def _plugin_image(pod: Pod) -> str:
    """HAMi's and Ascend's containers are called "device-plugin"; of others the first counts."""
    named = [c.image for c in pod.containers if c.name == "device-plugin"]
    return next(iter([*named, *(c.image for c in pod.containers if c.kind == "main")]), "")


def _tag(image: str) -> str:
    """The tag of an image; a registry's port and a digest are none."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[2]

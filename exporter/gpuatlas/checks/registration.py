"""S12: a node's registration is missing, given up, out of date, or lists other cards than it has.

Pure. Facts: facts/hami.md 2.2 to 2.6, 4.2 (`filterdevices`), 6.4 (A7, A8, A14); facts/errata.md
(two layers on one node; virtual GPUs hide cards without pods from DCGM).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.driver_cards import card_findings, unlisted
from gpuatlas.checks.handshakes import device_record, handshake_key, heartbeat_at
from gpuatlas.checks.plugin_pods import (
    STARTING_SECONDS,
    began_at,
    belongs,
    is_alive,
    is_ready,
    is_registered,
    offered,
    plugins_of,
    pods_of,
)
from gpuatlas.checks.verdict import unread_pods, verdict
from gpuatlas.model.checks import CheckResult, Finding, MissingInput
from gpuatlas.model.device_plugins import DEVICE_PLUGINS, DevicePlugin
from gpuatlas.model.objects import Node
from gpuatlas.model.snapshot import Sharing

CHECK: Final = "S12"
# Plugins that report do so every 30 s, and HAMi gives a node up after 60 s without an answer
# (facts/hami.md 2.4): `node_registration_heartbeat` in alerts/sharing.yaml.
HEARTBEAT_SECONDS: Final = 90.0
_LAYERS: Final = frozenset({str(Sharing.HAMI), str(Sharing.VOLCANO)})
_DELETED: Final = "deleted"


def registration_stale(context: CheckContext) -> CheckResult:
    """What is wrong with the registrations of HAMi and of Volcano."""
    nodes = [
        context.nodes[name]
        for name, layers in sorted(context.layers.items())
        if layers & _LAYERS and name in context.nodes
    ]
    findings = (finding for node in nodes for finding in _of_node(context, node))
    missing = [lack for node in nodes for lack in _lacks(context, node)]
    return verdict(
        CHECK, [node.name for node in nodes], findings, (*unread_pods(context, CHECK), *missing)
    )


def _of_node(context: CheckContext, node: Node) -> Iterator[Finding]:
    yield from _missing(context, node)
    yield from _dropped(context, node)
    yield from _heartbeat(context, node)
    yield from _unhealthy(context, node)
    yield from card_findings(context, node, CHECK)


def _lacks(context: CheckContext, node: Node) -> Iterator[MissingInput]:
    for plugin, key in _unreadable(context, node):
        reason = f"the annotation {key} of {plugin.name} cannot be read: {_refusal(node, key)}"
        yield MissingInput(check=CHECK, input="registration", node=node.name, reason=reason)
    yield from unlisted(context, node, CHECK)


def _unreadable(context: CheckContext, node: Node) -> Iterator[tuple[DevicePlugin, str]]:
    """Registrations that are there, and say nothing that can be understood."""
    for plugin in _serving(context, node):
        key = _register_key(node, plugin)
        if key and not is_registered(node, plugin):
            yield plugin, key


def _refusal(node: Node, key: str) -> str:
    found = (r.message for r in node.rejections if key in r.where)
    return next(found, "no record in it has the right form")


def _register_key(node: Node, plugin: DevicePlugin) -> str:
    """The annotation in which the plugin registers, "" where it is not there or empty."""
    return next(
        (
            key
            for key, text in sorted(node.annotations.items())
            if plugin.register and key.startswith(plugin.register) and text.strip()
        ),
        "",
    )


def _serving(context: CheckContext, node: Node) -> Iterator[DevicePlugin]:
    """The layers' plugins that have been ready for long enough, and offer devices."""
    for plugin in DEVICE_PLUGINS:
        pods = pods_of(context, node.name, plugin)
        settled = is_ready(pods) and context.now - began_at(pods[-1]) >= STARTING_SECONDS
        if plugin.layer and settled and offered(node.allocatable, plugin):
            yield plugin


def _missing(context: CheckContext, node: Node) -> Iterator[Finding]:
    for plugin in _serving(context, node):
        if is_registered(node, plugin) or _register_key(node, plugin):
            continue
        pod = pods_of(context, node.name, plugin)[-1]
        yield Finding(
            check=CHECK,
            signal="missing",
            object=f"Node/{node.name}",
            source="node annotations",
            record=(
                f"no {plugin.register} annotation; allocatable "
                f"{offered(node.allocatable, plugin)}, pod {pod.namespace}/{pod.name} is Ready"
            ),
            node=node.name,
            namespace=pod.namespace,
            pod=pod.name,
        )


def _dropped(context: CheckContext, node: Node) -> Iterator[Finding]:
    """One layer's word says nothing of another's cards."""
    for registration in node.registrations:
        shake = registration.handshake
        if shake is None or shake.state != _DELETED:
            continue
        left = sum(
            offered(node.allocatable, plugin)
            for plugin in plugins_of(registration)
            if belongs(context, node, plugin)
        )
        if not left:
            continue
        key = handshake_key(node, registration)
        yield Finding(
            check=CHECK,
            signal="dropped",
            object=f"Node/{node.name}",
            source=f"node annotation {key}" if key else "node annotations",
            record=f"{node.annotations.get(key) or _DELETED}; allocatable {left}",
            node=node.name,
        )


def _heartbeat(context: CheckContext, node: Node) -> Iterator[Finding]:
    at = heartbeat_at(context, node.name)
    if at is None or context.now - at <= HEARTBEAT_SECONDS:
        return
    key = "hami.io/node-handshake"
    yield Finding(
        check=CHECK,
        signal="heartbeat",
        object=f"Node/{node.name}",
        source=f"node annotation {key}",
        record=node.annotations.get(key, ""),
        node=node.name,
    )


def _unhealthy(context: CheckContext, node: Node) -> Iterator[Finding]:
    for registration in node.registrations:
        if not is_alive(context, node, registration):
            continue
        text = node.annotations.get(registration.source, "")
        for device in registration.devices:
            if device.healthy:
                continue
            record = device_record(text, device.card) or f"{device.card}: health false"
            yield Finding(
                check=CHECK,
                signal="unhealthy",
                object=f"Node/{node.name}",
                source=f"node annotation {registration.source}",
                record=record,
                node=node.name,
                card=device.card,
            )

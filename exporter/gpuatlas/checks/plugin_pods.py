"""Which device plugins a node should have, and whether they are ready. Pure; shared by the checks.

Facts: facts/hami.md 6.1 (objects), 2.4 (no heartbeat: readiness and allocatable tell),
facts/k8s.md 1.2 (the kubelet sets allocatable to 0 as soon as a plugin leaves).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.daemon_sets import selecting, wants_another
from gpuatlas.checks.soft import is_split_in_software
from gpuatlas.checks.verdict import unread_pods
from gpuatlas.model.device_plugins import (
    ASCEND_PLUGIN,
    COMPONENT,
    DEVICE_PLUGINS,
    NVIDIA_PLUGIN,
    VOLCANO_PLUGIN,
    DevicePlugin,
)
from gpuatlas.model.devices import Registration
from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.snapshot import Sharing
from gpuatlas.model.targets import HAMI_MONITOR
from gpuatlas.model.vendors import vendor_of_count

# A plugin needs some time from its start to the first registration: HAMi's registers every 30 s
# (facts/hami.md 2.4). Our own margin above that.
STARTING_SECONDS: Final = 120.0
# Ways of sharing that NVIDIA's own plugin serves (facts/k8s.md 1.0, 1.9).
NVIDIA_SHARED: Final = frozenset(
    map(str, (Sharing.MIG, Sharing.TIME_SLICING, Sharing.MPS, Sharing.KAI))
)
_VOLCANO_DOMAIN: Final = "volcano.sh/"
_KAI_MONITOR: Final = "kai-vgpu-monitor"
_RUNNING: Final = "Running"


def plugin_state(context: CheckContext, node: str) -> bool | None:
    """Whether all device plugins that the node should have are ready.

    None where none should be, or where nobody can see the pods.
    """
    plugins = expected_plugins(context, node)
    if not plugins or unread_pods(context, ""):
        return None
    return all(is_ready(pods_of(context, node, plugin)) for plugin in plugins)


def pods_of(context: CheckContext, node: str, plugin: DevicePlugin) -> tuple[Pod, ...]:
    """The plugin's pods on the node, the newest last."""
    return context.plugins.pods.get((node, plugin.name), ())


def is_ready(pods: Sequence[Pod]) -> bool:
    """Whether one of a plugin's pods on a node is ready."""
    return any(pod.ready for pod in pods)


def is_starting(context: CheckContext, pods: Sequence[Pod]) -> bool:
    """Whether a plugin has just started, or is just being replaced."""
    return any(
        context.now - (_ends_at(pod) if pod.deleting else began_at(pod)) < STARTING_SECONDS
        for pod in pods
    )


def began_at(pod: Pod) -> float:
    """When the kubelet took the pod, or when it was made."""
    return max(pod.created_at, pod.started_at or 0.0)


def _ends_at(pod: Pod) -> float:
    return began_at(pod) if pod.deleting_at is None else pod.deleting_at


def owner_of(pod: Pod) -> str:
    """How findings name what made a plugin's pod: "DaemonSet/kube-system/hami-device-plugin"."""
    if pod.controller is None:
        return f"Pod/{pod.namespace}/{pod.name}"
    return f"{pod.controller.kind}/{pod.namespace}/{pod.controller.name}"


def expected_plugins(context: CheckContext, node: str) -> tuple[DevicePlugin, ...]:
    """The device plugins that the node should have, as far as something on it proves that.

    Its pod, tenants, a registration, or a DaemonSet that selects the node by a label.
    """
    return tuple(p for p in DEVICE_PLUGINS if _is_expected(context, node, p))


def _is_expected(context: CheckContext, name: str, plugin: DevicePlugin) -> bool:
    node = context.nodes.get(name)
    if node is None:
        return False
    if plugin is NVIDIA_PLUGIN:
        return _is_nvidia_expected(context, node)
    return (
        bool(pods_of(context, name, plugin))
        or belongs(context, node, plugin)
        or _is_wanted(context, node, plugin)
    )


def belongs(context: CheckContext, node: Node, plugin: DevicePlugin) -> bool:
    """Whether the layer of the plugin has cards or tenants on the node.

    A registration alone proves nothing where somebody else's plugin offers the cards by now: it is
    what the layer left behind.
    """
    if has_tenants(context, node.name, plugin):
        return True
    if plugin.layer in context.gone:
        return False
    served = bool(pods_of(context, node.name, plugin)) or not offered(node.allocatable, plugin)
    return is_registered(node, plugin) and served


def _is_nvidia_expected(context: CheckContext, node: Node) -> bool:
    """Also runs outside of pods (facts/k8s.md 1.12): without one, only what it left tells."""
    if NVIDIA_SHARED.isdisjoint(context.layers.get(node.name, ())):
        return False
    return bool(pods_of(context, node.name, NVIDIA_PLUGIN)) or (
        offered(node.capacity, NVIDIA_PLUGIN) > 0 and not offered(node.allocatable, NVIDIA_PLUGIN)
    )


def is_registered(node: Node, plugin: DevicePlugin) -> bool:
    """Whether the node carries a registration of the plugin's cards."""
    return any(
        r.layer == plugin.layer and r.vendor == plugin.vendor and r.source not in node.capacity
        for r in node.registrations
    )


def plugins_of(registration: Registration) -> tuple[DevicePlugin, ...]:
    """Who writes such a registration; () for vendors whose plugin is not in the table."""
    place = (registration.layer, registration.vendor)
    return tuple(p for p in DEVICE_PLUGINS if (p.layer, p.vendor) == place)


def is_alive(context: CheckContext, node: Node, registration: Registration) -> bool:
    """Whether the registration is more than what a layer left behind."""
    plugins = plugins_of(registration)
    return not plugins or any(belongs(context, node, plugin) for plugin in plugins)


def has_tenants(context: CheckContext, node: str, plugin: DevicePlugin) -> bool:
    """Whether pods on the node hold shares of the plugin's cards."""
    return any(
        promise.layer == plugin.layer and promise.vendor == plugin.vendor
        for pod in context.pods_by_node.get(node, ())
        if pod.holds
        for promise in pod.promises
    )


def offered(resources: Mapping[str, int], plugin: DevicePlugin) -> int:
    """How many of the plugin's devices are among a node's capacity or allocatable resources."""
    return sum(
        number
        for resource, number in resources.items()
        if (vendor := vendor_of_count(resource)) is not None
        and vendor.name == plugin.vendor
        # HAMi and NVIDIA offer the same resources; Volcano has its own.
        and resource.startswith(_VOLCANO_DOMAIN) == (plugin.layer == Sharing.VOLCANO)
    )


def _is_wanted(context: CheckContext, node: Node, plugin: DevicePlugin) -> bool:
    """Whether a DaemonSet selects the node by a label, and still waits for a pod."""
    return any(
        controller.node_selector and wants_another(context, controller)
        for controller in selecting(context, node, plugin)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """A sharing monitor that a node should have.

    `up` is None where nobody can tell; `reason` says why it is not True. `pods` are those that
    should serve the page.
    """

    up: bool | None
    reason: str
    pods: tuple[Pod, ...]


def monitor_state(context: CheckContext, node: str) -> bool | None:
    """Whether the node's sharing monitor answers; None where none should or nobody can tell."""
    monitor = monitor_of(context, node)
    return None if monitor is None else monitor.up


def monitor_of(context: CheckContext, node: str) -> Monitor | None:
    """The sharing monitor of a node, None where none is expected."""
    pods = _monitoring_pods(context, node)
    if pods is None:
        return None
    if node in context.monitors.pages:
        return Monitor(up=True, reason="", pods=pods)
    silent = context.observations.silent
    if reason := silent.get((HAMI_MONITOR, node)):
        return Monitor(up=False, reason=reason, pods=pods)
    lacks = unread_pods(context, "")
    if reason := silent.get((HAMI_MONITOR, "")) or (lacks[0].reason if lacks else ""):
        return Monitor(up=None, reason=reason, pods=pods)
    running = any(pod.phase == _RUNNING for pod in pods)
    reason = "nobody asked for its page" if running else "its pod does not run"
    return Monitor(up=None if running else False, reason=reason, pods=pods)


def _monitoring_pods(context: CheckContext, node: str) -> tuple[Pod, ...] | None:
    """The pods that should serve the node's page, () where they are gone; None for no page."""
    found: list[Pod] = list(_kai_monitors(context, node))
    expected = bool(found)
    for plugin in expected_plugins(context, node):
        pods = pods_of(context, node, plugin)
        serving = [pod for pod in pods if _serves(pod, plugin)]
        # facts/hami.md 1.4: elsewhere the Ascend plugin serves no page.
        if plugin is ASCEND_PLUGIN and not is_split_in_software(context.nodes[node]):
            continue
        # HAMi's plugin brings its monitor along; Volcano's is an option of the installation.
        brings = bool(plugin.monitors) and plugin is not VOLCANO_PLUGIN
        expected |= bool(serving) or (brings and not pods)
        found += serving
    return tuple(found) if expected else None


def _serves(pod: Pod, plugin: DevicePlugin) -> bool:
    return any(container.name in plugin.monitors for container in pod.containers)


def _kai_monitors(context: CheckContext, node: str) -> Iterator[Pod]:
    """Where KAI's isolator is installed, its monitor has pods of its own."""
    if str(Sharing.KAI) in context.layers.get(node, ()):
        for pod in context.pods_by_node.get(node, ()):
            if pod.labels.get(COMPONENT) == _KAI_MONITOR:
                yield pod

"""The device plugins that serve shared cards, and by what their pods are known: one row each.

Labels: facts/hami.md 6.1 for HAMi, the manifests and charts of the others (NVIDIA's chart, static
manifest and GPU Operator, GKE's DaemonSet, Volcano's and Ascend's plugin). Any tenant's pod can
wear these labels: who asks must also look at where the pod runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Packaging:
    """How the pods of one way to install a plugin are labelled.

    `container` must be among the pod's containers where the label alone is worn by others too.
    """

    label: str
    values: frozenset[str]
    container: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DevicePlugin:
    """One device plugin.

    `layer` is whom it registers its cards with ("hami", "volcano"), "" for NVIDIA's own, which
    registers with nobody but the kubelet. `vendor` is a key of `model.vendors`. `components` are
    the component labels of its DaemonSets. `register` begins the node annotations in which it
    lists its cards. `monitors` are the containers of its pods that tell what tenants use.
    """

    name: str
    layer: str
    vendor: str
    packagings: tuple[Packaging, ...]
    components: frozenset[str] = frozenset()
    register: str = ""
    monitors: frozenset[str] = frozenset()


# The label by which the charts of the layers tell their parts.
COMPONENT: Final = "app.kubernetes.io/component"
_NAME: Final = "app.kubernetes.io/name"
_VOLCANO: Final = frozenset({"volcano-device-plugin", "volcano-vgpu-device-plugin"})

HAMI_PLUGIN: Final = DevicePlugin(
    name="hami",
    layer="hami",
    vendor="nvidia",
    packagings=(Packaging(label=COMPONENT, values=frozenset({"hami-device-plugin"})),),
    components=frozenset({"hami-device-plugin"}),
    register="hami.io/node-nvidia-register",
    monitors=frozenset({"vgpu-monitor"}),
)
ASCEND_PLUGIN: Final = DevicePlugin(
    name="hami-ascend",
    layer="hami",
    vendor="ascend",
    packagings=(Packaging(label=COMPONENT, values=frozenset({"hami-ascend-device-plugin"})),),
    components=frozenset({"hami-ascend-device-plugin"}),
    register="hami.io/node-register-Ascend",
    monitors=frozenset({"device-plugin"}),  # its own process serves the page
)
VOLCANO_PLUGIN: Final = DevicePlugin(
    name="volcano",
    layer="volcano",
    vendor="nvidia",
    packagings=tuple(
        Packaging(label=label, values=_VOLCANO) for label in ("name", "app", _NAME, COMPONENT)
    ),
    components=_VOLCANO,
    register="volcano.sh/node-vgpu-register",
    monitors=frozenset({"monitor", "vgpu-monitor"}),
)
NVIDIA_PLUGIN: Final = DevicePlugin(
    name="nvidia",
    layer="",
    vendor="nvidia",
    packagings=(
        # The chart labels the pods of GPU feature discovery and of the MPS daemon alike.
        Packaging(
            label=_NAME,
            values=frozenset({"nvidia-device-plugin"}),
            container="nvidia-device-plugin-ctr",
        ),
        Packaging(label="app", values=frozenset({"nvidia-device-plugin-daemonset"})),
        Packaging(label="name", values=frozenset({"nvidia-device-plugin-ds"})),
        Packaging(label="k8s-app", values=frozenset({"nvidia-gpu-device-plugin"})),
    ),
)
DEVICE_PLUGINS: Final = (HAMI_PLUGIN, ASCEND_PLUGIN, VOLCANO_PLUGIN, NVIDIA_PLUGIN)


def device_plugin_of(labels: Mapping[str, str], containers: Iterable[str]) -> DevicePlugin | None:
    """Whose pod it says that it is, by its labels and the names of its containers."""
    names = frozenset(containers)
    for plugin in DEVICE_PLUGINS:
        for packaging in plugin.packagings:
            worn = labels.get(packaging.label) in packaging.values
            if worn and (not packaging.container or packaging.container in names):
                return plugin
    return None

"""HAMi's plugin for Ascend cards, from its own manifest. It reads the scheduler's configuration."""

from __future__ import annotations

from typing import Final

from gpuatlas.demo.installed import HamiRelease
from gpuatlas.demo.state import NodeState
from gpuatlas.demo.wire.controllers import (
    Controller,
    SystemContainer,
    SystemPod,
    config_map,
    host_path,
)
from gpuatlas.demo.wire.node_labels import ASCEND_LABEL

NODE_CONFIG: Final = "hami-device-node-config"
_COMPONENT: Final = "hami-ascend-device-plugin"
_IMAGE: Final = "docker.io/projecthami/ascend-device-plugin"
_VERSION: Final = "v1.3.0"
_KUBELET: Final = "/var/lib/kubelet/device-plugins"
_DRIVER: Final = "/usr/local/Ascend/driver"


def ascend_plugin_pod(node: NodeState, hami: HamiRelease) -> SystemPod:
    """The plugin on one node."""
    container = _container(node.plugin_version or _VERSION)
    return SystemPod(
        controller=_controller(hami),
        node=node.spec.name,
        containers=(container,),
        exists=node.plugin != "missing",
        failing=frozenset({container.name} if node.plugin == "failing" else ()),
    )


def _controller(hami: HamiRelease) -> Controller:
    return Controller(
        kind="DaemonSet",
        namespace=hami.namespace,
        name=_COMPONENT,
        labels={"app.kubernetes.io/component": _COMPONENT, "hami.io/webhook": "ignore"},
        own_labels={"app.kubernetes.io/component": _COMPONENT},
        containers=(_container(_VERSION),),
        volumes={
            "device-plugin": host_path(_KUBELET),
            "hiai-driver": host_path(_DRIVER),
            "ascend-config": config_map(f"{hami.scheduler_name}-device"),
            "ascend-node-config": config_map(NODE_CONFIG),
        },
        node_selector=ASCEND_LABEL,
    )


def _container(version: str) -> SystemContainer:
    return SystemContainer(
        name="device-plugin",
        image=f"{_IMAGE}:{version}",
        args=("--config_file", "/device-config.yaml"),
        fields={"NODE_NAME": "spec.nodeName"},
        mounts={
            "device-plugin": (_KUBELET, ""),
            "hiai-driver": (_DRIVER, ""),
            "ascend-config": ("/device-config.yaml", "device-config.yaml"),
            "ascend-node-config": ("/node-config.yaml", "node-config.yaml"),
        },
        privileged=True,
    )

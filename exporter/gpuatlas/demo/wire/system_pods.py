"""Which pods the cluster itself has: exporters, device plugins, schedulers, and bystanders.

The exporters' pods carry the labels by which the real ones are found (facts/dcgm.md 1.2,
facts/hami.md 1.1), and the address at which their page can really be read. HAMi's are in
`hami_pods`. How they are written down is in `system_pod_documents` and `controller_documents`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from gpuatlas.demo.scenario import NodeSpec, QueueSystem, Sharing
from gpuatlas.demo.state import EndpointState, World
from gpuatlas.demo.wire.addresses import DEFAULT_PORTS, SYSTEM_NODE, Address, Addresses
from gpuatlas.demo.wire.controllers import (
    Controller,
    SystemContainer,
    SystemPod,
    config_map,
    host_path,
)
from gpuatlas.demo.wire.hami_pods import hami_pods
from gpuatlas.demo.wire.node_exporter_pods import node_exporter_pods
from gpuatlas.demo.wire.node_labels import EXPORTER_LABEL, OPERATOR_LABEL, PLUGIN_LABELS
from gpuatlas.demo.wire.volcano_config import DEVICE_CONFIG, NODE_CONFIG

_DNS_PODS: Final = 2
_EXPORTER: Final = "nvidia-dcgm-exporter"
_EXPORTER_TAGS: Final = {"4.8.2": "4.5.3-4.8.2", "4.8.3": "4.6.0-4.8.3"}
_OPERATOR_LABELS: Final = {
    "app.kubernetes.io/managed-by": "gpu-operator",
    "helm.sh/chart": "gpu-operator-v26.3.3",
}
_KUBELET: Final = "/var/lib/kubelet/device-plugins"


def system_pods(world: World, addresses: Addresses) -> list[SystemPod]:
    """All of them, those that are missing by a fault, too."""
    return [
        *_exporters(world, addresses),
        *node_exporter_pods(world, addresses),
        *hami_pods(world, addresses),
        *_device_plugins(world),
        *_schedulers(world),
        *_bystanders(world),
    ]


def _exporters(world: World, addresses: Addresses) -> Iterator[SystemPod]:
    for endpoint in world.endpoints:
        if endpoint.kind == "dcgm":
            node = world.node(endpoint.subject).spec
            yield _exporter(node, endpoint, addresses[endpoint.key])


def _exporter(node: NodeSpec, endpoint: EndpointState, address: Address) -> SystemPod:
    return SystemPod(
        controller=Controller(
            kind="DaemonSet",
            namespace="gpu-operator",
            name=_EXPORTER,
            labels={"app": _EXPORTER, **_OPERATOR_LABELS},
            containers=(_exporter_container("4.8.2", DEFAULT_PORTS["dcgm"], sliced=False),),
            node_selector=EXPORTER_LABEL,
        ),
        node=node.name,
        containers=(
            _exporter_container(
                node.dcgm_exporter, address.port, sliced=node.sharing is Sharing.TIME_SLICING
            ),
        ),
        endpoint=endpoint.key,
        host=address.host,
        runs=endpoint.behaviour != "gone",
    )


def _exporter_container(version: str, port: int, *, sliced: bool) -> SystemContainer:
    env = {
        "DCGM_EXPORTER_LISTEN": f":{port}",
        "DCGM_EXPORTER_KUBERNETES": "true",
        "DCGM_EXPORTER_COLLECTORS": "/etc/dcgm-exporter/dcgm-metrics.csv",
    }
    if sliced:
        env["KUBERNETES_VIRTUAL_GPUS"] = "true"
    return SystemContainer(
        name=_EXPORTER,
        image=f"nvcr.io/nvidia/k8s/dcgm-exporter:{_EXPORTER_TAGS[version]}-distroless",
        env=env,
        ports=(("metrics", port),),
    )


def _device_plugins(world: World) -> Iterator[SystemPod]:
    """Plugins without a page; HAMi's come with its monitors."""
    for state in world.nodes:
        if state.spec.sharing is not Sharing.HAMI:
            controller = _PLUGINS.get(state.spec.sharing, _operator_plugin)()
            (container,) = controller.containers
            yield SystemPod(
                controller=controller,
                node=state.spec.name,
                containers=(_of_version(container, state.plugin_version),),
                exists=state.plugin != "missing",
                failing=frozenset({container.name} if state.plugin == "failing" else ()),
            )


def _of_version(container: SystemContainer, version: str) -> SystemContainer:
    if not version:
        return container
    return replace(container, image=f"{container.image.rpartition(':')[0]}:{version}")


def _operator_plugin() -> Controller:
    name = "nvidia-device-plugin-daemonset"
    return Controller(
        kind="DaemonSet",
        namespace="gpu-operator",
        name=name,
        labels={"app": name, "app.kubernetes.io/managed-by": "gpu-operator"},
        containers=(
            SystemContainer(
                name="nvidia-device-plugin",
                image="nvcr.io/nvidia/k8s-device-plugin:v0.18.0",
                env={
                    "PASS_DEVICE_SPECS": "true",
                    "FAIL_ON_INIT_ERROR": "true",
                    "DEVICE_LIST_STRATEGY": "envvar",
                    "DEVICE_ID_STRATEGY": "uuid",
                    "NVIDIA_VISIBLE_DEVICES": "all",
                    "NVIDIA_DRIVER_CAPABILITIES": "all",
                    "MIG_STRATEGY": "mixed",
                },
                mounts={"device-plugin": (_KUBELET, "")},
                privileged=True,
            ),
        ),
        volumes={"device-plugin": host_path(_KUBELET)},
        node_selector=OPERATOR_LABEL,
    )


def _volcano_plugin() -> Controller:
    """From the plugin's own chart, with its monitor switched off."""
    name, version = "volcano-device-plugin", "v1.12.0"
    selected = {
        "name": name,
        "app.kubernetes.io/name": "volcano-vgpu-device-plugin",
        "app.kubernetes.io/instance": "volcano-vgpu",
    }
    return Controller(
        kind="DaemonSet",
        namespace="volcano-system",
        name=name,
        labels={"name": name},
        ignored_labels=selected,
        own_labels={
            "app.kubernetes.io/name": "volcano-vgpu-device-plugin",
            "app.kubernetes.io/instance": "volcano-vgpu",
            "app.kubernetes.io/version": version.removeprefix("v"),
            "app.kubernetes.io/managed-by": "Helm",
            "helm.sh/chart": "volcano-vgpu-device-plugin-1.12.0",
        },
        containers=(
            SystemContainer(
                name=name,
                image=f"docker.io/projecthami/volcano-vgpu-device-plugin:{version}",
                env={"HOOK_PATH": "/usr/local/vgpu", "NVIDIA_VISIBLE_DEVICES": "all"},
                fields={"NODE_NAME": "spec.nodeName"},
                mounts={
                    "deviceconfig": ("/config", ""),
                    "device-config": ("/device-config.yaml", "device-config.yaml"),
                    "device-plugin": (_KUBELET, ""),
                    "lib": ("/usr/local/vgpu", ""),
                },
                privileged=True,
            ),
        ),
        volumes={
            "deviceconfig": config_map(NODE_CONFIG),
            "device-config": config_map(DEVICE_CONFIG),
            "device-plugin": host_path(_KUBELET, "Directory"),
            "lib": host_path("/usr/local/vgpu", "DirectoryOrCreate"),
        },
        node_selector=PLUGIN_LABELS[Sharing.VOLCANO],
    )


def _dra_driver() -> Controller:
    return Controller(
        kind="DaemonSet",
        namespace="nvidia-dra-driver-gpu",
        name="nvidia-dra-driver-gpu-kubelet-plugin",
        labels={"nvidia-dra-driver-gpu-component": "kubelet-plugin"},
        containers=(
            SystemContainer(name="gpus", image="nvcr.io/nvidia/k8s-dra-driver-gpu:v25.8.1"),
        ),
        node_selector=PLUGIN_LABELS[Sharing.DRA],
    )


_PLUGINS: Final[Mapping[Sharing, Callable[[], Controller]]] = {
    Sharing.VOLCANO: _volcano_plugin,
    Sharing.DRA: _dra_driver,
}
# Schedulers and queues beside the cluster's own: system of a queue → (namespace, name, image).
_SCHEDULERS: Final[Mapping[QueueSystem, tuple[str, str, str]]] = {
    QueueSystem.KAI: (
        "kai-scheduler", "kai-scheduler-default", "ghcr.io/nvidia/kai-scheduler/scheduler:v0.13.0",
    ),
    QueueSystem.VOLCANO: (
        "volcano-system", "volcano-scheduler", "docker.io/volcanosh/vc-scheduler:v1.13.0",
    ),
    QueueSystem.KUEUE: (
        "kueue-system", "kueue-controller-manager", "registry.k8s.io/kueue/kueue:v0.15.0",
    ),
}  # fmt: skip


def _schedulers(world: World) -> Iterator[SystemPod]:
    for system in sorted({queue.system for queue in world.scenario.queues}):
        namespace, name, image = _SCHEDULERS[system]
        yield SystemPod(
            controller=Controller(
                kind="Deployment",
                namespace=namespace,
                name=name,
                labels={"app": name},
                containers=(SystemContainer(name=name, image=image),),
            ),
            node=SYSTEM_NODE,
        )


def _bystanders(world: World) -> Iterator[SystemPod]:
    """Pods that have nothing to do with cards: every real list is full of them."""
    proxy = Controller(
        kind="DaemonSet",
        namespace="kube-system",
        name="kube-proxy",
        labels={"k8s-app": "kube-proxy"},
        containers=(
            SystemContainer(
                name="kube-proxy",
                image=f"registry.k8s.io/kube-proxy:{world.scenario.kubernetes}",
            ),
        ),
    )
    dns = Controller(
        kind="Deployment",
        namespace="kube-system",
        name="coredns",
        labels={"k8s-app": "kube-dns"},
        containers=(
            SystemContainer(
                name="coredns",
                image="registry.k8s.io/coredns/coredns:v1.12.1",
                ports=(("metrics", 9153),),
            ),
        ),
    )
    for node in (SYSTEM_NODE, *(state.spec.name for state in world.nodes)):
        yield SystemPod(controller=proxy, node=node)
    for number in range(_DNS_PODS):
        yield SystemPod(controller=dns, node=SYSTEM_NODE, number=number)

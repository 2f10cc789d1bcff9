"""Which pods the cluster itself has: exporters, device plugins, schedulers, and bystanders.

The exporters' pods carry the labels by which the real ones are found (facts/dcgm.md 1.2,
facts/hami.md 1.1), and the address at which their page can really be read. How they are written
down is in `system_pod_documents`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from gpuatlas.demo.randomness import name_suffix
from gpuatlas.demo.scenario import HamiRelease, NodeSpec, QueueSystem, Sharing
from gpuatlas.demo.state import EndpointState, World
from gpuatlas.demo.wire.addresses import SYSTEM_NODE, Address, Addresses

_LEADER_LABEL_SINCE: Final = (2, 9)
_NODES_OF_DNS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPod:
    """One pod of a DaemonSet or a Deployment. `ports` is by container: (port's name, number)."""

    namespace: str
    controller: str
    node: str
    labels: Mapping[str, str]
    containers: Mapping[str, str]  # name → image
    kind: str = "DaemonSet"
    number: int = 0  # of several on one node
    ports: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    host: str = ""  # its own address, where it has a real one
    runs: bool = True

    def name(self, seed: int) -> str:
        """As its controller would name it."""
        suffix = name_suffix(5, seed, self.controller, self.namespace, self.node, self.number)
        stem = self.controller if self.kind == "DaemonSet" else self.replica_set(seed)
        return f"{stem}-{suffix}"

    def replica_set(self, seed: int) -> str:
        """The ReplicaSet of a Deployment."""
        return f"{self.controller}-{name_suffix(10, seed, self.namespace, self.controller)}"


def system_pods(world: World, addresses: Addresses) -> list[SystemPod]:
    """All of them."""
    exporters = [pod for _, pod in endpoint_pods(world, addresses)]
    return [*exporters, *_device_plugins(world), *_controllers(world), *_bystanders(world)]


def endpoint_pods(world: World, addresses: Addresses) -> list[tuple[EndpointState, SystemPod]]:
    """Each exporter's endpoint with the pod that serves it."""
    releases = {hami.release: hami for hami in world.scenario.hami}
    pods = []
    for endpoint in world.endpoints:
        address, runs = addresses[endpoint.key], endpoint.behaviour != "gone"
        if endpoint.kind == "hami-scheduler":
            pod = _scheduler(releases[endpoint.subject], address, runs=runs)
        elif endpoint.kind == "hami-monitor":
            pod = _monitor(world.node(endpoint.subject).spec, address, runs=runs)
        else:
            pod = _dcgm(world.node(endpoint.subject).spec, address, runs=runs)
        pods.append((endpoint, pod))
    return pods


def _dcgm(node: NodeSpec, address: Address, *, runs: bool) -> SystemPod:
    name = "nvidia-dcgm-exporter"
    env = {
        "DCGM_EXPORTER_LISTEN": f":{address.port}",
        "DCGM_EXPORTER_KUBERNETES": "true",
        "DCGM_EXPORTER_COLLECTORS": "/etc/dcgm-exporter/dcgm-metrics.csv",
    }
    if node.sharing is Sharing.TIME_SLICING:
        env["KUBERNETES_VIRTUAL_GPUS"] = "true"
    dcgm = {"4.8.2": "4.5.3-4.8.2", "4.8.3": "4.6.0-4.8.3"}[node.dcgm_exporter]
    return SystemPod(
        namespace="gpu-operator",
        controller=name,
        node=node.name,
        labels={
            "app": name,
            "app.kubernetes.io/managed-by": "gpu-operator",
            "helm.sh/chart": "gpu-operator-v26.3.3",
        },
        containers={name: f"nvcr.io/nvidia/k8s/dcgm-exporter:{dcgm}-distroless"},
        ports={name: ("metrics", address.port)},
        env=env,
        host=address.host,
        runs=runs,
    )


def _hami_labels(hami: HamiRelease, component: str) -> dict[str, str]:
    return {
        "app.kubernetes.io/component": component,
        "app.kubernetes.io/name": "hami",
        "app.kubernetes.io/instance": hami.release,
        "hami.io/webhook": "ignore",
    }


def _monitor(node: NodeSpec, address: Address, *, runs: bool) -> SystemPod:
    hami = _release(node)
    image = f"docker.io/projecthami/hami:{hami.version}"
    return SystemPod(
        namespace=hami.namespace,
        controller=f"{hami.release}-device-plugin",
        node=node.name,
        labels=_hami_labels(hami, "hami-device-plugin"),
        containers={"device-plugin": image, "vgpu-monitor": image},
        ports={"vgpu-monitor": ("metrics", address.port)},
        host=address.host,
        runs=runs,
    )


def _scheduler(hami: HamiRelease, address: Address, *, runs: bool) -> SystemPod:
    leader = hami.numbers >= _LEADER_LABEL_SINCE
    labels = _hami_labels(hami, "hami-scheduler")
    return SystemPod(
        namespace=hami.namespace,
        controller=hami.scheduler_name,
        kind="Deployment",
        node=SYSTEM_NODE,
        labels=labels | ({"hami.io/scheduler-role": "leader"} if leader else {}),
        containers={
            "kube-scheduler": "registry.k8s.io/kube-scheduler:v1.34.2",
            "vgpu-scheduler-extender": f"docker.io/projecthami/hami:{hami.version}",
        },
        ports={"vgpu-scheduler-extender": ("metrics", address.port)},
        host=address.host,
        runs=runs,
    )


def _release(node: NodeSpec) -> HamiRelease:
    if node.hami is None:
        msg = f"node {node.name} has no HAMi"
        raise ValueError(msg)
    return node.hami


def _device_plugins(world: World) -> Iterator[SystemPod]:
    """Plugins without a page: NVIDIA's own, and HAMi's for Ascend."""
    for state in world.nodes:
        node = state.spec
        if node.card.vendor == "ascend":
            name = "hami-ascend-device-plugin"
            yield SystemPod(
                namespace=_release(node).namespace,
                controller=name,
                node=node.name,
                labels={"app.kubernetes.io/component": name},
                containers={"device-plugin": "docker.io/projecthami/ascend-device-plugin:v1.3.0"},
            )
        elif node.sharing in _PLUGINS:
            yield _PLUGINS[node.sharing](node)
        elif node.sharing is not Sharing.HAMI:
            name = "nvidia-device-plugin-daemonset"
            yield SystemPod(
                namespace="gpu-operator",
                controller=name,
                node=node.name,
                labels={"app": name, "app.kubernetes.io/managed-by": "gpu-operator"},
                containers={"nvidia-device-plugin": "nvcr.io/nvidia/k8s-device-plugin:v0.18.0"},
            )


def _volcano_plugin(node: NodeSpec) -> SystemPod:
    image = "docker.io/projecthami/volcano-vgpu-device-plugin:v1.12.0"
    return SystemPod(
        namespace="volcano-system",
        controller="volcano-device-plugin",
        node=node.name,
        labels={"name": "volcano-device-plugin"},
        containers={"volcano-device-plugin": image},
    )


def _dra_driver(node: NodeSpec) -> SystemPod:
    return SystemPod(
        namespace="nvidia-dra-driver-gpu",
        controller="nvidia-dra-driver-gpu-kubelet-plugin",
        node=node.name,
        labels={"nvidia-dra-driver-gpu-component": "kubelet-plugin"},
        containers={"gpus": "nvcr.io/nvidia/k8s-dra-driver-gpu:v25.8.1"},
    )


_PLUGINS: Final[Mapping[Sharing, Callable[[NodeSpec], SystemPod]]] = {
    Sharing.VOLCANO: _volcano_plugin,
    Sharing.DRA: _dra_driver,
}
# Schedulers and queues beside the cluster's own: system of a queue → (namespace, name, image).
_CONTROLLERS: Final[Mapping[QueueSystem, tuple[str, str, str]]] = {
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


def _controllers(world: World) -> Iterator[SystemPod]:
    for system in sorted({queue.system for queue in world.scenario.queues}):
        namespace, name, image = _CONTROLLERS[system]
        yield SystemPod(
            namespace=namespace,
            controller=name,
            kind="Deployment",
            node=SYSTEM_NODE,
            labels={"app": name},
            containers={name: image},
        )


def _bystanders(world: World) -> Iterator[SystemPod]:
    """Pods that have nothing to do with cards: every real list is full of them."""
    version = world.scenario.kubernetes
    for node in (SYSTEM_NODE, *(state.spec.name for state in world.nodes)):
        yield SystemPod(
            namespace="kube-system",
            controller="kube-proxy",
            node=node,
            labels={"k8s-app": "kube-proxy"},
            containers={"kube-proxy": f"registry.k8s.io/kube-proxy:{version}"},
        )
    for number in range(_NODES_OF_DNS):
        yield SystemPod(
            namespace="kube-system",
            controller="coredns",
            kind="Deployment",
            node=SYSTEM_NODE,
            number=number,
            labels={"k8s-app": "kube-dns"},
            containers={"coredns": "registry.k8s.io/coredns/coredns:v1.12.1"},
            ports={"coredns": ("metrics", 9153)},
        )

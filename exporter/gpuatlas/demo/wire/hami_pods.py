"""HAMi's scheduler and device plugins: what the chart installs of them (facts/hami.md 6.1).

Versions 2.7 and 2.9 of the chart. Where a page or the webhook really answers, a container's port is
that number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from gpuatlas.demo.installed import HamiRelease
from gpuatlas.demo.state import NodeState, World
from gpuatlas.demo.state_layer import HamiState
from gpuatlas.demo.wire.addresses import DEFAULT_PORTS, SYSTEM_NODE, Address, Addresses
from gpuatlas.demo.wire.ascend_plugin import ascend_plugin_pod
from gpuatlas.demo.wire.controllers import (
    Controller,
    SystemContainer,
    SystemPod,
    config_map,
    host_path,
    secret,
)
from gpuatlas.demo.wire.node_labels import HAMI_LABEL, INSTALLATION_LABEL
from gpuatlas.demo.wire.objects import Document

SCHEDULER: Final = "hami-scheduler"
PLUGIN: Final = "hami-device-plugin"
ROLE_SINCE: Final = (2, 9)  # the leader's label, and the Service that selects by it
# Since then the extender follows the lease, and its port has a name of its own.
_FOLLOWS_SINCE: Final = (2, 8)
_IMAGE: Final = "docker.io/projecthami/hami"
_VOLUMES: Final[Mapping[str, Document]] = {
    "ctrs": host_path("/usr/local/vgpu/containers"),
    "hosttmp": host_path("/tmp"),  # noqa: S108 - the chart's own
    "containerds": host_path("/run/containerd"),
    "device-plugin": host_path("/var/lib/kubelet/device-plugins"),
    "lib": host_path("/usr/local/vgpu"),
    "usrbin": host_path("/usr/bin"),
    "sysinfo": host_path("/sys"),
    "hostvar": host_path("/var"),
}
_NODE_NAME: Final = {"NODE_NAME": "spec.nodeName"}


def selector_labels(hami: HamiRelease, component: str) -> dict[str, str]:
    """What a Service or a controller selects pods by."""
    return {
        "app.kubernetes.io/component": component,
        "app.kubernetes.io/name": "hami",
        "app.kubernetes.io/instance": hami.release,
    }


def object_labels(hami: HamiRelease, component: str, version: str = "") -> dict[str, str]:
    """What the chart writes on its objects; `version` stands in place of the installation's."""
    number = (version or hami.version).removeprefix("v")
    return selector_labels(hami, component) | {
        "helm.sh/chart": f"hami-{number}",
        "app.kubernetes.io/version": number,
        "app.kubernetes.io/managed-by": "Helm",
    }


def https_port(hami: HamiRelease) -> str:
    """The name of the webhook's port in its container."""
    return "https" if hami.numbers >= _FOLLOWS_SINCE else "http"


def hami_pods(world: World, addresses: Addresses) -> Iterator[SystemPod]:
    """The pods of all installations."""
    for state in world.hami:
        yield from _scheduler_pods(state, world, addresses)
    for node in world.nodes:
        hami = node.spec.hami
        if hami and node.spec.card.vendor == "nvidia":
            yield _plugin_pod(node, hami, world, addresses)
        elif hami:
            yield ascend_plugin_pod(node, hami)


def _scheduler_pods(state: HamiState, world: World, addresses: Addresses) -> Iterator[SystemPod]:
    hami = state.release
    key = ("hami-scheduler", hami.release)
    page, webhook = addresses[key], addresses["hami-webhook", hami.release]
    (endpoint,) = [found for found in world.endpoints if found.key == key]
    roles = hami.numbers >= ROLE_SINCE
    kubernetes = world.scenario.kubernetes
    for number in range(1 + state.rivals):
        leads = state.leads or number > 0
        yield SystemPod(
            controller=_scheduler(state, kubernetes),
            node=SYSTEM_NODE,
            number=number,
            containers=_scheduler_containers(state, kubernetes, webhook.port, page.port),
            labels={"hami.io/scheduler-role": "leader"} if roles and leads else {},
            endpoint=key,
            host=page.host,
            runs=endpoint.behaviour != "gone",
            failing=frozenset() if roles or leads else frozenset({"vgpu-scheduler-extender"}),
        )


def _scheduler(state: HamiState, kubernetes: str) -> Controller:
    hami = state.release
    return Controller(
        kind="Deployment",
        namespace=hami.namespace,
        name=hami.scheduler_name,
        labels=selector_labels(hami, SCHEDULER),
        ignored_labels={"hami.io/webhook": "ignore"},
        own_labels=object_labels(hami, SCHEDULER, state.scheduler_version),
        containers=_scheduler_containers(
            state, kubernetes, DEFAULT_PORTS["hami-webhook"], DEFAULT_PORTS["hami-scheduler"]
        ),
        volumes={
            "tls-config": secret(f"{hami.scheduler_name}-tls"),
            "scheduler-config": config_map(hami.scheduler_name),
            "device-config": config_map(f"{hami.scheduler_name}-device"),
        },
    )


def _scheduler_containers(
    state: HamiState, kubernetes: str, https: int, metrics: int
) -> tuple[SystemContainer, ...]:
    hami = state.release
    election = (
        "--leader-elect=true",
        f"--leader-elect-resource-name={hami.scheduler_name}",
        f"--leader-elect-resource-namespace={hami.namespace}",
    )
    follows = hami.numbers >= _FOLLOWS_SINCE
    return (
        SystemContainer(
            name="kube-scheduler",
            image=f"registry.k8s.io/kube-scheduler:{kubernetes}",
            command=(
                "kube-scheduler",
                "--config=/config/config.yaml",
                "-v=4",
                *(() if follows else election),
            ),
            mounts={"scheduler-config": ("/config", "")},
        ),
        SystemContainer(
            name="vgpu-scheduler-extender",
            image=f"{_IMAGE}:{state.scheduler_version}",
            command=(
                "scheduler",
                f"--http_bind=0.0.0.0:{https}",
                "--cert_file=/tls/tls.crt",
                "--key_file=/tls/tls.key",
                f"--scheduler-name={hami.scheduler_name}",
                f"--metrics-bind-address=:{metrics}",
                "--node-scheduler-policy=binpack",
                "--gpu-scheduler-policy=spread",
                "--force-overwrite-default-scheduler=true",
                "--device-config-file=/device-config.yaml",
                *(election if follows else ()),
                "--debug",
                "-v=4",
            ),
            env={"HAMI_NODELOCK_EXPIRE": "5m"},
            fields={"POD_NAME": "metadata.name", "POD_NAMESPACE": "metadata.namespace"},
            ports=((https_port(hami), https), ("metrics", metrics)),
            mounts={
                "device-config": ("/device-config.yaml", "device-config.yaml"),
                "tls-config": ("/tls", ""),
            },
        ),
    )


def _plugin_pod(
    node: NodeState, hami: HamiRelease, world: World, addresses: Addresses
) -> SystemPod:
    key = ("hami-monitor", node.spec.name)
    (endpoint,) = [found for found in world.endpoints if found.key == key]
    address: Address = addresses[key]
    return SystemPod(
        controller=_plugin(hami),
        node=node.spec.name,
        containers=_plugin_containers(node.plugin_version or hami.version, address.port),
        endpoint=key,
        host=address.host,
        runs=endpoint.behaviour != "gone",
        exists=node.plugin != "missing",
        failing=frozenset({"device-plugin"} if node.plugin == "failing" else ()),
    )


def _plugin(hami: HamiRelease) -> Controller:
    return Controller(
        kind="DaemonSet",
        namespace=hami.namespace,
        name=hami.plugin_name,
        labels=selector_labels(hami, PLUGIN),
        ignored_labels={"hami.io/webhook": "ignore"},
        own_labels=object_labels(hami, PLUGIN),
        containers=_plugin_containers(hami.version, DEFAULT_PORTS["hami-monitor"]),
        volumes={
            **_VOLUMES,
            "deviceconfig": config_map(hami.plugin_name),
            "device-config": config_map(f"{hami.scheduler_name}-device"),
        },
        node_selector={**HAMI_LABEL, INSTALLATION_LABEL: hami.release},
        host_pid=True,
    )


def _plugin_containers(version: str, metrics: int) -> tuple[SystemContainer, ...]:
    plugin = SystemContainer(
        name="device-plugin",
        image=f"{_IMAGE}:{version}",
        command=(
            "nvidia-device-plugin",
            "--config-file=/device-config.yaml",
            "--mig-strategy=none",
            "--disable-core-limit=false",
            "-v=4",
        ),
        env={"NVIDIA_MIG_MONITOR_DEVICES": "all", "HOOK_PATH": "/usr/local"},
        fields=_NODE_NAME,
        mounts={
            "device-plugin": ("/var/lib/kubelet/device-plugins", ""),
            "lib": ("/usr/local/vgpu", ""),
            "usrbin": ("/usrbin", ""),
            "deviceconfig": ("/config", ""),
            "hosttmp": ("/tmp", ""),  # noqa: S108
            "device-config": ("/device-config.yaml", "device-config.yaml"),
        },
        privileged=True,
    )
    monitor = SystemContainer(
        name="vgpu-monitor",
        image=plugin.image,
        command=("vGPUmonitor", "-v=4"),
        env={
            "NVIDIA_VISIBLE_DEVICES": "all",
            "NVIDIA_MIG_MONITOR_DEVICES": "all",
            "HOOK_PATH": "/usr/local/vgpu",
            "HAMI_RESYNC_INTERVAL": "5m",
        },
        fields=_NODE_NAME,
        ports=(("metrics", metrics),),
        mounts={
            "ctrs": ("/usr/local/vgpu/containers", ""),
            "containerds": ("/run/containerd", ""),
            "sysinfo": ("/sysinfo", ""),
            "hostvar": ("/hostvar", ""),
            "hosttmp": ("/tmp", ""),  # noqa: S108
        },
    )
    return plugin, monitor

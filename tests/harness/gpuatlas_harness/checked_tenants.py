"""Clusters with tenants of sharing layers, joined and ready for the checks.

A healthy tenant is the default: promised, placed by HAMi, counted within its limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from gpuatlas.checks.context import CheckContext
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.checks import CheckResult, Finding
from gpuatlas.model.layer import LayerController, LayerObjects
from gpuatlas.model.objects import Container, Node, Owner, Pod
from gpuatlas.model.pages import ContainerReading, HostReading, MonitorPage, Tenant
from gpuatlas.model.pod_spec import PodAccess
from gpuatlas.model.units import MIB
from gpuatlas_harness.observed import (
    NOW,
    a_container,
    a_device,
    a_monitor_page,
    a_node,
    a_pod,
    a_promise,
    a_registration,
    observations,
    uuid,
)

CARD: Final = uuid(1)
SECOND: Final = uuid(2)
COMPONENT: Final = "app.kubernetes.io/component"
Readings = Mapping[tuple[Tenant, str], ContainerReading]


def daemon_set(name: str) -> Owner:
    """A DaemonSet as the owner of a pod."""
    return Owner(api_group="apps", kind="DaemonSet", name=name, uid=f"ds-{name}")


def a_hami_node(name: str = "gpu-a", cards: int = 1, **changes: object) -> Node:
    """A node with A10Gs that HAMi hands out at one and a half times their memory."""
    first = changes.pop("first", 1)
    mode = changes.pop("mode", "hami-core")
    assert isinstance(first, int)
    devices = [a_device(first + offset, mode=mode) for offset in range(cards)]
    values: dict[str, object] = {
        "labels": {"gpu": "on"},
        "capacity": {"nvidia.com/gpu": 10 * cards},
    }
    return a_node(name, a_registration(*devices), **(values | changes))  # type: ignore[arg-type]


def a_volcano_node(name: str = "gpu-v") -> Node:
    """A node whose card Volcano's vGPU plugin registered."""
    device = a_device(5, memory_bytes=23_028 * MIB)
    registration = a_registration(
        device, layer="volcano", family="volcano", source="volcano.sh/node-vgpu-register"
    )
    return a_node(name, registration, capacity={"volcano.sh/vgpu-number": 10})


def a_plugin(node: str = "gpu-a", **changes: object) -> Pod:
    """HAMi's device plugin on a node, which reaches all cards and asks for none."""
    values: dict[str, object] = {
        "uid": f"plugin-{node}",
        "namespace": "kube-system",
        "labels": {COMPONENT: "hami-device-plugin"},
        "containers": (
            a_container("device-plugin", limits={}, env={"NVIDIA_VISIBLE_DEVICES": "all"}),
            a_container("vgpu-monitor", limits={}),
        ),
        "controller": daemon_set("hami-device-plugin"),
        "access": PodAccess(
            privileged=("device-plugin",),
            host_devices=("/dev",),
            host_pid=True,
            runtime_class="nvidia",
        ),
    }
    return a_pod(f"hami-device-plugin-{node}", node, **(values | changes))  # type: ignore[arg-type]


def a_tenant(
    name: str = "chat-0",
    mib: int | None = 8192,
    cores: int | None = 30,
    *,
    node: str = "gpu-a",
    cards: Iterable[str] = (CARD,),
    env: Mapping[str, str] | None = None,
    containers: tuple[Container, ...] | None = None,
    layer: str = "hami",
    **changes: object,
) -> Pod:
    """A pod that its layer placed on each of the cards."""
    cards = tuple(cards)
    asked = {"nvidia.com/gpu": len(cards), "nvidia.com/gpumem": mib or 0}
    key, scheduler = "hami.io/vgpu-node", "hami-scheduler"
    if layer == "volcano":
        asked = {"volcano.sh/vgpu-number": len(cards)}
        key, scheduler = "volcano.sh/vgpu-node", "volcano"
    promises = [a_promise(card, mib, cores, layer=layer) for card in cards]
    values: dict[str, object] = {
        "annotations": {key: node},
        "scheduler": scheduler,
    }
    return a_pod(
        name,
        node,
        *promises,
        containers=containers or (a_container(limits=asked, env=env),),
        **(values | changes),  # type: ignore[arg-type]
    )


def counted(
    pod: Pod,
    used_mib: int | None = 4096,
    limit_mib: int | None = 8192,
    *,
    card: str = CARD,
    container: str = "main",
    utilization: float | None = None,
) -> Readings:
    """A monitor's reading of one container of the pod on one card."""
    reading = ContainerReading(
        used_bytes=None if used_mib is None else used_mib * MIB,
        limit_bytes=None if limit_mib is None else limit_mib * MIB,
        utilization=utilization,
        idle_seconds=None,
    )
    return {(Tenant(pod.namespace, pod.name, container), card): reading}


def a_page(
    *readings: Readings,
    node: str = "gpu-a",
    hosts: Mapping[str, tuple[int, float]] | None = None,
    version: str = "v2.10.0",
) -> MonitorPage:
    """A monitor's page; `hosts` is card → (MiB in use, utilisation) by the driver."""
    merged = {key: value for part in readings for key, value in part.items()}
    seen = {
        card: HostReading(used_bytes=mib * MIB, utilization=busy)
        for card, (mib, busy) in (hosts or {}).items()
    }
    page = a_monitor_page(merged, seen, node=node)
    return MonitorPage(
        target=page.target,
        node=page.node,
        at=page.at,
        hosts=page.hosts,
        containers=page.containers,
        version=version,
    )


def a_scheduler(**flags: str) -> LayerController:
    """HAMi's scheduler with these options ("scheduler_name" is "--scheduler-name")."""
    return LayerController(
        kind="Deployment",
        namespace="kube-system",
        name="hami-scheduler",
        component="hami-scheduler",
        version="2.10.0",
        node_selector={},
        images={},
        desired=1,
        ready=1,
        updated=1,
        settled=True,
        flags={name.replace("_", "-"): value for name, value in flags.items()},
    )


def layer_objects(*controllers: LayerController, **unread: str) -> LayerObjects:
    """The layer's own objects as read now; `unread` is by kind with "_" for "."."""
    return LayerObjects(
        read_at=NOW,
        controllers=controllers,
        unread={kind.replace("_", "."): why for kind, why in unread.items()},
    )


def a_context(nodes: Iterable[Node], pods: Iterable[Pod] = (), **changes: object) -> CheckContext:
    """These nodes and pods, joined as `serve` joins them."""
    changes.setdefault("layer", layer_objects())
    seen = observations(nodes, pods, **changes)
    return CheckContext(observations=seen, snapshot=Joiner().build(seen))


def lines(result: CheckResult) -> list[tuple[str, str, str, str]]:
    """(signal, pod, source, record) of all findings."""
    return [(f.signal, f.pod, f.source, f.record) for f in result.findings]


def only(result: CheckResult) -> Finding:
    """The one finding."""
    assert len(result.findings) == 1, result.findings
    return result.findings[0]

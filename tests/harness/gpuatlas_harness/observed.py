"""Small builders of what the sources hand over; every argument has a plain default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from gpuatlas.model.devices import Handshake, Promise, RegisteredDevice, Registration
from gpuatlas.model.objects import Container, DeviceStatus, Node, Owner, Pod
from gpuatlas.model.observations import Observations
from gpuatlas.model.pages import (
    CardReading,
    ContainerReading,
    DcgmPage,
    HostReading,
    InstanceReading,
    MonitorPage,
    Tenant,
)
from gpuatlas.model.units import MIB

NOW: Final = 1_800_000_000.0
ALLOCATED: Final = "hami.io/vgpu-devices-allocated"
A10G_MIB: Final = 23_028


def uuid(number: int) -> str:
    """A card's UUID that is easy to read in a failure."""
    return f"GPU-{number:08d}-0000-4000-8000-000000000000"


def a_device(number: int = 1, **changes: object) -> RegisteredDevice:
    """An A10G that HAMi hands out at one and a half times its memory."""
    values: dict[str, object] = {
        "card": uuid(number),
        "index": number - 1,
        "slots": 10,
        "memory_bytes": int(A10G_MIB * 1.5) * MIB,
        "cores": 100,
        "model": "NVIDIA A10G",
        "healthy": True,
        "mode": "hami-core",
    }
    return RegisteredDevice(**(values | changes))  # type: ignore[arg-type]


def a_registration(
    *devices: RegisteredDevice,
    layer: str = "hami",
    vendor: str = "nvidia",
    family: str = "NVIDIA",
    source: str = "hami.io/node-nvidia-register",
    handshake: Handshake | None = None,
) -> Registration:
    """One layer's registration of one vendor's cards."""
    return Registration(
        layer=layer,
        vendor=vendor,
        family=family,
        source=source,
        devices=devices,
        handshake=handshake,
    )


def a_node(
    name: str = "gpu-a",
    *registrations: Registration,
    labels: Mapping[str, str] | None = None,
    capacity: Mapping[str, int] | None = None,
    allocatable: Mapping[str, int] | None = None,
    ready: bool = True,
) -> Node:
    """A ready node with one card's worth of `nvidia.com/gpu` unless told otherwise."""
    amount = {"nvidia.com/gpu": 1} if capacity is None else dict(capacity)
    return Node(
        uid=f"node-{name}",
        name=name,
        labels=labels or {},
        annotations={},
        capacity=amount,
        allocatable=amount if allocatable is None else dict(allocatable),
        ready=ready,
        unschedulable=False,
        kubelet_version="v1.33.0",
        registrations=registrations,
    )


def a_container(
    name: str = "main",
    limits: Mapping[str, int] | None = None,
    *,
    kind: str = "main",
    env: Mapping[str, str] | None = None,
) -> Container:
    """A container that asks for one `nvidia.com/gpu` unless told otherwise."""
    return Container(
        name=name,
        kind=kind,
        image="registry.example/app:1",
        limits={"nvidia.com/gpu": 1} if limits is None else limits,
        env=env or {},
    )


def a_promise(
    card: str, memory_mib: int | None, cores: int | None = None, **changes: object
) -> Promise:
    """HAMi's promise of part of a card to the container "main"."""
    values: dict[str, object] = {
        "layer": "hami",
        "vendor": "nvidia",
        "card": card,
        "container": "main",
        "memory_bytes": None if memory_mib is None else memory_mib * MIB,
        "cores": cores,
        "source": ALLOCATED,
    }
    return Promise(**(values | changes))  # type: ignore[arg-type]


def a_pod(
    name: str = "app-0",
    node: str = "gpu-a",
    *promises: Promise,
    containers: tuple[Container, ...] | None = None,
    controller: Owner | None = None,
    devices: tuple[DeviceStatus, ...] = (),
    **changes: object,
) -> Pod:
    """A running pod in namespace team-a with one container "main"."""
    values: dict[str, object] = {
        "uid": f"pod-{name}",
        "namespace": "team-a",
        "name": name,
        "node": node,
        "phase": "Running",
        "reason": "",
        "scheduler": "default-scheduler",
        "created_at": NOW - 3600,
        "deleting": False,
        "ready": True,
        "ip": "10.0.0.1",
        "host_network": False,
        "waiting_reason": "",
        "labels": {},
        "annotations": {},
    }
    return Pod(
        containers=(a_container(),) if containers is None else containers,
        controller=controller,
        devices=devices,
        promises=promises,
        **(values | changes),  # type: ignore[arg-type]
    )


def a_reading(
    number: int = 1,
    *tenants: Tenant,
    instances: tuple[InstanceReading, ...] = (),
    host: str = "gpu-a",
    model: str = "NVIDIA A10G",
    tenant_fields: Mapping[Tenant, Mapping[str, float]] | None = None,
    fields: Mapping[str, float] | None = None,
    **more: float,
) -> CardReading:
    """A card on a DCGM page; fields by their short names, as a mapping or `DEV_GPU_UTIL=83`."""
    return CardReading(
        card=uuid(number),
        index=str(number - 1),
        model=model,
        pci_bus_id=f"00000000:0{number}:00.0",
        driver_version="580.105.08",
        host=host,
        fields={**(fields or {}), **more},
        instances=instances,
        tenants=frozenset(tenants),
        tenant_fields=tenant_fields,
    )


def a_dcgm_page(*readings: CardReading, node: str = "gpu-a", at: float = NOW) -> DcgmPage:
    """One exporter's answer."""
    return DcgmPage(target=node, node=node, at=at, cards={r.card: r for r in readings})


def a_monitor_page(
    containers: Mapping[tuple[Tenant, str], ContainerReading],
    hosts: Mapping[str, HostReading] | None = None,
    *,
    node: str = "gpu-a",
) -> MonitorPage:
    """One HAMi monitor's answer."""
    return MonitorPage(target=node, node=node, at=NOW, hosts=hosts or {}, containers=containers)


def a_container_reading(
    used_mib: int | None, *, utilization: float | None = None, idle_seconds: float | None = None
) -> ContainerReading:
    """One container on one card as HAMi-core counts it."""
    return ContainerReading(
        used_bytes=None if used_mib is None else used_mib * MIB,
        limit_bytes=None,
        utilization=utilization,
        idle_seconds=idle_seconds,
    )


def observations(
    nodes: Iterable[Node], pods: Iterable[Pod] = (), **changes: object
) -> Observations:
    """Observations at NOW."""
    return Observations(
        now=NOW,
        nodes={node.name: node for node in nodes},
        pods={pod.uid: pod for pod in pods},
        **changes,  # type: ignore[arg-type]
    )

"""Builders for the checks of books, configuration, versions and licences.

They stand on a healthy HAMi of `checked_layers`: node gpu-a with one A10G of 23,028 MiB, registered
with 34,542 MiB (scaling 1.5), ten slots and 100 cores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from gpuatlas.model.layer import LayerConfig, LayerObjects, Licence, NodeSettings, SchedulerLease
from gpuatlas.model.objects import Container, Pod
from gpuatlas.model.pages import DcgmPage, SchedulerDevice, SchedulerPage
from gpuatlas.model.units import MIB
from gpuatlas_harness.checked_layers import COMPONENT, installed
from gpuatlas_harness.observed import (
    A10G_MIB,
    ALLOCATED,
    NOW,
    a_container,
    a_dcgm_page,
    a_pod,
    a_promise,
    a_reading,
    uuid,
)

REGISTERED_MIB: Final = 34_542
ROLE: Final = "hami.io/scheduler-role"


def a_tenant(
    name: str,
    mib: int | None,
    cores: int | None = None,
    *,
    card: int = 1,
    container: str = "main",
    containers: tuple[Container, ...] | None = None,
    **changes: object,
) -> Pod:
    """A pod that HAMi promised so much of a card; its annotation says the same."""
    text = f"{uuid(card)},NVIDIA,{mib or 0},{cores or 0}:;"
    values: dict[str, object] = {
        "annotations": {"hami.io/vgpu-node": "gpu-a", ALLOCATED: text},
        "containers": containers or (a_container(limits={"nvidia.com/gpu": 1}),),
    }
    return a_pod(
        name,
        str(changes.pop("node", "gpu-a")),
        a_promise(uuid(card), mib, cores, container=container),
        **(values | changes),  # type: ignore[arg-type]
    )


def asking(mib: int, name: str = "main", **changes: object) -> Container:
    """A container that asks for so much memory of one card."""
    limits = {"nvidia.com/gpu": 1, "nvidia.com/gpumem": mib}
    return a_container(name, limits, **changes)  # type: ignore[arg-type]


def in_books(mib: int | None, *, card: int = 1, node: str = "gpu-a") -> SchedulerDevice:
    """A card as the scheduler has it in its books, with so much promised."""
    return SchedulerDevice(
        node=node,
        card=uuid(card),
        index=str(card - 1),
        model="NVIDIA A10G",
        limit_bytes=REGISTERED_MIB * MIB,
        limit_cores=100.0,
        allocated_bytes=None if mib is None else mib * MIB,
        allocated_cores=0.0,
        shared=None,
    )


def a_book(
    *devices: SchedulerDevice,
    target: str = "kube-system/hami-scheduler-0",
    version: str = "v2.10.0",
    at: float = NOW,
) -> SchedulerPage:
    """A scheduler's page; a follower's without devices."""
    held = {(device.node, device.card): device for device in devices}
    return SchedulerPage(target=target, at=at, devices=held, pods={}, version=version)


def a_lease(renewed_ago: float | None = 2.0, **changes: object) -> SchedulerLease:
    """The Lease of HAMi's schedulers, renewed so many seconds ago."""
    values: dict[str, object] = {
        "namespace": "kube-system",
        "name": "hami-scheduler",
        "holder": "hami-scheduler-0_1f2e",
        "renewed_at": None if renewed_ago is None else NOW - renewed_ago,
        "duration_seconds": 15.0,
    }
    return SchedulerLease(**(values | changes))  # type: ignore[arg-type]


def a_scheduler_pod(name: str = "hami-scheduler-0", *, image: str = "", **changes: object) -> Pod:
    """One replica of HAMi's scheduler; it leads unless labels say otherwise."""
    image = image or "docker.io/projecthami/hami:v2.10.0"
    containers = (
        with_image(a_container("kube-scheduler", limits={}), "registry.example/ks:v1.34.2"),
        with_image(a_container("vgpu-scheduler-extender", limits={}), image),
    )
    values: dict[str, object] = {
        "namespace": "kube-system",
        "labels": {COMPONENT: "hami-scheduler", ROLE: "leader"},
        "containers": containers,
    }
    return a_pod(name, "cpu-1", **(values | changes))  # type: ignore[arg-type]


def with_image(container: Container, image: str) -> Container:
    """The container with another image."""
    return replace(container, image=image)


def defaults(
    lines: Mapping[str, str] | None = None, *, changed_at: float | None = None, error: str = "",
    **settings: object,
) -> LayerConfig:  # fmt: skip
    """HAMi's `device-config.yaml`."""
    return LayerConfig(
        namespace="kube-system",
        name="hami-scheduler-device",
        key="device-config.yaml",
        component="hami-scheduler",
        defaults=NodeSettings(name="", **settings),  # type: ignore[arg-type]
        changed_at=changed_at,
        error=error,
        lines=lines or {},
    )


def overrides(
    *nodes: NodeSettings, lines: Mapping[str, str] | None = None, changed_at: float | None = None
) -> LayerConfig:
    """HAMi's `config.json`."""
    return LayerConfig(
        namespace="kube-system",
        name="hami-device-plugin",
        key="config.json",
        component="hami-device-plugin",
        defaults=NodeSettings(name=""),
        nodes=nodes,
        changed_at=changed_at,
        lines=lines or {},
    )


# What a healthy node of these tests registered.
TOLD: Final = defaults(split_count=10, memory_scaling=1.5)


def a_driver_page(
    mib: int = A10G_MIB, *, node: str = "gpu-a", cards: Iterable[int] = (1,)
) -> DcgmPage:
    """The driver's word on how much memory cards have."""
    readings = (a_reading(number, DEV_FB_TOTAL=float(mib)) for number in cards)
    return a_dcgm_page(*readings, node=node)


def a_layer(**changes: object) -> LayerObjects:
    """A healthy HAMi with its configuration and a Lease that its leader keeps."""
    values: dict[str, object] = {"configs": (TOLD,), "leases": (a_lease(),)}
    return installed(**(values | changes))


def a_licence(**changes: object) -> Licence:
    """A licence that ends in a year."""
    values: dict[str, object] = {
        "name": "licence/notAfter",
        "source": "ConfigMap/layer-system/licence",
        "present": True,
        "not_after": NOW + 365 * 86_400,
        "record": "notAfter: 2028-01-15T08:00:00Z",
    }
    return Licence(**(values | changes))  # type: ignore[arg-type]

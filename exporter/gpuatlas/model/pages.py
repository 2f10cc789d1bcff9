"""What exposition pages of other exporters said, reduced to our words.

A page is one target's answer at one instant. `node` is the node that the target is known to serve
(from the API), or "" where only the page's own labels can tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gpuatlas.model.rejections import Rejection


class Sample(NamedTuple):
    """One line of an exposition page or one element of an instant vector."""

    name: str
    labels: Mapping[str, str]
    value: float


class Tenant(NamedTuple):
    """A container as a foreign metric names it. `container` may be ""."""

    namespace: str
    pod: str
    container: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceReading:
    """One MIG instance on a DCGM page. `fields` as in `CardReading`."""

    instance: str  # GPU_I_ID
    profile: str  # as written, with suffixes ("1g.10gb+me"): text, not a join key
    fields: Mapping[str, float]
    tenants: frozenset[Tenant]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardReading:
    """One physical card on a DCGM page.

    `fields` maps a field's pre-4.6 name without `DCGM_FI_` ("DEV_FB_USED", "PROF_SM_ACTIVE") to
    its value in the field's own unit (MiB, percent, ratio …), sentinels and absurd values removed.
    `tenants` are the pods that the labels name for the whole card; `tenant_fields` holds values
    that are really per pod (exporter 4.5.3-4.8.2 and newer with virtual GPUs).
    """

    card: str
    index: str
    model: str
    pci_bus_id: str
    driver_version: str
    host: str  # Hostname / hostname label; may be an exporter pod's name
    fields: Mapping[str, float]
    instances: tuple[InstanceReading, ...] = ()
    tenants: frozenset[Tenant] = frozenset()
    tenant_fields: Mapping[Tenant, Mapping[str, float]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DcgmPage:
    """One dcgm-exporter's answer. `target` names it in messages."""

    target: str
    node: str
    at: float
    cards: Mapping[str, CardReading]
    rejections: tuple[Rejection, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HostReading:
    """One physical card as a HAMi monitor's NVML sees it."""

    used_bytes: int | None
    utilization: float | None  # ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerReading:
    """One container on one card as HAMi-core counts it.

    `used_bytes` is None where the counter is missing or lies (underflow, 0 beside a full buffer).
    `limit_bytes` None means "no limit published", 0 means "no limit in force".
    `utilization` is a ratio of the card; None where the watcher does not run for certain.
    """

    used_bytes: int | None
    limit_bytes: int | None
    utilization: float | None
    idle_seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorPage:
    """One vgpu-monitor's answer. `containers` is keyed by (tenant, card)."""

    target: str
    node: str
    at: float
    hosts: Mapping[str, HostReading]
    containers: Mapping[tuple[Tenant, str], ContainerReading]
    version: str = ""
    rejections: tuple[Rejection, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerDevice:
    """One card in a HAMi scheduler's own books. Sizes are schedulable (scaled), never physical."""

    node: str
    card: str
    index: str
    model: str
    limit_bytes: int | None
    limit_cores: float | None
    allocated_bytes: int | None
    allocated_cores: float | None
    shared: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerPage:
    """One HAMi scheduler extender's answer. A follower has no devices."""

    target: str
    at: float
    devices: Mapping[tuple[str, str], SchedulerDevice]  # (node, card)
    pods: Mapping[tuple[str, str], int]  # (namespace, pod) → bytes promised
    version: str = ""
    rejections: tuple[Rejection, ...] = ()

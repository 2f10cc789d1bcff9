"""Small builders of what the analysis of contention takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuatlas.model.contention import CardMoment, TenantMoment
from gpuatlas.model.readings import Known, Unknown
from gpuatlas.model.snapshot import WorkloadId

AT = 1_800_000_000.0


def workload(name: str, namespace: str = "team-a") -> WorkloadId:
    return WorkloadId(namespace=namespace, api_group="apps", kind="Deployment", name=name)


def a_tenant(
    name: str, share: float | None = None, entitlement: float = 0.5, **values: Any
) -> TenantMoment:
    given: dict[str, Any] = {
        "workload": workload(name),
        "share": Unknown("not measured") if share is None else Known(share, AT, "test"),
        "entitlement": Known(entitlement, AT, "test"),
        "active": None if share is None else share > 0,
    }
    return TenantMoment(**(given | values))


def a_moment(
    tenants: Sequence[TenantMoment],
    *,
    full: bool | None = True,
    hardware: str = "",
    card: str = "GPU-1",
    instance: str = "",
) -> CardMoment:
    return CardMoment(
        node="gpu-a",
        card=card,
        index="0",
        at=AT,
        saturated=None if full is None else frozenset({"compute"} if full else ()),
        hardware=hardware,
        tenants=tuple(tenants),
        instance=instance,
    )

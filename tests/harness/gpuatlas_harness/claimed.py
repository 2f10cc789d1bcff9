"""Builders of DRA's slices and claims and of KAI's fractions; the rest is `observed`."""

from __future__ import annotations

from typing import Any, Final

from gpuatlas.model.claims import (
    AllocatedDevice,
    Claim,
    Consumer,
    DeviceKind,
    DraDevice,
    Fraction,
    Reservation,
    ResourceSlice,
)
from gpuatlas.model.objects import Pod, PodClaim
from gpuatlas.model.units import MIB
from gpuatlas_harness.observed import a_container, a_pod, uuid

DRIVER: Final = "gpu.nvidia.com"
H100_MIB: Final = 81_559


def a_dra_device(number: int = 1, node: str = "gpu-a", **changes: Any) -> DraDevice:
    """A whole H100 as NVIDIA's driver publishes it; its pool is its node."""
    fields: dict[str, Any] = {
        "driver": DRIVER,
        "pool": node,
        "name": f"gpu-{number - 1}",
        "node": node,
        "kind": DeviceKind.GPU,
        "vendor": "nvidia",
        "uuid": uuid(number),
        "model": "NVIDIA H100 80GB HBM3",
        "memory_bytes": H100_MIB * MIB,
        "driver_version": "590.44.1",
        "cuda_version": "13.1.0",
        "pci_bus_id": f"0000:0{number}:00.0",
    }
    return DraDevice(**(fields | changes))


def a_mig_device(name: str, number: int = 1, **changes: Any) -> DraDevice:
    """A 1g.10gb instance of the card of that number."""
    fields: dict[str, Any] = {
        "name": name,
        "kind": DeviceKind.MIG,
        "uuid": f"MIG-{name}",
        "parent_uuid": uuid(number),
        "profile": "1g.10gb",
        "memory_bytes": 9_984 * MIB,
    }
    return a_dra_device(number, **(fields | changes))


def a_slice(*devices: DraDevice, count: int = 1, name: str = "", **changes: Any) -> ResourceSlice:
    """The slice of the pool of its first device."""
    first = devices[0]
    fields: dict[str, Any] = {
        "uid": f"slice-{name or first.pool}-{first.driver}",
        "name": name or first.pool,
        "driver": first.driver,
        "pool": first.pool,
        "generation": 1,
        "slice_count": count,
    }
    return ResourceSlice(devices=devices, **(fields | changes))


def a_result(device: DraDevice, **changes: Any) -> AllocatedDevice:
    """What a claim's request "gpu" was given."""
    fields: dict[str, Any] = {
        "request": "gpu",
        "driver": device.driver,
        "pool": device.pool,
        "device": device.name,
        "vendor": device.vendor,
    }
    return AllocatedDevice(**(fields | changes))


def a_claim(name: str, *results: AllocatedDevice, pods: tuple[str, ...] = (), **more: Any) -> Claim:
    """A claim in team-a, reserved for pods by the names that `a_pod` would give them."""
    fields: dict[str, Any] = {
        "uid": f"claim-{name}",
        "namespace": "team-a",
        "name": name,
        "reserved_for": tuple(Consumer("pods", pod, f"pod-{pod}") for pod in pods),
    }
    return Claim(results=results, **(fields | more))


def a_claiming_pod(name: str, claim: str, **changes: Any) -> Pod:
    """A pod whose container "main" uses all of a claim and has no limits of its own."""
    fields: dict[str, Any] = {
        "containers": (a_claiming_container("main", claim),),
        "claims": (PodClaim(name=f"my-{claim}", claim=claim),),
    }
    return a_pod(name, **(fields | changes))


def a_claiming_container(name: str, claim: str, request: str = "", kind: str = "main") -> Any:
    """A container that uses a claim of its pod, named as `a_claiming_pod` names it."""
    base = a_container(name, {}, kind=kind)
    return type(base)(
        name=base.name,
        kind=base.kind,
        image=base.image,
        limits={},
        env={},
        claims=((f"my-{claim}", request),),
    )


def of(*found: ResourceSlice | Claim) -> dict[str, Any]:
    """`slices` and `claims` as `observations` takes them."""
    return {
        "slices": {f.uid: f for f in found if isinstance(f, ResourceSlice)},
        "claims": {f.uid: f for f in found if isinstance(f, Claim)},
    }


def a_reservation_pod(group: str, card: str, node: str = "gpu-a", suffix: str = "") -> Pod:
    """The pod with which KAI holds a card for a group."""
    name = f"gpu-reservation-{node}-{group}{suffix}"
    reservation = Reservation(
        namespace="kai-resource-reservation", pod=name, node=node, group=group, card=card
    )
    return a_pod(name, node, namespace="kai-resource-reservation", reservation=reservation)


def a_fraction_pod(name: str, *groups: str, portion: float | None = 0.5, **changes: Any) -> Pod:
    """A pod with a part of the card of each group."""
    fields: dict[str, Any] = {
        "portion": portion,
        "memory_bytes": None,
        "devices": max(1, len(groups)),
        "container": "main",
        "mps": False,
        "groups": groups,
        "received": "Fraction",
    }
    mine = {key: changes.pop(key) for key in tuple(changes) if key in fields}
    fraction = Fraction(**(fields | mine))
    return a_pod(name, containers=(a_container(limits={}),), fraction=fraction, **changes)

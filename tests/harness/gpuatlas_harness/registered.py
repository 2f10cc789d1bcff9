"""Small builders of what a node's annotations register."""

from __future__ import annotations

from typing import Any

from gpuatlas.model.devices import Handshake, RegisteredDevice, Registration
from gpuatlas.model.units import MIB
from gpuatlas_harness.observed import a_registration


def device(
    card: str,
    *,
    index: int = 0,
    slots: int = 10,
    mib: int | None,
    cores: int | None = 100,
    model: str,
    healthy: bool = True,
    mode: str = "hami-core",
    numa: int = 0,
) -> RegisteredDevice:
    return RegisteredDevice(
        card=card,
        index=index,
        slots=slots,
        memory_bytes=None if mib is None else mib * MIB,
        cores=cores,
        model=model,
        healthy=healthy,
        mode=mode,
        numa=numa,
    )


def nvidia(handshake: Handshake | None, *devices: RegisteredDevice) -> Registration:
    return a_registration(*devices, handshake=handshake)


def other(
    vendor: str, family: str, source: str, *devices: RegisteredDevice, **more: Any
) -> Registration:
    """Of another vendor or layer; `more` as `a_registration` takes it."""
    return a_registration(*devices, vendor=vendor, family=family, source=source, **more)

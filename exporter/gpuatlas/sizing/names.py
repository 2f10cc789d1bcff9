"""The resource to ask for instead, where it is another one than today. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from gpuatlas.model.sizing import Reservation
from gpuatlas.model.snapshot import Sharing
from gpuatlas.model.vendors import VENDORS, memory_unit, vendor_of_count

MIG_RESOURCE: Final = "nvidia.com/mig-"
_PERCENTAGE: Final = "-percentage"
# Layers whose memory is asked for by a resource; KAI's is an annotation (facts/k8s.md 1.9).
_BY_RESOURCE: Final = frozenset({Sharing.HAMI, Sharing.VOLCANO})
# Of these a part is asked for by the same resource and a size beside it; other vendors' parts are
# counted by a resource of their own (facts/hami.md 4.1).
_SHARED_AS_ASKED: Final = frozenset({"nvidia.com/gpu", "amd.com/gpu"})
_NVIDIA: Final = ("NVIDIA", "TESLA")


def memory_resource(reservation: Reservation) -> str:
    """The memory resource to add to a container that asks for none; "" where it has one already."""
    asked = reservation.resources or {}
    if reservation.sharing not in _BY_RESOURCE or any(_is_memory(name) for name in asked):
        return ""
    return next((name for count in asked if (name := _memory_beside(count))), "")


def share_resource(reservation: Reservation) -> str:
    """The memory resource by which a layer hands out a part of such a card, "" for none."""
    asked: Iterable[str] = reservation.resources or ()
    if reservation.resources is None and _is_nvidia(reservation.card_model):
        asked = ("nvidia.com/gpu",)
    return next((_memory_beside(count) for count in asked if count in _SHARED_AS_ASKED), "")


def profile_resource(reservation: Reservation, profile: str) -> str:
    """How an instance is asked for: by a resource of its own, or by its profile alone.

    A card in equal instances hands them out as "nvidia.com/gpu", and a claim asks for a profile
    (facts/k8s.md 1.2, 1.11).
    """
    asked = reservation.resources or {}
    own = reservation.sharing is Sharing.PLAIN or any(n.startswith(MIG_RESOURCE) for n in asked)
    return f"{MIG_RESOURCE}{profile.replace('+', '.')}" if own else profile


def _memory_beside(count: str) -> str:
    """The memory resource that goes with a resource that counts cards."""
    vendor = vendor_of_count(count)
    domain = f"{count.split('/', 1)[0]}/"
    names = vendor.memory if vendor is not None else ()
    return next((name for name in names if name.startswith(domain) and "*" not in name), "")


def _is_memory(name: str) -> bool:
    units = (memory_unit(vendor, name) for vendor in VENDORS.values())
    return name.endswith(_PERCENTAGE) or any(unit is not None for unit in units)


def _is_nvidia(model: str) -> bool:
    return any(word in model.upper() for word in _NVIDIA)

"""Units and quantities of resources in manifests, and whether they agree with promises. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final

from gpuatlas.model.sizing import Reservation
from gpuatlas.model.units import MIB
from gpuatlas.model.vendors import VENDORS, Vendor, core_unit, memory_unit

# Annotations of pods by which KAI shares cards (facts/k8s.md 1.9).
KAI_MEMORY: Final = "gpu-memory"
KAI_FRACTION: Final = "gpu-fraction"
# Sizes in the resource's own unit; HAMi refuses others or takes the next one (facts/hami.md 4.1).
_LEGAL: Final[Mapping[str, tuple[int, ...]]] = {
    "mthreads.com/sgpu-memory": (2, 4, 8, 16, 32, 64, 96),
    "kunlunxin.com/vxpu-memory": (24_576, 49_152, 98_304),
}
# MetaX: with a suffix the same resource is in bytes instead of GiB (facts/hami.md 4.1).
NO_SUFFIX: Final = "metax-tech.com/vmemory"
_QUANTITY: Final = re.compile(r"([0-9]{1,15})([kMG]|[KMG]i)?")
_SUFFIXES: Final[Mapping[str, int]] = {
    "k": 1000,
    "M": 1000**2,
    "G": 1000**3,
    "Ki": 1024,
    "Mi": 1024**2,
    "Gi": 1024**3,
}
_HUNDREDTHS: Final = 100
# A promise is rounded to a hundredth of the card by some layers (facts/errata.md, KAI).
_SHARE_ROUNDING: Final = 0.011
_LOOK_AGAIN: Final = "look again when both agree"


class CannotPatchError(Exception):
    """Nothing can be written for a proposal; the message says why and what to do."""


def whole_number(raw: object) -> int | None:
    """A quantity as it is written, None for what is no whole number: 20000, "20000", "20k"."""
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int):
        return raw if raw >= 0 else None
    match = _QUANTITY.fullmatch(raw) if isinstance(raw, str) else None
    return int(match[1]) * _SUFFIXES.get(match[2] or "", 1) if match is not None else None


def up(amount: float, unit: float) -> int:
    """How many units hold the amount. What is off by less than a millionth is a rounding error."""
    return math.ceil(round(amount / unit, 6))


def unit_of_memory(name: str) -> int | None:
    """Bytes of one unit of a memory resource of any vendor."""
    units = (memory_unit(vendor, name) for vendor in VENDORS.values())
    return next((unit for unit in units if unit is not None), None)


def is_memory(name: str) -> bool:
    """Whether it is a memory resource of any vendor."""
    return bool(name) and unit_of_memory(name) is not None


def unit_in_force(name: str, raw: object, unit: int, reservation: Reservation) -> int:
    """Bytes of one unit: the usual ones, or what the pods prove.

    HAMi and Volcano can be set to count in multiples of a MiB, and the setting stands nowhere
    (facts/errata.md). Pods that ask for the same number and are promised more tell the multiple; a
    manifest alone does not, because it may have been changed since they started.
    """
    number, promised = whole_number(raw), reservation.memory
    if not number:
        message = f"{name}: {raw!r} is no whole number: write it anew"
        raise CannotPatchError(message)
    if promised is None or abs(number * unit - promised) < unit:
        return unit
    if (reservation.resources or {}).get(name) == number and promised % number == 0:
        return promised // number
    message = (
        f"{name} is {raw} and its pods are promised {promised / MIB:,.0f} MiB: it was changed "
        f"since they started, or something changes it on their way; {_LOOK_AGAIN}"
    )
    raise CannotPatchError(message)


def check_share(name: str, raw: object, promised: int | None, whole: int) -> None:
    """Raises `CannotPatchError` where a percentage of the card is not what its pods have."""
    number = whole_number(raw)
    if not number or number > _HUNDREDTHS:
        message = f"{name}: {raw!r} is no percentage: write it anew"
        raise CannotPatchError(message)
    share = number / _HUNDREDTHS
    if promised is not None and abs(promised / whole - share) > _SHARE_ROUNDING:
        message = (
            f"{name} is {raw} and its pods are promised {promised / whole:.0%} of a card: "
            f"{_LOOK_AGAIN}"
        )
        raise CannotPatchError(message)


def legal(name: str, number: int) -> int:
    """The next size that the resource can have."""
    sizes = _LEGAL.get(name)
    if sizes is None:
        return number
    return next((size for size in sizes if size >= number), sizes[-1])


def vendor_of_cores(name: str) -> Vendor | None:
    """The vendor whose compute the resource is a share of, or None."""
    return next((v for v in VENDORS.values() if core_unit(v, name) is not None), None)


def cores_per_card(name: str, raw: object, vendor: Vendor, promised: float | None) -> float:
    """How many units of the resource a whole card has. Raises `CannotPatchError`."""
    number = whole_number(raw)
    if not number:
        message = f"{name}: {raw!r} is no whole number: write it anew"
        raise CannotPatchError(message)
    if vendor.cores_per_card is None:
        if not promised:
            message = f"how many {name} a card has is not known"
            raise CannotPatchError(message)
        return number / promised
    share = number / vendor.cores_per_card
    if promised is not None and abs(promised - share) > _SHARE_ROUNDING:
        message = (
            f"{name} is {raw} and its pods are promised {promised:.0%} of a card: {_LOOK_AGAIN}"
        )
        raise CannotPatchError(message)
    return vendor.cores_per_card

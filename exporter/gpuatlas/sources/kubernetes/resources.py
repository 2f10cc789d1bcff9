"""Which resource names are extended resources, and which of those are accelerators. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from gpuatlas.model.rejections import MalformedError, Rejection
from gpuatlas.model.units import clean_text
from gpuatlas.model.vendors import VENDORS
from gpuatlas.sources.kubernetes.quantity import read_quantity
from gpuatlas.sources.kubernetes.shape import fields, shared

SOURCE: Final = "kubernetes"
# A node or container that names more is not describing hardware.
MAX_RESOURCES: Final = 64
# Vendors of whom model.vendors knows no sharing layer, and the layers' own resource names
# (facts/k8s.md 1.8, 1.10). Their nodes and pods are kept, so that nobody looks for them in vain.
_OTHER_DOMAINS: Final = frozenset(
    {
        "volcano.sh",
        "koordinator.sh",
        "habana.ai",
        "google.com",
        "qualcomm.com",
        "baidu.com",
        "furiosa.ai",
        "rebellions.ai",
        "tenstorrent.com",
    }
)
# An extended resource that DRA serves (facts/k8s.md 1.11), in spite of its kubernetes.io name.
_DEVICE_CLASS: Final = "deviceclass.resource.kubernetes.io"
# MetaX reads a bare number as GiB and a number with a suffix as bytes (facts/hami.md 4.1).
_GIB_UNLESS_SUFFIXED: Final = frozenset({"metax-tech.com/vmemory"})
_GIB: Final = 1024**3


def _domain(name: str) -> str:
    return name.partition("/")[0] if "/" in name else ""


_DOMAINS: Final = _OTHER_DOMAINS | {
    _domain(name)
    for vendor in VENDORS.values()
    for name in (*vendor.counts, *vendor.memory, *vendor.cores)
}


@lru_cache(maxsize=4096)
def is_extended(name: str) -> bool:
    """Whether `name` is an extended resource: a domain that is not Kubernetes' own, then "/"."""
    domain = _domain(name)
    return bool(domain) and (domain == _DEVICE_CLASS or not domain.endswith("kubernetes.io"))


@lru_cache(maxsize=4096)
def is_accelerator(name: str) -> bool:
    """Whether `name` is a resource of a vendor of accelerators, or of a layer that shares them.

    Decided by the domain, because device plugins can rename the part behind it.
    """
    domain = _domain(name)
    return domain in _DOMAINS or domain == _DEVICE_CLASS


def read_resources(value: object, where: str) -> tuple[dict[str, int], list[Rejection]]:
    """The extended resources of a resource list, as whole numbers in each resource's own unit.

    A quantity that cannot be read costs that resource only.
    """
    found: dict[str, int] = {}
    refused: list[Rejection] = []
    for name, quantity in fields(value).items():
        if not isinstance(name, str) or not is_extended(name):
            continue
        if len(found) + len(refused) == MAX_RESOURCES:
            refused.append(
                Rejection(SOURCE, "too-many", where, f"more than {MAX_RESOURCES} resources")
            )
            break
        try:
            found[shared(name)] = _in_own_unit(name, quantity)
        except MalformedError as error:
            at = clean_text(f"{where} {name}")
            refused.append(Rejection(SOURCE, error.reason, at, str(error)))
    return found, refused


def merged(requests: Mapping[str, int], limits: Mapping[str, int]) -> dict[str, int]:
    """Limits over requests: they are equal for extended resources, but one may be left out."""
    return {**requests, **limits}


def _in_own_unit(name: str, quantity: object) -> int:
    number = read_quantity(quantity)
    if name in _GIB_UNLESS_SUFFIXED and isinstance(quantity, str) and not quantity.isdecimal():
        return -(-number // _GIB)
    return number

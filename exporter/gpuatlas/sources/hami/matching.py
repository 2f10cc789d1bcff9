"""Finds the container of each segment of an allocation annotation.

The position of a segment names no container: HAMi versions pad, half pad or do not pad for init,
sidecar and device-less containers (facts/errata.md). What is left when empty segments are dropped
is in the order of the containers that request a device.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuatlas.model.objects import Container
from gpuatlas.model.vendors import VENDORS, core_unit, memory_unit
from gpuatlas.sources.hami.keys import FamilyKey

UNMATCHED = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What one segment grants each of its devices, as far as it could be read."""

    memory_bytes: int | None
    cores: int | None


def match_containers(
    demands: Sequence[Demand], containers: Sequence[Container], key: FamilyKey
) -> list[str]:
    """The container's name for each segment, "" where none is certain.

    By order when the counts agree: init containers first, then the others; the main containers
    alone for HAMi up to v2.8, which gives nothing to init containers. Else by (memory, cores), when
    exactly one container asks for what exactly one segment grants.
    """
    in_order = [c for c in containers if c.kind != "main"] + [
        c for c in containers if c.kind == "main"
    ]
    asking = [c for c in in_order if _asks(c, key)]
    if not asking and len(containers) == 1:
        asking = in_order  # the resource was renamed, and there is no other container
    mains = [c for c in asking if c.kind == "main"]
    for candidates in (asking, mains):
        if len(candidates) == len(demands):
            return [c.name for c in candidates]
    return _by_size(demands, asking, key)


def _asks(container: Container, key: FamilyKey) -> bool:
    names = (request.replace("{word}", key.word) for request in key.family.requests)
    return any(container.limits.get(name, 0) > 0 for name in names)


def _by_size(demands: Sequence[Demand], asking: Sequence[Container], key: FamilyKey) -> list[str]:
    grants = [_Grants.of(container, key) for container in asking]
    fits = [{at for at, grant in enumerate(grants) if grant.fit(demand)} for demand in demands]
    names = []
    for position, candidates in enumerate(fits):
        others = [fit for at, fit in enumerate(fits) if at != position]
        alone = len(candidates) == 1 and not any(candidates & other for other in others)
        names.append(asking[min(candidates)].name if alone else UNMATCHED)
    return names


@dataclass(frozen=True, slots=True)
class _Grants:
    """What a container's limits ask for; None where they do not say."""

    memory_bytes: int | None
    cores: int | None

    @classmethod
    def of(cls, container: Container, key: FamilyKey) -> _Grants:
        vendor = VENDORS[key.family.vendor]
        memory = cores = None
        for resource, amount in container.limits.items():
            unit = memory_unit(vendor, resource)
            memory = amount * unit or None if unit else memory
            unit = core_unit(vendor, resource)
            cores = amount * unit or None if unit else cores
        return cls(memory, cores)

    def fit(self, demand: Demand) -> bool:
        """Whether the limits are those of the segment; something must be there to compare."""
        pairs = ((self.memory_bytes, demand.memory_bytes), (self.cores, demand.cores))
        stated = [(asked, granted) for asked, granted in pairs if asked is not None]
        return bool(stated) and all(asked == granted for asked, granted in stated)

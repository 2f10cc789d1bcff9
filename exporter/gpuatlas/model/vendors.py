"""The vendors: one row each. A new vendor is a new row.

Sources: facts/hami.md 2.1, 2.3, 3.3, 4.1 (HAMi v2.4 to v2.10).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from gpuatlas.model.units import MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """One vendor of accelerators.

    `counts` are the resources whose number is a number of cards or of shares of one card; `memory`
    and `cores` map a resource to the bytes (or the vendor's core units) of one unit of it. Names
    may be patterns with one `*` (Ascend and Iluvatar have one name per chip). `shares` are those of
    `counts` that never count whole cards.
    `cores_per_card` is the number of core units in one card, None where the registration tells it
    (`cores_from_registration`) or where the figure is no share at all (AWS: a bit mask).
    """

    name: str
    counts: tuple[str, ...]
    shares: frozenset[str] = frozenset()
    memory: Mapping[str, int] = field(default_factory=dict)
    cores: Mapping[str, int] = field(default_factory=dict)
    priority: str = ""
    cores_per_card: int | None = None
    cores_from_registration: bool = False


VENDORS: Final[Mapping[str, Vendor]] = {
    v.name: v
    for v in (
        Vendor(
            name="nvidia",
            counts=(
                "nvidia.com/gpu",
                "nvidia.com/gpu.shared",
                "nvidia.com/mig-*",
                "nvidia.com/vgpu",
                "volcano.sh/vgpu-number",
            ),
            shares=frozenset({"nvidia.com/vgpu", "volcano.sh/vgpu-number"}),
            # Volcano: gpu-memory-factor is 1 by default and stands nowhere (facts/errata.md).
            memory={"nvidia.com/gpumem": MIB, "volcano.sh/vgpu-memory": MIB},
            cores={"nvidia.com/gpucores": 1, "volcano.sh/vgpu-cores": 1},
            priority="nvidia.com/priority",
            cores_per_card=100,
        ),
        Vendor(
            name="ascend",
            counts=("huawei.com/Ascend*",),
            memory={"huawei.com/Ascend*-memory": MIB},
            cores={"huawei.com/Ascend*-core": 1},
            cores_from_registration=True,
        ),
        Vendor(
            name="cambricon",
            counts=("cambricon.com/vmlu", "cambricon.com/mlu"),
            shares=frozenset({"cambricon.com/vmlu"}),
            memory={"cambricon.com/mlu.smlu.vmemory": 256 * MIB},
            cores={"cambricon.com/mlu.smlu.vcore": 1},
            cores_per_card=100,
        ),
        Vendor(
            name="hygon",
            counts=("hygon.com/dcunum", "hygon.com/dcu"),
            shares=frozenset({"hygon.com/dcunum"}),
            memory={"hygon.com/dcumem": MIB},
            cores={"hygon.com/dcucores": 1},
            cores_per_card=100,
        ),
        Vendor(
            name="iluvatar",
            counts=("iluvatar.ai/*-vgpu", "iluvatar.ai/gpu", "iluvatar.ai/vgpu"),
            shares=frozenset({"iluvatar.ai/*-vgpu", "iluvatar.ai/vgpu"}),
            memory={"iluvatar.ai/*.vMem": 256 * MIB, "iluvatar.ai/vcuda-memory": 256 * MIB},
            cores={"iluvatar.ai/*.vCore": 1, "iluvatar.ai/vcuda-core": 1},
            cores_per_card=100,
        ),
        Vendor(
            name="mthreads",
            counts=("mthreads.com/vgpu", "mthreads.com/gpu"),
            shares=frozenset({"mthreads.com/vgpu"}),
            memory={"mthreads.com/sgpu-memory": 512 * MIB},
            cores={"mthreads.com/sgpu-core": 1},
            cores_per_card=16,
        ),
        Vendor(
            name="metax",
            counts=("metax-tech.com/gpu", "metax-tech.com/sgpu"),
            shares=frozenset({"metax-tech.com/sgpu"}),
            memory={"metax-tech.com/vmemory": 1024 * MIB},
            cores={"metax-tech.com/vcore": 1},
            cores_per_card=100,
        ),
        Vendor(
            name="enflame",
            counts=("enflame.com/gcu", "enflame.com/drs-gcu", "enflame.com/vgcu"),
            shares=frozenset({"enflame.com/drs-gcu", "enflame.com/vgcu"}),
            cores_per_card=100,
        ),
        Vendor(
            name="kunlunxin",
            counts=("kunlunxin.com/xpu", "kunlunxin.com/vxpu"),
            shares=frozenset({"kunlunxin.com/vxpu"}),
            memory={"kunlunxin.com/vxpu-memory": MIB},
            cores_per_card=100,
        ),
        Vendor(
            name="aws",
            counts=("aws.amazon.com/neuron", "aws.amazon.com/neuroncore"),
            shares=frozenset({"aws.amazon.com/neuroncore"}),
            cores_from_registration=True,
        ),
        Vendor(
            name="amd",
            counts=("amd.com/gpu",),
            memory={"amd.com/gpumem": MIB, "amd.com/gpu-memory": MIB},
            cores={"amd.com/gpucores": 1},
            cores_from_registration=True,
        ),
        Vendor(name="biren", counts=("birentech.com/gpu",), cores_per_card=100),
        Vendor(name="vastai", counts=("vastaitech.com/va",), cores_per_card=100),
        Vendor(name="intel", counts=("gpu.intel.com/i915", "gpu.intel.com/xe")),
    )
}


def _matches(pattern: str, name: str) -> bool:
    if "*" not in pattern:
        return pattern == name
    head, tail = pattern.split("*", 1)
    return name.startswith(head) and name.endswith(tail) and len(name) > len(head) + len(tail)


def _lookup(table: Mapping[str, int], resource: str) -> int | None:
    return next((unit for pattern, unit in table.items() if _matches(pattern, resource)), None)


def memory_unit(vendor: Vendor, resource: str) -> int | None:
    """Bytes of one unit of `resource`, or None when it is not this vendor's memory resource."""
    return _lookup(vendor.memory, resource)


def core_unit(vendor: Vendor, resource: str) -> int | None:
    """Core units of one unit of `resource`, or None when it is not this vendor's core resource."""
    return _lookup(vendor.cores, resource)


# The same few names are asked for with every pod; the bound is for names that somebody invents.
@lru_cache(maxsize=4096)
def vendor_of_count(resource: str) -> Vendor | None:
    """The vendor whose cards (or shares of them) `resource` counts, or None."""
    for vendor in VENDORS.values():
        if memory_unit(vendor, resource) is not None or core_unit(vendor, resource) is not None:
            continue
        if any(_matches(pattern, resource) for pattern in vendor.counts):
            return vendor
    return None


def is_share(vendor: Vendor, resource: str) -> bool:
    """Whether `resource` counts shares of cards, by its name alone."""
    return any(_matches(pattern, resource) for pattern in vendor.shares)

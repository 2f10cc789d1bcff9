"""What a container asks for where its object was not read: told by how its cards are shared. Pure.

The exporter publishes how many cards a workload asks for, by the resource's name, and what each
container is promised. The other names follow from the sharing layer, as long as nobody renamed
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas.model.sizing import Reservation
from gpuatlas.model.snapshot import Sharing
from gpuatlas.model.units import MIB
from gpuatlas.sizing.patch_places import Asked
from gpuatlas.sizing.patch_quantities import KAI_FRACTION, KAI_MEMORY

# Sharing layer and the resource that counts cards → memory in MiB and cores in percent
# (facts/hami.md 4.1, k8s.md 1.8). Other vendors count in units that the promise does not tell.
_NAMES: Final[Mapping[tuple[Sharing, str], tuple[str, str]]] = {
    (Sharing.HAMI, "nvidia.com/gpu"): ("nvidia.com/gpumem", "nvidia.com/gpucores"),
    (Sharing.HAMI, "amd.com/gpu"): ("amd.com/gpumem", "amd.com/gpucores"),
    (Sharing.VOLCANO, "volcano.sh/vgpu-number"): (
        "volcano.sh/vgpu-memory",
        "volcano.sh/vgpu-cores",
    ),
}


def assumed(reservation: Reservation) -> Asked:
    """The limits and annotations that its pods most likely have; empty where nothing tells."""
    counts = dict(reservation.resources or {})
    if KAI_FRACTION in counts or KAI_MEMORY in counts:
        return Asked(annotations=_annotations(counts, reservation), read=False)
    limits: dict[str, object] = dict(counts)
    for count in counts:
        memory, cores = _NAMES.get((reservation.sharing, count), ("", ""))
        if memory and reservation.memory:
            limits[memory] = reservation.memory // MIB
        if cores and reservation.compute:
            limits[cores] = round(reservation.compute * 100)
    return Asked(limits=limits, read=False)


def _annotations(counts: Mapping[str, int], reservation: Reservation) -> dict[str, object]:
    if reservation.memory is None:
        return {}
    if KAI_MEMORY in counts:
        return {KAI_MEMORY: str(round(reservation.memory / MIB))}
    if not reservation.card_memory:
        return {}
    return {KAI_FRACTION: f"{reservation.memory / reservation.card_memory:.2g}"}

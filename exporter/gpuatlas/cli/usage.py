"""What a workload's pods hold and use, all together. Pure.

Used memory is the larger of the driver's and the sharing layer's view, container by container, as
the recording `allocation:gpuatlas_memory_used_bytes:max` has it. A sum with an unknown part is
unknown: half of the truth would look like thrift.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TypeVar

from gpuatlas.cli.screens.wording import natural
from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.snapshot import Allocation, Workload

N = TypeVar("N", int, float)

_NOTHING = Unknown("its pods hold no card")


class Progress(StrEnum):
    """Where a workload's pods stand, worst first."""

    WAITING = "waiting"
    STARTING = "starting"
    RUNNING = "running"
    FAILED = "failed"
    FINISHED = "finished"


def progress_of(workload: Workload) -> Progress:
    """Waiting wins over running: a workload that lacks a pod wants attention."""
    if workload.reasons:
        return Progress.WAITING
    if workload.pods.get("Pending"):
        return Progress.STARTING
    if workload.pods.get("Running") or workload.pods.get("Unknown"):
        return Progress.RUNNING
    return Progress.FAILED if workload.pods.get("Failed") else Progress.FINISHED


def is_over(workload: Workload) -> bool:
    """Whether nothing of it runs or waits any more."""
    return progress_of(workload) in {Progress.FAILED, Progress.FINISHED}


def memory_reserved(allocations: Sequence[Allocation]) -> Reading[int]:
    """Bytes promised to all containers."""
    return _sum(allocation.memory_reserved for allocation in allocations)


def memory_used(allocations: Sequence[Allocation]) -> Reading[int]:
    """Bytes in use by all containers."""
    return _sum(_used(allocation) for allocation in allocations)


def compute_reserved(allocations: Sequence[Allocation]) -> Reading[float]:
    """Cards' worth of compute promised to all containers."""
    return _sum(allocation.compute_reserved for allocation in allocations)


def compute_used(allocations: Sequence[Allocation]) -> Reading[float]:
    """Cards' worth of compute in use by all containers."""
    return _sum(allocation.compute_utilization for allocation in allocations)


def cards_held(allocations: Iterable[Allocation]) -> list[str]:
    """Each card once, as "node:index", or "node:?" where nobody knows which."""
    return sorted({f"{a.node}:{a.index or '?'}" for a in allocations}, key=natural)


def _used(allocation: Allocation) -> Reading[int]:
    views = (allocation.memory_resident, allocation.memory_counted)
    known = [view for view in views if isinstance(view, Known)]
    return max(known, key=lambda view: view.value) if known else allocation.memory_resident


def _sum(readings: Iterable[Reading[N]]) -> Reading[N]:
    listed = list(readings)
    if not listed:
        return _NOTHING
    total = None
    at = 0.0
    for reading in listed:
        if isinstance(reading, Unknown):
            return reading
        total = reading.value if total is None else total + reading.value
        at = max(at, reading.at)
    return _NOTHING if total is None else Known(total, at, "sum of its containers")

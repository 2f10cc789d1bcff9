"""Fifteen days of five containers on one card, as the exporter tells them each four minutes."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from gpuatlas.runtime.backfill.range_query import Grid
from gpuatlas.runtime.backfill.series import NAME, NO_SAMPLE, Block, Column, series_key

STEP: Final = 240.0
DAY: Final = 86_400.0
GIB: Final = 1024**3
NODE: Final = "gpu-a"
CARD: Final = "GPU-00000000-0000-4000-8000-00000000000a"
PHYSICAL: Final = 48 * GIB

Course = Callable[[float], float]
"""Days since the beginning → a value; NaN for none."""


@dataclass(frozen=True)
class Tenant:
    """A pod's container on the card, from a day on."""

    workload: str
    pod: str
    container: str
    promise: int
    compute: float
    resident: Course
    counted: Course
    used: Course
    since: float = 0.0
    kind: str = "Deployment"

    @property
    def where(self) -> dict[str, str]:
        own = {"namespace": "team-a", "pod": self.pod, "container": self.container}
        return {"node": NODE, "card": CARD, "index": "0", **own}

    @property
    def owner(self) -> dict[str, str]:
        return {"namespace": "team-a", "workload_kind": self.kind, "workload": self.workload}


def wave(base: float, height: float, seed: int) -> Course:
    """A daily up and down that differs a little from sample to sample, always the same."""

    def value(day: float) -> float:
        rough = math.sin(seed + 1e4 * day)
        return base + height * (0.5 + 0.45 * math.sin(2 * math.pi * day) + 0.05 * rough)

    return value


def whole(course: Course) -> Course:
    """Whole bytes."""

    def value(day: float) -> float:
        number = course(day)
        return number if math.isnan(number) else float(round(number))

    return value


def with_spike(course: Course, day: float, peak: float) -> Course:
    """One sample that is higher than all others."""
    half = STEP / DAY / 2
    return lambda at: peak if abs(at - day) <= half else course(at)


def with_gap(course: Course, begin: float, end: float) -> Course:
    return lambda at: NO_SAMPLE if begin <= at < end else course(at)


def tenants() -> tuple[Tenant, ...]:
    gib = float(GIB)
    chat = {"workload": "chat", "container": "main", "promise": 16 * GIB, "compute": 0.5}
    low, used = wave(3 * gib, gib, 1), wave(0.05, 0.2, 2)
    return (
        Tenant(pod="chat-0", resident=low, counted=wave(2 * gib, gib, 3), used=used, **chat),  # type: ignore[arg-type]
        Tenant(
            pod="chat-1",
            resident=with_gap(low, 9.0, 9.04),
            counted=with_spike(wave(2 * gib, gib, 4), 6.3, 5.25 * gib + 12_345),
            used=with_spike(used, 3.0, 0.5),
            **chat,  # type: ignore[arg-type]
        ),
        Tenant(
            workload="chat",
            pod="chat-0",
            container="draft",
            promise=2 * GIB,
            compute=0.1,
            resident=wave(gib, 0.25 * gib, 5),
            counted=lambda _day: NO_SAMPLE,
            used=wave(0.04, 0.03, 6),
        ),
        Tenant(
            workload="db",
            kind="StatefulSet",
            pod="db-0",
            container="main",
            promise=20 * GIB,
            compute=0.4,
            resident=with_spike(wave(9 * gib, gib, 7), 12.5, 13 * gib + 1),
            counted=wave(8 * gib, gib, 8),
            used=wave(0.1, 0.3, 9),
            since=5.0,
        ),
        Tenant(
            workload="young",
            pod="young-0",
            container="main",
            promise=4 * GIB,
            compute=0.2,
            resident=wave(gib, gib, 10),
            counted=wave(gib, gib, 11),
            used=wave(0.1, 0.1, 12),
            since=11.0,
        ),
    )


def series_of(tenant: Tenant) -> Iterator[tuple[dict[str, str], Course]]:
    metrics: dict[str, Course] = {
        "gpuatlas_allocation_memory_reserved_bytes": lambda _day: tenant.promise,
        "gpuatlas_allocation_memory_resident_bytes": whole(tenant.resident),
        "gpuatlas_allocation_memory_counted_bytes": whole(tenant.counted),
        "gpuatlas_allocation_compute_reserved_ratio": lambda _day: tenant.compute,
        "gpuatlas_allocation_compute_utilization_ratio": tenant.used,
    }
    for name, course in metrics.items():
        yield {NAME: name, **tenant.where}, course
    info = {"partition": "vgpu", "evidence": "annotation"}
    yield {NAME: "gpuatlas_allocation_info", **tenant.where, **info}, lambda _day: 1
    yield {NAME: "gpuatlas_workload_info", **tenant.owner, "runtime": "pytorch"}, lambda _day: 1
    pod = {"pod": tenant.pod, "node": NODE}
    yield {NAME: "gpuatlas_pod_workload_info", **tenant.owner, **pod}, lambda _day: 1


def cluster_series() -> Iterator[tuple[dict[str, str], Course]]:
    """The node, its card and its host."""
    card = {"node": NODE, "card": CARD, "index": "0"}
    what = {"vendor": "nvidia", "model": "NVIDIA L40S", "sharing": "hami"}
    yield {NAME: "gpuatlas_build_info", "version": "1"}, lambda _day: 1
    yield {NAME: "gpuatlas_node_info", "node": NODE, "sharing": "hami"}, lambda _day: 1
    yield {NAME: "gpuatlas_card_info", **card, **what}, lambda _day: 1
    memory: dict[str, Course] = {
        "physical": lambda _day: PHYSICAL,
        "allocated": lambda _day: 58 * GIB,
        "resident": wave(20.0 * GIB, 6.0 * GIB, 20),
        "counted": wave(18.0 * GIB, 6.0 * GIB, 21),
    }
    for word, course in memory.items():
        yield {NAME: f"gpuatlas_card_memory_{word}_bytes", **card}, whole(course)
    host = wave(90.0 * GIB, 20.0 * GIB, 22)
    yield {NAME: "node_memory_MemAvailable_bytes", "node": NODE}, whole(host)


def block_of(grid: Grid, began: float) -> Block:
    columns: dict[bytes, Column] = {}
    everything = [(cluster_series(), 0.0), *((series_of(t), t.since) for t in tenants())]
    for found, since in everything:
        for labels, course in found:
            values = (((i - began) / DAY, course) for i in grid.instants)
            numbers = [c(day) if day >= since else NO_SAMPLE for day, c in values]
            columns[series_key(labels)] = array("d", numbers)
    return Block(instants=grid.instants, columns=columns)

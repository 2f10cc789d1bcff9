"""Of one workload, or a series a workload."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.signals.signal import Signal
from gpuatlas_dashboards.tokens import Colour, Unit

WORKLOAD: Final = "cluster, namespace, workload_kind, workload"  # what a workload is named by

MEMORY_RESERVED: Final = Signal(
    key="workload.memory_reserved",
    unit=Unit.BYTES,
    colour=Colour.ALLOCATED,
    expr="workload:gpuatlas_memory_reserved_bytes:sum{SCOPE}",
)
MEMORY_USED: Final = Signal(
    key="workload.memory_used",
    unit=Unit.BYTES,
    colour=Colour.USED,
    expr="workload:gpuatlas_memory_used_bytes:sum{SCOPE}",
)
MEMORY_WASTED: Final = Signal(
    key="workload.memory_wasted",
    unit=Unit.BYTES,
    colour=Colour.WASTED,
    expr="workload:gpuatlas_memory_wasted_bytes:sum{SCOPE}",
)
MEMORY_OCCUPANCY: Final = Signal(
    key="workload.memory_occupancy",
    unit=Unit.RATIO,
    colour=Colour.USED,
    expr="workload:gpuatlas_memory_occupancy:ratio{SCOPE}",
)
COMPUTE_RESERVED: Final = Signal(
    key="workload.compute_reserved",
    unit=Unit.CARDS,
    colour=Colour.ALLOCATED,
    expr="workload:gpuatlas_compute_reserved_ratio:sum{SCOPE}",
)
COMPUTE: Final = Signal(
    key="workload.compute_utilization",
    unit=Unit.CARDS,
    colour=Colour.COMPUTE,
    expr="workload:gpuatlas_compute_utilization_ratio:sum{SCOPE}",
)
COMPUTE_OCCUPANCY: Final = Signal(
    key="workload.compute_occupancy",
    unit=Unit.RATIO,
    colour=Colour.COMPUTE,
    expr="workload:gpuatlas_compute_occupancy:ratio{SCOPE}",
)
CARDS: Final = Signal(
    key="workload.cards",
    unit=Unit.CARDS,
    expr=f'count by ({WORKLOAD}) (workload:gpuatlas_card_info:group{{SCOPE, card!=""}})',
)
PODS: Final = Signal(
    key="workload.pods",
    unit=Unit.CARDS,
    # Each exporter tells all of them: the largest count is taken.
    expr=f'max by ({WORKLOAD}) (gpuatlas_workload_pods{{SCOPE, phase="Running"}})',
)
GANG: Final = Signal(
    key="workload.gang_min_members",
    unit=Unit.CARDS,
    expr=f"max by ({WORKLOAD}) (gpuatlas_workload_gang_min_members{{SCOPE}})",
)
WAITING: Final = Signal(
    key="workload.waiting",
    unit=Unit.DURATION,
    expr=f"max by ({WORKLOAD}) (gpuatlas_workload_waiting_seconds{{SCOPE}})",
)
STATE: Final = Signal(
    key="workload.state",
    unit=Unit.CARDS,
    expr=f"max by ({WORKLOAD}) (workload:gpuatlas_workload_state:with_checks{{SCOPE}})",
)

SIGNALS: Final = (
    MEMORY_RESERVED, MEMORY_USED, MEMORY_WASTED, MEMORY_OCCUPANCY, COMPUTE_RESERVED, COMPUTE,
    COMPUTE_OCCUPANCY, CARDS, PODS, GANG, WAITING, STATE,
)  # fmt: skip

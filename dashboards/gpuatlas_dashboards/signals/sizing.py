"""What workloads need against what they hold, and how far nodes can be promised (DESIGN 7, 8).

What `gpuatlas serve` says of the days that it read, `gpuatlas_sizing_*`, by container: several
exporters say the same, so one is taken. What it does not say of a container's promise and peak, or
not yet, is that of the recordings.
"""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.signals.signal import Signal
from gpuatlas_dashboards.signals.workload import WORKLOAD
from gpuatlas_dashboards.tokens import Colour, Unit

CONTAINER: Final = f"{WORKLOAD}, container"  # what a row of sizing is named by


def _said(metric: str, by: str = CONTAINER) -> str:
    return f"max by ({by}) ({metric}{{SCOPE}})"


def _said_or_recorded(metric: str, recorded: str) -> str:
    """The recording stands in where the analysis has no value, and where there is no analysis.

    Never for names that the analysis does not have: it says of a group of runs what the recordings
    say of each run.
    """
    kept = _said(recorded)
    judged = "gpuatlas_sizing_verdict_info{SCOPE}"
    return (
        f"({_said(metric)} or on ({CONTAINER}) ({kept} and on ({CONTAINER}) {judged})"
        f" or on ({CONTAINER}) ({kept} unless on (cluster) {judged}))"
    )


def _of_node(metric: str) -> str:
    return _said(metric, by="cluster, node")


_RESERVED: Final = _said_or_recorded(
    "gpuatlas_sizing_memory_present_bytes", "container:gpuatlas_memory_reserved_bytes:max"
)
_PEAK: Final = _said_or_recorded(
    "gpuatlas_sizing_memory_peak_bytes", "container:gpuatlas_memory_peak_bytes:max14d"
)

# --- Memory of a container --------------------------------------------------------------------

CONTAINERS: Final = Signal(
    key="sizing.containers",
    unit=Unit.CARDS,
    expr=_said("container:gpuatlas_allocations:count"),
)
MEMORY_RESERVED: Final = Signal(
    key="sizing.memory_reserved",
    unit=Unit.BYTES,
    colour=Colour.ALLOCATED,
    expr=_RESERVED,
)
MEMORY_PEAK: Final = Signal(
    key="sizing.memory_peak",
    unit=Unit.BYTES,
    colour=Colour.USED,
    expr=_PEAK,
)
MEMORY_PEAK_SHARE: Final = Signal(
    key="sizing.memory_peak_share",
    unit=Unit.RATIO,
    colour=Colour.USED,
    expr=f"{_PEAK} / on ({CONTAINER}) ({_RESERVED} > 0)",
)
MEMORY_PROPOSED: Final = Signal(
    key="sizing.memory_proposed",
    unit=Unit.BYTES,
    expr=_said("gpuatlas_sizing_memory_proposed_bytes"),
)
MEMORY_SAVING: Final = Signal(
    key="sizing.memory_saving",
    unit=Unit.BYTES,
    expr=_said("gpuatlas_sizing_memory_saving_bytes"),
)
WINDOW: Final = Signal(
    key="sizing.window",
    unit=Unit.CARDS,
    colour=Colour.NEUTRAL,
    expr=f"{_said('gpuatlas_sizing_window_seconds')} / 86400",
)
COVERAGE: Final = Signal(
    key="sizing.coverage",
    unit=Unit.RATIO,
    colour=Colour.NEUTRAL,
    expr=_said("gpuatlas_sizing_coverage_ratio"),
)

# --- Compute and cards of a container ---------------------------------------------------------

COMPUTE_RESERVED: Final = Signal(
    key="sizing.compute_reserved",
    unit=Unit.RATIO,
    colour=Colour.ALLOCATED,
    expr=_said_or_recorded(
        "gpuatlas_sizing_compute_present_ratio", "container:gpuatlas_compute_reserved_ratio:max"
    ),
)
COMPUTE_P95: Final = Signal(
    key="sizing.compute_p95",
    unit=Unit.RATIO,
    colour=Colour.COMPUTE,
    expr=_said_or_recorded(
        "gpuatlas_sizing_compute_peak_ratio", "container:gpuatlas_compute_peak_ratio:max14d"
    ),
)
COMPUTE_PROPOSED: Final = Signal(
    key="sizing.compute_proposed",
    unit=Unit.RATIO,
    expr=_said("gpuatlas_sizing_compute_proposed_ratio"),
)
CARDS_PROPOSED: Final = Signal(
    key="sizing.cards_proposed",
    unit=Unit.CARDS,
    expr=_said("gpuatlas_sizing_cards_proposed", by=f"{CONTAINER}, resource"),
)
CARDS_SAVING: Final = Signal(
    key="sizing.cards_saving",
    unit=Unit.COUNT,
    expr=_said("gpuatlas_sizing_cards_saving"),
)

# --- Sums over workloads ----------------------------------------------------------------------

MEMORY_UNUSED: Final = Signal(
    key="sizing.memory_unused",
    unit=Unit.BYTES,
    colour=Colour.WASTED,
    expr="workload:gpuatlas_memory_never_used_bytes:max7d{SCOPE}",
)
DAYS: Final = Signal(
    key="sizing.days",
    unit=Unit.CARDS,
    colour=Colour.NEUTRAL,
    expr="workload:gpuatlas_memory_measured_days:count{SCOPE}",
)

# --- Nodes ------------------------------------------------------------------------------------

# Of every node; the analysis has it only where a sharing layer promises memory.
PRESENT_RATIO: Final = Signal(
    key="sizing.present_ratio",
    unit=Unit.RATIO,
    colour=Colour.ALLOCATED,
    expr=(
        f"({_of_node('gpuatlas_sizing_node_overcommit_present_ratio')}"
        f" or on (cluster, node) {_of_node('node:gpuatlas_memory_allocated:ratio')})"
    ),
)
SAFE_RATIO: Final = Signal(
    key="sizing.safe_ratio",
    unit=Unit.RATIO,
    expr=_of_node("gpuatlas_sizing_node_overcommit_safe_ratio"),
)
ROOM: Final = Signal(
    key="sizing.room",
    unit=Unit.BYTES,
    expr=_of_node("gpuatlas_sizing_node_room_bytes"),
)
ROOM_ALLOCATIONS: Final = Signal(
    key="sizing.room_allocations",
    unit=Unit.CARDS,
    expr=_of_node("gpuatlas_sizing_node_room_allocations"),
)
ALLOCATED: Final = Signal(
    key="sizing.node_allocated",
    unit=Unit.BYTES,
    expr=_of_node("gpuatlas_sizing_node_allocated_bytes"),
)
DEMAND: Final = Signal(
    key="sizing.node_demand",
    unit=Unit.BYTES,
    expr=_of_node("gpuatlas_sizing_node_demand_bytes"),
)
PHYSICAL: Final = Signal(
    key="sizing.node_physical",
    unit=Unit.BYTES,
    expr=_of_node("gpuatlas_sizing_node_physical_bytes"),
)
HOST_AVAILABLE: Final = Signal(
    key="sizing.node_host_available",
    unit=Unit.BYTES,
    expr=_of_node("gpuatlas_sizing_node_host_available_bytes"),
)
NODE_DAYS: Final = Signal(
    key="sizing.node_days",
    unit=Unit.COUNT,
    expr=f"{_of_node('gpuatlas_sizing_node_measured_seconds')} / 86400",
)

# --- What sharing costs a service -------------------------------------------------------------

SPEED_ALONE: Final = Signal(
    key="sizing.speed_alone",
    unit=Unit.COUNT,
    expr="workload:gpuatlas_service_speed_alone:avg1d{SCOPE}",
)
SPEED_SHARED: Final = Signal(
    key="sizing.speed_shared",
    unit=Unit.COUNT,
    expr="workload:gpuatlas_service_speed_shared:avg1d{SCOPE}",
)
SPEED_RATIO: Final = Signal(
    key="sizing.speed_ratio",
    unit=Unit.RATIO,
    expr="workload:gpuatlas_sharing_speed:ratio{SCOPE}",
)
# They are recorded in minutes.
TIME_ALONE: Final = Signal(
    key="sizing.time_alone",
    unit=Unit.SECONDS,
    expr="60 * workload:gpuatlas_service_speed_alone:count1d{SCOPE}",
)
TIME_SHARED: Final = Signal(
    key="sizing.time_shared",
    unit=Unit.SECONDS,
    expr="60 * workload:gpuatlas_service_speed_shared:count1d{SCOPE}",
)

SIGNALS: Final = (
    CONTAINERS, MEMORY_RESERVED, MEMORY_PEAK, MEMORY_PEAK_SHARE, MEMORY_PROPOSED, MEMORY_SAVING,
    WINDOW, COVERAGE, COMPUTE_RESERVED, COMPUTE_P95, COMPUTE_PROPOSED, CARDS_PROPOSED, CARDS_SAVING,
    MEMORY_UNUSED, DAYS, PRESENT_RATIO, SAFE_RATIO, ROOM, ROOM_ALLOCATIONS, ALLOCATED, DEMAND,
    PHYSICAL, HOST_AVAILABLE, NODE_DAYS, SPEED_ALONE, SPEED_SHARED, SPEED_RATIO, TIME_ALONE,
    TIME_SHARED,
)  # fmt: skip

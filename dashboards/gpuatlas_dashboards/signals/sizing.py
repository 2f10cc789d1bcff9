"""What workloads need against what they hold (DESIGN 7, 8), from today's recordings.

What is measured are recordings of `sizing.yaml`, over the last 7 days. What follows from it, a
smaller value, a safe ratio, a priority, is not computed in PromQL: `AWAITED` names the series that
the analysis will publish; the panels that read them say until then that there is no data yet.
"""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.signals.signal import Signal
from gpuatlas_dashboards.signals.workload import WORKLOAD
from gpuatlas_dashboards.tokens import Colour, Unit

# Name → labels and meaning. Labels of a workload: namespace, workload_kind, workload. Values are of
# one container on one card, unless it says that they are of all; absent where there is no answer.
AWAITED: Final = {
    "gpuatlas_sizing_verdict_info": "workload, resource (memory, compute, cards), verdict (fits, "
    "smaller, larger, cannot), reason (a word of REASONS, empty unless the verdict is cannot)",
    "gpuatlas_sizing_memory_proposed_bytes": "workload: peak of the window with its margin, in "
    "whole grant units",
    "gpuatlas_sizing_memory_saving_bytes": "workload: of all its containers; below 0 where more is "
    "proposed",
    "gpuatlas_sizing_compute_proposed_ratio": "workload: p95 of five minutes with its margin, in "
    "steps of 0.05",
    "gpuatlas_sizing_cards_proposed": "workload, resource: cards or instances instead of whole "
    "cards",
    "gpuatlas_sizing_node_overcommit_safe_ratio": "node: how far its memory can be promised; "
    "absent below 7 days",
    "gpuatlas_sizing_node_room_bytes": "node: memory that can still be promised at the safe ratio",
    "gpuatlas_sizing_node_room_allocations": "node: as many more promises like those of today",
    "gpuatlas_sizing_contended_seconds": "workload, role (victim, suspect): contended time of the "
    "last day",
    "gpuatlas_sizing_priority_proposed": "workload: 0 is high, as gpuatlas_allocation_priority",
}
# Why a workload cannot be sized.
REASONS: Final = (
    "short-window", "coverage", "replicas", "rollout", "memory-taken-ahead", "not-measured",
)  # fmt: skip
VERDICTS: Final = ("fits", "smaller", "larger", "cannot")

_PEAK: Final = "workload:gpuatlas_allocation_memory_used_bytes:max7d{SCOPE}"
_RESERVED: Final = "workload:gpuatlas_allocation_memory_reserved_bytes:max{SCOPE}"

CONTAINERS: Final = Signal(
    key="sizing.containers",
    unit=Unit.CARDS,
    expr="workload:gpuatlas_allocations:count{SCOPE}",
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
    expr=f"{_PEAK} / on ({WORKLOAD}) ({_RESERVED} > 0)",
)
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
COMPUTE_RESERVED: Final = Signal(
    key="sizing.compute_reserved",
    unit=Unit.RATIO,
    colour=Colour.ALLOCATED,
    expr="workload:gpuatlas_allocation_compute_reserved_ratio:max{SCOPE}",
)
COMPUTE_P95: Final = Signal(
    key="sizing.compute_p95",
    unit=Unit.RATIO,
    colour=Colour.COMPUTE,
    expr="workload:gpuatlas_allocation_compute_utilization_ratio:quantile95_7d{SCOPE}",
)
NODE_CARDS: Final = Signal(
    key="sizing.node_cards",
    unit=Unit.CARDS,
    expr="node:gpuatlas_cards:count{SCOPE}",
)
PRESENT_RATIO: Final = Signal(
    key="sizing.present_ratio",
    unit=Unit.RATIO,
    colour=Colour.ALLOCATED,
    expr="node:gpuatlas_memory_allocated:ratio{SCOPE}",
)

# --- What the analysis will publish --------------------------------------------------------------

MEMORY_PROPOSED: Final = Signal(
    key="sizing.memory_proposed",
    unit=Unit.BYTES,
    expr="gpuatlas_sizing_memory_proposed_bytes{SCOPE}",
)
MEMORY_SAVING: Final = Signal(
    key="sizing.memory_saving",
    unit=Unit.BYTES,
    expr="gpuatlas_sizing_memory_saving_bytes{SCOPE}",
)
COMPUTE_PROPOSED: Final = Signal(
    key="sizing.compute_proposed",
    unit=Unit.RATIO,
    expr="gpuatlas_sizing_compute_proposed_ratio{SCOPE}",
)
CARDS_PROPOSED: Final = Signal(
    key="sizing.cards_proposed",
    unit=Unit.CARDS,
    expr="gpuatlas_sizing_cards_proposed{SCOPE}",
)
SAFE_RATIO: Final = Signal(
    key="sizing.safe_ratio",
    unit=Unit.RATIO,
    expr="gpuatlas_sizing_node_overcommit_safe_ratio{SCOPE}",
)
ROOM: Final = Signal(
    key="sizing.room",
    unit=Unit.BYTES,
    expr="gpuatlas_sizing_node_room_bytes{SCOPE}",
)
ROOM_ALLOCATIONS: Final = Signal(
    key="sizing.room_allocations",
    unit=Unit.CARDS,
    expr="gpuatlas_sizing_node_room_allocations{SCOPE}",
)

SIGNALS: Final = (
    CONTAINERS, MEMORY_RESERVED, MEMORY_PEAK, MEMORY_PEAK_SHARE, MEMORY_UNUSED, DAYS,
    COMPUTE_RESERVED, COMPUTE_P95, NODE_CARDS, PRESENT_RATIO, MEMORY_PROPOSED, MEMORY_SAVING,
    COMPUTE_PROPOSED, CARDS_PROPOSED, SAFE_RATIO, ROOM, ROOM_ALLOCATIONS,
)  # fmt: skip

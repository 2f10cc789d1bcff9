"""Of all chosen clusters together: what they have, hold and use. Each is one number."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.signals.signal import Signal
from gpuatlas_dashboards.tokens import Colour, Unit

CARDS: Final = Signal(
    key="cluster.cards",
    unit=Unit.CARDS,
    colour=Colour.PHYSICAL,
    expr="sum(cluster:gpuatlas_cards:count{SCOPE})",
)
CARDS_IDLE_ALL_DAY: Final = Signal(
    key="cluster.cards_idle_all_day",
    unit=Unit.CARDS,
    expr="sum(cluster:gpuatlas_cards_idle_all_day:count{SCOPE})",
)
CARDS_WITH_ROOM: Final = Signal(
    key="cluster.cards_with_room",
    unit=Unit.CARDS,
    expr="sum(cluster:gpuatlas_cards_room:count{SCOPE})",
)
ROOM_SHARE: Final = Signal(
    key="cluster.room_share",
    unit=Unit.RATIO,
    expr=(
        "sum(cluster:gpuatlas_cards_room:count{SCOPE})"
        " / sum(cluster:gpuatlas_cards_judged:count{SCOPE})"
    ),
)

MEMORY_PHYSICAL: Final = Signal(
    key="cluster.memory_physical",
    unit=Unit.BYTES,
    colour=Colour.PHYSICAL,
    expr="sum(cluster:gpuatlas_memory_physical_bytes:sum{SCOPE})",
)
MEMORY_ALLOCATED: Final = Signal(
    key="cluster.memory_allocated",
    unit=Unit.BYTES,
    colour=Colour.ALLOCATED,
    expr="sum(cluster:gpuatlas_memory_allocated_bytes:sum{SCOPE})",
)
MEMORY_PEAK: Final = Signal(
    key="cluster.memory_peak",
    unit=Unit.BYTES,
    colour=Colour.WASTED,
    expr="sum(cluster:gpuatlas_memory_peak_bytes:sum{SCOPE})",
)
MEMORY_USED: Final = Signal(
    key="cluster.memory_used",
    unit=Unit.BYTES,
    colour=Colour.USED,
    expr="sum(cluster:gpuatlas_memory_used_bytes:sum{SCOPE})",
)
MEMORY_NEVER_USED: Final = Signal(
    key="cluster.memory_never_used",
    unit=Unit.BYTES,
    expr="sum(cluster:gpuatlas_memory_never_used_bytes:sum{SCOPE})",
)
CARDS_NEVER_USED: Final = Signal(
    key="cluster.cards_never_used",
    unit=Unit.COUNT,
    expr="sum(cluster:gpuatlas_cards_never_used:sum{SCOPE})",
)

COMPUTE_ALLOCATED: Final = Signal(
    key="cluster.compute_allocated",
    unit=Unit.COUNT,
    colour=Colour.ALLOCATED,
    expr="sum(card:gpuatlas_compute_allocated_ratio:max{SCOPE})",
)
COMPUTE_BUSIEST_HOUR: Final = Signal(
    key="cluster.compute_busiest_hour",
    unit=Unit.COUNT,
    colour=Colour.WASTED,
    expr="sum(cluster:gpuatlas_compute_busiest_ratio:sum{SCOPE})",
)
COMPUTE_USED: Final = Signal(
    key="cluster.compute_used",
    unit=Unit.COUNT,
    colour=Colour.COMPUTE,
    expr="sum(card:gpuatlas_compute_utilization_ratio:max{SCOPE})",
)

# How far back the records of the last day reach; those of the first minutes are counted in minutes.
OBSERVED: Final = Signal(
    key="cluster.observed",
    unit=Unit.SECONDS,
    expr="""time() - min(
  min_over_time(timestamp(cluster:gpuatlas_cards:count{SCOPE})[1d:10m])
  or min_over_time(timestamp(cluster:gpuatlas_cards:count{SCOPE})[10m:1m])
  or timestamp(cluster:gpuatlas_cards:count{SCOPE})
)""",
)

SIGNALS: Final = (
    CARDS, CARDS_IDLE_ALL_DAY, CARDS_WITH_ROOM, ROOM_SHARE, MEMORY_PHYSICAL, MEMORY_ALLOCATED,
    MEMORY_PEAK, MEMORY_USED, MEMORY_NEVER_USED, CARDS_NEVER_USED, COMPUTE_ALLOCATED,
    COMPUTE_BUSIEST_HOUR, COMPUTE_USED, OBSERVED,
)  # fmt: skip

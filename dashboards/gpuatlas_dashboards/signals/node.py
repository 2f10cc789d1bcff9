"""Of one node, or a series a node: sums over its cards."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.signals.signal import Signal
from gpuatlas_dashboards.tokens import Colour, Unit

PHYSICAL: Final = Signal(
    key="node.memory_physical",
    unit=Unit.BYTES,
    colour=Colour.PHYSICAL,
    expr="node:gpuatlas_memory_physical_bytes:sum{SCOPE}",
)
ALLOCATED: Final = Signal(
    key="node.memory_allocated",
    unit=Unit.BYTES,
    colour=Colour.ALLOCATED,
    expr="node:gpuatlas_memory_allocated_bytes:sum{SCOPE}",
)
RESIDENT: Final = Signal(
    key="node.memory_resident",
    unit=Unit.BYTES,
    colour=Colour.RESIDENT,
    expr="node:gpuatlas_memory_resident_bytes:sum{SCOPE}",
)

SIGNALS: Final = (PHYSICAL, ALLOCATED, RESIDENT)

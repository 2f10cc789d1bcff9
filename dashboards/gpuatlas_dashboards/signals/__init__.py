"""One definition of each quantity: key, unit, expression. Its words stand in `texts/<language>/`.

Expressions read recording rules and `gpuatlas_*` only; raw DCGM only where nothing of ours has it.
"""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.signals import card, check, cluster, node, sizing, workload
from gpuatlas_dashboards.signals.signal import Signal

ALL: Final[tuple[Signal, ...]] = (
    *card.SIGNALS,
    *check.SIGNALS,
    *cluster.SIGNALS,
    *node.SIGNALS,
    *sizing.SIGNALS,
    *workload.SIGNALS,
)

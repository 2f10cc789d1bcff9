"""What one reading of the past gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gpuatlas.model.sizing import Contended, History, NodeDemand
from gpuatlas.sources.history.labels import NodeKey
from gpuatlas.sources.history.nodes import WorkloadName

DEFAULT_WINDOW_DAYS = 14


Serves = Callable[[str, str], bool | None]
"""Whether a workload of a kind with a runtime answers requests, None where nobody can tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryLook:
    """All that a Prometheus knows for sizing at one instant (`at`, its own clock's).

    `promises` are the largest promise of each workload on each node, in bytes. `clusters` are the
    values of the label `cluster`, "" among them where there is none. `missing` says in sentences
    what could not be read and what to do, `refused` counts values that cannot be.
    """

    at: float
    window_days: int
    histories: tuple[History, ...] = ()
    nodes: tuple[NodeDemand, ...] = ()
    promises: Mapping[NodeKey, Mapping[WorkloadName, int]] = field(default_factory=dict)
    contended: tuple[Contended, ...] = ()
    clusters: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    refused: int = 0

"""How each source fares: the facts behind `gpuatlas_source_*`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStatus:
    """One source. `targets` counts its targets by state ("up", "down", "stale").

    `up` is None for a source that has nothing to read here (no dcgm-exporter in the cluster): its
    series are then absent, since absent and broken differ.
    """

    source: str
    up: bool | None
    last_success_at: float | None
    read_seconds: float | None
    error: str
    targets: Mapping[str, int]
    rejected: Mapping[str, int]  # reason → samples refused since start

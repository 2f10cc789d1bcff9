"""How long each workload was slowed, and suspected of slowing others. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from gpuatlas.model.sizing import Contended
from gpuatlas.sources.history.daily import Daily
from gpuatlas.sources.history.labels import WorkloadKey
from gpuatlas.sources.history.look import Serves
from gpuatlas.sources.history.present import Present

_MINUTE = 60.0


def contended_of(present: Present, daily: Daily, serves: Serves) -> tuple[Contended, ...]:
    """Workloads that are there now and were slowed or suspected in the window, by name."""
    there = {container.workload for container in present.containers()}
    return tuple(
        Contended(
            cluster=workload.cluster,
            namespace=workload.namespace,
            kind=workload.kind,
            name=workload.name,
            victim_minutes=_minutes(daily.slowed.get(workload)),
            suspect_minutes=_minutes(daily.suspected.get(workload)),
            serves=serves(workload.kind, present.runtimes.get(workload, "unknown")),
            priority=_priority(workload, present),
        )
        for workload in sorted(there & (daily.slowed.keys() | daily.suspected.keys()))
        if _minutes(daily.slowed.get(workload)) + _minutes(daily.suspected.get(workload)) > 0
    )


def _minutes(row: Mapping[float, float] | None) -> float:
    return sum(row.values()) / _MINUTE if row else 0.0


def _priority(workload: WorkloadKey, present: Present) -> int | None:
    """The priority of all its containers, None where they differ or have none."""
    found = present.priorities.get(workload, set())
    return next(iter(found)) if len(found) == 1 else None

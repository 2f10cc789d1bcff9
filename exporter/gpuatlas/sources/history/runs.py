"""Runs with generated names: what they share, and which of them are over. Pure.

What a group's runs are together is the analysis' to say: each run has a history of its own here.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from gpuatlas.model.sizing import Day
from gpuatlas.sources.history.daily import Daily
from gpuatlas.sources.history.labels import WorkloadKey


def groups_of(daily: Daily) -> dict[WorkloadKey, str]:
    """Run → its group as "Kind/name", the last one that it was in.

    The name is no object's: an application, a template, the beginning of the runs' names. So it
    ends in a "*", which no name in Kubernetes has.
    """
    return {
        run: f"{run.kind}/{min(groups[max(groups)])}-*" for run, groups in daily.run_groups.items()
    }


def with_end(
    days: tuple[Day, ...],
    run: WorkloadKey,
    going_on: Collection[WorkloadKey],
    succeeded: Collection[WorkloadKey],
) -> tuple[Day, ...]:
    """The days of a run, the last of which names the run if it was seen to succeed.

    What failed in its first minute has not shown what it needs.
    """
    if not days or run in going_on or run not in succeeded:
        return days
    return (*days[:-1], replace(days[-1], runs=frozenset({run.name})))

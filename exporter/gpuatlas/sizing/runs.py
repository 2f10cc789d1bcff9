"""The histories of runs that are one thing under many names, put together as one. Pure.

A nightly Job has a new name every night, and none of them is there long enough to be sized.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from gpuatlas.model.sizing import Day, History, SizedContainer

V = TypeVar("V", int, float)


def merge_runs(histories: Iterable[History]) -> tuple[History, ...]:
    """One history for each group and container, and those of no group as they are.

    The promise is that of the latest run. A group's own name is its object ("CronJob/nightly") or
    what its names have in common ("nightly-*").
    """
    alone: list[History] = []
    groups: defaultdict[tuple[str, ...], list[History]] = defaultdict(list)
    for history in histories:
        of = history.of
        if of.group:
            key = (of.cluster, of.namespace, of.kind, of.group, of.container)
            groups[key].append(history)
        else:
            alone.append(history)
    return (*alone, *(_merged(runs) for runs in groups.values()))


def _merged(runs: Sequence[History]) -> History:
    latest = max(runs, key=_last_seen)
    by_end: defaultdict[float, list[Day]] = defaultdict(list)
    for run in runs:
        for day in run.days:
            by_end[day.ends_at].append(day)
    days = tuple(_day(by_end[end]) for end in sorted(by_end))
    merged = replace(latest, of=_named(latest.of), days=days)
    return _with_one_runtime(_with_one_promise(merged, runs), runs)


def _with_one_promise(merged: History, runs: Iterable[History]) -> History:
    """Without the latest promise where another run had a larger one and used more than the latest.

    It is no limit that was passed: these are different jobs, and nobody knows which comes next.
    """
    latest = merged.reservation.memory
    most = max((day.memory_peak or 0 for day in merged.days), default=0)
    if latest is None or most <= latest:
        return merged
    if not any((run.reservation.memory or 0) > latest for run in runs):
        return merged
    return replace(merged, reservation=replace(merged.reservation, memory=None, profile=""))


def _with_one_runtime(merged: History, runs: Sequence[History]) -> History:
    """What one run took for its cache is no cache of another: then its size is not known."""
    known = {run.taken_ahead for run in runs if run.taken_ahead is not None}
    if not known or (len(known) == 1 and len({run.runtime for run in runs}) == 1):
        return merged
    unknown = replace(known.pop(), share=None, pool_bytes=None, source="")
    return replace(merged, taken_ahead=unknown)


def _last_seen(run: History) -> tuple[float, str]:
    seen = (day.ends_at for day in run.days if day.present > 0)
    return max(seen, default=0.0), run.of.name


def _named(of: SizedContainer) -> SizedContainer:
    kind, slash, name = of.group.partition("/")
    return replace(of, kind=kind, name=name) if slash else replace(of, name=of.group)


def _day(days: Sequence[Day]) -> Day:
    """The same 24 hours of several runs, of which some were not there."""
    if len(days) == 1:
        return days[0]
    there = [day for day in days if day.present > 0] or list(days)
    weights = [day.present * max(day.replicas, 1) for day in there]
    weighted = sum(d.measured * w for d, w in zip(there, weights, strict=True))
    return Day(
        ends_at=days[0].ends_at,
        memory_peak=_most(there, lambda day: day.memory_peak),
        compute_p95=_most(there, lambda day: day.compute_p95),
        present=min(sum(day.present for day in there), 1.0),
        watched=min(day.watched for day in there),
        measured=weighted / sum(weights) if sum(weights) > 0 else 0.0,
        replicas=max(day.replicas for day in there),
        kv_cache_peak=_most(there, lambda day: day.kv_cache_peak),
        limit_hit=any(day.limit_hit for day in there),
        restarts=_sum([day.restarts for day in there]),
        revisions=frozenset[str]().union(*(day.revisions for day in there)),
        runs=frozenset[str]().union(*(day.runs for day in days)),
        cards_used=_most(there, lambda day: day.cards_used),
    )


def _most(days: Iterable[Day], value: Callable[[Day], V | None]) -> V | None:
    return max((v for day in days if (v := value(day)) is not None), default=None)


def _sum(numbers: Sequence[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None

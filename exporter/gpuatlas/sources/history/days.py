"""The days of one container, out of the tables. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from gpuatlas.model.sizing import Day
from gpuatlas.sources.history.daily import Daily, Table
from gpuatlas.sources.history.labels import ContainerKey

K = TypeVar("K")
V = TypeVar("V", int, float)

_NOBODY: Final[frozenset[str]] = frozenset()


def days_of(
    container: ContainerKey, daily: Daily, instants: Sequence[float], *, pauses: bool = True
) -> tuple[Day, ...]:
    """The days from the first on which anything is known of it, the oldest first.

    What a day lacks a recording of counts as not watched or not measured, never as there.

    Args:
        container: whose days.
        daily: what was recorded.
        instants: the ends of the days, the oldest first.
        pauses: whether to give a day on which nothing is known of it where somebody watched the
            cluster: it was not there then.
    """
    rows = _rows_of(container, daily)
    known = rows.known()
    first = min(known, default=math.inf)
    return tuple(
        rows.day(at)
        for at in instants
        if at in known or (pauses and at > first and rows.watched.get(at, 0.0) > 0)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """What is known of one container, by instant."""

    memory_peak: Mapping[float, int]
    compute_p95: Mapping[float, float]
    cards_used: Mapping[float, int]
    replicas: Mapping[float, int]
    present: Mapping[float, float]
    measured: Mapping[float, float]
    limit_hit: Mapping[float, int]
    watched: Mapping[float, float]
    restarts: Mapping[float, int]
    cache_used: Mapping[float, float]
    revisions: Mapping[float, set[str]]

    def known(self) -> set[float]:
        return set(self.memory_peak).union(self.compute_p95, self.replicas, self.present)

    def day(self, at: float) -> Day:
        return Day(
            ends_at=at,
            memory_peak=self.memory_peak.get(at),
            compute_p95=self.compute_p95.get(at),
            present=self.present.get(at, 0.0),
            watched=self.watched.get(at, 0.0),
            measured=self.measured.get(at, 0.0),
            replicas=self.replicas.get(at, 0),
            cards_used=self.cards_used.get(at),
            kv_cache_peak=self.cache_used.get(at),
            limit_hit=self.limit_hit.get(at, 0) > 0,
            restarts=self.restarts.get(at),
            revisions=frozenset(self.revisions.get(at, _NOBODY)),
        )


def _rows_of(container: ContainerKey, daily: Daily) -> _Rows:
    workload = container.workload
    return _Rows(
        memory_peak=_row(daily.memory_peak, container),
        compute_p95=_row(daily.compute_p95, container),
        cards_used=_row(daily.cards_used, container),
        replicas=_row(daily.replicas, container),
        present=_row(daily.present, container),
        measured=_row(daily.measured, container),
        limit_hit=_row(daily.limit_hit, container),
        watched=_row(daily.watched, workload.cluster),
        restarts=_row(daily.restarts, workload),
        cache_used=_row(daily.cache_used, workload),
        revisions=daily.revisions.get(workload, {}),
    )


def _row(table: Table[K, V], whose: K) -> Mapping[float, V]:
    return table.get(whose, {})

"""What was recorded over days, as tables: whose → instant → value. Pure.

All tables share their instants, the ends of the days. Where two replicas of a Prometheus tell of
one thing, the larger value counts, or what `better` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeVar

from gpuatlas.sources.history import labels as of
from gpuatlas.sources.history import names, numbers
from gpuatlas.sources.history.labels import ContainerKey, Labels, NodeKey, WorkloadKey
from gpuatlas.sources.promapi.client import Series

DAY: Final = 86_400.0

K = TypeVar("K")
V = TypeVar("V", int, float)

Table = dict[K, dict[float, V]]
Sets = dict[K, dict[float, set[str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Daily:
    """The tables; what a server does not have is empty."""

    memory_peak: Table[ContainerKey, int] = field(default_factory=dict)
    compute_p95: Table[ContainerKey, float] = field(default_factory=dict)
    cards_used: Table[ContainerKey, int] = field(default_factory=dict)
    replicas: Table[ContainerKey, int] = field(default_factory=dict)
    present: Table[ContainerKey, float] = field(default_factory=dict)
    measured: Table[ContainerKey, float] = field(default_factory=dict)
    limit_hit: Table[ContainerKey, int] = field(default_factory=dict)
    watched: Table[str, float] = field(default_factory=dict)
    restarts: Table[WorkloadKey, int] = field(default_factory=dict)
    cache_used: Table[WorkloadKey, float] = field(default_factory=dict)
    slowed: Table[WorkloadKey, float] = field(default_factory=dict)
    suspected: Table[WorkloadKey, float] = field(default_factory=dict)
    demand: Table[NodeKey, int] = field(default_factory=dict)
    demand_known: Table[NodeKey, float] = field(default_factory=dict)
    host_available: Table[NodeKey, int] = field(default_factory=dict)
    revisions: Sets[WorkloadKey] = field(default_factory=dict)
    run_groups: Sets[WorkloadKey] = field(default_factory=dict)

    def instants(self) -> tuple[float, ...]:
        """The ends of the days of which anything is known, the oldest first."""
        tables: Iterable[dict[object, dict[float, object]]] = (
            getattr(self, name) for name in self.__slots__
        )
        return tuple(sorted({i for table in tables for row in table.values() for i in row}))


def take(
    table: Table[K, V],
    series: Iterable[Series],
    key: Callable[[Labels], K | None],
    number: Callable[[float], V | None],
    better: Callable[[V, V], V] = max,
) -> int:
    """Put the points of `series` into `table`; gives the number of those that were refused.

    Args:
        table: to put them into.
        series: of one metric.
        key: whose a series is; a series of nobody is left out.
        number: what a value means, None for none that can be.
        better: which of two values of one instant to keep.
    """
    refused = 0
    for one in series:
        whose = key(one.labels)
        if whose is None:
            continue
        row = table.setdefault(whose, {})
        for instant, value in _numbers(one):
            found = None if value is None else number(value)
            if found is None:
                refused += 1
            else:
                row[instant] = better(row[instant], found) if instant in row else found
    return refused


def take_words(table: Sets[WorkloadKey], series: Iterable[Series], label: str) -> None:
    """Put the values that `label` has at each instant into `table`."""
    for one in series:
        whose, word = of.workload_of(one.labels), of.text(one.labels, label)
        if whose is not None and word:
            row = table.setdefault(whose, {})
            for instant in one.points:
                row.setdefault(instant, set()).add(word)


def _numbers(series: Series) -> Iterator[tuple[float, float | None]]:
    for instant, value in series.points.items():
        try:
            yield instant, float(value)
        except ValueError:
            yield instant, None


@dataclass(frozen=True, slots=True, kw_only=True)
class DailySource:
    """A metric, and what its series are put into; `put` gives the number of refused values.

    `within` is the time in seconds before each instant in which a series may have ended.
    """

    name: str
    put: Callable[[Daily, Iterable[Series]], int]
    within: float


def _rows(
    name: str,
    table: Callable[[Daily], Table[K, V]],
    key: Callable[[Labels], K | None],
    number: Callable[[float], V | None],
    better: Callable[[V, V], V] = max,
) -> DailySource:
    def put(daily: Daily, series: Iterable[Series]) -> int:
        return take(table(daily), series, key, number, better)

    return DailySource(name=name, put=put, within=_LATE)


def _words(
    name: str, table: Callable[[Daily], Sets[WorkloadKey]], label: str, within: float
) -> DailySource:
    def put(daily: Daily, series: Iterable[Series]) -> int:
        take_words(table(daily), series, label)
        return 0

    return DailySource(name=name, put=put, within=within)


# As in the rules over 14 days: a server that was away just then does not hide a whole day.
_LATE: Final = 3_600.0

SOURCES: Final = (
    _rows(names.MEMORY_PEAK, lambda d: d.memory_peak, of.container_of, numbers.card_bytes),
    _rows(names.COMPUTE_P95, lambda d: d.compute_p95, of.container_of, numbers.compute),
    _rows(names.CARDS_USED, lambda d: d.cards_used, of.container_of, numbers.count),
    _rows(names.REPLICAS, lambda d: d.replicas, of.container_of, numbers.count),
    _rows(names.PRESENT, lambda d: d.present, of.container_of, numbers.share),
    # Of two replicas that saw different parts of a day the better witness counts.
    _rows(names.MEASURED, lambda d: d.measured, of.container_of, numbers.share),
    _rows(names.LIMIT_HIT, lambda d: d.limit_hit, of.container_of, numbers.flag),
    _rows(names.WATCHED, lambda d: d.watched, of.cluster_of, numbers.share),
    _rows(names.RESTARTS, lambda d: d.restarts, of.workload_of, numbers.count),
    _rows(names.CACHE_USED, lambda d: d.cache_used, of.workload_of, numbers.share),
    _rows(names.SLOWED, lambda d: d.slowed, of.workload_of, numbers.seconds_of_day),
    _rows(names.SUSPECTED, lambda d: d.suspected, of.workload_of, numbers.seconds_of_day),
    _rows(names.DEMAND, lambda d: d.demand, of.node_of, numbers.node_bytes),
    _rows(names.DEMAND_KNOWN, lambda d: d.demand_known, of.node_of, numbers.share),
    _rows(names.HOST_AVAILABLE, lambda d: d.host_available, of.node_of, numbers.node_bytes, min),
    _words(names.REVISION, lambda d: d.revisions, "revision", _LATE),
    # A run of an hour is seldom there at the end of a day.
    _words(names.RUN_GROUP, lambda d: d.run_groups, "group", DAY),
)

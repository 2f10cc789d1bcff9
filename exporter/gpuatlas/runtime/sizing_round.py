"""The thread that looks at what was needed over days, a look each interval.

It asks the Prometheus of the pages. Its report is about the whole cluster, so that of several
shards one has it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Final, Protocol

from gpuatlas.model.readings import value_of
from gpuatlas.model.sizing import NodeRatio, SizingReport
from gpuatlas.model.status import SourceStatus
from gpuatlas.runtime.sizing_report import look_back, report_of
from gpuatlas.runtime.source_log import log_changes
from gpuatlas.runtime.worker import Settling, Worker
from gpuatlas.sources.errors import BadAnswerError, SourceError
from gpuatlas.sources.history.look import HistoryLook
from gpuatlas.sources.promapi.settings import PrometheusSettings

logger = logging.getLogger(__name__)

SIZING: Final = "sizing"
"""The source, and the word that one shard owns."""

# After a failure, and twice as long after each that follows.
_RETRY_SECONDS: Final = 60.0
# A server that is new to this, whose rules or exporter come a little later.
_INCOMPLETE_SECONDS: Final = 300.0
# A report is of days: it outlives a server that is away for a few looks.
_LOOKS_OF_A_REPORT: Final = 3
_BAD_VALUE: Final = "bad-value"


class SizingSource(Protocol):
    """`SizingReader` is the real one."""

    def read(self, now: float) -> tuple[SizingReport | None, SourceStatus]:
        """A report, None where the source could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizingLook:
    """The last report, and how its source fares."""

    report: SizingReport | None = None
    statuses: tuple[SourceStatus, ...] = ()


class SizingReader:
    """Reads and judges; for one thread."""

    def __init__(self, settings: PrometheusSettings, *, hidden: Collection[str] = ()) -> None:
        self._settings = settings
        self._hidden = frozenset(hidden)
        self._refused = 0
        self._succeeded_at: float | None = None
        self._warnings: frozenset[str] = frozenset()

    def read(self, now: float) -> tuple[SizingReport | None, SourceStatus]:
        """One look at `now`, in Unix seconds; what fails is in the status."""
        started = time.monotonic()
        try:
            look = look_back(self._settings, now=now)
            _require_one_cluster(look)
        except SourceError as error:
            return None, self._status(str(error), time.monotonic() - started)
        report = report_of(look, hidden=self._hidden)
        self._succeeded_at = now
        self._refused += look.refused
        self._tell(look)
        return report, self._status("", time.monotonic() - started)

    def _status(self, error: str, seconds: float) -> SourceStatus:
        return SourceStatus(
            source=SIZING,
            up=not error,
            last_success_at=self._succeeded_at,
            read_seconds=seconds,
            error=error,
            targets={},
            rejected={_BAD_VALUE: self._refused} if self._refused else {},
        )

    def _tell(self, look: HistoryLook) -> None:
        """Say once what is missing, and what the server warns of."""
        told = frozenset({*look.missing, *look.warnings})
        for text in sorted(told - self._warnings):
            logger.warning("sizing: %s", text)
        self._warnings = told


def _require_one_cluster(look: HistoryLook) -> None:
    """The exporter's own series carry no cluster: its scrape names it."""
    if len(look.clusters) > 1:
        names = ", ".join(name or '""' for name in look.clusters[:3])
        message = (
            f"the Prometheus holds several clusters ({names} …): set a matcher for the label "
            "cluster, since sizing is told of this one alone"
        )
        raise BadAnswerError(message)


class SizingRounds:
    """Looks until closed; the last report is at hand at any time.

    `changed` is set when a report says something else than the one before, which else stays the
    same object: whatever was rendered of it lasts. The first look waits until the cluster is known.
    A report stays for three intervals although the server cannot be read. An unexpected error ends
    a look, not the thread: `last` raises it once.
    """

    def __init__(
        self,
        source: SizingSource,
        cluster: Settling,
        changed: threading.Event,
        *,
        interval_seconds: float,
        start_seconds: float,
        clock: Callable[[], float],
    ) -> None:
        self._source = source
        self._cluster = cluster
        self._changed = changed
        self._interval = interval_seconds
        self._clock = clock
        self._start = start_seconds
        self._look = SizingLook()
        self._failures = 0
        self._read_at = float("-inf")
        self._worker = Worker(self._run, name="sizing-rounds")

    def start(self) -> None:
        """Begin to look."""
        self._worker.start()

    def last(self) -> SizingLook:
        """The last look, empty before the first.

        Raises:
            Exception: whatever unexpected ended a look since the last call.
        """
        self._worker.raise_kept()
        return self._look

    def close(self) -> None:
        """End the thread. A look under way is left to its own time limits."""
        self._worker.close()

    def _run(self) -> None:
        self._worker.wait_for(self._cluster)
        pause = self._start
        while not self._worker.wait(pause):
            self._read()
            pause = self.pause()

    def pause(self) -> float:
        """Seconds until the next look: sooner after a failure, and while something is missing."""
        if self._failures:
            return min(self._interval, _RETRY_SECONDS * 2.0 ** min(self._failures - 1, 10))
        report = self._look.report
        if report is not None and report.missing:
            return min(self._interval, _INCOMPLETE_SECONDS)
        return self._interval

    def _read(self) -> None:
        now = time.monotonic()
        try:
            report, status = self._source.read(self._clock())
        except Exception as error:
            self._worker.keep(error)
            self._failures += 1
            self._changed.set()
            return
        before, shown = self._look, report or self._kept(now)
        if report is not None:
            self._read_at = now
        if shown is not None and before.report is not None and _alike(shown, before.report):
            shown = before.report
        self._failures = self._failures + 1 if status.error else 0
        self._look = SizingLook(report=shown, statuses=(status,))
        log_changes(logger, before.statuses, (status,))
        if shown is not before.report:
            self._changed.set()

    def _kept(self, now: float) -> SizingReport | None:
        """The report before, while it is not too old."""
        old = now - self._read_at > _LOOKS_OF_A_REPORT * self._interval
        return None if old else self._look.report


def _alike(one: SizingReport, other: SizingReport) -> bool:
    """Whether they say the same, whenever each was read."""
    timeless = replace(one, at=other.at, nodes=other.nodes) == other
    return timeless and list(map(_values, one.nodes)) == list(map(_values, other.nodes))


def _values(ratio: NodeRatio) -> tuple[object, ...]:
    """What is told of a node, without the instants."""
    demand = ratio.demand
    inputs = (demand.allocated, demand.demand, demand.physical, demand.host_available)
    readings = (*inputs, ratio.present, ratio.safe, ratio.room)
    return (demand.node, demand.sharing, demand.days, *map(value_of, readings), ratio.fits)

"""Asks a Prometheus for all that sizing needs, a metric at a time.

Answers are reduced as they come: those of a large cluster together would be gigabytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from gpuatlas.sources.history import daily as recorded
from gpuatlas.sources.history import present as now_there
from gpuatlas.sources.history.assemble import Assembly
from gpuatlas.sources.history.contended import contended_of
from gpuatlas.sources.history.daily import DAY, Daily, DailySource
from gpuatlas.sources.history.labels import ContainerKey
from gpuatlas.sources.history.look import DEFAULT_WINDOW_DAYS, HistoryLook, Serves
from gpuatlas.sources.history.missing import missing_of
from gpuatlas.sources.history.nodes import demands_of, promises_of
from gpuatlas.sources.history.present import Present, PresentSource
from gpuatlas.sources.promapi.client import PrometheusClient, Series
from gpuatlas.sources.promapi.settings import PrometheusSettings

# Instants of an answer that are older were moved by the server (`PrometheusClient.range`).
_MOVED: Final = 3_600.0


def _nobody_can_tell(_kind: str, _runtime: str) -> None:
    return None


def read_history(
    settings: PrometheusSettings,
    *,
    now: float,
    window_days: int = DEFAULT_WINDOW_DAYS,
    serves: Serves = _nobody_can_tell,
) -> HistoryLook:
    """All clusters of one server, or those that the settings' matchers leave.

    Args:
        settings: of the server.
        now: in Unix seconds; the server's own clock stands in its place where it says what it is.
        window_days: how many days to look back.
        serves: for priorities.

    Raises:
        SourceError: the server cannot be asked.
    """
    return _Reading(settings, now, window_days, serves).look()


class _Reading:
    """One reading; `at` becomes the server's time with its first answer."""

    def __init__(
        self, settings: PrometheusSettings, now: float, window_days: int, serves: Serves
    ) -> None:
        self._client = PrometheusClient(settings)
        self._matchers: Mapping[str, str] = settings.matchers
        self._serves = serves
        self._at, self._told = now, False
        self._days = window_days
        self._warnings: dict[str, None] = {}
        self._unreadable = 0

    def look(self) -> HistoryLook:
        present, daily = Present(), Daily()
        for source in now_there.SOURCES:
            self._read_present(source, present)
        alive = present.containers()
        refused = sum(self._read_daily(source, daily) for source in recorded.SOURCES)
        self._read_past_runs(present, daily, alive)
        nodes = demands_of(present, daily, self._at)
        assembly = Assembly(
            present=present,
            daily=daily,
            instants=daily.instants()[-self._days :],
            alive=alive,
        )
        return HistoryLook(
            at=self._at,
            window_days=self._days,
            histories=assembly.histories(),
            nodes=nodes,
            promises=promises_of(present),
            contended=contended_of(present, daily, self._serves),
            clusters=tuple(sorted({node.cluster for node in present.node_sharing})),
            missing=missing_of(
                present,
                daily,
                alive,
                overcommitted=frozenset(node.cluster for node in nodes),
                matchers=self._matchers,
            ),
            warnings=tuple(self._warnings),
            refused=refused + present.refused + self._unreadable,
        )

    def _read_present(
        self, source: PresentSource, present: Present, within: float | None = None, **also: str
    ) -> None:
        points, warnings = self._client.instant(
            source.names, patterns={**source.patterns, **also}, within=within or source.within
        )
        self._warnings |= dict.fromkeys(warnings)
        if points and not self._told:
            self._told, self._at = True, points[0].at
        source.take(present, points)

    def _read_daily(self, source: DailySource, daily: Daily) -> int:
        answer = self._client.range(
            (source.name,),
            start=self._at - (self._days - 1) * DAY,
            end=self._at,
            step=DAY,
            within=source.within,
        )
        self._warnings |= dict.fromkeys(answer.warnings)
        self._unreadable += answer.unreadable
        newest = max((series.newest_at for series in answer.series), default=self._at)
        if newest < self._at - _MOVED:
            answer.series.extend(self._newest(source))
        return source.put(daily, answer.series)

    def _newest(self, source: DailySource) -> list[Series]:
        """The day that ends now, where the server's own days end at midnight."""
        points, _ = self._client.instant((source.name,), within=source.within)
        return [Series(dict(p.labels), {self._at: repr(p.value)}) for p in points]

    def _read_past_runs(
        self, present: Present, daily: Daily, alive: frozenset[ContainerKey]
    ) -> None:
        """The last promises of runs that have ended; what goes on keeps its present ones."""
        going_on = {key.workload for key in alive}
        kinds = sorted({run.kind for run in daily.run_groups if run not in going_on})
        if not kinds:
            return
        past = Present(cards=present.cards, card_memory=present.card_memory)
        pattern = "|".join(re.escape(kind) for kind in kinds)
        for source in now_there.PAST_SOURCES:
            self._read_present(source, past, within=self._days * DAY, workload_kind=pattern)
        present.add_past(past)

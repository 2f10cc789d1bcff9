"""Keeps the books of refused records: how many in all, and which are refused just now.

Objects (nodes, pods) are kept between reads, so their rejections are counted once for each version
of the object; those of the join once each time they appear. Pages and the sharing layers' objects
are new at each read: their readers count theirs. Every rejection is logged when it appears and when
it is gone, never once a round.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Final

from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.observations import Observations
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.snapshot import Snapshot
from gpuatlas.model.status import SourceStatus

logger = logging.getLogger(__name__)

# Anybody who may annotate a pod can have records refused: what is remembered, and how much is
# written in a minute, has an end. All are counted all the same.
MAX_REMEMBERED: Final = 2048
MAX_LINES: Final = 100
LINES_WINDOW_SECONDS: Final = 300.0

_Place = tuple[str, str, str]  # source, reason, where


class RejectionLedger:
    """Totals by source and reason since start. Not thread-safe: the refresh loop owns it."""

    def __init__(self) -> None:
        self._totals: Counter[tuple[str, str]] = Counter()
        self._objects: dict[str, Node | Pod] = {}
        self._joined: frozenset[Rejection] = frozenset()
        self._open: dict[_Place, str] = {}
        self._lines = _LineBudget()

    def record(self, observations: Observations, snapshot: Snapshot) -> None:
        """Count what is new in this round, and log what appeared or is gone."""
        refused = [*_refused_objects(observations)]
        self._count_objects(refused)
        joined = frozenset(_joined(snapshot))
        self._count(joined - self._joined)
        self._joined = joined
        self._log_changes(_places(refused, observations, joined), observations.now)

    def merge(self, statuses: Iterable[SourceStatus]) -> tuple[SourceStatus, ...]:
        """The statuses with these totals added; a source that only refuses gets one of its own."""
        by_source: dict[str, Counter[str]] = {}
        for (source, reason), number in self._totals.items():
            by_source.setdefault(source, Counter())[reason] += number
        merged = [
            replace(status, rejected=_added(status.rejected, by_source.pop(status.source, {})))
            for status in statuses
        ]
        return (*merged, *(_rejections_only(s, by_source[s]) for s in sorted(by_source)))

    def _count_objects(self, refused: list[tuple[str, Node | Pod]]) -> None:
        for uid, item in refused:
            if self._objects.get(uid) is not item:
                self._count(item.rejections)
        # Holding the objects themselves keeps their identity from being used again.
        self._objects = dict(refused)

    def _count(self, rejections: Iterable[Rejection]) -> None:
        for rejection in rejections:
            self._totals[rejection.source, rejection.reason] += rejection.count

    def _log_changes(self, now_open: Mapping[_Place, str], now: float) -> None:
        self._lines.start_round(now)
        for place in now_open.keys() - self._open.keys():
            self._lines.write("record refused", place, now_open[place])
        for place in self._open.keys() - now_open.keys():
            self._lines.write("refused record is gone", place, "")
        self._lines.end_round()
        self._open = dict(now_open)


class _LineBudget:
    """At most MAX_LINES lines in a window; the rest is one line with their number."""

    def __init__(self) -> None:
        self._window_start = float("-inf")
        self._left = MAX_LINES
        self._dropped = 0

    def start_round(self, now: float) -> None:
        if now - self._window_start >= LINES_WINDOW_SECONDS:
            self._window_start, self._left = now, MAX_LINES

    def write(self, text: str, place: _Place, message: str) -> None:
        if self._left <= 0:
            self._dropped += 1
            return
        self._left -= 1
        source, reason, where = place
        fields = {"source": source, "reason": reason, "where": where}
        logger.warning(text, extra={**fields, "detail": message} if message else fields)

    def end_round(self) -> None:
        if self._dropped:
            extra = {"changes": self._dropped}
            logger.warning("more refused records changed than are written here", extra=extra)
            self._dropped = 0


def _refused_objects(observations: Observations) -> Iterator[tuple[str, Node | Pod]]:
    yield from ((f"node/{n.uid}", n) for n in observations.nodes.values() if n.rejections)
    yield from ((f"pod/{p.uid}", p) for p in observations.pods.values() if p.rejections)


def _joined(snapshot: Snapshot) -> Iterator[Rejection]:
    yield from snapshot.rejections
    for node in snapshot.nodes.values():
        yield from node.rejections


def _counted(observations: Observations) -> Iterator[Rejection]:
    """Those that their readers count themselves."""
    yield from observations.layer.rejections
    for pages in (observations.dcgm, observations.monitors, observations.schedulers):
        for page in pages:
            yield from page.rejections


def _places(
    refused: Iterable[tuple[str, Node | Pod]],
    observations: Observations,
    joined: Iterable[Rejection],
) -> dict[_Place, str]:
    places: dict[_Place, str] = {}
    of_objects = (r for _, item in refused for r in item.rejections)
    for rejection in chain(of_objects, _counted(observations), joined):
        if len(places) >= MAX_REMEMBERED:
            break
        places.setdefault((rejection.source, rejection.reason, rejection.where), rejection.message)
    return places


def _added(left: Mapping[str, int], right: Mapping[str, int]) -> Mapping[str, int]:
    return {r: left.get(r, 0) + right.get(r, 0) for r in sorted({*left, *right})}


def _rejections_only(source: str, rejected: Mapping[str, int]) -> SourceStatus:
    return SourceStatus(
        source=source,
        up=None,
        last_success_at=None,
        read_seconds=None,
        error="",
        targets={},
        rejected=dict(sorted(rejected.items())),
    )

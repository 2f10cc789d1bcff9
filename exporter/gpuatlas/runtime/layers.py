"""The thread that reads the sharing layers' own objects, a round each interval."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Protocol

from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.status import SourceStatus
from gpuatlas.runtime.source_log import log_changes
from gpuatlas.runtime.worker import Settling, Worker

logger = logging.getLogger(__name__)


class LayerSource(Protocol):
    """`sources.layer.reader.LayerReader` is the real one."""

    def read(self, now: float) -> tuple[LayerObjects, tuple[SourceStatus, ...]]:
        """What there is; failures are in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerLook:
    """What one read gave."""

    objects: LayerObjects = field(default_factory=LayerObjects)
    statuses: tuple[SourceStatus, ...] = ()


class LayerRounds:
    """Reads until closed; the last look is at hand at any time.

    `changed` is set when something differs from the look before; that a leader renewed its lease
    and that a webhook was asked again is no difference, but `last` always has the newest times.
    The first read waits until the cluster is known, so that it does not compete with the lists that
    everything else needs. An unexpected error ends a read, not the thread: `last` raises it once.
    """

    def __init__(
        self,
        source: LayerSource,
        cluster: Settling,
        changed: threading.Event,
        *,
        interval_seconds: float,
        wait_seconds: float,
        clock: Callable[[], float],
    ) -> None:
        self._source = source
        self._cluster = cluster
        self._changed = changed
        self._interval = interval_seconds
        self._wait = wait_seconds
        self._clock = clock
        self._look = LayerLook()
        self._began: float | None = None
        self._finished = threading.Event()
        self._worker = Worker(self._run, name="layer-rounds")

    def start(self) -> None:
        """Begin to read."""
        self._worker.start()

    @property
    def finished(self) -> bool:
        """Whether the first read is over, good or bad, or has taken too long to be waited for."""
        waited = self._began is not None and time.monotonic() - self._began > self._wait
        return self._finished.is_set() or waited

    def last(self) -> LayerLook:
        """The last look, empty before the first.

        Raises:
            Exception: whatever unexpected ended a read since the last call.
        """
        self._worker.raise_kept()
        return self._look

    def close(self) -> None:
        """End the thread. A read under way is left to its own time limits."""
        self._worker.close()

    def _run(self) -> None:
        self._worker.wait_for(self._cluster)
        self._began = time.monotonic()
        while not self._worker.closing:
            started = time.monotonic()
            self._read()
            self._worker.rest(started, self._interval)

    def _read(self) -> None:
        try:
            objects, statuses = self._source.read(self._clock())
        except Exception as error:
            self._worker.keep(error)
            self._finished.set()
            self._changed.set()
            return
        before, self._look = self._look, LayerLook(objects=objects, statuses=statuses)
        log_changes(logger, before.statuses, statuses)
        first = not self._finished.is_set()
        self._finished.set()
        if first or _lasting(objects) != _lasting(before.objects):
            self._changed.set()


def merged(statuses: Iterable[SourceStatus]) -> tuple[SourceStatus, ...]:
    """One status for each source: Deployments are read as owners of pods and as a layer's, too."""
    found: dict[str, SourceStatus] = {}
    for status in statuses:
        known = found.get(status.source)
        found[status.source] = status if known is None else _together(known, status)
    return tuple(found.values())


def _together(one: SourceStatus, other: SourceStatus) -> SourceStatus:
    """As bad as the worse of the two, as old as the older."""
    if one.up is None or other.up is None:
        shown = other if one.up is None else one
        return replace(shown, rejected=_added(one, other))
    ages = (one.last_success_at, other.last_success_at)
    return replace(
        one,
        up=one.up and other.up,
        last_success_at=None if None in ages else min(age for age in ages if age is not None),
        read_seconds=max(one.read_seconds or 0.0, other.read_seconds or 0.0),
        error=one.error or other.error,
        rejected=_added(one, other),
    )


def _added(one: SourceStatus, other: SourceStatus) -> dict[str, int]:
    reasons = sorted({*one.rejected, *other.rejected})
    return {r: one.rejected.get(r, 0) + other.rejected.get(r, 0) for r in reasons}


def _lasting(objects: LayerObjects) -> LayerObjects:
    """Without the times that differ in each look."""
    return replace(
        objects,
        read_at=None,
        leases=tuple(replace(lease, renewed_at=None) for lease in objects.leases),
        probes=tuple(replace(probe, at=0.0) for probe in objects.probes),
    )

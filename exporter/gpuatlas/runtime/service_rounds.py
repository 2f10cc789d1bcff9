"""The thread that reads inference servers' pages, a round each interval.

Whom to ask comes from the refresh loop, which knows who is on shared cards. Without anybody to ask
nothing is read.
"""

from __future__ import annotations

import threading
import time
from typing import Protocol

from gpuatlas.model.status import SourceStatus
from gpuatlas.runtime.worker import Worker
from gpuatlas.sources.services.round import ServiceRound
from gpuatlas.sources.services.targets import ServiceTargets


class ServiceSource(Protocol):
    """`sources.services.direct.DirectServices` or `…prometheus.PrometheusServices`."""

    def read(self, targets: ServiceTargets) -> ServiceRound:
        """One round; failures of servers are in it."""

    def close(self) -> None:
        """Stop reading."""


class ServiceWatch(Protocol):
    """What the analysis of contention asks of the servers' pages. Does no I/O itself."""

    def want(self, targets: ServiceTargets) -> None:
        """From now on these are read."""

    def last(self) -> ServiceRound:
        """The last round, empty before the first."""


class ServiceRounds:
    """Reads until closed; the last round is at hand at any time.

    An unexpected error ends a round, not the thread: `last` raises it once.
    """

    def __init__(self, source: ServiceSource, *, interval_seconds: float) -> None:
        self._source = source
        self._interval = interval_seconds
        self._targets = ServiceTargets()
        self._round = ServiceRound()
        self._wanted = threading.Event()
        self._worker = Worker(self._run, name="service-rounds")

    def start(self) -> None:
        """Begin to read as soon as somebody is wanted."""
        self._worker.start()

    def want(self, targets: ServiceTargets) -> None:
        """From the next round on these are read."""
        self._targets = targets
        if targets.targets:
            self._wanted.set()

    def last(self) -> ServiceRound:
        """The last round, empty before the first.

        Raises:
            Exception: whatever unexpected ended a round since the last call.
        """
        self._worker.raise_kept()
        return self._round

    @property
    def statuses(self) -> tuple[SourceStatus, ...]:
        """How the source fares; nothing while there is nobody to ask."""
        status = self._round.status
        return (status,) if status.targets or status.rejected else ()

    def close(self) -> None:
        """End the thread. A read under way is left to its own time limit."""
        self._worker.stop()
        self._wanted.set()
        self._source.close()
        self._worker.close()

    def _run(self) -> None:
        self._wanted.wait()
        while not self._worker.closing:
            started = time.monotonic()
            try:
                self._round = self._source.read(self._targets)
            except Exception as error:
                self._worker.keep(error)
            self._worker.rest(started, self._interval)

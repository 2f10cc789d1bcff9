"""The thread that reads the pages of other exporters, a round each interval."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from gpuatlas.model.objects import Node, Pod
from gpuatlas.runtime.scope import Shard
from gpuatlas.runtime.worker import Worker
from gpuatlas.sources.kubernetes.discovery import find_targets
from gpuatlas.sources.scrape.round import ScrapeRound
from gpuatlas.sources.scrape.scraper import Scraper


class Cluster(Protocol):
    """Where endpoints are discovered; `cluster.ClusterReader` is the real one."""

    @property
    def nodes(self) -> Mapping[str, Node]:
        """By name."""

    @property
    def pods(self) -> Mapping[str, Pod]:
        """By uid."""

    @property
    def settled(self) -> bool:
        """Whether they are known as a whole."""


class PageSource(Protocol):
    """One way to read all pages."""

    def read(self, now: float) -> ScrapeRound:
        """One round; failures of endpoints are in it."""

    def close(self) -> None:
        """Stop reading."""


class EndpointPages:
    """Asks the endpoints that the cluster's pods serve.

    A shard asks those of its own nodes only: together the shards read each page once. Pages about
    all nodes (a scheduler's) are read by every shard. With `namespaces`, only pods of these are
    taken for exporters.
    """

    def __init__(
        self,
        cluster: Cluster,
        scraper: Scraper,
        *,
        shard: Shard,
        namespaces: frozenset[str] = frozenset(),
    ) -> None:
        self._cluster = cluster
        self._scraper = scraper
        self._shard = shard
        self._namespaces = namespaces or None

    def read(self, now: float) -> ScrapeRound:
        """One round over the endpoints that there are now; pages carry the scraper's clock."""
        targets = find_targets(
            self._cluster.pods.values(), self._cluster.nodes, namespaces=self._namespaces
        )
        return self._scraper.read([t for t in targets if not t.node or self._shard.owns(t.node)])

    def close(self) -> None:
        """Stop reading."""
        self._scraper.close()


class PageRounds:
    """Reads rounds from a `PageSource` until closed; the last one is at hand at any time.

    The first round waits until the cluster is known, since without its pods there is no endpoint.
    An unexpected error ends a round, not the thread: `last` raises it once, in the refresh loop,
    where such errors are logged and counted.
    """

    def __init__(
        self,
        source: PageSource,
        cluster: Cluster,
        changed: threading.Event,
        *,
        interval_seconds: float,
        clock: Callable[[], float],
    ) -> None:
        self._source = source
        self._cluster = cluster
        self._changed = changed
        self._interval = interval_seconds
        self._clock = clock
        self._round = ScrapeRound()
        self._finished = threading.Event()
        self._worker = Worker(self._run, name="page-rounds")

    def start(self) -> None:
        """Begin to read."""
        self._worker.start()

    @property
    def finished(self) -> bool:
        """Whether the first round is over, good or bad."""
        return self._finished.is_set()

    def last(self) -> ScrapeRound:
        """The last round, empty before the first.

        Raises:
            Exception: whatever unexpected ended a round since the last call.
        """
        self._worker.raise_kept()
        return self._round

    def close(self) -> None:
        """End the thread. A read under way is left to its own time limit."""
        self._worker.stop()
        self._source.close()
        self._worker.close()

    def _run(self) -> None:
        self._worker.wait_for(self._cluster)
        while not self._worker.closing:
            started = time.monotonic()
            self._read()
            self._worker.rest(started, self._interval)

    def _read(self) -> None:
        try:
            self._round = self._source.read(self._clock())
        except Exception as error:
            self._worker.keep(error)
        self._finished.set()
        self._changed.set()

"""Reads all pages out of a Prometheus once a round; gives the same as reading the endpoints."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

from gpuatlas.sources.errors import (
    BadAnswerError,
    SourceError,
    TooLargeError,
    UnreachableError,
)
from gpuatlas.sources.promapi.client import PrometheusClient, Selection
from gpuatlas.sources.promapi.endpoints import Endpoint, endpoints_of
from gpuatlas.sources.promapi.scrapes import ScrapeAssembly
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas.sources.promapi.targets import Key, ScrapedTarget, targets_of
from gpuatlas.sources.scrape.readers import READERS, PageReader, Readers
from gpuatlas.sources.scrape.round import Outcome, ScrapeRound, SourceRecord, build_round

logger = logging.getLogger(__name__)

# Reason of an entry of an answer that is no series; fixed, since it becomes a metric label.
BAD_RECORD: Final = "bad-record"


@dataclass(slots=True)
class _Source:
    """What is remembered of a source between rounds."""

    reader: PageReader
    endpoints: list[Endpoint] = field(default_factory=list)
    read_at: float = 0.0  # when the endpoints were read, by our clock
    known: dict[Key, str] = field(default_factory=dict)
    rejected: Counter[str] = field(default_factory=Counter)
    last_success_at: float | None = None
    read_seconds: float | None = None
    error: str = ""

    def record(self) -> SourceRecord:
        return SourceRecord(
            last_success_at=self.last_success_at,
            read_seconds=self.read_seconds,
            rejected=self.rejected,
            error=self.error,
        )

    def take(self, endpoints: list[Endpoint], now: float) -> None:
        """Replace the endpoints; a page that was there before has been counted before."""
        before = {e.name: e.page.at for e in self.endpoints if e.page is not None}
        for endpoint in endpoints:
            page = endpoint.page
            if page is None or page.at == before.get(endpoint.name):
                continue
            self.last_success_at = max(self.last_success_at or page.at, page.at)
            for rejection in page.rejections:
                self.rejected[rejection.reason] += rejection.count
        self.endpoints, self.read_at = endpoints, now


class PrometheusReader:
    """Reads rounds. `read` is for one thread at a time.

    A source whose queries do not all succeed is not read in that round, since a page with half of
    its metrics says wrong things; its pages stand in until they are `page_max_age` old.
    """

    def __init__(self, settings: PrometheusSettings, readers: Readers = READERS) -> None:
        self._settings = settings
        self._client = PrometheusClient(settings)
        self._sources = {name: _Source(make()) for name, make in readers.items()}
        self._pool = ThreadPoolExecutor(settings.workers, thread_name_prefix="prometheus")
        names = Counter(name for source in self._sources.values() for name in source.reader.wanted)
        self._shared = frozenset(name for name, sources in names.items() if sources > 1)
        self._warnings: frozenset[str] = frozenset()

    def read(self, now: float) -> ScrapeRound:
        """Read every source; `now` is the time in Unix seconds. What fails is told in the round."""
        errors = self._read_all(now)
        for name, source in self._sources.items():
            error = errors.get(name, "")
            if error and not source.error:
                logger.warning("no %s pages: %s", name, error)
            elif source.error and not error:
                logger.info("the %s pages can be read again", name)
            source.error = error
        outcomes = [o for name in self._sources for o in self._outcomes(name, now)]
        return build_round(outcomes, {name: s.record() for name, s in self._sources.items()})

    def close(self) -> None:
        """Stop; queries under way end by their own time limit."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _read_all(self, now: float) -> dict[str, str]:
        """Read the sources; gives what failed as source → why."""
        errors: dict[str, str] = {}
        unread = list(self._sources)
        warnings: set[str] = set()
        deadline = time.monotonic() + self._settings.round_timeout
        try:
            up = self._client.select(("up",), window=self._settings.page_max_age)
            targets = targets_of(up.series)
            while unread:
                try:
                    warnings |= self._read_source(unread[0], targets, now, deadline)
                except (BadAnswerError, TooLargeError) as error:
                    errors[unread[0]] = str(error)
                del unread[0]
        except SourceError as error:
            # What the server does not give for one source it would not give for the others.
            errors |= dict.fromkeys(unread, str(error))
        self._tell(warnings)
        return errors

    def _read_source(
        self, name: str, targets: Mapping[Key, ScrapedTarget], now: float, deadline: float
    ) -> set[str]:
        """Read one source; gives the server's warnings."""
        started = time.monotonic()
        source = self._sources[name]
        assembly = ScrapeAssembly(targets, max_age=self._settings.page_max_age, shared=self._shared)
        unreadable = 0
        warnings: set[str] = set()
        for selection in self._selections(source.reader, deadline):
            assembly.add(selection.series)
            unreadable += selection.unreadable
            warnings.update(selection.warnings)
        self._require_one_cluster(assembly)
        endpoints, source.known = endpoints_of(
            assembly, targets, source.reader, address=self._client.address, known=source.known
        )
        source.take(endpoints, now)
        if unreadable:
            source.rejected[BAD_RECORD] += unreadable
        source.read_seconds = time.monotonic() - started
        return warnings

    def _selections(self, reader: PageReader, deadline: float) -> Iterator[Selection]:
        """The answers, a few at a time: all together would be all series of the cluster."""
        # A scrape that `up` has just shown at the old end of its window must still be in this one.
        window = self._settings.page_max_age + self._settings.round_timeout
        for start in range(0, len(reader.families), self._settings.workers):
            if time.monotonic() > deadline:
                message = (
                    f"the queries of {self._client.address} take longer than "
                    f"{self._settings.round_timeout:g} s together"
                )
                raise UnreachableError(message)
            batch = reader.families[start : start + self._settings.workers]
            yield from self._pool.map(
                lambda names: self._client.select(names, window=window), batch
            )

    def _require_one_cluster(self, assembly: ScrapeAssembly) -> None:
        if len(assembly.clusters) > 1:
            names = ", ".join(sorted(assembly.clusters)[:3])
            message = (
                f"{self._client.address} holds several clusters ({names} …): set a matcher for the "
                "label cluster, since node names repeat between clusters"
            )
            raise BadAnswerError(message)

    def _tell(self, warnings: set[str]) -> None:
        for warning in sorted(warnings - self._warnings):
            logger.warning("%s warns: %s", self._client.address, warning)
        self._warnings = frozenset(warnings)

    def _outcomes(self, name: str, now: float) -> Iterator[Outcome]:
        source = self._sources[name]
        # A clock that was set back makes reads of the future; they are too old as well.
        fresh = abs(now - source.read_at) <= self._settings.page_max_age
        for endpoint in source.endpoints:
            yield Outcome(
                source=name,
                node=endpoint.node,
                name=endpoint.name,
                page=endpoint.page if fresh else None,
                error=source.error or endpoint.error,
            )

"""Reads all endpoints once a round, in parallel, and remembers each one's last good page.

One endpoint cannot harm the others: not by hanging, not by a huge or broken page. No more than one
page is kept for each endpoint that the cluster has now.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace

from gpuatlas.model.targets import Target
from gpuatlas.sources.errors import BadAnswerError, SourceError
from gpuatlas.sources.exposition import parse_text
from gpuatlas.sources.scrape.readers import READERS, Page, PageReader, Readers
from gpuatlas.sources.scrape.round import Outcome, ScrapeRound, SourceRecord, build_round
from gpuatlas.sources.scrape.settings import ScrapeSettings
from gpuatlas.sources.scrape.transport import Transport

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """How one read ended, and when (monotonic)."""

    page: Page | None = None
    error: str = ""
    ended: float


@dataclass(slots=True)
class _Endpoint:
    """What is remembered of a target. `pending` is a read that outlived its round."""

    page: Page | None = None
    error: str = ""
    pending: Future[_Read] | None = None


@dataclass(slots=True)
class _Source:
    """What is remembered of a source over the life of the scraper."""

    last_success_at: float | None = None
    read_seconds: float | None = None
    rejected: Counter[str] = field(default_factory=Counter)


class Scraper:
    """Reads rounds. `read` is for one thread at a time.

    Args:
        transport: brings the bytes.
        settings: bounds.
        clock: the time in Unix seconds, stamped on pages.
        readers: the parser of each source; targets of other sources are left out.
    """

    def __init__(
        self,
        transport: Transport,
        settings: ScrapeSettings,
        clock: Callable[[], float],
        readers: Readers = READERS,
    ) -> None:
        self._transport = transport
        self._settings = settings
        self._clock = clock
        self._readers = readers
        self._parsers: dict[str, tuple[PageReader, frozenset[str]]] = {}
        self._pool = ThreadPoolExecutor(settings.workers, thread_name_prefix="scrape")
        self._endpoints: dict[Target, _Endpoint] = {}
        self._sources: dict[str, _Source] = {}

    def read(self, targets: Sequence[Target]) -> ScrapeRound:
        """Read every target once. Ends within `round_timeout`; what fails is told in the round."""
        self._endpoints = {
            target: self._endpoints.get(target) or _Endpoint()
            for target in targets
            if target.source in self._readers
        }
        started = time.monotonic()
        reads = self._start()
        wait(reads.values(), timeout=self._settings.round_timeout)
        ended = time.monotonic()
        seconds: dict[str, float] = {}
        for target, endpoint in self._endpoints.items():
            read = self._result(endpoint, reads.get(target), ended)
            self._record(target, endpoint, read)
            took = max(seconds.get(target.source, 0.0), read.ended - started)
            seconds[target.source] = took
        return self._round(seconds)

    def close(self) -> None:
        """Stop reading; what is under way ends by its own time limit."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _start(self) -> dict[Target, Future[_Read]]:
        """Queue the endpoints, those that answered last time first."""
        for source in {target.source for target in self._endpoints} - self._parsers.keys():
            reader = self._readers[source]()
            self._parsers[source] = (reader, reader.wanted)
        idle = [
            target
            for target, endpoint in self._endpoints.items()
            if endpoint.pending is None or endpoint.pending.done()
        ]
        idle.sort(key=lambda target: bool(self._endpoints[target].error))
        return {target: self._pool.submit(self._read_one, target) for target in idle}

    def _read_one(self, target: Target) -> _Read:
        try:
            page = self._page(target)
        except SourceError as error:
            return _Read(error=str(error), ended=time.monotonic())
        except Exception as error:
            # A fault of ours must not cost the pages of the other endpoints.
            logger.exception("cannot read the %s page of %s", target.source, target.name)
            return _Read(error=f"internal error: {error!r}", ended=time.monotonic())
        return _Read(page=page, ended=time.monotonic())

    def _page(self, target: Target) -> Page:
        body = self._transport.fetch(
            target, limit_bytes=self._settings.limit_bytes, timeout_s=self._settings.timeout
        )
        reader, wanted = self._parsers[target.source]
        where = f"{target.source} page of {target.name}"
        samples, refused = parse_text(body, wanted=wanted, source=target.source, where=where)
        if refused and not samples:
            # An answer of something else: a login page, a proxy's error page.
            message = f"{target.url} serves no metrics: {refused[0].message}"
            raise BadAnswerError(message)
        page = reader.read(samples, target.name, target.node, self._clock())
        return replace(page, rejections=(*page.rejections, *refused))

    def _result(self, endpoint: _Endpoint, future: Future[_Read] | None, now: float) -> _Read:
        """The read of this round; a read that is not done by now is a failed one."""
        seconds = self._settings.round_timeout
        if future is None:
            return _Read(error="still no end of an earlier read", ended=now)
        if future.done():
            endpoint.pending = None
            return future.result()
        if future.cancel():
            message = f"not read within {seconds:g} s, because too many others do not answer"
            return _Read(error=message, ended=now)
        endpoint.pending = future
        return _Read(error=f"no answer within {seconds:g} s", ended=now)

    def _record(self, target: Target, endpoint: _Endpoint, read: _Read) -> None:
        _log_change(target, endpoint.error, read.error)
        endpoint.error = read.error
        if read.page is not None:
            endpoint.page = read.page
            source = self._sources.setdefault(target.source, _Source())
            source.last_success_at = max(source.last_success_at or read.page.at, read.page.at)
            for rejection in read.page.rejections:
                source.rejected[rejection.reason] += rejection.count
        # A clock that was set back makes pages of the future; they are too old as well.
        elif endpoint.page and abs(self._clock() - endpoint.page.at) > self._settings.page_max_age:
            endpoint.page = None

    def _round(self, seconds: Mapping[str, float]) -> ScrapeRound:
        for name, took in seconds.items():
            self._sources.setdefault(name, _Source()).read_seconds = took
        outcomes = [
            Outcome(
                source=target.source,
                node=target.node,
                name=target.name,
                page=endpoint.page,
                error=endpoint.error,
            )
            for target, endpoint in self._endpoints.items()
        ]
        records = {
            name: SourceRecord(
                last_success_at=source.last_success_at,
                read_seconds=source.read_seconds if name in seconds else None,
                rejected=source.rejected,
            )
            for name, source in self._sources.items()
        }
        return build_round(outcomes, records)


def _log_change(target: Target, before: str, now: str) -> None:
    if now and not before:
        logger.warning("no %s page of %s: %s", target.source, target.name, now)
    elif before and not now:
        logger.info("the %s page of %s can be read again", target.source, target.name)

"""Asks the inference servers themselves for their pages, in parallel and within bounds.

A server that does not answer is asked less and less often: many serve no metrics at all, and it is
their right.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.services import ServicePage, ServiceReading
from gpuatlas.sources.errors import BadAnswerError, SourceError
from gpuatlas.sources.exposition import parse_text
from gpuatlas.sources.scrape.transport import Transport
from gpuatlas.sources.services.parse import SOURCE, read_service_page
from gpuatlas.sources.services.round import DOWN, LEFT_OUT, UP, ServiceRound, service_status
from gpuatlas.sources.services.settings import ServiceSettings
from gpuatlas.sources.services.tables import NAMES
from gpuatlas.sources.services.targets import ServiceTarget, ServiceTargets

logger = logging.getLogger(__name__)

# A server that fails is asked again after 1, 2, 4 … rounds: ten minutes at 30 s a round.
_LONGEST_PAUSE: Final = 20


@dataclass(slots=True)
class _Server:
    """What is remembered of a target. `pending` is a read that outlived its round."""

    error: str = ""
    failures: int = 0
    pause: int = 0
    pending: Future[ServicePage | str] | None = None


class DirectServices:
    """Reads rounds. `read` is for one thread at a time.

    Args:
        transport: brings the bytes.
        settings: bounds.
        clock: the time in Unix seconds, stamped on readings.
    """

    def __init__(
        self, transport: Transport, settings: ServiceSettings, clock: Callable[[], float]
    ) -> None:
        self._transport = transport
        self._settings = settings
        self._clock = clock
        self._pool = ThreadPoolExecutor(settings.workers, thread_name_prefix="services")
        self._servers: dict[ServiceTarget, _Server] = {}
        self._rejected: Counter[str] = Counter()
        self._last_success_at: float | None = None

    def read(self, targets: ServiceTargets) -> ServiceRound:
        """Ask every server whose turn it is. Ends within `round_timeout`."""
        self._servers = {t: self._servers.get(t) or _Server() for t in targets.targets}
        started = time.monotonic()
        reads = {t: self._pool.submit(self._read_one, t) for t in self._due()}
        wait(reads.values(), timeout=self._settings.round_timeout)
        pages = [page for t, read in reads.items() if (page := self._result(t, read)) is not None]
        readings = tuple(reading for page in pages for reading in page.readings)
        return self._round(readings, targets.left_out, time.monotonic() - started)

    def close(self) -> None:
        """Stop; what is under way ends by its own time limit."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _due(self) -> list[ServiceTarget]:
        due = []
        for target, server in self._servers.items():
            if server.pending is not None and not server.pending.done():
                continue
            server.pending = None
            if server.pause > 0:
                server.pause -= 1
            else:
                due.append(target)
        due.sort(key=lambda target: self._servers[target].failures)
        return due

    def _read_one(self, target: ServiceTarget) -> ServicePage | str:
        """The page, or why there is none."""
        try:
            return self._page(target)
        except SourceError as error:
            return str(error)
        except Exception as error:
            # A fault of ours must not cost the other servers' pages.
            logger.exception("cannot read the page of %s", target.target.name)
            return f"internal error: {error!r}"

    def _page(self, target: ServiceTarget) -> ServicePage:
        place = target.target
        body = self._transport.fetch(
            place, limit_bytes=self._settings.limit_bytes, timeout_s=self._settings.timeout
        )
        samples, refused = parse_text(
            body, wanted=NAMES, source=SOURCE, where=f"page of {place.name}"
        )
        page = read_service_page(
            samples,
            runtime=target.runtime,
            namespace=place.namespace,
            pod=place.pod,
            at=self._clock(),
            target=place.name,
        )
        if not page.readings:
            message = f"{place.url} has no metric of a known inference server"
            raise BadAnswerError(message)
        rejections = (*page.rejections, *refused)
        return ServicePage(target=page.target, readings=page.readings, rejections=rejections)

    def _result(self, target: ServiceTarget, read: Future[ServicePage | str]) -> ServicePage | None:
        server = self._servers[target]
        result: ServicePage | str
        if read.done():
            result = read.result()
        elif read.cancel():
            result = "not read, because too many others do not answer"
        else:
            server.pending = read
            result = f"no answer within {self._settings.round_timeout:g} s"
        if isinstance(result, str):
            self._note_failure(target, server, result)
            return None
        server.error, server.failures = "", 0
        self._last_success_at = self._clock()
        for rejection in result.rejections:
            self._rejected[rejection.reason] += rejection.count
        return result

    def _note_failure(self, target: ServiceTarget, server: _Server, error: str) -> None:
        if not server.error:
            # Debug: tenants who serve no metrics are no news to whoever runs the cluster.
            logger.debug("no service signal of %s: %s", target.target.name, error)
        server.error = error
        server.pause = min(_LONGEST_PAUSE, 2 ** min(server.failures, 10))
        server.failures += 1

    def _round(
        self, readings: tuple[ServiceReading, ...], left_out: int, seconds: float
    ) -> ServiceRound:
        down = sum(bool(server.error) for server in self._servers.values())
        targets = {UP: len(self._servers) - down, DOWN: down, LEFT_OUT: left_out}
        status = service_status(
            up=True if targets[UP] else None,
            targets=targets if self._servers else {},
            rejected=dict(self._rejected),
            last_success_at=self._last_success_at,
            read_seconds=seconds if self._servers else None,
        )
        return ServiceRound(readings=readings, status=status)

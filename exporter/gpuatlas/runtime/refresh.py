"""The loop that turns what the sources know into the page that scrapers get.

It waits until an observer says that something changed, joins, renders and publishes, at most once
in each interval. The checks are judged at their own pace, since ages go on while nothing changes.
Whatever goes wrong inside is caught here, in the one place where that is allowed:
it is logged and counted, the last page stays up, and the loop goes on.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from gpuatlas.families.page import Page, PageCache
from gpuatlas.model.advice import PoolAdvice
from gpuatlas.model.checks import CheckReport
from gpuatlas.model.contention import ContentionCounts
from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.observations import Observations
from gpuatlas.model.sizing import SizingReport
from gpuatlas.model.snapshot import Snapshot
from gpuatlas.model.status import SourceStatus
from gpuatlas.runtime.advising import Adviser
from gpuatlas.runtime.checking import Checker
from gpuatlas.runtime.contending import Contender
from gpuatlas.runtime.ledger import RejectionLedger
from gpuatlas.runtime.observe import Observed, Observer
from gpuatlas.runtime.scope import Scope
from gpuatlas.runtime.settings import RefreshSettings

logger = logging.getLogger(__name__)

# While a large cluster is listed changes come by the thousand: no need to look after each.
_REST_SECONDS: Final = 0.05


class Builder(Protocol):
    """The join. `gpuatlas.join.snapshot.Joiner` is the real one."""

    def build(self, observations: Observations) -> Snapshot:
        """One snapshot; parts that did not change are the same objects as in the one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshCounts:
    """How the loop fares, for the self metrics."""

    rounds: int = 0
    failures: int = 0
    seconds: float | None = None
    succeeded_at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """All that the HTTP side may know, replaced as a whole so that readers need no lock.

    `page` is None while there is no complete picture. `ready` says that there was one once: it
    stays, since a failing source must not take the exporter out of its Service. `report` and
    `layer` are what the page shows of the checks, None before they were judged.
    """

    page: Page | None = None
    report: CheckReport | None = None
    layer: LayerObjects | None = None
    advice: tuple[PoolAdvice, ...] = ()
    sizing: SizingReport | None = None
    contention: ContentionCounts | None = None
    statuses: tuple[SourceStatus, ...] = ()
    missing: tuple[str, ...] = ("the first look at the sources",)
    ready: bool = False
    counts: RefreshCounts = field(default_factory=RefreshCounts)


@dataclass(frozen=True, slots=True)
class _Picture:
    """The last snapshot, and its page without the checks and the like."""

    snapshot: Snapshot
    page: Page


class RefreshLoop:
    """Owns the join's and the renderer's state; only its own thread touches them."""

    def __init__(
        self,
        *,
        observer: Observer,
        builder: Builder,
        settings: RefreshSettings,
        scope: Scope | None = None,
        pages: PageCache | None = None,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._observer = observer
        self._builder = builder
        self._settings = settings
        self._scope = scope or Scope()
        self._pages = pages or PageCache()
        self._adviser = Adviser(self._scope.shard)
        self._checker = Checker(self._scope, every_seconds=settings.scrape_interval_seconds)
        self._contender = Contender(self._scope, every_seconds=settings.scrape_interval_seconds)
        self._ledger = RejectionLedger()
        self._clock = clock
        self._monotonic = monotonic
        self._beat = monotonic()
        self._stop = threading.Event()
        self._failing = ""
        self._pending = False  # a change that no round has looked at yet
        self._picture: _Picture | None = None
        self.published = Published()

    def run(self) -> None:
        """Refresh until `stop`; the body of the loop's thread."""
        while not self._stop.is_set():
            changed = self._observer.changed.wait(self._settings.tick_seconds)
            if changed:  # one that comes just after the wait gave up is left for the next round
                self._observer.changed.clear()
            if self._stop.is_set():
                return
            attempted = self.refresh(changed=changed)
            pause = self._settings.min_interval_seconds
            self._stop.wait(pause if attempted else min(pause, _REST_SECONDS))

    def stop(self) -> None:
        """Let `run` return; safe from any thread."""
        self._stop.set()
        self._observer.changed.set()

    def refresh(self, *, changed: bool) -> bool:
        """One guarded round: look at the sources and, if something changed, make a new page.

        Returns whether a page was attempted.
        """
        self._beat = self._monotonic()
        attempted = False
        self._pending = self._pending or changed
        try:
            observed = self._observer.observe(self._clock())
            attempted = observed.complete and (self._pending or self._first_is_due())
            self._pending = self._pending and not observed.complete
            self._publish(observed, anew=attempted)
        except Exception as error:
            self._note_failure(error)
        else:
            self._note_success(attempted=attempted)
        return attempted

    def stalled(self) -> str:
        """Why the loop counts as hanging, "" while it is alive."""
        age = self._monotonic() - self._beat
        if age <= self._settings.stall_seconds:
            return ""
        return f"the refresh loop has shown no life for {age:.0f} s"

    def _first_is_due(self) -> bool:
        """The picture can become complete without a change in what it shows."""
        return self.published.page is None and not self._failing

    def _publish(self, observed: Observed, *, anew: bool) -> None:
        try:
            if not observed.complete:
                self._withdraw()
                return
            self.published = replace(self.published, sizing=observed.sizing)
            if anew:
                self._publish_page(observed.observations)
            self._publish_judgements(observed.observations, anew=anew)
            self._publish_contention(observed)
        finally:
            # How the sources fare is true also when the join fails; after it, for what it refused.
            self._publish_statuses(observed)

    def _withdraw(self) -> None:
        self._picture = None
        self._checker.forget()
        self.published = replace(self.published, page=None, report=None, layer=None, advice=())

    def _publish_page(self, observations: Observations) -> None:
        started = self._monotonic()
        snapshot = self._builder.build(observations)
        self._ledger.record(observations, snapshot)
        self._picture = _Picture(snapshot, self._pages.update(self._scope.narrow(snapshot)))
        page = self._completed(self._picture.page)
        counts = replace(
            self.published.counts,
            rounds=self.published.counts.rounds + 1,
            seconds=self._monotonic() - started,
            succeeded_at=self._clock(),
        )
        self.published = replace(self.published, page=page, counts=counts)

    def _publish_judgements(self, observations: Observations, *, anew: bool) -> None:
        """Behind the page, which an error in the rules must not keep back."""
        if self._picture is None:
            return
        try:
            self._publish_checks(observations, self._picture, anew=anew)
            if anew:
                advice = self._adviser.advice(self._picture.snapshot, self._monotonic())
                self.published = replace(self.published, advice=advice)
        finally:
            self._announce_first()
            self.published = replace(self.published, ready=True)

    def _publish_checks(self, observations: Observations, picture: _Picture, *, anew: bool) -> None:
        now = self._monotonic()
        if not self._checker.is_due(now, changed=anew):
            return
        report = self._checker.judge(observations, picture.snapshot, now)
        layer = self._checker.layer(observations)
        self.published = replace(self.published, report=report, layer=layer)
        self.published = replace(self.published, page=self._completed(picture.page))

    def _publish_contention(self, observed: Observed) -> None:
        now = self._monotonic()
        if self._picture is None or not self._contender.is_due(now):
            return
        counts = self._contender.look(
            observed.observations, self._picture.snapshot, now, observed.services
        )
        if counts is not self.published.contention:
            self.published = replace(self.published, contention=counts)
            self.published = replace(self.published, page=self._completed(self._picture.page))

    def _completed(self, page: Page) -> Page:
        """The snapshot's page with what else is known behind it; only what changed is rendered."""
        report, layer = self.published.report, self.published.layer
        if report is not None and layer is not None:
            page = self._pages.with_checks(page, report, layer)
        if self.published.sizing is not None:
            page = self._pages.with_sizing(page, self.published.sizing)
        if self.published.contention is not None:
            page = self._pages.with_contention(page, self.published.contention)
        return page

    def _publish_statuses(self, observed: Observed) -> None:
        statuses = self._ledger.merge(observed.statuses)
        self.published = replace(self.published, statuses=statuses, missing=observed.missing)

    def _announce_first(self) -> None:
        if not self.published.ready:
            logger.info("first complete snapshot")

    def _note_failure(self, error: Exception) -> None:
        counts = self.published.counts
        self.published = replace(
            self.published, counts=replace(counts, failures=counts.failures + 1)
        )
        # The same error comes back with every change: its traceback is worth one record.
        if repr(error) != self._failing:
            self._failing = repr(error)
            logger.error("refresh failed; the last page stays up", exc_info=error)

    def _note_success(self, *, attempted: bool) -> None:
        if attempted and self._failing:
            self._failing = ""
            logger.info("refresh works again")

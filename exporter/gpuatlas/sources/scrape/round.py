"""What one round over all endpoints brought, in the words of the model. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from gpuatlas.model.pages import DcgmPage, MonitorPage, SchedulerPage
from gpuatlas.model.status import SourceStatus
from gpuatlas.model.targets import DCGM, HAMI_MONITOR, HAMI_SCHEDULER
from gpuatlas.model.units import clean_text
from gpuatlas.sources.dcgm.repeats import without_repeats
from gpuatlas.sources.scrape.readers import Page

PAGE_SOURCES: Final = (DCGM, HAMI_MONITOR, HAMI_SCHEDULER)

UP: Final = "up"
STALE: Final = "stale"
DOWN: Final = "down"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrapeRound:
    """The pages of a round, and why there are none where there are none.

    `silent` is as in `model.observations.Observations`. `statuses` has one entry for each source,
    also for those without a target. Each card is on one DCGM page of a node only.
    """

    dcgm: tuple[DcgmPage, ...] = ()
    monitors: tuple[MonitorPage, ...] = ()
    schedulers: tuple[SchedulerPage, ...] = ()
    silent: Mapping[tuple[str, str], str] = field(default_factory=dict)
    statuses: tuple[SourceStatus, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one endpoint fares. `page` is its last good one if that is young enough.

    `error` says why the last read failed, "" where it did not. `node` is the endpoint's node: ""
    for a scheduler, whose page is about all nodes, and where it is unknown. `name` is for messages.
    """

    source: str
    node: str
    name: str
    page: Page | None
    error: str

    @property
    def state(self) -> str:
        """UP, STALE (the read failed, an older page stands in) or DOWN."""
        if not self.error:
            return UP
        return DOWN if self.page is None else STALE


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRecord:
    """What is known of a source beside its endpoints. `error` is a failure of the whole source."""

    last_success_at: float | None = None
    read_seconds: float | None = None
    rejected: Mapping[str, int] = field(default_factory=dict)
    error: str = ""


def build_round(outcomes: Iterable[Outcome], records: Mapping[str, SourceRecord]) -> ScrapeRound:
    """Sorts the outcomes by kind of page and derives `silent` and the statuses."""
    every = list(outcomes)
    pages = [outcome.page for outcome in every if outcome.page is not None]
    return ScrapeRound(
        dcgm=without_repeats([page for page in pages if isinstance(page, DcgmPage)]),
        monitors=tuple(page for page in pages if isinstance(page, MonitorPage)),
        schedulers=tuple(page for page in pages if isinstance(page, SchedulerPage)),
        silent=_silent(every, records),
        statuses=tuple(
            _status(source, every, records.get(source, SourceRecord())) for source in PAGE_SOURCES
        ),
    )


def _silent(
    outcomes: Iterable[Outcome], records: Mapping[str, SourceRecord]
) -> dict[tuple[str, str], str]:
    """Why there is no page; a second endpoint of the same node that has one speaks for both."""
    silent = {(source, ""): record.error for source, record in records.items() if record.error}
    speaking = set()
    for outcome in outcomes:
        place = (outcome.source, outcome.node)
        if outcome.page is not None:
            speaking.add(place)
        # "" stands for the whole source, and one endpoint of an unknown node is not that.
        elif outcome.node or outcome.source == HAMI_SCHEDULER:
            silent.setdefault(place, clean_text(outcome.error))
    return {place: reason for place, reason in silent.items() if place not in speaking}


def _status(source: str, outcomes: Iterable[Outcome], record: SourceRecord) -> SourceStatus:
    own = [outcome for outcome in outcomes if outcome.source == source]
    targets = dict.fromkeys((UP, STALE, DOWN), 0)
    for outcome in own:
        targets[outcome.state] += 1
    up = None if not own and not record.error else targets[UP] > 0
    return SourceStatus(
        source=source,
        up=up,
        last_success_at=record.last_success_at,
        read_seconds=record.read_seconds,
        error=clean_text(record.error or _summary(own)),
        targets=targets if own else {},
        rejected=dict(record.rejected),
    )


def _summary(outcomes: list[Outcome]) -> str:
    failed = sorted((o for o in outcomes if o.error), key=lambda outcome: outcome.name)
    if not failed:
        return ""
    first = failed[0]
    return f"{len(failed)} of {len(outcomes)} endpoints fail, first {first.name}: {first.error}"

"""Which parser reads the pages of which source. A new source is a new row.

The parsers are imported when their first page comes, so that each can be tested without the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.pages import DcgmPage, MonitorPage, Sample, SchedulerPage
from gpuatlas.model.targets import DCGM, HAMI_MONITOR, HAMI_SCHEDULER

Page = DcgmPage | MonitorPage | SchedulerPage


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReader:
    """One source's parser.

    `families` are the metric names that it reads, the spellings of one quantity together.
    `read(samples, target, node, at)` gives the page of one endpoint; `read_mixed(samples, target,
    at)` the pages of samples that no longer tell from which endpoint they are. They raise nothing.
    """

    families: tuple[tuple[str, ...], ...]
    read: Callable[[Sequence[Sample], str, str, float], Page]
    read_mixed: Callable[[Sequence[Sample], str, float], Sequence[Page]]

    @property
    def wanted(self) -> frozenset[str]:
        """All metric names."""
        return frozenset(name for family in self.families for name in family)


def _dcgm() -> PageReader:
    from gpuatlas.sources.dcgm.fields import FIELDS
    from gpuatlas.sources.dcgm.parse import read_cluster, read_page

    return PageReader(
        families=tuple(field.spellings for field in FIELDS),
        read=lambda samples, target, node, at: read_page(samples, target=target, node=node, at=at),
        read_mixed=lambda samples, target, at: read_cluster(samples, target=target, at=at),
    )


def _hami_monitor() -> PageReader:
    from gpuatlas.sources.hami.monitor import MONITOR_NAMES, read_monitor

    return PageReader(
        families=tuple((name,) for name in sorted(MONITOR_NAMES)),
        read=lambda samples, target, node, at: read_monitor(
            samples, target=target, node=node, at=at
        ),
        read_mixed=lambda samples, target, at: (
            read_monitor(samples, target=target, node="", at=at),
        ),
    )


def _hami_scheduler() -> PageReader:
    from gpuatlas.sources.hami.scheduler import SCHEDULER_NAMES, read_scheduler

    return PageReader(
        families=tuple((name,) for name in sorted(SCHEDULER_NAMES)),
        read=lambda samples, target, _node, at: read_scheduler(samples, target=target, at=at),
        read_mixed=lambda samples, target, at: (read_scheduler(samples, target=target, at=at),),
    )


Readers = Mapping[str, Callable[[], PageReader]]

READERS: Final[Readers] = {
    DCGM: _dcgm,
    HAMI_MONITOR: _hami_monitor,
    HAMI_SCHEDULER: _hami_scheduler,
}

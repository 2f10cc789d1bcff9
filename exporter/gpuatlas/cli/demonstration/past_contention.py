"""Who slowed whom in the simulated past, as the exporter would have counted it.

What an instant shows depends on that instant and the one before: worker processes see to that
(`PastMoments`). What follows from it depends on all that was before: that is one pass over all of
them, in order (`PastContention`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from gpuatlas.cli.demonstration.past_cluster import PastPages
from gpuatlas.cli.demonstration.scrape_targets import EXPORTER
from gpuatlas.contention.moments import MomentMemory, moments_of
from gpuatlas.contention.observe import ContentionState, counts, observe
from gpuatlas.contention.tenancy import pods_on_shared_cards, shared_cards
from gpuatlas.families.contention import FAMILIES
from gpuatlas.model.contention import CardMoment
from gpuatlas.model.observations import Observations
from gpuatlas.model.snapshot import Snapshot
from gpuatlas.runtime.backfill.series import NAME, Column, SeriesKey, blank, series_key
from gpuatlas.sources.services.direct import DirectServices
from gpuatlas.sources.services.settings import ServiceSettings
from gpuatlas.sources.services.targets import service_targets

Moments: TypeAlias = tuple[CardMoment, ...]
# No two looks at a past lie further apart, as long as nothing is missing between them.
_LONGEST_STEP: Final = 300.0


class PastMoments:
    """Looks at instants that follow each other. `clock` tells which one it is."""

    def __init__(self, pages: PastPages, clock: Callable[[], float]) -> None:
        self._settings = ServiceSettings(workers=1)
        self._services = DirectServices(pages, self._settings, clock)
        self._memory = MomentMemory()

    def look(self, observations: Observations, snapshot: Snapshot) -> Moments:
        """The shared cards at the instant of the observations."""
        shared = list(shared_cards(snapshot, before=self._memory.shared_at))
        targets = service_targets(
            observations.pods.values(), pods_on_shared_cards(shared), most=self._settings.targets
        )
        readings = self._services.read(targets).readings
        moments, self._memory = moments_of(
            observations, shared, readings, self._memory, at=observations.now
        )
        return moments

    def close(self) -> None:
        """End the reader's thread."""
        self._services.close()


class PastContention:
    """The counters over the whole past; its state is that of one exporter that never stopped."""

    def __init__(self) -> None:
        self._state = ContentionState()
        self._keys: dict[tuple[str, tuple[str, ...]], SeriesKey] = {}

    def columns(
        self, instants: Sequence[float], moments: Sequence[Moments]
    ) -> Mapping[SeriesKey, Column]:
        """The counters at instants that follow the last ones; `moments` has one look for each."""
        written: dict[SeriesKey, Column] = {}
        for index, (at, seen) in enumerate(zip(instants, moments, strict=True)):
            self._state = observe(self._state, seen, at, longest_step=_LONGEST_STEP)
            counted = counts(self._state)
            for family in FAMILIES:
                for labels, value in family.samples(counted):
                    key = self._key(family.name, family.labels, labels)
                    column = written.setdefault(key, blank(len(instants)))
                    column[index] = float(value)
        return written

    def _key(self, name: str, names: Sequence[str], labels: tuple[str, ...]) -> SeriesKey:
        key = (name, labels)
        if key not in self._keys:
            own = dict(zip(names, labels, strict=True))
            self._keys[key] = series_key({**EXPORTER.labels, **own, NAME: name})
        return self._keys[key]


COUNTED: Final = "|".join(family.name for family in FAMILIES)
"""The names of these counters: pages of single instants say nothing of them."""

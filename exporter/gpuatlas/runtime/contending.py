"""The counters of contention that this process publishes, one look in each scrape interval.

A shard looks at the cards of its own nodes, since it reads these pages alone. A workload on nodes
of several shards is counted by each of them for its part; the recording rules take the largest.
Workloads of excluded namespaces are judged like all others and are not named.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from gpuatlas.contention.moments import MomentMemory, moments_of
from gpuatlas.contention.observe import LONGEST_STEP, ContentionState, counts, observe
from gpuatlas.contention.tenancy import SharedCard, pods_on_shared_cards, shared_cards
from gpuatlas.model.contention import ContentionCounts, Grade, SlowedBy
from gpuatlas.model.observations import Observations
from gpuatlas.model.services import ServiceReading
from gpuatlas.model.snapshot import Snapshot, WorkloadId
from gpuatlas.runtime.scope import Scope
from gpuatlas.runtime.service_rounds import ServiceWatch
from gpuatlas.sources.services.settings import ServiceSettings
from gpuatlas.sources.services.targets import service_targets

logger = logging.getLogger(__name__)

# One missed look is no gap, three are.
_LOOKS_OF_A_GAP: Final = 3


class Contender:
    """Looks when it is time to. Belongs to the refresh loop's thread.

    What it knows outlives looks that fail and pictures that are withdrawn: the time between is a
    gap and counts as nothing. `now` is of the monotonic clock.
    """

    def __init__(
        self,
        scope: Scope,
        *,
        every_seconds: float = 30.0,
        most_servers: int = ServiceSettings().targets,
    ) -> None:
        self._scope = scope
        self._every = every_seconds
        self._most_servers = most_servers
        self._looked_at = float("-inf")
        self._left_out = 0
        self._hidden = HiddenSuspects(scope.excluded_namespaces)
        self._memory = MomentMemory()
        self._state = ContentionState()
        self._counts = ContentionCounts(cards={}, slowed={})

    def is_due(self, now: float) -> bool:
        """Whether to look at `now`."""
        return now - self._looked_at >= self._every

    def look(
        self,
        observations: Observations,
        snapshot: Snapshot,
        now: float,
        services: ServiceWatch | None = None,
    ) -> ContentionCounts:
        """The counters after a look; the same object as long as none of them changed.

        `services` reads the pages of inference servers, None where nobody does.
        """
        self._looked_at = now
        at = observations.now
        shared = list(shared_cards(snapshot, self._scope.shard.owns, self._memory.shared_at))
        readings = self._readings(observations, shared, services)
        moments, memory = moments_of(observations, shared, readings, self._memory, at=at)
        longest = max(LONGEST_STEP, _LOOKS_OF_A_GAP * self._every)
        state = observe(self._state, moments, at, longest_step=longest)
        changed = state.ledger is not self._state.ledger
        self._memory, self._state = memory, state
        if changed:
            self._counts = self._shown(counts(state))
        return self._counts

    def _readings(
        self,
        observations: Observations,
        shared: Iterable[SharedCard],
        services: ServiceWatch | None,
    ) -> tuple[ServiceReading, ...]:
        if services is None:
            return ()
        found = service_targets(
            observations.pods.values(), pods_on_shared_cards(shared), most=self._most_servers
        )
        services.want(found)
        if found.left_out and not self._left_out:
            logger.warning(
                "%d inference servers on shared cards are not read: at most %d are",
                found.left_out,
                self._most_servers,
            )
        self._left_out = found.left_out
        return services.last().readings

    def _shown(self, every: ContentionCounts) -> ContentionCounts:
        """Without the names of excluded namespaces; who hides behind one cannot be told."""
        if not self._scope.excluded_namespaces:
            return every
        return ContentionCounts(cards=every.cards, slowed=self._hidden.without(every.slowed))


class HiddenSuspects:
    """What suspects of excluded namespaces stand for, as a cause that cannot be attributed.

    A suspect's counter goes with its place among the three of a victim. The sum of what it grew by
    stays, since a counter that falls would be read as one that started over.
    """

    def __init__(self, hidden: frozenset[str]) -> None:
        self._hidden = hidden
        self._before: dict[tuple[WorkloadId, WorkloadId], float] = {}
        self._sums: dict[WorkloadId, float] = {}

    def without(self, slowed: Mapping[SlowedBy, float]) -> dict[SlowedBy, float]:
        """The counters without hidden names. To be called once for each minute."""
        shown: dict[SlowedBy, float] = {}
        behind: dict[tuple[WorkloadId, WorkloadId], float] = {}
        for pair, seconds in slowed.items():
            if pair.victim.namespace in self._hidden:
                continue
            if pair.suspect is not None and pair.suspect.namespace in self._hidden:
                key = (pair.victim, pair.suspect)
                behind[key] = behind.get(key, 0.0) + seconds
            else:
                shown[pair] = seconds
        self._add(behind, {pair.victim for pair in slowed})
        for victim, seconds in self._sums.items():
            nobody = SlowedBy(victim=victim, suspect=None, grade=Grade.NONE)
            shown[nobody] = shown.get(nobody, 0.0) + seconds
        return shown

    def _add(
        self, behind: Mapping[tuple[WorkloadId, WorkloadId], float], victims: Collection[WorkloadId]
    ) -> None:
        grown: dict[WorkloadId, float] = {}
        for (victim, suspect), seconds in behind.items():
            before = self._before.get((victim, suspect), 0.0)
            more = seconds - before if seconds >= before else seconds
            # The seconds of two of them are partly the same ones.
            grown[victim] = max(grown.get(victim, 0.0), more)
        self._before = dict(behind)
        sums = {victim: known for victim, known in self._sums.items() if victim in victims}
        self._sums = sums | {victim: sums.get(victim, 0.0) + more for victim, more in grown.items()}

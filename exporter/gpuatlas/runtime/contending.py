"""The counters of contention that this process publishes, one look in each scrape interval.

A shard looks at the cards of its own nodes, since it reads these pages alone. A workload on nodes
of several shards is counted by each of them for its part; the recording rules take the largest.
Workloads of excluded namespaces are judged like all others and are not named.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
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
        hidden = self._scope.excluded_namespaces
        if not hidden:
            return every
        return ContentionCounts(cards=every.cards, slowed=_without(every.slowed, hidden))


def _without(slowed: Mapping[SlowedBy, float], hidden: frozenset[str]) -> dict[SlowedBy, float]:
    """What hidden suspects stand for becomes a cause that cannot be attributed."""
    shown: dict[SlowedBy, float] = {}
    behind: dict[WorkloadId, dict[WorkloadId, float]] = {}
    for pair, seconds in slowed.items():
        if pair.victim.namespace in hidden:
            continue
        if pair.suspect is not None and pair.suspect.namespace in hidden:
            suspects = behind.setdefault(pair.victim, {})
            suspects[pair.suspect] = suspects.get(pair.suspect, 0.0) + seconds
        else:
            shown[pair] = seconds
    for victim, suspects in behind.items():
        nobody = SlowedBy(victim=victim, suspect=None, grade=Grade.NONE)
        # Their seconds are partly the same ones.
        shown[nobody] = shown.get(nobody, 0.0) + max(suspects.values())
    return shown

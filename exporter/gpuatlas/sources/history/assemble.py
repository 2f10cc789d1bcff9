"""Histories out of what was recorded and what is there. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from gpuatlas.model.sizing import Day, History, Reservation, SizedContainer
from gpuatlas.sources.history.ahead import taken_ahead
from gpuatlas.sources.history.daily import Daily
from gpuatlas.sources.history.days import days_of
from gpuatlas.sources.history.labels import ContainerKey, WorkloadKey
from gpuatlas.sources.history.present import Present
from gpuatlas.sources.history.reservation import past_reservation_of, reservation_of
from gpuatlas.sources.history.runs import groups_of, with_end


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """What histories are made of.

    `present` is what is there, with the last promises of runs that have ended; `alive` are the
    containers that hold something now. `instants` are the ends of the days, the oldest first.
    """

    present: Present
    daily: Daily
    instants: Sequence[float]
    alive: frozenset[ContainerKey]

    def histories(self) -> tuple[History, ...]:
        """One for each container that holds something, and for each of a run, by name."""
        groups = groups_of(self.daily)
        going_on = frozenset(key.workload for key in self.alive)
        found = [self._single(key) for key in self.alive if key.workload not in groups]
        found += (
            self._run(key, groups[key.workload], going_on)
            for key in self._known()
            if key.workload in groups
        )
        several = {w for w, n in Counter(key.workload for key in self.alive).items() if n > 1}
        return tuple(sorted((_with_own_cache(each, several) for each in found), key=_order))

    def _single(self, key: ContainerKey) -> History:
        days = days_of(key, self.daily, self.instants)
        return self._history(key, "", days, reservation_of(key, self.present))

    def _run(self, key: ContainerKey, group: str, going_on: Collection[WorkloadKey]) -> History:
        promise = reservation_of if key in self.alive else past_reservation_of
        days = days_of(key, self.daily, self.instants, pauses=False)
        ended = with_end(days, key.workload, going_on, self.present.succeeded)
        return self._history(key, group, ended, promise(key, self.present))

    def _known(self) -> frozenset[ContainerKey]:
        """All containers of which anything is known."""
        daily = self.daily
        recorded = daily.memory_peak.keys() | daily.replicas.keys() | daily.present.keys()
        return self.alive | recorded

    def _history(
        self, key: ContainerKey, group: str, days: tuple[Day, ...], reservation: Reservation
    ) -> History:
        workload = key.workload
        return History(
            of=SizedContainer(
                cluster=workload.cluster,
                namespace=workload.namespace,
                kind=workload.kind,
                name=workload.name,
                container=key.container,
                group=group,
            ),
            reservation=reservation,
            days=days,
            runtime=self.present.runtimes.get(workload, "unknown"),
            taken_ahead=taken_ahead(workload, self.present),
        )


def _with_own_cache(history: History, several: Collection[WorkloadKey]) -> History:
    """A metrics page is a pod's: of two containers nobody can tell whose cache it speaks of."""
    of, taken = history.of, history.taken_ahead
    if taken is None or WorkloadKey(of.cluster, of.namespace, of.kind, of.name) not in several:
        return history
    return replace(history, taken_ahead=replace(taken, pool_bytes=None, source=""))


def _order(history: History) -> tuple[str, ...]:
    of = history.of
    return (of.cluster, of.namespace, of.kind, of.name, of.container)

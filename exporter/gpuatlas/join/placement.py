"""How one workload's pods are placed, and the jobs that wait in a queue without pods.

Pure: the same pods, objects and instant give the same answer. Facts: facts/k8s.md 3 and 5.1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gpuatlas.join.gangs import gang_of, largest, queued_gang
from gpuatlas.join.owners import climb, identify_owner
from gpuatlas.join.placement_index import (
    NO_PLACEMENT,
    PlacementIndex,
    pod_groups,
    queued_workload,
)
from gpuatlas.join.queues import NO_QUEUE, QueueName, kueue_queue, queue_of
from gpuatlas.join.requests import FINISHED, counts_cards
from gpuatlas.join.schedulers import workload_scheduler
from gpuatlas.join.waiting import is_unplaced, waiting_of
from gpuatlas.model.objects import OwnerLink, Pod
from gpuatlas.model.placement import PodGroup, QueuedWorkload
from gpuatlas.model.pod_spec import Gang
from gpuatlas.model.snapshot import WorkloadId
from gpuatlas.model.units import MAX_TEXT, clean_text


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementInputs:
    """What placement is read from. `owners` and `pods` are keyed by uid."""

    index: PlacementIndex = NO_PLACEMENT
    owners: Mapping[str, OwnerLink] = field(default_factory=dict)
    pods: Mapping[str, Pod] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """How long the one that waits longest for a reason has waited, and what the system said.

    `seconds` is None where no object tells since when.
    """

    seconds: float | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """How a workload's pods are placed.

    `gang` is the one with the largest minimum where the workload has several (`gangs`), None
    where it has none. `waiting` maps a fixed word to the longest wait for it. `placeholders` are
    pods that hold cards for others to come.
    """

    scheduler: str
    queue: QueueName
    gang: Gang | None
    gangs: int
    waiting: Mapping[str, Wait]
    placeholders: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldWorkload:
    """A workload that a queue holds back before it has pods.

    `requested` maps a count resource to the cards, or shares of cards, that all its pods will ask
    for; `pods` is their number. Several jobs of one workload (a CronJob's) are added up; `gangs` is
    how many of them are gangs.
    """

    id: WorkloadId
    queue: QueueName
    gang: Gang | None
    gangs: int
    waiting: Mapping[str, Wait]
    requested: Mapping[str, int]
    pods: int


@dataclass(frozen=True, slots=True)
class _Placed:
    """One pod with what was found of it."""

    pod: Pod
    queued: QueuedWorkload | None
    groups: tuple[PodGroup, ...]


def _look_up(pod: Pod, inputs: PlacementInputs) -> _Placed:
    ancestors = climb(pod.controller, inputs.owners, inputs.pods).owners
    return _Placed(
        pod=pod,
        queued=queued_workload(pod, inputs.index, ancestors),
        groups=tuple(pod_groups(pod, inputs.index)),
    )


def place(pods: Sequence[Pod], inputs: PlacementInputs, now: float) -> Placement:
    """The placement of one workload's pods; those that are finished count for nothing."""
    live = [pod for pod in pods if pod.phase not in FINISHED]
    placed = [_look_up(pod, inputs) for pod in live]
    found = (gang_of(p.pod, p.queued, p.groups, inputs.index) for p in placed)
    gangs = {gang for gang in found if gang is not None}
    return Placement(
        scheduler=workload_scheduler(live or pods, inputs.index),
        queue=_queue(placed, inputs.index),
        gang=largest(gangs),
        gangs=len(gangs),
        waiting=_waiting(placed, now),
        placeholders=sum(p.pod.scheduling.placeholder for p in placed),
    )


def _queue(placed: Sequence[_Placed], index: PlacementIndex) -> QueueName:
    """That of the newest pod that has one."""
    for p in sorted(placed, key=lambda p: (p.pod.created_at, p.pod.name), reverse=True):
        queue = queue_of(p.pod, p.queued, p.groups, index)
        if queue.name:
            return queue
    return NO_QUEUE


def _waiting(placed: Iterable[_Placed], now: float) -> dict[str, Wait]:
    waits: dict[str, Wait] = {}
    for p in placed:
        if is_unplaced(p.pod):
            why = waiting_of(p.pod, p.queued, p.groups)
            _add(waits, why.reason, Wait(seconds=_age(p.pod.created_at, now), text=why.text))
    return dict(sorted(waits.items()))


def _age(since: float, now: float) -> float | None:
    """Clocks of machines differ a little: what begins in the future has lasted for nothing.

    A file written by hand may lack the time: then nobody knows.
    """
    return max(0.0, now - since) if since else None


def _add(waits: dict[str, Wait], reason: str, wait: Wait) -> None:
    waits[reason] = longer(
        waits.get(reason),
        Wait(seconds=wait.seconds, text=clean_text(wait.text, limit=MAX_TEXT)),
    )


def longer(one: Wait | None, other: Wait) -> Wait:
    """The longer of two waits for one reason; the text decides between equal ones."""
    return other if one is None else max(one, other, key=_length)


def _length(wait: Wait) -> tuple[float, str]:
    return (-1.0 if wait.seconds is None else wait.seconds, wait.text)


def unstarted(
    inputs: PlacementInputs, pods: Iterable[Pod]
) -> dict[WorkloadId, tuple[QueuedWorkload, ...]]:
    """What asks for cards and waits in Kueue without pods, by the workload that it belongs to.

    `pods` are all pods that are known: a Workload with pods of its own shows its demand in them.
    """
    waiting = [w for w in inputs.index.workloads.values() if w.waiting.reason and _requested(w)]
    if not waiting:
        return {}
    present = _with_pods(inputs, pods)
    grouped: dict[WorkloadId, list[QueuedWorkload]] = {}
    for workload in waiting:
        if (workload.namespace, workload.name) not in present:
            grouped.setdefault(_identity(workload, inputs.owners), []).append(workload)
    return {
        identity: tuple(sorted(grouped[identity], key=lambda w: w.name))
        for identity in sorted(grouped, key=lambda i: (i.namespace, i.kind, i.name, i.api_group))
    }


def _with_pods(inputs: PlacementInputs, pods: Iterable[Pod]) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for pod in pods:
        if pod.phase in FINISHED:
            continue
        ancestors = climb(pod.controller, inputs.owners, inputs.pods).owners
        queued = queued_workload(pod, inputs.index, ancestors)
        if queued is not None:
            found.add((queued.namespace, queued.name))
    return found


def _identity(workload: QueuedWorkload, owners: Mapping[str, OwnerLink]) -> WorkloadId:
    if workload.owner is not None:
        return identify_owner(workload.namespace, workload.owner, owners).workload
    return WorkloadId(
        namespace=workload.namespace,
        api_group="kueue.x-k8s.io",
        kind="Workload",
        name=workload.name,
    )


def _requested(workload: QueuedWorkload) -> Counter[str]:
    total: Counter[str] = Counter()
    for pod_set in workload.pod_sets:
        for resource, number in pod_set.limits.items():
            if number * pod_set.count > 0 and counts_cards(resource):
                total[resource] += number * pod_set.count
    return total


def hold(
    identity: WorkloadId, workloads: Sequence[QueuedWorkload], index: PlacementIndex, now: float
) -> HeldWorkload:
    """The demand of one workload's jobs that have no pods (at least one, by name)."""
    waits: dict[str, Wait] = {}
    requested: Counter[str] = Counter()
    for workload in workloads:
        age = _age(workload.waiting_since, now)
        _add(waits, workload.waiting.reason, Wait(seconds=age, text=workload.waiting.text))
        requested += _requested(workload)
    first = workloads[0]
    gangs = [gang for w in workloads if (gang := queued_gang(w)) is not None]
    return HeldWorkload(
        id=identity,
        queue=kueue_queue(first.namespace, first.queue, first.cluster_queue, index),
        gang=largest(gangs),
        gangs=len(gangs),
        waiting=dict(sorted(waits.items())),
        requested=dict(sorted(requested.items())),
        pods=sum(pod_set.count for workload in workloads for pod_set in workload.pod_sets),
    )

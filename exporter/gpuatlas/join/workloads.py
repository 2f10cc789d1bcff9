"""The workloads of one namespace: pods, and jobs that a queue holds back, by what owns them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gpuatlas.join.gangs import largest
from gpuatlas.join.owners import LABEL, OWNER, climb, identify
from gpuatlas.join.placement import (
    HeldWorkload,
    Placement,
    PlacementInputs,
    Wait,
    hold,
    longer,
    place,
    unstarted,
)
from gpuatlas.join.placement_index import told_owners
from gpuatlas.join.requests import (
    FINISHED,
    asks_for_cards,
    card_containers,
    cards_requested,
)
from gpuatlas.join.revisions import revisions_of
from gpuatlas.join.run_groups import run_group_of
from gpuatlas.join.runtimes import prevailing_runtime
from gpuatlas.model.claims import Claim
from gpuatlas.model.objects import OwnerLink, Pod
from gpuatlas.model.placement import QueuedWorkload
from gpuatlas.model.snapshot import NamespaceSnapshot, PodWorkload, Workload, WorkloadId


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadInputs:
    """What the workloads of one namespace are made of, all of that namespace.

    `claims` is keyed by name. `placement.pods` are all pods that are known, by uid.
    """

    placement: PlacementInputs
    claims: Mapping[str, Claim] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Members:
    """Who belongs to one workload: its pods by name, and jobs that are held back without pods.

    `source` is `OWNER`, or `LABEL` where only a label says so of one of them. `owner` is the
    workload's own object where it was read.
    """

    id: WorkloadId
    source: str
    pods: tuple[Pod, ...]
    held: tuple[QueuedWorkload, ...]
    owner: OwnerLink | None = None


def find_members(inputs: WorkloadInputs) -> tuple[Members, ...]:
    """The workloads of the namespace by kind and name. The instant plays no part in it."""
    placement = inputs.placement
    asking = [p for p in placement.pods.values() if asks_for_cards(p, inputs.claims)]
    pods: dict[WorkloadId, list[Pod]] = defaultdict(list)
    labelled: set[WorkloadId] = set()
    read: dict[WorkloadId, OwnerLink] = {}
    for pod in sorted(asking, key=lambda pod: pod.name):
        above = climb(pod.controller, placement.owners, placement.pods)
        told = () if above.complete else told_owners(pod, placement.index, above.owners)
        found = identify(pod, placement.owners, placement.pods, told=told)
        pods[found.workload].append(pod)
        if found.source == LABEL:
            labelled.add(found.workload)
        elif above.owners and (top := placement.owners.get(above.owners[-1].uid)) is not None:
            read.setdefault(found.workload, top)
    held = unstarted(placement, placement.pods.values())
    return tuple(
        Members(
            id=identity,
            source=LABEL if identity in labelled else OWNER,
            pods=tuple(pods.get(identity, ())),
            held=held.get(identity, ()),
            owner=read.get(identity),
        )
        for identity in sorted({*pods, *held}, key=lambda w: (w.kind, w.name, w.api_group))
    )


def join_workload(members: Members, inputs: WorkloadInputs, now: float) -> Workload:
    """One workload at one instant: only what it waits for depends on that."""
    index = inputs.placement.index
    placed = place(members.pods, inputs.placement, now)
    held = hold(members.id, members.held, index, now) if members.held else None
    pods = members.pods
    live = [pod for pod in pods if pod.phase not in FINISHED]
    runtime = prevailing_runtime(pod.runtime for pod in live or pods)
    queue = placed.queue if placed.queue.name or held is None else held.queue
    waiting = _waiting(placed, held)
    gangs = (placed.gang, held.gang if held else None)
    gang = largest(each for each in gangs if each is not None)
    requested = Counter(cards_requested(pods, inputs.claims))
    return Workload(
        id=members.id,
        source=members.source,
        runtime=runtime.name,
        runtime_evidence=runtime.evidence,
        memory_ahead=runtime.memory_ahead,
        memory_ahead_setting=runtime.memory_ahead_setting,
        scheduler=placed.scheduler,
        queue=queue.name,
        queue_kind=queue.kind,
        local_queue=queue.local,
        gang=gang.name if gang else "",
        gang_system=gang.system if gang else "",
        gang_min_members=gang.minimum if gang else None,
        gangs=placed.gangs + (held.gangs if held else 0),
        pods=dict(sorted(Counter(pod.phase for pod in pods).items())),
        held_pods=held.pods if held else 0,
        placeholders=placed.placeholders,
        cards_requested=dict(sorted((requested + Counter(held.requested if held else {})).items())),
        waiting={r: w.seconds for r, w in waiting.items() if w.seconds is not None},
        waiting_texts={reason: wait.text for reason, wait in waiting.items()},
        pod_names=tuple(pod.name for pod in live),
        revisions=revisions_of(members.id, live),
        restarts=_restarts(live, inputs.claims) if live else None,
        run_group=run_group_of(members.id, members.owner, pods),
    )


def _restarts(pods: Iterable[Pod], claims: Mapping[str, Claim]) -> int:
    """How often their containers on cards were started again."""
    total = 0
    for pod in pods:
        if pod.restarts:  # rare: most pods cost nothing here
            counted = card_containers(pod, claims)
            total += sum(count for container, count in pod.restarts if container in counted)
    return total


def _waiting(placed: Placement, held: HeldWorkload | None) -> dict[str, Wait]:
    waits = dict(placed.waiting)
    for reason, wait in held.waiting.items() if held else ():
        waits[reason] = longer(waits.get(reason), wait)
    return dict(sorted(waits.items()))


def namespace_snapshot(
    name: str, members: Iterable[Members], workloads: Sequence[Workload]
) -> NamespaceSnapshot:
    """The workloads, and which pod belongs to which."""
    pods = [
        PodWorkload(namespace=name, pod=pod.name, node=pod.node, workload=each.id)
        for each in members
        for pod in each.pods
        if pod.phase not in FINISHED
    ]
    return NamespaceSnapshot(
        name=name, workloads=tuple(workloads), pods=tuple(sorted(pods, key=lambda m: m.pod))
    )

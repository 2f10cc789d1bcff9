"""From a pod to the workload that owns it, also where the objects between cannot be read.

Controller references are followed as far as they are known. Above the last one that could be read,
a label of the pod may name the workload, by the table of owners: only a kind of the table that can
stand above that last owner, and never over an owner that is known to have none. Tenants write
labels, so what a label says is marked as such. Facts: facts/k8s.md 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from gpuatlas.join.owner_table import CRON_JOB, DEPLOYMENT, JOB, OWNERS, POD, REPLICA_SET, Kind
from gpuatlas.model.objects import Owner, OwnerLink, Pod
from gpuatlas.model.snapshot import WorkloadId

OWNER: Final = "owner"
LABEL: Final = "label"
# Longer chains are cycles or damage (facts/k8s.md 2.1).
MAX_DEPTH: Final = 10

_NO_PODS: Final[Mapping[str, Pod]] = MappingProxyType({})

_MINUTES: Final = re.compile(r"-([0-9]{8})$")
_MINUTE: Final = 60.0
# A job's pod comes after the minute that the job is named by, and rarely a week later.
_EARLY: Final = 300.0
_LATE: Final = 7 * 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """The controllers above an object, nearest first.

    `complete` when the last one is known to have no controller; False when it could not be read.
    """

    owners: tuple[Owner, ...]
    complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A workload and who said so: `OWNER` (references all the way) or `LABEL`."""

    workload: WorkloadId
    source: str


def climb(
    first: Owner | None, owners: Mapping[str, OwnerLink], pods: Mapping[str, Pod] = _NO_PODS
) -> Chain:
    """Follow controller references up from `first`. `owners` and `pods` are keyed by uid.

    A node is no workload: what it owns (static pods) has no owner. A cycle or a chain that is too
    long ends it, as complete: nobody may add to it.
    """
    chain: list[Owner] = []
    seen: set[str] = set()
    while first is not None and (first.api_group, first.kind) != ("", "Node"):
        if first.uid in seen or len(chain) == MAX_DEPTH:
            break
        chain.append(first)
        seen.add(first.uid)
        above = owners.get(first.uid) or pods.get(first.uid)
        if above is None:
            return Chain(owners=tuple(chain), complete=False)
        first = above.controller
    return Chain(owners=tuple(chain), complete=True)


def identify(
    pod: Pod,
    owners: Mapping[str, OwnerLink],
    pods: Mapping[str, Pod] = _NO_PODS,
    *,
    told: Iterable[Owner] = (),
) -> Identity:
    """The top-level object that owns the pod; the pod itself where nothing does.

    `told` are owners that other systems wrote down for this pod (the job of a Kueue Workload, KAI's
    top owner). They are believed like labels, ahead of those.
    """
    chain = climb(pod.controller, owners, pods)
    if not chain.owners:
        return _identity(pod.namespace, POD, pod.name, OWNER)
    last = chain.owners[-1]
    if not chain.complete:
        guessed = _told(last, told) or _labelled(last, pod) or _derived(last, pod)
        if guessed is not None:
            return _identity(pod.namespace, *guessed, LABEL)
    return _identity(pod.namespace, (last.api_group, last.kind), last.name, OWNER)


def identify_owner(namespace: str, owner: Owner, owners: Mapping[str, OwnerLink]) -> Identity:
    """The top-level object above an object without pods, as far as references tell."""
    chain = climb(owner, owners)
    last = chain.owners[-1] if chain.owners else owner
    return _identity(namespace, (last.api_group, last.kind), last.name, OWNER)


def _identity(namespace: str, kind: Kind, name: str, source: str) -> Identity:
    workload = WorkloadId(namespace=namespace, api_group=kind[0], kind=kind[1], name=name)
    return Identity(workload=workload, source=source)


def _told(last: Owner, told: Iterable[Owner]) -> tuple[Kind, str] | None:
    below = (last.api_group, last.kind)
    for owner in told:
        kind = (owner.api_group, owner.kind)
        if owner.name and any(row.kind == kind and below in row.below for row in OWNERS):
            return kind, owner.name
    return None


def _labelled(last: Owner, pod: Pod) -> tuple[Kind, str] | None:
    below = (last.api_group, last.kind)
    for row in OWNERS:
        if below not in row.below or not row.where(pod.labels):
            continue
        for key in row.labels:
            if name := row.name(pod.labels.get(key, "")):
                return row.kind, name
    return None


def _derived(last: Owner, pod: Pod) -> tuple[Kind, str] | None:
    """What the name of a built-in object gives away of the one above it."""
    kind = (last.api_group, last.kind)
    if kind == REPLICA_SET:
        suffix = f"-{pod.labels.get('pod-template-hash', '')}"
        name = last.name.removesuffix(suffix) if len(suffix) > 1 else last.name
        return (DEPLOYMENT, name) if name and name != last.name else None
    if kind == JOB and (match := _MINUTES.search(last.name)) is not None:
        age = pod.created_at - int(match[1]) * _MINUTE
        name = last.name[: match.start()]
        if name and -_EARLY <= age <= _LATE:
            return CRON_JOB, name
    return None

"""Finds the queue and group objects that a pod belongs to.

Pods name them in labels, annotations and spec, which tenants write: a name counts only where an
object of that name exists in the pod's own namespace. Facts: facts/k8s.md 3.2 and 3.3.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.objects import Owner, Pod
from gpuatlas.model.placement import (
    BindRequest,
    GangTemplates,
    PlacementObjects,
    PodGroup,
    Queue,
    QueuedWorkload,
)

NATIVE: Final = "native"
VOLCANO: Final = "volcano"
KAI: Final = "kai"
COSCHEDULING: Final = "coscheduling"

_KUEUE_WORKLOAD: Final = "kueue.x-k8s.io/workload"
_KUEUE_GROUP: Final = "kueue.x-k8s.io/pod-group-name"
_VOLCANO_GROUPS: Final = ("scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name")
_KAI_GROUP: Final = "pod-group-name"
_COSCHEDULING_GROUPS: Final = (
    "scheduling.x-k8s.io/pod-group",
    "pod-group.scheduling.sigs.k8s.io/name",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementIndex:
    """Objects by the names that others call them by; the namespace is always part of the key.

    Nothing is ever looked up across namespaces, so an index of one namespace's objects serves it.
    """

    workloads: Mapping[tuple[str, str], QueuedWorkload]
    by_owner: Mapping[str, tuple[QueuedWorkload, ...]]  # owner's uid
    queues: Mapping[tuple[str, str, str], Queue]  # (kind, namespace, name)
    groups: Mapping[tuple[str, str, str], PodGroup]  # (system, namespace, name)
    templates: Mapping[tuple[str, str], GangTemplates]
    binds: Mapping[tuple[str, str], BindRequest]  # (namespace, pod)


def index_placement(objects: PlacementObjects) -> PlacementIndex:
    """One pass over the objects; worth keeping as long as they do not change."""
    by_owner: defaultdict[str, list[QueuedWorkload]] = defaultdict(list)
    for workload in objects.workloads.values():
        if workload.owner is not None and workload.owner.uid:
            by_owner[workload.owner.uid].append(workload)
    return PlacementIndex(
        workloads={(w.namespace, w.name): w for w in objects.workloads.values()},
        by_owner={
            uid: tuple(sorted(found, key=lambda w: w.name)) for uid, found in by_owner.items()
        },
        queues={(q.kind, q.namespace, q.name): q for q in objects.queues.values()},
        groups={(g.system, g.namespace, g.name): g for g in objects.groups.values()},
        templates={(t.namespace, t.name): t for t in objects.templates.values()},
        binds={(b.namespace, b.pod): b for b in objects.binds.values()},
    )


NO_PLACEMENT: Final = index_placement(PlacementObjects())


def queued_workload(
    pod: Pod, index: PlacementIndex, ancestors: tuple[Owner, ...] = ()
) -> QueuedWorkload | None:
    """The Kueue Workload that admits the pod: as the pod names it, else that of an owner."""
    if not index.workloads:
        return None
    names = (
        pod.annotations.get(_KUEUE_WORKLOAD),
        pod.labels.get(_KUEUE_GROUP),
        pod.annotations.get(_KUEUE_GROUP),
    )
    for name in names:
        if name and (found := index.workloads.get((pod.namespace, name))):
            return found
    for uid in (pod.uid, *(owner.uid for owner in ancestors)):
        for workload in index.by_owner.get(uid, ()):
            if workload.namespace == pod.namespace:
                return workload
    return None


def pod_groups(pod: Pod, index: PlacementIndex) -> Iterator[PodGroup]:
    """The groups that the pod names and that exist."""
    if not index.groups:
        return
    for system, name in _group_names(pod):
        found = index.groups.get((system, pod.namespace, name)) if name else None
        if found is not None:
            yield found


def _group_names(pod: Pod) -> Iterator[tuple[str, str]]:
    yield NATIVE, pod.scheduling.native_group
    for key in _VOLCANO_GROUPS:
        yield VOLCANO, pod.annotations.get(key, "")
    yield KAI, pod.annotations.get(_KAI_GROUP, "")
    for key in _COSCHEDULING_GROUPS:
        yield COSCHEDULING, pod.labels.get(key, "")


def told_owners(
    pod: Pod, index: PlacementIndex, ancestors: tuple[Owner, ...] = ()
) -> tuple[Owner, ...]:
    """Owners that Kueue and KAI wrote down for the pod: for `join.owners.identify`."""
    workload = queued_workload(pod, index, ancestors)
    owners = [workload.owner] if workload is not None and workload.owner is not None else []
    groups = pod_groups(pod, index)
    return (*owners, *(group.top_owner for group in groups if group.top_owner is not None))

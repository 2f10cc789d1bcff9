"""Observations → the workloads of every namespace, remembering those whose inputs are the same.

A namespace depends on its own objects alone. Where none of them changed, only the workloads that
wait are made again, since their waiting time grows; without such the snapshot is the same object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Final, TypeVar

from gpuatlas.join.by_namespace import ByNamespace
from gpuatlas.join.placement import PlacementInputs
from gpuatlas.join.placement_index import index_placement
from gpuatlas.join.workloads import (
    Members,
    WorkloadInputs,
    find_members,
    join_workload,
    namespace_snapshot,
)
from gpuatlas.model.claims import Claim
from gpuatlas.model.objects import OwnerLink, Pod
from gpuatlas.model.observations import Observations
from gpuatlas.model.placement import (
    BindRequest,
    GangTemplates,
    PlacementObjects,
    PodGroup,
    Queue,
    QueuedWorkload,
)
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.snapshot import NamespaceSnapshot

V = TypeVar("V")

_NONE: Final[Mapping[str, object]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Objects:
    """All objects of one namespace, by uid."""

    pods: Mapping[str, Pod]
    owners: Mapping[str, OwnerLink]
    claims: Mapping[str, Claim]
    workloads: Mapping[str, QueuedWorkload]
    queues: Mapping[str, Queue]
    groups: Mapping[str, PodGroup]
    templates: Mapping[str, GangTemplates]
    binds: Mapping[str, BindRequest]

    def is_same(self, other: _Objects) -> bool:
        """Whether each mapping is the very same one."""
        return all(getattr(self, f.name) is getattr(other, f.name) for f in fields(self))

    def inputs(self) -> WorkloadInputs:
        """The same, by the names that pods use."""
        index = index_placement(
            PlacementObjects(
                workloads=self.workloads,
                queues=self.queues,
                groups=self.groups,
                templates=self.templates,
                binds=self.binds,
            )
        )
        return WorkloadInputs(
            placement=PlacementInputs(index=index, owners=self.owners, pods=self.pods),
            claims={claim.name: claim for claim in self.claims.values()},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Joined:
    """One namespace as it was joined last."""

    objects: _Objects
    inputs: WorkloadInputs
    members: tuple[Members, ...]
    snapshot: NamespaceSnapshot
    at: float


class _Sorter:
    """All kinds of objects by namespace."""

    def __init__(self) -> None:
        self._pods: ByNamespace[Pod] = ByNamespace()
        self._owners: ByNamespace[OwnerLink] = ByNamespace()
        self._claims: ByNamespace[Claim] = ByNamespace()
        self._workloads: ByNamespace[QueuedWorkload] = ByNamespace()
        self._queues: ByNamespace[Queue] = ByNamespace()
        self._groups: ByNamespace[PodGroup] = ByNamespace()
        self._templates: ByNamespace[GangTemplates] = ByNamespace()
        self._binds: ByNamespace[BindRequest] = ByNamespace()

    def sort(self, observations: Observations) -> Iterator[tuple[str, _Objects]]:
        """The objects of each namespace that has pods or jobs to come, by name."""
        placement = observations.placement
        pods = self._pods.split(observations.pods)
        owners = self._owners.split(observations.owners)
        claims = self._claims.split(observations.claims)
        workloads = self._workloads.split(placement.workloads)
        queues = self._queues.split(placement.queues)
        groups = self._groups.split(placement.groups)
        templates = self._templates.split(placement.templates)
        binds = self._binds.split(placement.binds)
        for name in sorted({*pods, *workloads}):
            yield (
                name,
                _Objects(
                    pods=_part(pods, name),
                    owners=_part(owners, name),
                    claims=_part(claims, name),
                    workloads=_part(workloads, name),
                    queues=_part(queues, name),
                    groups=_part(groups, name),
                    templates=_part(templates, name),
                    binds=_part(binds, name),
                ),
            )


def _part(parts: Mapping[str, Mapping[str, V]], name: str) -> Mapping[str, V]:
    """One and the same empty mapping for all that have nothing: parts are told by identity."""
    return parts.get(name, _NONE)  # type: ignore[arg-type]


class NamespaceMemory:
    """Joins one instant after the other. The memory only saves work, it changes no result."""

    def __init__(self) -> None:
        self._sorter = _Sorter()
        self._joined: dict[str, _Joined] = {}

    def join(self, observations: Observations) -> dict[str, NamespaceSnapshot]:
        """The namespaces that have workloads, by name."""
        now = observations.now
        self._joined = {
            name: self._join(name, objects, now)
            for name, objects in self._sorter.sort(observations)
        }
        return {
            name: joined.snapshot
            for name, joined in self._joined.items()
            if joined.snapshot.workloads
        }

    def _join(self, name: str, objects: _Objects, now: float) -> _Joined:
        before = self._joined.get(name)
        if before is not None and before.objects.is_same(objects):
            return _aged(before, now)
        inputs = objects.inputs()
        members = find_members(inputs)
        workloads = [join_workload(each, inputs, now) for each in members]
        return _Joined(
            objects=objects,
            inputs=inputs,
            members=members,
            snapshot=namespace_snapshot(name, members, workloads),
            at=now,
        )


def _aged(joined: _Joined, now: float) -> _Joined:
    """The same at another instant."""
    workloads = joined.snapshot.workloads
    if now == joined.at or not any(workload.waiting for workload in workloads):
        return joined
    aged = tuple(
        join_workload(members, joined.inputs, now) if workload.waiting else workload
        for members, workload in zip(joined.members, workloads, strict=True)
    )
    snapshot = NamespaceSnapshot(
        name=joined.snapshot.name, workloads=aged, pods=joined.snapshot.pods
    )
    return _Joined(
        objects=joined.objects,
        inputs=joined.inputs,
        members=joined.members,
        snapshot=snapshot,
        at=now,
    )


def queue_rejections(placement: PlacementObjects) -> tuple[Rejection, ...]:
    """What was refused of the jobs in queues."""
    return tuple(r for workload in placement.workloads.values() for r in workload.rejections)

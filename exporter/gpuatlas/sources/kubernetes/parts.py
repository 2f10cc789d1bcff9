"""The objects of all kinds, put together as `model.observations` has them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from gpuatlas.model.claims import Claim, ResourceSlice
from gpuatlas.model.objects import Node, OwnerLink, Pod
from gpuatlas.model.placement import PlacementObjects
from gpuatlas.sources.kubernetes.kind import Kind, Part
from gpuatlas.sources.kubernetes.kinds import KINDS

KINDS_OF: Final[Mapping[Part, tuple[Kind[object], ...]]] = {
    part: tuple(kind for kind in KINDS if kind.part is part) for part in Part
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Objects:
    """What is known of a cluster's objects: nodes by name, all others by uid."""

    nodes: Mapping[str, Node] = field(default_factory=dict)
    pods: Mapping[str, Pod] = field(default_factory=dict)
    owners: Mapping[str, OwnerLink] = field(default_factory=dict)
    slices: Mapping[str, ResourceSlice] = field(default_factory=dict)
    claims: Mapping[str, Claim] = field(default_factory=dict)
    placement: PlacementObjects = field(default_factory=PlacementObjects)


def put_together(by_kind: Mapping[str, Mapping[str, Any]]) -> Objects:
    """From the objects by kind (`Kind.id`) and key; kinds that are not there have no objects."""
    return build_objects(
        lambda part: merged((kind.id, by_kind.get(kind.id, {})) for kind in KINDS_OF[part])
    )


def build_objects(part_of: Callable[[Part], Mapping[str, Any]]) -> Objects:
    """From a function that gives the objects of each part."""
    return Objects(
        nodes=part_of(Part.NODES),
        pods=part_of(Part.PODS),
        owners=part_of(Part.OWNERS),
        slices=part_of(Part.SLICES),
        claims=part_of(Part.CLAIMS),
        placement=PlacementObjects(
            workloads=part_of(Part.WORKLOADS),
            queues=part_of(Part.QUEUES),
            groups=part_of(Part.GROUPS),
            templates=part_of(Part.TEMPLATES),
            binds=part_of(Part.BINDS),
        ),
    )


def merged(by_kind: Iterable[tuple[str, Mapping[str, Any]]]) -> Mapping[str, Any]:
    """The objects of several kinds in one mapping.

    Uids differ. Files that people wrote may have none, and then two kinds can share a key.
    """
    filled = [(name, objects) for name, objects in by_kind if objects]
    if len(filled) == 1:
        return filled[0][1]
    result: dict[str, Any] = {}
    for name, objects in filled:
        for key, value in objects.items():
            result[f"{name}/{key}" if key in result else key] = value
    return result

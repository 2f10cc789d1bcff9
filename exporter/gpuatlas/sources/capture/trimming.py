"""Cuts objects to what the readers use, and leaves out those that no reader keeps. Pure.

A Deployment can be read twice: as an owner of pods, and as a sharing layer's controller.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.capture.contents import Capture, RawObject
from gpuatlas.sources.capture.layer import find_layer
from gpuatlas.sources.kubernetes.kind import Kind, Part
from gpuatlas.sources.kubernetes.kinds import KINDS
from gpuatlas.sources.layer.trim import trim_layer

KIND_OF_TYPE = {(kind.api_group, kind.kind): kind for kind in KINDS}


@dataclass(frozen=True, slots=True)
class Kept:
    """An object that the readers keep: what they make of it, and all that they made it of."""

    value: object
    trimmed: Mapping[str, Any]


def keeping(kind: Kind[Any]) -> Callable[[object], Kept | None]:
    """The kind's projection with the trimmed object beside its result. It raises as that does."""

    def keep(raw: object) -> Kept | None:
        value = kind.project(raw)
        return None if value is None else Kept(value, kind.trim(raw))

    return keep


def trim_capture(capture: Capture) -> Capture:
    """The capture without what nobody reads: safe to pass on, and read with the same result.

    Objects that cannot be read are left out, too: they could hold anything.
    """
    of_layer = find_layer(capture.objects).ids
    kept: list[RawObject] = []
    always: set[int] = set()
    for raw in capture.objects:
        trimmed = trim_object(raw, of_layer=id(raw) in of_layer)
        if trimmed is not None:
            kept.append(trimmed)
            if id(raw) in of_layer:
                always.add(id(trimmed))
    return replace(capture, objects=connected(kept, always))


def trim_object(raw: RawObject, *, of_layer: bool) -> RawObject | None:
    """One object, None where no reader keeps it. `of_layer`: it is a sharing layer's."""
    kind = KIND_OF_TYPE.get((raw.api_group, raw.kind))
    bodies: tuple[Mapping[str, Any] | None, ...] = (
        None if kind is None else _trimmed(kind, raw),
        trim_layer(raw.body) if of_layer else None,
    )
    found = [body for body in bodies if body is not None]
    if not found:
        return None
    metadata = {name: value for body in found for name, value in body.get("metadata", {}).items()}
    return replace(
        raw, body={**{k: v for body in found for k, v in body.items()}, "metadata": metadata}
    )


def _trimmed(kind: Kind[Any], raw: RawObject) -> Mapping[str, Any] | None:
    try:
        kept = keeping(kind)(raw.body)
    except MalformedError:
        return None
    if kept is None:
        return None
    # The readers tell the version by the shape, but people read captures, too.
    return (
        {**kept.trimmed, "apiVersion": raw.body["apiVersion"]} if kind.discovered else kept.trimmed
    )


def connected(objects: Iterable[RawObject], always: Collection[int] = ()) -> tuple[RawObject, ...]:
    """Without the owners that own nothing here: a cluster keeps old ReplicaSets for ever.

    `always` are the `id` of objects that stay for another reason.
    """
    every = tuple(objects)
    by_uid = {uid: raw for raw in every if (uid := _metadata(raw).get("uid"))}
    wanted: set[int] = set()
    waiting = [raw for raw in every if id(raw) in always or not _is_owner(raw)]
    while waiting:
        raw = waiting.pop()
        if id(raw) not in wanted:
            wanted.add(id(raw))
            references = _metadata(raw).get("ownerReferences", ())
            waiting += [by_uid[r["uid"]] for r in references if r.get("uid") in by_uid]
    return tuple(raw for raw in every if id(raw) in wanted)


def _is_owner(raw: RawObject) -> bool:
    kind = KIND_OF_TYPE.get((raw.api_group, raw.kind))
    return kind is not None and kind.part is Part.OWNERS


def _metadata(raw: RawObject) -> Mapping[str, Any]:
    found = raw.body.get("metadata")
    return found if isinstance(found, Mapping) else {}

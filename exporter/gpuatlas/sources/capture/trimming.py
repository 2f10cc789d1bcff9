"""Cuts objects to what the readers use, and leaves out those that no reader keeps. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.capture.contents import Capture, RawObject
from gpuatlas.sources.kubernetes.kind import Kind, Part
from gpuatlas.sources.kubernetes.kinds import KINDS

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
    kept: list[RawObject] = []
    for raw in capture.objects:
        kind = KIND_OF_TYPE.get((raw.api_group, raw.kind))
        trimmed = None if kind is None else _trimmed(kind, raw)
        if trimmed is not None:
            kept.append(replace(raw, body=trimmed))
    return replace(capture, objects=connected(kept))


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


def connected(objects: Iterable[RawObject]) -> tuple[RawObject, ...]:
    """Without the owners that own nothing here: a cluster keeps old ReplicaSets for ever."""
    every = tuple(objects)
    by_uid = {uid: raw for raw in every if (uid := _metadata(raw).get("uid"))}
    wanted: set[int] = set()
    waiting = [raw for raw in every if not _is_owner(raw)]
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

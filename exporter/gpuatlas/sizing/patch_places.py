"""Finds a container in an object that was read: where its resources lie, and what they are. Pure.

Objects are whatever the API server sent: parts of another type than expected count as absent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from gpuatlas.sizing.patch_kind import EACH, PatchKind, Path, Place

_LISTS: Final = ("containers", "initContainers")
_RESOURCES: Final = "resources"

Position = tuple[str | int, ...]
"""A path in one object: keys of maps and positions in lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a container asks for, as it is written. Values are numbers or text.

    `read` is False where the object was not: the limits are then those of its pods, if any.
    """

    limits: Mapping[str, object] = field(default_factory=dict)
    requests: Mapping[str, object] = field(default_factory=dict)
    annotations: Mapping[str, object] = field(default_factory=dict)
    read: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundContainer:
    """A container in an object.

    `name` is its own, "" where it has none. `at` is where its resources are, `named_at` where its
    name is, None for the same. `annotations_at` is where its pods' annotations are, None where the
    kind has no such place.
    """

    name: str
    at: Position
    named_at: Position | None
    annotations_at: Position | None
    asked: Asked


def find_container(
    kind: PatchKind, manifest: Mapping[str, object], name: str
) -> list[FoundContainer]:
    """All containers of that name, any container for "": several templates can have one."""
    found: list[FoundContainer] = []
    for place in kind.places:
        for at in _positions(manifest, place.path):
            annotations = _annotations_of(place, at)
            found += _in_block(manifest, place, at, annotations, name)
            found += [] if place.block else _in_lists(manifest, at, annotations, name)
    return found


def value_at(document: object, at: Position) -> object:
    """The value at a position, None where there is none."""
    for step in at:
        if isinstance(document, Mapping) and isinstance(step, str):
            document = document.get(step)
        elif isinstance(document, list) and isinstance(step, int) and 0 <= step < len(document):
            document = document[step]
        else:
            return None
    return document


def _positions(document: object, path: Path, before: Position = ()) -> Iterator[Position]:
    """Every position that a path with `EACH` in it names and that is there."""
    if document is None:
        return
    if not path:
        yield before
        return
    step, rest = path[0], path[1:]
    if step != EACH:
        if isinstance(document, Mapping):
            yield from _positions(document.get(step), rest, (*before, step))
    elif isinstance(document, Mapping):
        for key, value in document.items():
            yield from _positions(value, rest, (*before, str(key)))
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield from _positions(value, rest, (*before, index))


def _annotations_of(place: Place, at: Position) -> Position | None:
    """The annotations' path with the same entries in the place of `EACH`."""
    if not place.annotations:
        return None
    entries = iter(step for step, wanted in zip(at, place.path, strict=True) if wanted == EACH)
    return tuple(next(entries) if step == EACH else step for step in place.annotations)


def _in_block(
    manifest: Mapping[str, object],
    place: Place,
    at: Position,
    annotations: Position | None,
    name: str,
) -> Iterator[FoundContainer]:
    block = value_at(manifest, at)
    if not place.block or not isinstance(block, Mapping) or place.block not in block:
        return
    if name and place.containers and name not in place.containers:
        return
    yield _found(manifest, (*at, place.block), None, annotations)


def _in_lists(
    manifest: Mapping[str, object], at: Position, annotations: Position | None, name: str
) -> Iterator[FoundContainer]:
    for key in _LISTS:
        containers = value_at(manifest, (*at, key))
        for index, container in enumerate(containers if isinstance(containers, list) else ()):
            if not isinstance(container, Mapping) or name not in {"", container.get("name")}:
                continue
            here: Position = (*at, key, index)
            yield _found(manifest, (*here, _RESOURCES), (*here, "name"), annotations)


def _found(
    manifest: Mapping[str, object],
    at: Position,
    named_at: Position | None,
    annotations: Position | None,
) -> FoundContainer:
    resources = value_at(manifest, at)
    marks = value_at(manifest, annotations) if annotations is not None else None
    own = value_at(manifest, named_at) if named_at is not None else None
    return FoundContainer(
        name=own if isinstance(own, str) else "",
        at=at,
        named_at=named_at,
        annotations_at=annotations,
        asked=Asked(
            limits=_map(value_at(resources, ("limits",))),
            requests=_map(value_at(resources, ("requests",))),
            annotations=_map(marks),
        ),
    )


def _map(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}

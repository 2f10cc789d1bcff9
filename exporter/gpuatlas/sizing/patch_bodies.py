"""The bodies of patches: a strategic merge for kinds of Kubernetes, JSON 6902 for others. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpuatlas.sizing.patch_kind import PatchKind
from gpuatlas.sizing.patch_places import Asked, FoundContainer, Position
from gpuatlas.sizing.patch_values import Change

_LIMITS: Final = "limits"
_REQUESTS: Final = "requests"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerChange:
    """What changes of one container. `found` is None where its object was not read."""

    container: str
    changes: tuple[Change, ...]
    found: FoundContainer | None

    @property
    def asked(self) -> Asked:
        """What it asks for now, nothing where that was not read."""
        return Asked(read=False) if self.found is None else self.found.asked


def strategic_body(
    kind: PatchKind, namespace: str, name: str, changed: Iterable[ContainerChange]
) -> dict[str, Any]:
    """One object that holds nothing but its identity and what changes.

    Its containers are merged by name, also by `kustomize`. A resource that goes away is null.
    """
    (place,) = kind.places
    spec: dict[str, Any] = {}
    marks: dict[str, Any] = {}
    for each in changed:
        marks |= {c.name: c.new for c in each.changes if c.annotation}
        resources = _resources(each)
        if resources:
            where = "initContainers" if _is_init(each.found) else "containers"
            entry = {"name": each.container, "resources": resources}
            spec.setdefault(where, []).append(entry)
    body: dict[str, Any] = {
        "apiVersion": kind.api_version(kind.versions[0]),
        "kind": kind.kind,
        "metadata": {"name": name, "namespace": namespace},
    }
    if marks:
        _put(body, place.annotations, marks)
    if spec:
        _put(body, place.path, spec)
    return body


def json_body(changed: Iterable[ContainerChange]) -> list[dict[str, Any]]:
    """Operations by position. Each value is tested before it is replaced.

    So the patch fails, and changes nothing, where the object is not any more as it was read.
    """
    operations: list[dict[str, Any]] = []
    for each in changed:
        if each.found is None:
            continue
        if each.found.named_at is not None:
            operations.append(_operation("test", each.found.named_at, each.found.name))
        for change in each.changes:
            operations += _operations(each.found, change)
    unique: list[dict[str, Any]] = []
    for operation in operations:
        if operation not in unique:
            unique.append(operation)
    return unique


def fragment(changes: Sequence[Change]) -> dict[str, Any]:
    """The values alone, for a person who knows where they go."""
    body: dict[str, Any] = {}
    limits = {c.name: c.new for c in changes if not c.annotation}
    marks = {c.name: c.new for c in changes if c.annotation}
    if limits:
        body["resources"] = {_LIMITS: limits}
    if marks:
        body["annotations"] = marks
    return body


def pointer(at: Position) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in at)


def _is_init(found: FoundContainer | None) -> bool:
    return found is not None and "initContainers" in found.at


def _sections(asked: Asked, change: Change) -> Iterator[str]:
    """Limits and requests, as far as the manifest has them; both where it was not read.

    Requests of devices must be equal to their limits. A new resource goes where the others are.
    """
    if not asked.read:
        yield from (_LIMITS, _REQUESTS)
        return
    yield _LIMITS
    named = change.name in asked.requests
    if named or (change.old is None and any("/" in name for name in asked.requests)):
        yield _REQUESTS


def _resources(each: ContainerChange) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for change in each.changes:
        if change.annotation:
            continue
        for section in _sections(each.asked, change):
            made.setdefault(section, {})[change.name] = change.new
    return made


def _operations(found: FoundContainer, change: Change) -> Iterator[dict[str, Any]]:
    if change.annotation:
        if found.annotations_at is not None:
            yield from _steps((*found.annotations_at, change.name), change.old, change.new)
        return
    sections: Mapping[str, Mapping[str, object]] = {
        _LIMITS: found.asked.limits,
        _REQUESTS: found.asked.requests,
    }
    for section in _sections(found.asked, change):
        old = sections[section].get(change.name)
        yield from _steps((*found.at, section, change.name), old, change.new)


def _steps(at: Position, old: object, new: object) -> Iterator[dict[str, Any]]:
    if old is None:
        yield _operation("add", at, new)
        return
    yield _operation("test", at, old)
    if new is None:
        yield {"op": "remove", "path": pointer(at)}
    else:
        yield _operation("replace", at, new)


def _operation(op: str, at: Position, value: object) -> dict[str, Any]:
    return {"op": op, "path": pointer(at), "value": value}


def _put(body: dict[str, Any], path: Iterable[str], value: dict[str, Any]) -> None:
    """Merges a map into the body, a few levels down."""
    for step in path:
        body = body.setdefault(step, {})
    body.update(value)

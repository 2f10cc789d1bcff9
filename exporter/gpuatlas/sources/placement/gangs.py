"""Gangs that pods declare themselves, by labels and annotations: one reader a system. Pure.

Facts: facts/k8s.md 3.3. What a pod merely refers to (a PodGroup object) is looked up in the join.
A reader returns None where the pod declares nothing, or no more than one pod; it raises
`MalformedError` where a declaration cannot be read. Tenants write all of this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import orjson

from gpuatlas.model.pod_spec import Gang
from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import clean_text
from gpuatlas.sources.kubernetes.shape import fields
from gpuatlas.sources.placement.raw import MAX_PODS, read_count

Keys = Mapping[str, str]

_LEGACY: Final = "pod-group.scheduling.sigs.k8s.io/"
_KOORDINATOR: Final = "gang.scheduling.koordinator.sh/"
_YUNIKORN: Final = "yunikorn.apache.org/"
_KUEUE: Final = "kueue.x-k8s.io/"
_LWS: Final = "leaderworkerset.sigs.k8s.io/"
# The longest honest one describes a handful of groups; Kubernetes ends at 256 KiB.
_MAX_TASK_GROUPS: Final = 32_768


def read_gangs(labels: Keys, annotations: Keys) -> tuple[tuple[Gang, ...], list[MalformedError]]:
    """All gangs that the pod declares, in the order of `READERS`, and what could not be read."""
    found: list[Gang] = []
    refused: list[MalformedError] = []
    for read in READERS:
        try:
            gang = read(labels, annotations)
        except MalformedError as error:
            refused.append(error)
            continue
        if gang is not None and gang.minimum > 1:
            found.append(gang)
    return tuple(found), refused


def _number(key: str, keys: Keys) -> int | None:
    """A number of pods written as text, None where the key is absent."""
    written = keys.get(key)
    if written is None:
        return None
    if not (written.isascii() and written.isdecimal()) or len(written) > len(str(MAX_PODS)):
        quoted = clean_text(written, limit=32)
        raise MalformedError("bad-count", f'{key} is "{quoted}", not a number of pods')
    return read_count(int(written), key)


def _named(system: str, name: str, minimum: int | None) -> Gang | None:
    if not name or minimum is None:
        return None
    return Gang(system=system, name=name, minimum=minimum)


def _koordinator(_labels: Keys, annotations: Keys) -> Gang | None:
    minimum = _number(f"{_KOORDINATOR}min-available", annotations)
    return _named("koordinator", annotations.get(f"{_KOORDINATOR}name", ""), minimum)


def _yunikorn(labels: Keys, annotations: Keys) -> Gang | None:
    """An application starts when all its task groups have their minimum."""
    written = annotations.get(f"{_YUNIKORN}task-groups", "")
    if not written:
        return None
    key = f"{_YUNIKORN}app-id"
    application = (
        annotations.get(key)
        or labels.get(key)
        or labels.get("applicationId")
        or labels.get("spark-app-selector")
        or annotations.get(f"{_YUNIKORN}task-group-name", "")
    )
    return _named("yunikorn", application, _task_groups(written))


def _task_groups(written: str) -> int:
    key = f"{_YUNIKORN}task-groups"
    if len(written) > _MAX_TASK_GROUPS:
        raise MalformedError("too-large", f"{key} has more than {_MAX_TASK_GROUPS} characters")
    try:
        groups = orjson.loads(written)
    except ValueError as error:
        raise MalformedError("bad-json", f"{key} is no JSON") from error
    if not isinstance(groups, list):
        raise MalformedError("bad-json", f"{key} is no JSON list")
    minimums = (read_count(fields(g).get("minMember"), f"{key} minMember") for g in groups)
    total = sum(minimum or 0 for minimum in minimums)
    return read_count(total, key) or 0


def _coscheduling(labels: Keys, _annotations: Keys) -> Gang | None:
    """The form without a PodGroup object, of the plugin's first releases."""
    minimum = _number(f"{_LEGACY}min-available", labels)
    return _named("coscheduling", labels.get(f"{_LEGACY}name", ""), minimum)


def _kueue(labels: Keys, annotations: Keys) -> Gang | None:
    key = f"{_KUEUE}pod-group-name"
    if annotations.get(f"{_KUEUE}pod-group-fast-admission") == "true":
        return None
    total = _number(f"{_KUEUE}pod-group-total-count", annotations)
    return _named("kueue", labels.get(key) or annotations.get(key, ""), total)


def _leader_worker_set(labels: Keys, annotations: Keys) -> Gang | None:
    """A leader and its workers are made, replaced and used together."""
    name, index = labels.get(f"{_LWS}name", ""), labels.get(f"{_LWS}group-index", "")
    size = _number(f"{_LWS}size", annotations)
    return _named("leaderworkerset", f"{name}-{index}" if name and index else name, size)


READERS: Final[tuple[Callable[[Keys, Keys], Gang | None], ...]] = (
    _koordinator,
    _yunikorn,
    _coscheduling,
    _kueue,
    _leader_worker_set,
)

"""Readers and trims that the objects of all systems share. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Final

from gpuatlas.model.placement import Waiting
from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import clean_text
from gpuatlas.sources.kubernetes.metadata import read_time
from gpuatlas.sources.kubernetes.shape import fields, items, text

# More pods than a cluster takes (Kubernetes is tested to 150,000): damage, not a number of pods.
MAX_PODS: Final = 1_000_000
# Longest text of a condition that is looked at; Kueue and kube-scheduler cut theirs far below.
MAX_MESSAGE: Final = 4_096
_IDENTITY: Final = ("name", "namespace", "uid")
_TIMES: Final = ("creationTimestamp", "deletionTimestamp")
_CONDITION: Final = ("type", "status", "reason", "message")


def read_count(value: object, what: str) -> int | None:
    """A number of pods, None where it is not stated.

    Raises:
        MalformedError: "bad-count": anything but a whole number from 0 to `MAX_PODS`.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_PODS:
        quoted = clean_text(str(value), limit=32) if isinstance(value, int | float | str) else ""
        shown = quoted or f"a {type(value).__name__}"
        raise MalformedError("bad-count", f"{what} is {shown}, not a number of pods")
    return value


def read_conditions(listed: object, wanted: Iterable[str]) -> dict[str, Mapping[str, object]]:
    """The conditions of these types by type; the last one where a type stands twice."""
    types = frozenset(wanted)
    found: dict[str, Mapping[str, object]] = {}
    for condition in map(fields, items(listed)):
        if (kind := text(condition.get("type"))) in types:
            found[kind] = condition
    return found


def holds(condition: Mapping[str, object] | None) -> bool:
    """Whether a condition is there and True."""
    return condition is not None and condition.get("status") == "True"


def since(condition: Mapping[str, object] | None) -> float:
    """When a condition last changed, 0.0 where it does not say so in a readable way."""
    if condition is None:
        return 0.0
    try:
        return read_time(condition.get("lastTransitionTime"))
    except MalformedError:
        return 0.0


def waiting(reason: str, said: object) -> Waiting:
    """A reason with the system's own text."""
    return Waiting(reason=reason, text=clean_text(text(said)))


def filled(**named: object) -> dict[str, object]:
    """The entries that say something: an empty value and an absent field read alike."""
    return {name: value for name, value in named.items() if value}


def scalar(value: object) -> object:
    """The value itself, or an empty container of its type: what it holds is not looked at."""
    if value is None or isinstance(value, str | int | float | date):
        return value
    return type(value)() if isinstance(value, list | dict) else None


def present(source: Mapping[str, object], *names: str) -> dict[str, object]:
    """Scalar fields as they are, those that are there."""
    return {name: scalar(source[name]) for name in names if source.get(name) is not None}


def trim_metadata(raw: object, *, annotations: Iterable[str] = ()) -> dict[str, object]:
    """Identity, times, owners and these annotations of a raw object."""
    metadata = fields(fields(raw).get("metadata"))
    written = fields(metadata.get("annotations"))
    trimmed = filled(
        **{name: text(metadata.get(name)) for name in _IDENTITY},
        annotations={key: written[key] for key in annotations if text(written.get(key))},
        ownerReferences=[
            present(fields(owner), "apiVersion", "kind", "name", "uid", "controller")
            for owner in items(metadata.get("ownerReferences"))
        ],
    )
    return trimmed | present(metadata, *_TIMES)


def trim_conditions(listed: object, wanted: Iterable[str]) -> list[dict[str, object]]:
    """The conditions of these types, with their texts cut to what is looked at."""
    types = frozenset(wanted)
    kept: list[dict[str, object]] = []
    for condition in map(fields, items(listed)):
        if text(condition.get("type")) not in types:
            continue
        said = {name: text(condition.get(name))[:MAX_MESSAGE] for name in _CONDITION}
        kept.append(filled(**said) | present(condition, "lastTransitionTime"))
    return kept

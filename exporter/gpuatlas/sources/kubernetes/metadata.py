"""The metadata that every kind has: name, identity, creation time and controller. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from gpuatlas.model.objects import Owner
from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import clean_text
from gpuatlas.sources.kubernetes.shape import fields, items, shared, text

# The longest name that Kubernetes itself allows.
MAX_NAME: Final = 253


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """Identity of one object. `labels` and `annotations` are the raw JSON values.

    `deleting_at` is when a deletion that was asked for may be carried out: the API server writes
    the request's time with the grace period added to it. None also where it cannot be read.
    """

    name: str
    namespace: str
    uid: str
    created_at: float
    controller: Owner | None
    deleting: bool
    deleting_at: float | None
    labels: object
    annotations: object


def read_metadata(raw: object) -> Metadata:
    """The metadata of a raw object.

    `created_at` is Unix seconds, 0.0 where the object does not state it (only files that people
    wrote leave it out). `uid` is "namespace/name" where the object has none, for the same reason.

    Raises:
        MalformedError: "no-name" or "bad-time".
    """
    metadata = fields(fields(raw).get("metadata"))
    name = text(metadata.get("name"))
    if not name:
        raise MalformedError("no-name", "an object without metadata.name")
    namespace = text(metadata.get("namespace"))
    return Metadata(
        name=name,
        namespace=shared(namespace),
        uid=text(metadata.get("uid")) or f"{namespace}/{name}",
        created_at=read_time(metadata.get("creationTimestamp")),
        controller=read_controller(metadata.get("ownerReferences")),
        deleting=metadata.get("deletionTimestamp") is not None,
        deleting_at=read_optional_time(metadata.get("deletionTimestamp")),
        labels=metadata.get("labels"),
        annotations=metadata.get("annotations"),
    )


def read_key(raw: object, *, by_name: bool) -> str:
    """The key of an object in its store: its name, or its uid; "" when it has neither."""
    metadata = fields(fields(raw).get("metadata"))
    name = text(metadata.get("name"))
    if by_name:
        return name
    uid = text(metadata.get("uid"))
    return uid or (f"{text(metadata.get('namespace'))}/{name}" if name else "")


def read_version(raw: object) -> str:
    """The object's resourceVersion, or ""."""
    return text(fields(fields(raw).get("metadata")).get("resourceVersion"))


def read_time(value: object) -> float:
    """An RFC 3339 time as Unix seconds, 0.0 for an absent one.

    YAML readers turn unquoted times into `datetime`, so that is taken, too.

    Raises:
        MalformedError: "bad-time": another type, unreadable text, or a time before 1970.
    """
    if value is None:
        return 0.0
    moment = value if isinstance(value, datetime) else _parse_time(value)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    seconds = moment.timestamp()
    if seconds < 0:
        raise MalformedError("bad-time", f"{moment.isoformat()} is before 1970")
    return seconds


def read_optional_time(value: object) -> float | None:
    """An RFC 3339 time as Unix seconds, None for one that is absent or cannot be read."""
    try:
        return None if value is None else read_time(value)
    except MalformedError:
        return None


def _parse_time(value: object) -> datetime:
    try:
        return datetime.fromisoformat(text(value))
    except ValueError:
        quoted = clean_text(text(value), limit=64)
        raise MalformedError("bad-time", f'"{quoted}" is not an RFC 3339 time') from None


def read_controller(value: object) -> Owner | None:
    """The owner reference that is marked as the controller: at most one is."""
    for item in items(value):
        reference = fields(item)
        if reference.get("controller") is True and text(reference.get("name")):
            return Owner(
                api_group=label_text(api_group(text(reference.get("apiVersion")))),
                kind=label_text(reference.get("kind")),
                name=label_text(reference.get("name")),
                uid=label_text(reference.get("uid")),
            )
    return None


def label_text(value: object) -> str:
    """Text that the API server does not check, fit for a label.

    Whoever creates a pod chooses its owner references and its scheduler: a megabyte of it in a
    label would cost the whole scrape.
    """
    return shared(clean_text(text(value), limit=MAX_NAME))


def api_group(api_version: str) -> str:
    """The group of an apiVersion: "apps" of "apps/v1", "" of "v1"."""
    group, slash, _ = api_version.partition("/")
    return group if slash else ""


def condition(status: Mapping[str, object], kind: str) -> Mapping[str, object]:
    """The condition of a type in `status.conditions`, or an empty one."""
    for item in items(status.get("conditions")):
        found = fields(item)
        if found.get("type") == kind:
            return found
    return fields(None)

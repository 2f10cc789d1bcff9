"""The objects with their history: resource versions, and the events between them.

It is handed the whole cluster again and again, and works out what changed. Safe for many threads.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpuatlas.demo.api.kinds import KINDS, Kind

Document = dict[str, Any]
Key = tuple[str, str]  # (namespace, name)

FIRST_REVISION: Final = 100_000
_KEPT_SNAPSHOTS: Final = 16  # lists that can still be paged through


class ExpiredError(Exception):
    """The resource version lies before what is remembered: the server's 410."""


@dataclass(frozen=True, slots=True)
class Event:
    """One change. `kind` is ADDED, MODIFIED or DELETED, `resource` the key of a `kinds.Kind`."""

    revision: int
    resource: str
    kind: str
    document: Document

    @property
    def namespace(self) -> str:
        """Of the object; "" for objects without one."""
        return str(self.document["metadata"].get("namespace", ""))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All objects of one resource at one revision, by namespace and name."""

    revision: int
    items: tuple[Document, ...]


class ObjectStore:
    """`history` is the number of events that a watch can go back."""

    def __init__(self, *, history: int = 2048) -> None:
        self._changed = threading.Condition()
        self._revision = FIRST_REVISION
        self._plain: dict[str, dict[Key, Document]] = {kind.key: {} for kind in KINDS}
        self._stamped: dict[str, dict[Key, Document]] = {kind.key: {} for kind in KINDS}
        self._events: deque[Event] = deque(maxlen=history)
        self._forgotten = FIRST_REVISION  # events up to here are gone
        self._snapshots: OrderedDict[tuple[str, int], Snapshot] = OrderedDict()
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether the server is going down."""
        return self._closed

    def close(self) -> None:
        """Wake all that wait; they get no more events."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def replace(self, documents: Mapping[str, Sequence[Document]]) -> None:
        """Take the objects of one instant; what differs from before becomes events."""
        with self._changed:
            before = self._revision
            for kind in KINDS:
                self._replace_kind(kind, documents.get(kind.key, ()))
            if self._revision != before:
                self._changed.notify_all()

    def _replace_kind(self, kind: Kind, documents: Sequence[Document]) -> None:
        resource = kind.key
        old = self._plain[resource]
        new = {_key(document): document for document in documents}
        for key in sorted(old.keys() - new.keys()):
            self._delete(resource, key)
        for key, document in new.items():
            if key in old and _uid(old[key]) != _uid(document):
                self._delete(resource, key)  # the same name, another object
            if key not in old:
                self._record(resource, "ADDED", key, document)
            elif _loud(kind, old[key]) != _loud(kind, document):
                self._record(resource, "MODIFIED", key, document)
            elif old[key] != document:
                self._refresh(resource, key, document)

    def _refresh(self, resource: str, key: Key, document: Document) -> None:
        """Show the object as it is now, under the revision that it has."""
        before = self._stamped[resource][key]["metadata"]["resourceVersion"]
        metadata = document["metadata"] | {"resourceVersion": before}
        self._plain[resource][key] = document
        self._stamped[resource][key] = document | {"metadata": metadata}
        self._snapshots.pop((resource, self._revision), None)

    def _delete(self, resource: str, key: Key) -> None:
        self._record(resource, "DELETED", key, self._plain[resource][key])
        del self._plain[resource][key], self._stamped[resource][key]

    def _record(self, resource: str, kind: str, key: Key, document: Document) -> None:
        self._revision += 1
        metadata = document["metadata"] | {"resourceVersion": str(self._revision)}
        stamped = document | {"metadata": metadata}
        self._plain[resource][key] = document
        self._stamped[resource][key] = stamped
        if len(self._events) == self._events.maxlen:
            self._forgotten = self._events[0].revision
        self._events.append(Event(self._revision, resource, kind, stamped))

    def forget_history(self) -> None:
        """Drop all events and all lists that are being paged through, as a compaction does."""
        with self._changed:
            self._events.clear()
            self._forgotten = self._revision
            self._snapshots.clear()

    def snapshot(self, resource: str) -> Snapshot:
        """The objects now. The snapshot can be asked for again by its revision for a while."""
        with self._changed:
            key = (resource, self._revision)
            if key not in self._snapshots:
                ordered = [self._stamped[resource][k] for k in sorted(self._stamped[resource])]
                self._snapshots[key] = Snapshot(self._revision, tuple(ordered))
                if len(self._snapshots) > _KEPT_SNAPSHOTS:
                    self._snapshots.popitem(last=False)
            return self._snapshots[key]

    def snapshot_at(self, resource: str, revision: int) -> Snapshot:
        """An earlier snapshot. Raises ExpiredError when it is no longer kept."""
        with self._changed:
            try:
                return self._snapshots[resource, revision]
            except KeyError:
                raise ExpiredError from None

    def get(self, resource: str, key: Key) -> Document | None:
        """One object."""
        with self._changed:
            return self._stamped[resource].get(key)

    def wait(self, after: int, timeout: float) -> tuple[list[Event], int]:
        """The events after a revision, and the revision that they lead to.

        Waits up to `timeout` seconds for one. Raises ExpiredError when some are forgotten, and for
        a revision that is none of this server's.
        """
        deadline = time.monotonic() + timeout
        with self._changed:
            if after > self._revision:
                raise ExpiredError
            while self._revision <= after and not self._closed:
                left = deadline - time.monotonic()
                if left <= 0 or not self._changed.wait(left):
                    break
            if after < self._forgotten:
                raise ExpiredError
            events = [event for event in self._events if event.revision > after]
            return events, max(after, self._revision)


def _key(document: Document) -> Key:
    metadata = document["metadata"]
    return metadata.get("namespace", ""), metadata["name"]


def _loud(kind: Kind, document: Document) -> Document:
    """The part of an object whose change is an event."""
    if not kind.quiet:
        return document
    part, field = kind.quiet
    kept = {name: value for name, value in document[part].items() if name != field}
    return document | {part: kept}


def _uid(document: Document) -> str:
    return str(document["metadata"]["uid"])

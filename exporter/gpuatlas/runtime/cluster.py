"""The Kubernetes side of a live observer: one reflector for each kind, seen as one thing."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.status import SourceStatus
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.kind import Part
from gpuatlas.sources.kubernetes.kinds import CORE_KINDS, NODES, OPTIONAL_KINDS, PODS
from gpuatlas.sources.kubernetes.optional import NO_OBJECTS, OptionalKinds
from gpuatlas.sources.kubernetes.parts import KINDS_OF, Objects, build_objects, merged
from gpuatlas.sources.kubernetes.reflector import Reflector
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.kubernetes.store import ObjectStore, View

# All threads are told to end before any is waited for; the wait is one for all of them.
_STOP_SECONDS: Final = 1.0

_Views = tuple[View[Any], ...]


class ClusterReader:
    """Keeps all kinds in step with the API server. Thread-safe, but for `objects` and `missing`.

    `changed` is set with every change of an object. `outage_seconds` is how long the last lists of
    a kind are believed while it cannot be read; owners are believed for ever, for they do not
    change.
    """

    def __init__(
        self,
        connection: Connection,
        settings: KubernetesSettings,
        changed: threading.Event,
        *,
        outage_seconds: float,
    ) -> None:
        self._connection = connection
        self._outage_seconds = outage_seconds
        self._optional_wait = settings.optional_wait_s
        self._stores: dict[str, ObjectStore[Any]] = {
            kind.id: ObjectStore(changed.set) for kind in CORE_KINDS
        }
        self._reflectors = tuple(
            Reflector(kind, connection, self._stores[kind.id], settings) for kind in CORE_KINDS
        )
        self._optional = OptionalKinds(OPTIONAL_KINDS, connection, settings, changed.set)
        self._settled_at: float | None = None
        self._merged: dict[Part, tuple[_Views, Mapping[str, Any]]] = {}
        self._objects = Objects()

    def start(self) -> None:
        """Begin to list and watch."""
        for reflector in self._reflectors:
            reflector.start()
        self._optional.start()

    @property
    def nodes(self) -> Mapping[str, Node]:
        """By name."""
        return self._stores[NODES.id].view().objects

    @property
    def pods(self) -> Mapping[str, Pod]:
        """By uid."""
        return self._stores[PODS.id].view().objects

    def objects(self, now: float) -> Objects:
        """All objects; each mapping is the same one as long as nothing in it changes.

        What an optional kind said last is forgotten when it cannot be read for `outage_seconds`:
        claims that nobody confirms would keep cards occupied.
        """
        unread = {s.source for s in self._optional.statuses() if self._is_unread(s, now)}
        built = build_objects(lambda part: self._part(part, unread))
        if built.placement == self._objects.placement:
            # The join keeps what it made of it for as long as it is the same.
            built = replace(built, placement=self._objects.placement)
        self._objects = built
        return built

    def silent(self, now: float) -> Mapping[tuple[str, str], str]:
        """Why `objects` has nothing of an optional kind that is served: `Observations.silent`.

        A kind whose last list is still believed is not silent: its objects are there.
        """
        statuses = self._optional.statuses()
        return {
            (s.source, ""): s.error or "its first list has not come yet"
            for s in statuses
            if self._is_unread(s, now)
        }

    @property
    def settled(self) -> bool:
        """Whether every kind of Kubernetes itself was listed, or is optional and cannot be read."""
        return all(reflector.settled for reflector in self._reflectors)

    def statuses(self) -> tuple[SourceStatus, ...]:
        """One for each kind that is served."""
        core = (reflector.status() for reflector in self._reflectors)
        return (*core, *self._optional.statuses())

    def missing(self, now: float) -> Iterator[str]:
        """What keeps the picture from being complete at `now`, in Unix seconds."""
        for reflector in self._reflectors:
            status = reflector.status()
            if not reflector.settled:
                yield f"{status.source}: first list"
            elif reflector.kind.required and self._is_out(status, now):
                yield f"{status.source}: cannot be read for {self._outage_seconds:.0f} s"
        if self._waits_for_optional(now):
            yield from self._optional.missing()

    def close(self) -> None:
        """End all threads and connections."""
        for reflector in self._reflectors:
            reflector.stop(timeout_s=0.0)
        self._optional.stop(timeout_s=0.0)
        end = time.monotonic() + _STOP_SECONDS
        for reflector in self._reflectors:
            reflector.stop(timeout_s=max(0.0, end - time.monotonic()))
        self._optional.stop(timeout_s=max(0.0, end - time.monotonic()))
        self._connection.close()

    def _waits_for_optional(self, now: float) -> bool:
        if self._settled_at is None and self.settled:
            self._settled_at = now
        return self._settled_at is None or now - self._settled_at < self._optional_wait

    def _is_unread(self, status: SourceStatus, now: float) -> bool:
        return status.last_success_at is None or self._is_out(status, now)

    def _is_out(self, status: SourceStatus, now: float) -> bool:
        if status.up is not False:
            return False
        return status.last_success_at is None or now - status.last_success_at > self._outage_seconds

    def _part(self, part: Part, unread: set[str]) -> Mapping[str, Any]:
        views = tuple(
            NO_OBJECTS if kind.source in unread and part is not Part.OWNERS else self._view(kind.id)
            for kind in KINDS_OF[part]
        )
        before = self._merged.get(part)
        if before is None or any(a is not b for a, b in zip(before[0], views, strict=True)):
            named = zip((kind.id for kind in KINDS_OF[part]), views, strict=True)
            before = (views, merged((name, view.objects) for name, view in named))
            self._merged[part] = before
        return before[1]

    def _view(self, kind_id: str) -> View[Any]:
        store = self._stores.get(kind_id)
        return self._optional.view(kind_id) if store is None else store.view()

"""The Kubernetes side of a live observer: one reflector for each kind, seen as one thing."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuatlas.model.objects import Node, OwnerLink, Pod
from gpuatlas.model.status import SourceStatus
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.kinds import KINDS, NODES, OWNER_KINDS, PODS
from gpuatlas.sources.kubernetes.reflector import Reflector
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.kubernetes.store import ObjectStore

# All threads are told to end before any is waited for; the wait is one for all of them.
_STOP_SECONDS: Final = 1.0


class ClusterReader:
    """Keeps all kinds in step with the API server. Thread-safe.

    `changed` is set with every change of an object. `outage_seconds` is how long the last lists of
    a required kind are believed while the server cannot be reached.
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
        self._stores: dict[str, ObjectStore[Any]] = {
            kind.name: ObjectStore(changed.set) for kind in KINDS
        }
        self._reflectors = tuple(
            Reflector(kind, connection, self._stores[kind.name], settings) for kind in KINDS
        )
        self._owners: tuple[tuple[int, ...], Mapping[str, OwnerLink]] = ((), {})

    def start(self) -> None:
        """Begin to list and watch."""
        for reflector in self._reflectors:
            reflector.start()

    @property
    def nodes(self) -> Mapping[str, Node]:
        """By name."""
        return self._stores[NODES.name].view().objects

    @property
    def pods(self) -> Mapping[str, Pod]:
        """By uid."""
        return self._stores[PODS.name].view().objects

    def owners(self) -> Mapping[str, OwnerLink]:
        """By uid, all owner kinds together; the same mapping as long as none of them changes."""
        views = [self._stores[kind.name].view() for kind in OWNER_KINDS]
        versions = tuple(view.version for view in views)
        if self._owners[0] != versions:
            merged = {uid: owner for view in views for uid, owner in view.objects.items()}
            self._owners = (versions, merged)
        return self._owners[1]

    @property
    def settled(self) -> bool:
        """Whether every kind was listed, or is optional and cannot be read."""
        return all(reflector.settled for reflector in self._reflectors)

    def statuses(self) -> tuple[SourceStatus, ...]:
        """One for each kind."""
        return tuple(reflector.status() for reflector in self._reflectors)

    def missing(self, now: float) -> Iterator[str]:
        """What keeps the picture from being complete at `now`, in Unix seconds."""
        for reflector in self._reflectors:
            status = reflector.status()
            if not reflector.settled:
                yield f"{status.source}: first list"
            elif reflector.kind.required and self._is_out(status, now):
                yield f"{status.source}: cannot be read for {self._outage_seconds:.0f} s"

    def close(self) -> None:
        """End all threads and connections."""
        for reflector in self._reflectors:
            reflector.stop(timeout_s=0.0)
        end = time.monotonic() + _STOP_SECONDS
        for reflector in self._reflectors:
            reflector.stop(timeout_s=max(0.0, end - time.monotonic()))
        self._connection.close()

    def _is_out(self, status: SourceStatus, now: float) -> bool:
        if status.up is not False:
            return False
        return status.last_success_at is None or now - status.last_success_at > self._outage_seconds

"""Kinds that a cluster may have or not: discovered again and again, followed where served.

A kind that is not served has no thread, no objects and no status: that is a normal state. One that
is served and refused has a status that says so.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from gpuatlas.model.status import SourceStatus
from gpuatlas.sources.errors import ForbiddenError, SourceError, UnauthorizedError
from gpuatlas.sources.kubernetes.backoff import Backoff
from gpuatlas.sources.kubernetes.health import Health
from gpuatlas.sources.kubernetes.kind import Kind
from gpuatlas.sources.kubernetes.reflector import Reflector, Watches
from gpuatlas.sources.kubernetes.served import Served
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.kubernetes.store import ObjectStore, View
from gpuatlas.sources.kubernetes.survey import SOURCE, survey

_log = logging.getLogger(__name__)
NO_OBJECTS: Final[View[Any]] = View(MappingProxyType({}), 0)


@dataclass(frozen=True, slots=True)
class _Followed:
    """A kind in the version in which it is read, and what is known of it."""

    kind: Kind[Any]
    store: ObjectStore[Any]
    reflector: Reflector[Any]


class OptionalKinds:
    """Follows those of `kinds` that the server serves. Thread-safe.

    `on_change` is called, in any thread, after each change of an object.
    """

    def __init__(
        self,
        kinds: Collection[Kind[object]],
        connection: Watches,
        settings: KubernetesSettings,
        on_change: Callable[[], None],
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._kinds = tuple(kinds)
        self._connection = connection
        self._settings = settings
        self._on_change = on_change
        self._clock = clock
        self._backoff = Backoff(
            start_s=settings.backoff_start_s,
            cap_s=settings.backoff_cap_s,
            random=random.Random(),  # noqa: S311 (spreads load, guards nothing)
        )
        self._health = Health(SOURCE)
        self._looked = threading.Event()
        self._stopped = threading.Event()
        self._wake = threading.Event()
        self._lock = threading.Lock()  # between starting threads and ending them all
        # Replaced as a whole, by this object's own thread, so that readers need no lock.
        self._followed: Mapping[str, _Followed] = {}
        self._thread = threading.Thread(target=self._run, name="discovery", daemon=True)

    def start(self) -> None:
        """Start to discover. Once."""
        self._thread.start()

    def view(self, kind_id: str) -> View[Any]:
        """The objects of a kind: none where it is not served. The same view until they change."""
        followed = self._followed.get(kind_id)
        return NO_OBJECTS if followed is None else followed.store.view()

    def statuses(self) -> tuple[SourceStatus, ...]:
        """That of the discovery, and one for each kind that is served."""
        followed = self._followed.values()
        return (self._health.status(), *(item.reflector.status() for item in followed))

    def missing(self) -> Iterator[str]:
        """Which first answers have not come yet."""
        if not self._looked.is_set():
            yield f"{SOURCE}: first answer"
        for item in self._followed.values():
            if item.reflector.put_off or not item.reflector.settled:
                yield f"{item.kind.source}: first list"

    def stop(self, timeout_s: float = 5.0) -> None:
        """End all threads. May be called more than once."""
        with self._lock:
            self._stopped.set()
        self._wake.set()
        end = time.monotonic() + timeout_s
        for item in self._followed.values():
            item.reflector.stop(timeout_s=0.0)
        for item in self._followed.values():
            item.reflector.stop(timeout_s=max(0.0, end - time.monotonic()))
        if self._thread.is_alive():
            self._thread.join(max(0.0, end - time.monotonic()))

    def _run(self) -> None:
        while not self._stopped.is_set():
            pause = self._look()
            self._looked.set()
            self._wake.wait(pause)
            self._wake.clear()

    def _look(self) -> float:
        """One look at what is served. Returns how many seconds to pause afterwards."""
        try:
            served = survey(self._connection, self._kinds)
        except SourceError as error:
            if self._health.failed(str(error)):
                _log.warning("discovery: %s", error)
            if isinstance(error, ForbiddenError | UnauthorizedError):
                return self._backoff.jittered(self._settings.refused_pause_s)
            return self._backoff.pause()
        except Exception as error:  # the thread must go on whatever happens
            if self._health.failed(f"a mistake in our code: {error!r}"):
                _log.exception("discovery failed")
            return self._backoff.pause()
        self._health.succeeded(self._clock())
        self._backoff.reset()
        self._follow(served)
        interval = self._settings.discovery_interval_s
        return self._backoff.jittered(self._settings.refused_pause_s if served.unsure else interval)

    def _follow(self, served: Served) -> None:
        before = self._followed
        now = dict(before)
        for kind in self._kinds:
            if kind.api_group not in served.unsure:
                self._decide(kind.id, served.readable(kind), now)
        started = [item for name, item in now.items() if before.get(name) is not item]
        ended = [item for name, item in before.items() if now.get(name) is not item]
        with self._lock:
            if self._stopped.is_set():
                return
            self._followed = now
            for item in ended:
                item.reflector.stop(timeout_s=0.0)
            for item in started:
                item.reflector.start()
        if ended:
            self._on_change()
        _tell(started, [item for item in ended if item.kind.id not in now])

    def _decide(self, name: str, kind: Kind[Any] | None, followed: dict[str, _Followed]) -> None:
        before = followed.get(name)
        if kind is None:
            followed.pop(name, None)
        elif before is None or before.kind.api_version != kind.api_version:
            followed[name] = self._new(kind, before)

    def _new(self, kind: Kind[Any], before: _Followed | None) -> _Followed:
        """A store of its own, so that a thread that is still ending writes into nobody's."""
        store: ObjectStore[Any] = ObjectStore(self._on_change)
        if before is not None:  # in another version: known until the first list says otherwise
            known = before.store.view().objects
            store.replace({key: ("", value) for key, value in known.items()})
        reflector = Reflector(
            kind, self._connection, store, self._settings, on_missing=self._wake.set
        )
        return _Followed(kind, store, reflector)


def _tell(started: Collection[_Followed], gone: Collection[_Followed]) -> None:
    if started:
        names = ", ".join(f"{item.kind.qualified} {item.kind.versions[0]}" for item in started)
        _log.info("served and read: %s", names)
    if gone:
        _log.info("no longer served: %s", ", ".join(item.kind.qualified for item in gone))

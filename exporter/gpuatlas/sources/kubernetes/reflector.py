"""One thread that keeps the objects of one kind in step with the API server.

List, then watch from where the list ended, again and again. What was known stays known while the
server cannot be reached; `status` says that it is old. Lists and watches come from `connection`;
projecting from `intake`; nothing else here touches the network.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Mapping
from typing import Final, Generic, Protocol, TypeVar

from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.status import SourceStatus
from gpuatlas.sources.errors import (
    BadAnswerError,
    ForbiddenError,
    GoneError,
    NotFoundError,
    SourceError,
    UnauthorizedError,
    UnreachableError,
)
from gpuatlas.sources.kubernetes.backoff import Backoff
from gpuatlas.sources.kubernetes.errors import BusyError, ConfigurationError
from gpuatlas.sources.kubernetes.events import BOOKMARK, DELETED, ERROR, Event, read_event
from gpuatlas.sources.kubernetes.failures import error_of_event
from gpuatlas.sources.kubernetes.health import Health
from gpuatlas.sources.kubernetes.intake import Intake
from gpuatlas.sources.kubernetes.kind import Kind
from gpuatlas.sources.kubernetes.lines import LineStream
from gpuatlas.sources.kubernetes.metadata import read_version
from gpuatlas.sources.kubernetes.pages import Lists, read_pages
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.kubernetes.store import ObjectStore

T = TypeVar("T")

_log = logging.getLogger(__name__)
# A watch that ends sooner is followed by a pause: some proxies cut every watch at once.
SHORT_WATCH_S: Final = 1.0
_REFUSALS: Final = (UnauthorizedError, ForbiddenError, ConfigurationError)


class Watches(Lists, Protocol):
    """What a reflector needs of a connection."""

    def stream(
        self, path: str, query: Mapping[str, str], *, read_timeout_s: float, accept: str = ...
    ) -> LineStream:
        """The lines of a watch, or a `SourceError`."""


class Reflector(Generic[T]):
    """Keeps a store in step with one kind of object.

    `clock` is Unix time, `timer` any steady clock; both in seconds. `wait` pauses for some seconds
    and says whether to stop; by default it ends early when `stop` is called. `on_missing` is told
    when the server does not know the kind (404).
    """

    def __init__(
        self,
        kind: Kind[T],
        connection: Watches,
        store: ObjectStore[T],
        settings: KubernetesSettings,
        *,
        clock: Callable[[], float] = time.time,
        timer: Callable[[], float] = time.monotonic,
        chance: random.Random | None = None,
        wait: Callable[[float], bool] | None = None,
        on_missing: Callable[[], None] | None = None,
    ) -> None:
        self.kind = kind
        self._connection = connection
        self._store = store
        self._settings = settings
        self._clock = clock
        self._timer = timer
        self._chance = chance or random.Random()  # noqa: S311 (spreads load, guards nothing)
        self._backoff = Backoff(
            start_s=settings.backoff_start_s, cap_s=settings.backoff_cap_s, random=self._chance
        )
        self._stopped = threading.Event()
        self._wait = wait or self._stopped.wait
        self._on_missing = on_missing
        self._missed = False
        self._put_off = False
        self._followed = False
        self._synced = threading.Event()
        self._health = Health(kind.source)
        self._intake = Intake(kind, self._health.rejected)
        self._version = ""  # where the watch goes on; "" means list first
        self._lock = threading.Lock()
        self._stream: LineStream | None = None
        self._thread = threading.Thread(target=self._run, name=f"watch-{kind.id}", daemon=True)

    @property
    def synced(self) -> bool:
        """Whether the store has held a whole list at least once."""
        return self._synced.is_set()

    @property
    def put_off(self) -> bool:
        """Whether the server named a time to ask again at, before it ever was in step.

        So it does with the watch of a kind that nobody watched since it was defined, or since the
        server started: a second later it has the cache that it serves watches from.
        """
        return self._put_off

    @property
    def settled(self) -> bool:
        """Whether waiting is of no use: synced, or an optional kind that cannot be read."""
        return self.synced or (not self.kind.required and self.status().up is False)

    def status(self) -> SourceStatus:
        """How it fares; the source is `Kind.source`."""
        return self._health.status()

    def start(self) -> None:
        """Start the thread. Once."""
        self._thread.start()

    def stop(self, timeout_s: float = 5.0) -> None:
        """End the thread; a watch that waits is cut. May be called more than once."""
        self._stopped.set()
        with self._lock:
            if self._stream is not None:
                self._stream.interrupt()
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def _run(self) -> None:
        while not self._stopped.is_set():
            pause = self._step()
            if pause > 0 and self._wait(pause):
                return

    def _step(self) -> float:
        """One list and watch, or a failure. Returns how many seconds to pause afterwards."""
        try:
            if not self._version:
                self._list()
            return self._watch()
        except GoneError as error:
            _log.debug("%s: %s", self.kind.id, error)
            self._version = ""
            return self._backoff.pause()
        except NotFoundError as error:
            self._version = ""
            self._put_off = False
            self._missing(error)
            return self._backoff.jittered(self._settings.refused_pause_s)
        except _REFUSALS as error:
            # The list may be allowed where the watch is not: listing slowly is better than nothing.
            self._version = ""
            self._put_off = False
            self._failed(error)
            return self._backoff.jittered(self._settings.refused_pause_s)
        except SourceError as error:
            asked = error.retry_after_s if isinstance(error, BusyError) else None
            # Before it shows that the source is down.
            self._put_off = asked is not None and not self._followed
            self._failed(error)
            return max(self._backoff.pause(), asked or 0.0)
        except Exception as error:  # the thread must go on whatever happens
            self._version = ""
            self._put_off = False
            if self._health.failed(f"a mistake in our code: {error!r}"):
                _log.exception("%s: reading failed", self.kind.id)
            return self._backoff.pause()

    def _list(self) -> None:
        started = self._timer()
        fresh: dict[str, tuple[str, T]] = {}
        version = ""
        for page in read_pages(self._connection, self.kind, self._settings.page_size):
            if self._stopped.is_set():
                return
            for raw in page.objects:
                self._take(raw, fresh)
            version = page.version
        if not version:
            message = f"{self._connection.address}{self.kind.path}: a list without resourceVersion"
            raise BadAnswerError(message)
        self._store.replace(fresh)
        self._version = version
        self._synced.set()
        self._health.listed(seconds=self._timer() - started, at=self._clock())

    def _take(self, raw: object, fresh: dict[str, tuple[str, T]]) -> None:
        key, version = self.kind.key(raw), read_version(raw)
        value = self._store.known(key, version)
        if value is None:
            value = self._intake.read(key, raw)
        if value is not None:
            fresh[key] = (version, value)

    def _watch(self) -> float:
        """Follow changes until the watch ends. Returns how many seconds to pause afterwards."""
        seconds = self._chance.randint(self._settings.watch_min_s, self._settings.watch_max_s)
        query = {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": self._version,
            "timeoutSeconds": str(seconds),
        }
        opened = self._timer()
        with self._connection.stream(
            self.kind.path,
            query,
            read_timeout_s=seconds + self._settings.watch_margin_s,
            accept=self.kind.watch_accept,
        ) as stream:
            self._held(stream)
            try:
                self._follow(stream)
            finally:
                self._held(None)
        if self._timer() - opened < SHORT_WATCH_S:
            return self._backoff.pause()
        self._backoff.reset()
        return 0.0

    def _held(self, stream: LineStream | None) -> None:
        with self._lock:
            self._stream = stream
            if stream is not None and self._stopped.is_set():
                stream.interrupt()

    def _follow(self, stream: LineStream) -> None:
        self._succeeded()
        try:
            for line in stream:
                self._apply(self._read_line(line))
                self._succeeded()
        except UnreachableError as error:
            # A watch that worked and was cut is everyday life; a server that is gone refuses the
            # next one, and that is reported.
            _log.debug("%s: watch cut: %s", self.kind.id, error)

    def _read_line(self, line: bytes) -> Event:
        try:
            return read_event(line)
        except MalformedError as error:
            self._health.rejected(error.reason)
            # What was lost is unknown, so everything is read again.
            self._version = ""
            message = f"{self._connection.address}{self.kind.path}: {error}"
            raise BadAnswerError(message) from error

    def _apply(self, event: Event) -> None:
        if event.type == ERROR:
            self._version = ""
            raise error_of_event(self._connection.address, event.raw, path=self.kind.path)
        if event.type != BOOKMARK:
            self._change(event)
        self._version = event.version or self._version

    def _change(self, event: Event) -> None:
        key = self.kind.key(event.raw)
        value = None if event.type == DELETED else self._intake.read(key, event.raw)
        if value is None:
            self._store.remove(key)
        else:
            self._store.put(key, event.version, value)

    def _missing(self, error: NotFoundError) -> None:
        """A kind that can come and go does not fail when it goes, but when it is still promised."""
        if self._missed or not self.kind.discovered:
            self._failed(error)
        else:
            _log.debug("%s: %s", self.kind.id, error)
        self._missed = True
        if self._on_missing is not None:
            self._on_missing()

    def _succeeded(self) -> None:
        self._missed = False
        if self._health.succeeded(self._clock()):
            _log.info("%s: in step with %s", self.kind.id, self._connection.address)
        self._put_off, self._followed = False, True

    def _failed(self, error: SourceError) -> None:
        if self._health.failed(str(error)):
            _log.warning("%s: %s", self.kind.id, error)

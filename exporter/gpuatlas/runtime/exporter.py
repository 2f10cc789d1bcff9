"""One running exporter: an observer, the refresh loop and the web server, put together."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType

from gpuatlas.join.snapshot import Joiner
from gpuatlas.runtime.collector import relax_collector
from gpuatlas.runtime.observe import Observer
from gpuatlas.runtime.refresh import Builder, RefreshLoop
from gpuatlas.runtime.scope import Scope
from gpuatlas.runtime.selfmetrics import SelfMetrics
from gpuatlas.runtime.settings import Settings
from gpuatlas.runtime.web.application import Application
from gpuatlas.runtime.web.security import WebSecurity
from gpuatlas.runtime.web.server import WebServer


class Exporter:
    """Starts and stops the parts in the right order; a context manager.

    The observer belongs to the exporter from `start` on and is closed with it.

    Raises:
        WebConfigError: on creation, when the web configuration file cannot be used.
    """

    def __init__(
        self,
        settings: Settings,
        observer: Observer,
        *,
        builder: Builder | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._observer = observer
        self.loop = RefreshLoop(
            observer=observer,
            builder=builder or Joiner(),
            settings=settings.refresh,
            scope=Scope(settings.shard, settings.exclude_namespaces),
            clock=clock,
        )
        security = WebSecurity(settings.server.web_config_file)
        self_metrics = SelfMetrics(
            lambda: self.loop.published.counts, revision=settings.revision, shard=settings.shard
        )
        application = Application(self.loop, security, self_metrics.render, clock)
        server = settings.server
        self._web = WebServer(application, server.listen, security, threads=server.threads)
        self._thread = threading.Thread(target=self.loop.run, name="refresh", daemon=True)

    def start(self) -> None:
        """Serve, then read: probes get an answer from the first moment on.

        Raises:
            OSError: the address cannot be bound; nothing runs then.
        """
        relax_collector()
        self._web.start()
        self._observer.start()
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it serves, with the real port."""
        return self._web.url

    @property
    def port(self) -> int:
        """The real port."""
        return self._web.port

    def stop(self) -> None:
        """End everything within a few seconds, whatever clients and sources do."""
        self.loop.stop()
        self._web.stop()
        self._observer.close()
        # A join under way is not waited for longer than a stop may take.
        self._thread.join(timeout=0.5)

    def __enter__(self) -> Exporter:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

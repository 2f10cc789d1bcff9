"""The exporter of the demo: as `serve` runs it, with the simulated clock.

Sizing comes as soon as there is a Prometheus that has a past.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import click
import requests

from gpuatlas.cli.demonstration.stretch import licences
from gpuatlas.demo.server import SimulatedCluster
from gpuatlas.runtime.exporter import Exporter
from gpuatlas.runtime.layers import merged
from gpuatlas.runtime.live import LiveObserver
from gpuatlas.runtime.observe import Observed
from gpuatlas.runtime.settings import ServerSettings, Settings
from gpuatlas.runtime.sizing_round import SizingReader, SizingRounds
from gpuatlas.runtime.web.address import parse_listen_address
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.layer.settings import LayerSettings
from gpuatlas.sources.promapi.settings import PrometheusSettings

DEFAULT_ADDRESS: Final = "127.0.0.1:9836"
# Two intervals of the first round of pages and the first join; a laptop needs about two seconds.
_FIRST_PAGE_SECONDS: Final = 60.0
_SIZING_SECONDS: Final = 600.0
# Prometheus has evaluated its rules once by then.
_SIZING_START_SECONDS: Final = 60.0


class _Known:
    """A cluster whose objects are known: the exporter stands before Prometheus does."""

    settled: Final = True


class DemoObserver:
    """The ordinary observer, reading pages from the pods, and sizing from a Prometheus later on.

    `serve` reads both from the same Prometheus. That of the demo comes minutes after the exporter,
    which it scrapes.
    """

    def __init__(self, inner: LiveObserver, clock: Callable[[], float]) -> None:
        self._inner = inner
        self._clock = clock
        self._sizing: SizingRounds | None = None

    @property
    def changed(self) -> threading.Event:
        """As of the ordinary one."""
        return self._inner.changed

    def start(self) -> None:
        """Begin to read."""
        self._inner.start()

    def close(self) -> None:
        """End all threads and connections."""
        if self._sizing is not None:
            self._sizing.close()
        self._inner.close()

    def size_by(self, url: str) -> None:
        """From now on sizing is read from this Prometheus; for one call."""
        self._sizing = SizingRounds(
            SizingReader(PrometheusSettings(url=url)),
            _Known(),
            self.changed,
            interval_seconds=_SIZING_SECONDS,
            start_seconds=_SIZING_START_SECONDS,
            clock=self._clock,
        )
        self._sizing.start()

    def observe(self, now: float) -> Observed:
        """What is known, with the last look at sizing."""
        observed = self._inner.observe(now)
        if self._sizing is None:
            return observed
        look = self._sizing.last()
        statuses = merged((*observed.statuses, *look.statuses))
        return replace(observed, sizing=look.report, statuses=statuses)


@dataclass(frozen=True, slots=True)
class DemoExporter:
    """A running exporter, and what it observes with."""

    exporter: Exporter
    observer: DemoObserver

    @property
    def url(self) -> str:
        """Where it serves."""
        return self.exporter.url

    def await_first_page(self) -> None:
        """Return when the exporter has its first complete snapshot.

        Raises:
            click.ClickException: it takes too long.
        """
        end = time.monotonic() + _FIRST_PAGE_SECONDS
        while requests.get(f"{self.url}/readyz", timeout=10).status_code != requests.codes.ok:
            if time.monotonic() > end:
                message = f"the exporter has no complete snapshot after {_FIRST_PAGE_SECONDS:.0f} s"
                raise click.ClickException(message)
            time.sleep(0.1)

    def first_page(self) -> str:
        """The page of the first complete snapshot, over HTTP."""
        self.await_first_page()
        return requests.get(f"{self.url}/metrics", timeout=30).text


@contextmanager
def running_exporter(
    cluster: SimulatedCluster, kubeconfig: Path, listen: str
) -> Iterator[DemoExporter]:
    """The exporter on an address.

    Raises:
        click.UsageError: it is none.
        OSError: it is taken.
    """
    try:
        address = parse_listen_address(listen)
    except ValueError as error:
        message = f"--listen: {error}"
        raise click.UsageError(message) from error
    settings = Settings(
        kubernetes=KubernetesSettings(kubeconfig=kubeconfig),
        layer=LayerSettings(licences=licences(cluster.scenario)),
        server=ServerSettings(listen=address),
    )
    observer = DemoObserver(LiveObserver(settings, clock=cluster.now), cluster.now)
    with Exporter(settings, observer, clock=cluster.now) as exporter:
        yield DemoExporter(exporter, observer)


@contextmanager
def reachable_exporter(
    cluster: SimulatedCluster, kubeconfig: Path, listen: str | None
) -> Iterator[DemoExporter]:
    """The exporter on the address that was asked for; without one, wherever there is room.

    Raises:
        click.ClickException: the address that was asked for is taken.
    """
    with ExitStack() as stack:
        try:
            exporter = stack.enter_context(
                running_exporter(cluster, kubeconfig, listen or DEFAULT_ADDRESS)
            )
        except OSError as error:
            if listen is not None:
                message = f"{listen}: {error}"
                raise click.ClickException(message) from error
            exporter = stack.enter_context(running_exporter(cluster, kubeconfig, "127.0.0.1:0"))
        yield exporter

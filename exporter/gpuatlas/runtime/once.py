"""One look at a cluster or at a capture folder, for commands that a person runs.

Reads the same things by the same parsers as `serve`, without watches. Pages come through the API
server's pod proxy, so that a kubeconfig is all that is needed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from gpuatlas.model.observations import Observations
from gpuatlas.model.status import SourceStatus
from gpuatlas.model.targets import Target
from gpuatlas.runtime.layers import merged
from gpuatlas.runtime.observe import Observed
from gpuatlas.sources.capture.anonymise import anonymise
from gpuatlas.sources.capture.collector import collect_objects, collect_pages
from gpuatlas.sources.capture.contents import Capture
from gpuatlas.sources.capture.projection import project_capture
from gpuatlas.sources.capture.reader import read_capture
from gpuatlas.sources.capture.trimming import trim_capture
from gpuatlas.sources.capture.writer import write_capture
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.discovery import find_targets
from gpuatlas.sources.kubernetes.kinds import KINDS
from gpuatlas.sources.kubernetes.listing import Listing
from gpuatlas.sources.kubernetes.listing import read_once as list_once
from gpuatlas.sources.kubernetes.parts import put_together
from gpuatlas.sources.kubernetes.patience import Patience
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.layer.reader import LayerReader
from gpuatlas.sources.layer.settings import LayerSettings
from gpuatlas.sources.promapi.reader import PrometheusReader
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas.sources.scrape.round import PAGE_SOURCES, ScrapeRound
from gpuatlas.sources.scrape.scraper import Scraper
from gpuatlas.sources.scrape.settings import ScrapeSettings
from gpuatlas.sources.scrape.transport import DirectTransport, ProxyTransport, Transport


class Progress(Protocol):
    """Is told how far a look has come; called from several threads."""

    def objects(self, kind: str, count: int) -> None:
        """So many objects of a kind were read."""

    def pages(self, done: int, total: int) -> None:
        """So many pages of all were asked for and came or failed."""


class NoProgress:
    """For callers to whom nobody listens."""

    def objects(self, kind: str, count: int) -> None:
        """Nothing."""

    def pages(self, done: int, total: int) -> None:
        """Nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSettings:
    """Where a look reads."""

    kubernetes: KubernetesSettings = field(default_factory=KubernetesSettings)
    """The API server."""

    scrape: ScrapeSettings = field(default_factory=lambda: ScrapeSettings(round_timeout=60.0))
    """Bounds of the pages. A thousand nodes through one API server take longer than a round of
    `serve` may, and nobody comes back 30 s later."""

    layer: LayerSettings = field(default_factory=lambda: LayerSettings(probe=False))
    """The sharing layers' own objects. Their webhooks are not probed unless a person asks for it:
    pods and Services of a cluster cannot be reached from most laptops."""

    exporter_namespaces: frozenset[str] = frozenset()
    """Take only pods of these namespaces for exporters. Empty: any namespace."""

    direct: bool = False
    """Ask the pods themselves for their pages: faster, but needs a route to them. False: through
    the API server's pod proxy."""

    prometheus: PrometheusSettings | None = None
    """A Prometheus to ask. None: the endpoints themselves."""

    prometheus_pages: bool = True
    """Whether that Prometheus has the pages of all endpoints."""

    @property
    def page_prometheus(self) -> PrometheusSettings | None:
        """The Prometheus that has the pages' series. None: the endpoints themselves are read."""
        return self.prometheus if self.prometheus_pages else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What was seen, and one-line warnings for a person about what was not."""

    observed: Observed
    warnings: tuple[str, ...]


def look_at_cluster(
    settings: ClusterSettings, *, clock: Callable[[], float], progress: Progress
) -> Look:
    """All objects and pages, and the sharing layers' own objects, once.

    Raises:
        SourceError: no configuration, the server cannot be reached, or nodes or pods not be read.
            Pages that fail are warnings.
    """
    with closing(Connection.open(settings.kubernetes, patience=Patience())) as connection:
        listing = list_once(
            connection, KINDS, progress.objects, page_size=settings.kubernetes.page_size
        )
        objects = put_together(listing.objects)
        layer, layer_statuses = LayerReader(connection, settings.layer).read(clock())
        targets = find_targets(
            objects.pods.values(), objects.nodes, namespaces=settings.exporter_namespaces or None
        )
        scraped = _scrape(settings, connection, targets, clock, progress)
    now = clock()
    observations = Observations(
        now=now,
        nodes=objects.nodes,
        pods=objects.pods,
        owners=objects.owners,
        dcgm=scraped.dcgm,
        monitors=scraped.monitors,
        schedulers=scraped.schedulers,
        slices=objects.slices,
        claims=objects.claims,
        placement=objects.placement,
        layer=layer,
        silent={**_unread(listing), **scraped.silent},
    )
    statuses = merged((*_kind_statuses(listing, now), *layer_statuses, *scraped.statuses))
    observed = Observed(observations=observations, statuses=statuses)
    return Look(observed=observed, warnings=(*listing.warnings, *_complaints(statuses)))


def look_at_folder(folder: Path, *, clock: Callable[[], float]) -> Look:
    """A capture. Raises `CaptureError`; of pages that cannot be read there is a warning."""
    captured = project_capture(read_capture(folder), now=clock())
    observed = Observed(observations=captured.observations, statuses=captured.statuses)
    return Look(observed=observed, warnings=(*captured.remarks, *_complaints(captured.statuses)))


def capture_cluster(
    settings: ClusterSettings, *, clock: Callable[[], float], progress: Progress
) -> tuple[Capture, tuple[str, ...]]:
    """Everything that a look reads, raw, and warnings. Raises as `look_at_cluster`."""
    with closing(Connection.open(settings.kubernetes, patience=Patience())) as connection:
        taken, targets, warnings = collect_objects(
            connection,
            progress.objects,
            namespaces=settings.exporter_namespaces,
            page_size=settings.kubernetes.page_size,
        )
        transport = _counting(settings, connection, targets, progress)
        pages, silences = collect_pages(targets, transport, settings.scrape, clock)
    complaints = [f"{s.source} of {s.name}: {s.reason}" for s in silences]
    capture = replace(taken, clock=clock(), pages=pages, silences=silences)
    return capture, (*warnings, *complaints)


def capture_folder(folder: Path) -> Capture:
    """Another capture, cut to what the readers use. Raises `CaptureError`."""
    return trim_capture(read_capture(folder))


def save_capture(capture: Capture, folder: Path, *, anonymised: bool) -> tuple[Path, ...]:
    """Writes a capture, with its names replaced if `anonymised`. Raises `CaptureError`."""
    written = anonymise(capture) if anonymised else capture
    return write_capture(written, folder, anonymised=anonymised)


class _CountingTransport:
    """Passes pages on and tells how many are done."""

    def __init__(self, transport: Transport, total: int, progress: Progress) -> None:
        self._transport = transport
        self._total = total
        self._progress = progress
        self._done = 0
        self._lock = threading.Lock()

    def fetch(self, target: Target, *, limit_bytes: int, timeout_s: float) -> bytes:
        """As `Transport.fetch`."""
        try:
            return self._transport.fetch(target, limit_bytes=limit_bytes, timeout_s=timeout_s)
        finally:
            with self._lock:
                self._done += 1
                self._progress.pages(self._done, self._total)


def _counting(
    settings: ClusterSettings,
    connection: Connection,
    targets: tuple[Target, ...],
    progress: Progress,
) -> Transport:
    transport: Transport = (
        DirectTransport() if settings.direct else ProxyTransport(connection.get_bytes)
    )
    return _CountingTransport(transport, len(targets), progress)


def _scrape(
    settings: ClusterSettings,
    connection: Connection,
    targets: tuple[Target, ...],
    clock: Callable[[], float],
    progress: Progress,
) -> ScrapeRound:
    if settings.page_prometheus is not None:
        with closing(PrometheusReader(settings.page_prometheus)) as reader:
            return reader.read(clock())
    scraper = Scraper(_counting(settings, connection, targets, progress), settings.scrape, clock)
    with closing(scraper):
        return scraper.read(targets)


def _unread(listing: Listing) -> dict[tuple[str, str], str]:
    return {(source, ""): reason for source, reason in listing.failures.items()}


def _kind_statuses(listing: Listing, now: float) -> Iterator[SourceStatus]:
    """One for each kind that was asked for, and for the discovery where it failed."""
    asked = (kind.source for kind in KINDS if kind.id in listing.objects)
    for source in dict.fromkeys([*asked, *listing.failures]):
        error = listing.failures.get(source, "")
        yield SourceStatus(
            source=source,
            up=not error,
            last_success_at=None if error else now,
            read_seconds=None,
            error=error,
            targets={},
            rejected={},
        )


def _complaints(statuses: Iterable[SourceStatus]) -> Iterator[str]:
    """One line for each failure of pages; of kinds of objects the listing warns itself."""
    failing: dict[str, list[str]] = {}
    for status in statuses:
        if status.error and status.source in PAGE_SOURCES:
            failing.setdefault(status.error, []).append(status.source)
    for error, sources in failing.items():
        yield f"{', '.join(sources)}: {error}"

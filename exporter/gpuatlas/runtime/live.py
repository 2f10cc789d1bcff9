"""An observer of a living cluster: watches its objects and reads its exporters' pages."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

from gpuatlas.model.observations import Observations
from gpuatlas.runtime.cluster import ClusterReader
from gpuatlas.runtime.layers import LayerRounds, merged
from gpuatlas.runtime.observe import Observed
from gpuatlas.runtime.rounds import EndpointPages, PageRounds, PageSource
from gpuatlas.runtime.service_rounds import ServiceRounds
from gpuatlas.runtime.settings import Settings
from gpuatlas.runtime.sizing_round import SIZING, SizingLook, SizingReader, SizingRounds
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.layer.reader import LayerReader
from gpuatlas.sources.promapi.reader import PrometheusReader
from gpuatlas.sources.scrape.scraper import Scraper
from gpuatlas.sources.scrape.transport import DirectTransport, Transport
from gpuatlas.sources.services.direct import DirectServices
from gpuatlas.sources.services.prometheus import PrometheusServices


class LiveObserver:
    """Observes the cluster of the settings' kubeconfig. See `observe.Observer`.

    Raises:
        ConfigurationError: on creation, when there is no usable Kubernetes configuration.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Callable[[], float] = time.time,
        transport: Transport | None = None,
    ) -> None:
        self._changed = threading.Event()
        connection = Connection.open(settings.kubernetes)
        self._cluster = ClusterReader(
            connection,
            settings.kubernetes,
            self._changed,
            outage_seconds=settings.refresh.outage_seconds,
        )
        self._rounds = PageRounds(
            _page_source(settings, self._cluster, transport or DirectTransport(), clock),
            self._cluster,
            self._changed,
            interval_seconds=settings.refresh.scrape_interval_seconds,
            clock=clock,
        )
        self._layers = LayerRounds(
            LayerReader(connection, settings.layer),
            self._cluster,
            self._changed,
            interval_seconds=settings.refresh.layer_interval_seconds,
            wait_seconds=settings.refresh.layer_wait_seconds,
            clock=clock,
        )
        self._sizing = _sizing_rounds(settings, self._cluster, self._changed, clock)
        self._services = _service_rounds(settings, transport or DirectTransport(), clock)

    @property
    def changed(self) -> threading.Event:
        """Set with every change of an object, a layer or sizing, and after every round of pages."""
        return self._changed

    def start(self) -> None:
        """Begin to watch and to read."""
        self._cluster.start()
        self._rounds.start()
        self._layers.start()
        if self._sizing is not None:
            self._sizing.start()
        if self._services is not None:
            self._services.start()

    def observe(self, now: float) -> Observed:
        """What is known; copies nothing that did not change.

        Raises:
            Exception: whatever unexpected ended the last round of pages or look at the layers or
                at sizing, once.
        """
        # First: what comes in while the rest is read is then there and not yet counted on.
        missing = tuple(self._missing(now))
        pages = self._rounds.last()
        layer = self._layers.last()
        sizing = self._sizing.last() if self._sizing is not None else SizingLook()
        objects = self._cluster.objects(now)
        observations = Observations(
            now=now,
            nodes=objects.nodes,
            pods=objects.pods,
            owners=objects.owners,
            dcgm=pages.dcgm,
            monitors=pages.monitors,
            schedulers=pages.schedulers,
            slices=objects.slices,
            claims=objects.claims,
            placement=objects.placement,
            layer=layer.objects,
            silent={**self._cluster.silent(now), **pages.silent},
        )
        return Observed(
            observations=observations,
            statuses=merged(
                (
                    *self._cluster.statuses(),
                    *layer.statuses,
                    *pages.statuses,
                    *sizing.statuses,
                    *(self._services.statuses if self._services is not None else ()),
                )
            ),
            missing=missing,
            sizing=sizing.report,
            services=self._services,
        )

    def close(self) -> None:
        """End all threads and connections."""
        if self._services is not None:
            self._services.close()
        if self._sizing is not None:
            self._sizing.close()
        self._rounds.close()
        self._layers.close()
        self._cluster.close()

    def _missing(self, now: float) -> Iterator[str]:
        yield from self._cluster.missing(now)
        if not self._rounds.finished:
            yield "pages: first round"
        if not self._layers.finished:
            yield "sharing layers: first look"


def _page_source(
    settings: Settings, cluster: ClusterReader, transport: Transport, clock: Callable[[], float]
) -> PageSource:
    if settings.page_prometheus is not None:
        return PrometheusReader(settings.page_prometheus)
    return EndpointPages(
        cluster,
        Scraper(transport, settings.scrape, clock),
        shard=settings.shard,
        namespaces=settings.exporter_namespaces,
    )


def _service_rounds(
    settings: Settings, transport: Transport, clock: Callable[[], float]
) -> ServiceRounds | None:
    """What asks inference servers, or the Prometheus that has their series."""
    if settings.services is None:
        return None
    source = (
        DirectServices(transport, settings.services, clock)
        if settings.page_prometheus is None
        else PrometheusServices(settings.page_prometheus)
    )
    return ServiceRounds(source, interval_seconds=settings.refresh.scrape_interval_seconds)


def _sizing_rounds(
    settings: Settings,
    cluster: ClusterReader,
    changed: threading.Event,
    clock: Callable[[], float],
) -> SizingRounds | None:
    """What looks at days; of several shards one does, and without a Prometheus none."""
    interval = settings.refresh.sizing_interval_seconds
    if settings.prometheus is None or not interval or not settings.shard.owns(SIZING):
        return None
    return SizingRounds(
        SizingReader(settings.prometheus, hidden=settings.exclude_namespaces),
        cluster,
        changed,
        interval_seconds=interval,
        start_seconds=settings.refresh.sizing_start_seconds,
        clock=clock,
    )

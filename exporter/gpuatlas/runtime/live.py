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
from gpuatlas.runtime.settings import Settings
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.layer.reader import LayerReader
from gpuatlas.sources.promapi.reader import PrometheusReader
from gpuatlas.sources.scrape.scraper import Scraper
from gpuatlas.sources.scrape.transport import DirectTransport, Transport


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

    @property
    def changed(self) -> threading.Event:
        """Set with every change of an object or a layer, and after every round of pages."""
        return self._changed

    def start(self) -> None:
        """Begin to watch and to read."""
        self._cluster.start()
        self._rounds.start()
        self._layers.start()

    def observe(self, now: float) -> Observed:
        """What is known; copies nothing that did not change.

        Raises:
            Exception: whatever unexpected ended the last round of pages or look at the layers,
                once.
        """
        pages = self._rounds.last()
        layer = self._layers.last()
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
            statuses=merged((*self._cluster.statuses(), *layer.statuses, *pages.statuses)),
            missing=tuple(self._missing(now)),
        )

    def close(self) -> None:
        """End all threads and connections."""
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
    if settings.prometheus is not None:
        return PrometheusReader(settings.prometheus)
    return EndpointPages(
        cluster,
        Scraper(transport, settings.scrape, clock),
        shard=settings.shard,
        namespaces=settings.exporter_namespaces,
    )

"""Metrics of the exporter itself, served by prometheus-client from a registry of our own."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.exposition import generate_latest
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.openmetrics.exposition import generate_latest as generate_openmetrics

from gpuatlas import __version__
from gpuatlas.families.exposition import EOF, Format
from gpuatlas.runtime.refresh import RefreshCounts
from gpuatlas.runtime.scope import Shard


class SelfMetrics:
    """Process, runtime, build and refresh metrics in both formats, without the end of the page."""

    def __init__(
        self,
        counts: Callable[[], RefreshCounts],
        *,
        revision: str = "",
        shard: Shard = Shard(),  # noqa: B008 -- frozen
    ) -> None:
        self._registry = CollectorRegistry(auto_describe=False)
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        GCCollector(registry=self._registry)
        self._registry.register(_Refresh(counts))
        self._registry.register(_Build(revision))
        self._registry.register(_Shards(shard))

    def render(self, form: Format) -> bytes:
        """The text of all of them."""
        if form is Format.OPENMETRICS:
            page: bytes = generate_openmetrics(self._registry)  # type: ignore[no-untyped-call]
            return page.removesuffix(EOF)
        return generate_latest(self._registry)


class _Refresh:
    def __init__(self, counts: Callable[[], RefreshCounts]) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        counts = self._counts()
        yield CounterMetricFamily(
            "gpuatlas_refresh", "Snapshots that were built and published.", value=counts.rounds
        )
        yield CounterMetricFamily(
            "gpuatlas_refresh_failures",
            "Rounds that an unexpected error ended; the page before stayed up.",
            value=counts.failures,
        )
        if counts.seconds is not None:
            yield GaugeMetricFamily(
                "gpuatlas_refresh_duration_seconds",
                "Time that the last snapshot took to join and render.",
                value=counts.seconds,
            )
        if counts.succeeded_at is not None:
            yield GaugeMetricFamily(
                "gpuatlas_refresh_last_success_timestamp_seconds",
                "When the page that is served was made, in seconds since 1970.",
                value=counts.succeeded_at,
            )


class _Build:
    def __init__(self, revision: str) -> None:
        self._labels = {
            "version": __version__,
            "revision": revision,
            "python_version": platform.python_version(),
        }

    def collect(self) -> Iterator[Metric]:
        yield InfoMetricFamily(
            "gpuatlas_build", "What is running: 1 with version and revision.", value=self._labels
        )


class _Shards:
    """How many parts there must be, so that a missing one can be told by what the others say."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    def collect(self) -> Iterator[Metric]:
        family = GaugeMetricFamily(
            "gpuatlas_shards",
            "Exporters that share the cluster, as the one with this number was told.",
            labels=("shard",),
        )
        family.add_metric((str(self._shard.index),), self._shard.count)
        yield family

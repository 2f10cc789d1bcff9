"""All settings of `gpuatlas serve`: one frozen tree, made once at start and handed down.

Nothing here reads a flag, an environment variable or a file; `cli.serve` fills the tree, and what
cannot work is reported by `problems` before anything starts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from gpuatlas.runtime.scope import Shard
from gpuatlas.runtime.web.address import ListenAddress
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.layer.settings import LayerSettings
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas.sources.scrape.settings import ScrapeSettings
from gpuatlas.sources.services.settings import ServiceSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """The HTTP side."""

    listen: ListenAddress = field(default_factory=lambda: ListenAddress("", 9836))
    """Address and port. Port 9836 is free in Prometheus' list of exporter ports; the host "" is
    every interface, IPv4 and IPv6; port 0 takes any free one (tests, demo)."""

    web_config_file: Path | None = None
    """exporter-toolkit's web configuration file. None: plain HTTP without passwords."""

    threads: int = 8
    """Requests answered at the same time. A scrape copies finished text, so few are enough: two
    Prometheus replicas, probes and a person leave most of them idle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshSettings:
    """The refresh loop. Durations are seconds."""

    min_interval_seconds: float = 1.0
    """Pause between two renders: in a busy cluster pods change many times a second, and nobody
    scrapes more often than once."""

    scrape_interval_seconds: float = 30.0
    """How often the pages of other exporters are read, and the checks judged; dcgm-exporter's own
    interval is 30 s."""

    layer_interval_seconds: float = 30.0
    """How often the sharing layers' own objects are read, and their webhooks' certificates."""

    layer_wait_seconds: float = 15.0
    """Longest wait for the first of these reads: after it the picture is shown without them."""

    sizing_interval_seconds: float = 3600.0
    """How often the recordings of days are looked at, where there is a Prometheus; 0 for never.
    They change little in an hour, and one look asks for all of a cluster's."""

    sizing_start_seconds: float = 5.0
    """Before the first such look: the pages come first, which the same server is asked for."""

    tick_seconds: float = 1.0
    """Longest sleep of the loop: how old the statuses can be, and how often it gives a beat."""

    stall_seconds: float = 120.0
    """After this long without a beat `/healthz` says 503. The first snapshot of the largest cluster
    is to take 30 s: four times that is no slow machine any more but a hanging loop."""

    outage_seconds: float = 600.0
    """After this long without the API server the cluster's series go away: what is shown would be
    a memory. Shorter outages (an upgrade of the control plane) keep the last picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSettings:
    """The log on standard error."""

    level: str = "info"
    """debug, info, warning or error, of our own messages; libraries speak from warning on."""

    style: str = "logfmt"
    """logfmt or json."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that one process needs to know."""

    kubernetes: KubernetesSettings = field(default_factory=KubernetesSettings)
    """How the API server is reached."""

    scrape: ScrapeSettings = field(default_factory=ScrapeSettings)
    """How the pages of other exporters are read from their pods."""

    prometheus: PrometheusSettings | None = None
    """A Prometheus with the recordings that sizing learns from. None: sizes stay unknown."""

    prometheus_pages: bool = True
    """Whether that Prometheus is read in place of the pods: it must scrape all of them then."""

    layer: LayerSettings = field(default_factory=LayerSettings)
    """How the sharing layers' own objects are read."""

    services: ServiceSettings | None = field(default_factory=ServiceSettings)
    """How the pages of inference servers on shared cards are read. None: not at all."""

    exporter_namespaces: frozenset[str] = frozenset()
    """Namespaces whose pods are taken for exporters and sharing layers. Empty: any, told by labels,
    the namespace with the most of them first."""

    server: ServerSettings = field(default_factory=ServerSettings)
    """How the metrics are served."""

    refresh: RefreshSettings = field(default_factory=RefreshSettings)
    """How often pages are read and rendered."""

    shard: Shard = field(default_factory=Shard)
    """Which part of the nodes and namespaces this process publishes. 0/1: all."""

    exclude_namespaces: frozenset[str] = frozenset()
    """Namespaces whose workloads and allocations are not published. Their pods still count in the
    sums of the cards that they hold."""

    log: LogSettings = field(default_factory=LogSettings)
    """How the process logs."""

    revision: str = ""
    """Commit that the image was built from, for gpuatlas_build_info. "": not known."""

    @property
    def page_prometheus(self) -> PrometheusSettings | None:
        """The Prometheus that has the pages' series. None: the pods themselves are read."""
        return self.prometheus if self.prometheus_pages else None

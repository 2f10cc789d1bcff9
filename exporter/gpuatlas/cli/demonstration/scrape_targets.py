"""How the demo's Prometheus names what it scrapes, in the past and now: one place for both.

Jobs, addresses and labels are those of a real cluster (node_exporter as kube-prometheus-stack has
it, servers by a PodMonitor), so that a series of the past goes on when the running exporters are
scraped, whose ports on loopback are others each time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.demo.state import World
from gpuatlas.demo.wire.addresses import Address, default_addresses
from gpuatlas.demo.wire.page_pods import PagePod, page_pods

CLUSTER: Final = "demo"
_JOBS: Final[Mapping[str, str]] = {
    "dcgm": "dcgm-exporter",
    "hami-monitor": "hami-monitor",
    "hami-scheduler": "hami-scheduler",
    "node-exporter": "node-exporter",
    "service": "monitoring/inference-servers",
}
# Of these the target's own pod is told, as the operator for Prometheus does; the pages of the
# others name pods themselves.
_WITH_POD: Final = frozenset({"node-exporter", "service"})
# No rule and no board reads the buckets of servers' histograms, and there are thousands.
_BUCKETS: Final = ".+_bucket"

EndpointKey = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrapeTarget:
    """One target. `honours` as `honor_labels`: labels of the page come before those of the target.

    docs/metrics.md asks for it for our own exporter. `pod` are namespace, pod and container where
    the target's labels have them. Metrics whose name matches `left_out` as a whole are not kept.
    """

    job: str
    instance: str
    honours: bool = False
    pod: tuple[str, str, str] | None = None
    left_out: str = ""

    @property
    def labels(self) -> dict[str, str]:
        """What Prometheus lays over each sample."""
        own = {"cluster": CLUSTER, "job": self.job, "instance": self.instance}
        names = ("namespace", "pod", "container")
        return own | dict(zip(names, self.pod, strict=True)) if self.pod else own

    def leaves_out(self, name: str) -> bool:
        """Whether samples of that name are not kept."""
        return bool(self.left_out) and re.fullmatch(self.left_out, name) is not None


EXPORTER: Final = ScrapeTarget(job="gpuatlas", instance="gpuatlas:9836", honours=True)


def endpoint_targets(world: World) -> dict[EndpointKey, ScrapeTarget]:
    """The simulated exporters and servers of a cluster by (kind, subject).

    A server whose pod is not there is no target.
    """
    addresses = default_addresses(world)
    pods = {pod.endpoint: pod for pod in page_pods(world, addresses).values()}
    return {
        key: _target(key[0], addresses[key], pods.get(key))
        for key in (endpoint.key for endpoint in world.endpoints)
        if key in addresses
    }


def _target(kind: str, address: Address, pod: PagePod | None) -> ScrapeTarget:
    return ScrapeTarget(
        job=_JOBS[kind],
        instance=f"{address.host}:{address.port}",
        pod=(pod.namespace, pod.name, pod.container) if pod and kind in _WITH_POD else None,
        left_out=_BUCKETS if kind == "service" else "",
    )

"""How the demo's Prometheus names what it scrapes, in the past and now: one place for both.

Jobs and addresses are those of a real cluster, so that a series of the past goes on when the
running exporters are scraped, whose ports on loopback are others each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.demo.state import World
from gpuatlas.demo.wire.addresses import default_addresses

CLUSTER: Final = "demo"
_JOBS: Final[Mapping[str, str]] = {
    "dcgm": "dcgm-exporter",
    "hami-monitor": "hami-monitor",
    "hami-scheduler": "hami-scheduler",
}

EndpointKey = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrapeTarget:
    """One target. `honours` as `honor_labels`: labels of the page come before those of the target.

    docs/metrics.md asks for it for our own exporter.
    """

    job: str
    instance: str
    honours: bool = False

    @property
    def labels(self) -> dict[str, str]:
        """What Prometheus lays over each sample."""
        return {"cluster": CLUSTER, "job": self.job, "instance": self.instance}


EXPORTER: Final = ScrapeTarget(job="gpuatlas", instance="gpuatlas:9836", honours=True)


def endpoint_targets(world: World) -> dict[EndpointKey, ScrapeTarget]:
    """The simulated exporters of a cluster by (kind, subject)."""
    addresses = default_addresses(world)
    return {
        key: ScrapeTarget(job=_JOBS[kind], instance=f"{addresses[key].host}:{addresses[key].port}")
        for key in (endpoint.key for endpoint in world.endpoints)
        for kind in (key[0],)
    }

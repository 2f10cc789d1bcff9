"""Endpoints of other exporters, as the API told us of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

DCGM: Final = "dcgm"
HAMI_MONITOR: Final = "hami-monitor"
HAMI_SCHEDULER: Final = "hami-scheduler"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One exposition endpoint: a port of one pod.

    `source` is DCGM, HAMI_MONITOR or HAMI_SCHEDULER. `node` is the node that the pod runs on (a
    DaemonSet's page is about its own node); "" for a scheduler, whose page is about all nodes.
    """

    source: str
    namespace: str
    pod: str
    node: str
    host: str
    port: int
    path: str = "/metrics"

    @property
    def name(self) -> str:
        """How messages name it: the node where it has one, else the pod."""
        return self.node or f"{self.namespace}/{self.pod}"

    @property
    def url(self) -> str:
        """Its address for a direct read."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}{self.path}"

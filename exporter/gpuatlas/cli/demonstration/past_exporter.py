"""What `gpuatlas serve` would have answered a scrape at an instant of the past.

The refresh loop, the join, the checks and the families are the exporter's own; its clocks are the
simulated instant. What is only known of a running process (memory, time spent) is left out.
"""

from __future__ import annotations

from typing import Final

from gpuatlas.cli.demonstration.past_cluster import PastCluster
from gpuatlas.demo.state import World
from gpuatlas.families.exposition import Format
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.observations import Observations
from gpuatlas.model.snapshot import Snapshot
from gpuatlas.runtime.refresh import RefreshCounts, RefreshLoop
from gpuatlas.runtime.selfmetrics import SelfMetrics
from gpuatlas.runtime.settings import RefreshSettings
from gpuatlas.runtime.web.metrics import metrics_response

_OWN: Final = b"gpuatlas_"
_REFRESH_SECONDS: Final = 30.0  # about how often a quiet cluster's page is made: once a round


class _Joined:
    """The exporter's own join, with what went in and what came out the last time."""

    def __init__(self) -> None:
        self._joiner = Joiner()
        self._last: tuple[Observations, Snapshot] | None = None

    def build(self, observations: Observations) -> Snapshot:
        """As `Joiner.build`."""
        snapshot = self._joiner.build(observations)
        self._last = (observations, snapshot)
        return snapshot

    def last(self) -> tuple[Observations, Snapshot]:
        """Raises RuntimeError before the first time."""
        if self._last is None:
            message = "nothing was joined yet"
            raise RuntimeError(message)
        return self._last


class PastExporter:
    """Moved from instant to instant; belongs to one thread.

    `began` is when the exporter of this past was started, in Unix seconds.
    """

    def __init__(self, cluster: PastCluster, *, began: float) -> None:
        self._began = began
        self._at = began
        self._joined = _Joined()
        self._loop = RefreshLoop(
            observer=cluster,
            builder=self._joined,
            settings=RefreshSettings(),
            clock=self._now,
            monotonic=self._now,
        )
        self._self_metrics = SelfMetrics(self._counts)
        self._cluster = cluster

    def page(self, world: World) -> bytes:
        """The text page of the instant of `world`, which the cluster shows.

        Raises:
            RuntimeError: the exporter would have failed to make one.
        """
        self._at = world.at
        failures = self._loop.published.counts.failures
        self._loop.refresh(changed=True)
        if self._loop.published.counts.failures > failures or self._loop.published.page is None:
            message = f"the exporter made no page for the instant {world.at:.0f}; see its log"
            raise RuntimeError(message)
        return b"".join(metrics_response({}, self._loop.published, self._own_metrics).chunks)

    @property
    def seen(self) -> tuple[Observations, Snapshot]:
        """What the last page was made of."""
        return self._joined.last()

    def _now(self) -> float:
        return self._at

    def _counts(self) -> RefreshCounts:
        rounds = 1 + int((self._at - self._began) // _REFRESH_SECONDS)
        return RefreshCounts(rounds=rounds, succeeded_at=self._at)

    def _own_metrics(self, form: Format) -> bytes:
        lines = self._self_metrics.render(form).splitlines(keepends=True)
        return b"".join(line for line in lines if line.startswith(_OWN))

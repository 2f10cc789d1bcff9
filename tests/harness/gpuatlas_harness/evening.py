"""The page of the simulated evening, as text to compare with: every family, exact values."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

from gpuatlas.checks.evaluate import evaluate
from gpuatlas.demo.server import SimulatedCluster
from gpuatlas.families.exposition import Format
from gpuatlas.families.page import PageCache
from gpuatlas.join.snapshot import Joiner
from gpuatlas.runtime.once import ClusterSettings, NoProgress, look_at_cluster
from gpuatlas.sources.kubernetes.settings import KubernetesSettings

from .page import SELF_PREFIXES
from .simulated import EVENING

GOLDEN: Final = Path(__file__).parents[2] / "exporter" / "e2e" / "golden" / "evening.prom"
# A real server sets the times of creation and of writing itself, advice is judged once a minute,
# and what the checks find depends on the day on which somebody looks: the evening's heartbeats and
# leaders are long gone by then. Their verdicts have tests of their own.
OF_THE_CLOCK: Final = (
    "gpuatlas_workload_waiting_seconds",
    "gpuatlas_pool_strategy_advice_info",
    "gpuatlas_sharing_config_changed_timestamp_seconds",
    "gpuatlas_finding",
    "gpuatlas_check_",
    "gpuatlas_node_check_inputs",
)
# Whether and by which certificate webhooks answer is asked of their endpoints, which the simulator
# has on loopback: a real API server takes no such EndpointSlice.
PROBED: Final = (
    "gpuatlas_sharing_webhook_endpoints",
    "gpuatlas_sharing_webhook_reachable",
    "gpuatlas_sharing_webhook_certificate_",
)


def comparable(text: str) -> list[str]:
    """The sample lines that depend on nothing but the cluster, sorted."""
    left_out = (*SELF_PREFIXES, *OF_THE_CLOCK, *PROBED, "#")
    return sorted(line for line in text.splitlines() if not line.startswith(left_out))


def evening_page() -> str:
    """Read from the simulated API server through the ordinary sources."""
    with (
        tempfile.TemporaryDirectory() as folder,
        SimulatedCluster(start=EVENING, speed=0) as cluster,
    ):
        kubeconfig = cluster.kubeconfig(Path(folder) / "kubeconfig")
        settings = ClusterSettings(kubernetes=KubernetesSettings(kubeconfig=kubeconfig))
        look = look_at_cluster(settings, clock=lambda: EVENING, progress=NoProgress())
    seen, cache = look.observed.observations, PageCache()
    snapshot = Joiner().build(seen)
    page = cache.with_checks(cache.update(snapshot), evaluate(seen, snapshot), seen.layer)
    text = b"".join(page.body(Format.TEXT).chunks).decode()
    return "\n".join(comparable(text)) + "\n"

"""What a Prometheus does not have, and what to do about it. Pure.

Only what everything rests on is told; what one container or node lacks is told with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from gpuatlas.sources.history import names
from gpuatlas.sources.history.daily import Daily
from gpuatlas.sources.history.labels import ContainerKey
from gpuatlas.sources.history.present import Present

_RENAMED: Final = (
    f"{names.NODE_INFO}: its scrape renames labels to exported_…: set honorLabels: true for it"
)
_NO_EXPORTER: Final = (
    f"{names.NODE_INFO}: no series of GPU Atlas: let this Prometheus scrape `gpuatlas serve`"
)
_NO_RULES: Final = (
    f"{names.WATCHED}: no recording of ours: the rules began minutes ago, or they are not loaded, "
    "or are those of an older version: load recording_rules/*.yaml"
)
_NO_USE: Final = (
    f"{names.MEMORY_PEAK}: no memory use of a container was recorded: let this Prometheus scrape "
    "dcgm-exporter and the sharing layer's monitor, and wait an hour"
)
_NO_HOST: Final = (
    f"{names.HOST_AVAILABLE}: no host memory was recorded: let this Prometheus scrape node_exporter"
)
_LEFT_OUT: Final = (
    "--prometheus-matcher {}: recordings have no such label, so that nothing of them is read: "
    "match by the label cluster alone"
)


def missing_of(
    present: Present,
    daily: Daily,
    alive: frozenset[ContainerKey],
    *,
    overcommitted: frozenset[str],
    matchers: Mapping[str, str],
) -> tuple[str, ...]:
    """Sentences, the most important first, with the cluster's name before them where it has one.

    Args:
        present: what is there.
        daily: what was recorded.
        alive: containers that hold something now.
        overcommitted: clusters that have nodes whose memory a layer promises.
        matchers: labels that all series were asked for with.
    """
    found = [_LEFT_OUT.format(f"{k}={v}") for k, v in matchers.items() if k != "cluster"]
    clusters = sorted({node.cluster for node in present.node_sharing})
    if not clusters:
        return (*found, _RENAMED if present.renamed else _NO_EXPORTER)
    for cluster in clusters:
        told = _of_cluster(cluster, daily, alive, overcommitted=cluster in overcommitted)
        found += (f"cluster {cluster}: {text}" if cluster else text for text in told)
    return tuple(found)


def _of_cluster(
    cluster: str, daily: Daily, alive: frozenset[ContainerKey], *, overcommitted: bool
) -> Iterator[str]:
    if not daily.watched.get(cluster):
        yield _NO_RULES
        return
    if any(key.workload.cluster == cluster for key in alive) and not any(
        row and key.workload.cluster == cluster for key, row in daily.memory_peak.items()
    ):
        yield _NO_USE
    if overcommitted and not any(
        row and key.cluster == cluster for key, row in daily.host_available.items()
    ):
        yield _NO_HOST

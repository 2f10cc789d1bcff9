"""What the analysis of sizing publishes, as series, and rows of the board Sizing."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.boards.sizing_queries import ROW
from gpuatlas_dashboards.workload_variables import KEY

GIB: Final = 2**30
SCRAPED: Final = 'job="gpuatlas", instance="i"'


def container(workload: str, *, cluster: str = "c", name: str = "main") -> str:
    return (
        f'cluster="{cluster}", namespace="red", workload_kind="Deployment",'
        f' workload="{workload}", container="{name}"'
    )


def keyed(workload: str, *, cluster: str = "c", name: str = "main") -> str:
    """The labels of a row of the tables."""
    key = f"{cluster}/red/Deployment/{workload}"
    labels = container(workload, cluster=cluster, name=name)
    return f'{labels}, {KEY}="{key}", {ROW}="{key}/{name}"'


def said(metric: str, workload: str, value: float, extra: str = "") -> dict[str, str]:
    """What the analysis publishes of a container."""
    return {f"gpuatlas_sizing_{metric}{{{container(workload)}, {SCRAPED}{extra}}}": f"{value}x5"}


def verdict(workload: str, verdict: str, reason: str = "", resource: str = "memory") -> str:
    words = f'resource="{resource}", verdict="{verdict}", reason="{reason}"'
    return f"gpuatlas_sizing_verdict_info{{{container(workload)}, {SCRAPED}, {words}}}"


JUDGED: Final = (
    said("memory_present_bytes", "chat", 12 * GIB)
    | said("memory_peak_bytes", "chat", 6 * GIB)
    | said("memory_proposed_bytes", "chat", 7 * GIB)
    | said("memory_saving_bytes", "chat", 20 * GIB)
    | said("memory_present_bytes", "embed", 4 * GIB)
    | {verdict("chat", "smaller"): "1x5", verdict("embed", "cannot", "rollout"): "1x5"}
)

"""Puts into a `RecordedPrometheus` what the exporter and the rules would have put there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .recorded import DAY, RecordedPrometheus

GIB: Final = 1024**3
NODE: Final = "gpu-a"
CARD: Final = "GPU-00000000-0000-4000-8000-00000000000a"
MODEL: Final = "NVIDIA A10G"
PHYSICAL: Final = 24 * GIB


class Labels(dict[str, str]):
    """Labels without those that are empty, as Prometheus keeps them."""

    def __init__(self, **labels: str) -> None:
        super().__init__({name: value for name, value in labels.items() if value})


def add_node(
    prometheus: RecordedPrometheus,
    node: str = NODE,
    *,
    sharing: str = "hami",
    cards: Sequence[str] = (CARD,),
    model: str = MODEL,
    physical: int | None = PHYSICAL,
    allocated: int | None = None,
    cluster: str = "",
) -> None:
    """A node and its cards, in a cluster that was watched for as long as anybody asks."""
    where = Labels(cluster=cluster, node=node)
    prometheus.add("gpuatlas_node_info", 1, **where, sharing=sharing)
    for index, card in enumerate(cards):
        of = {**where, "card": card}
        prometheus.add(
            "gpuatlas_card_info", 1, **of, index=str(index), model=model, sharing=sharing
        )
        if physical is not None:
            prometheus.add("card:gpuatlas_memory_physical_bytes:max", physical, **of)
        if allocated is not None:
            prometheus.add("card:gpuatlas_memory_allocated_bytes:max", allocated, **of)
    prometheus.days("cluster:gpuatlas_watched:ratio1d", [1] * 14, **Labels(cluster=cluster))
    prometheus.add("node:gpuatlas_host_memory_available_bytes:min1d", 64 * GIB, **where)


def add_container(
    prometheus: RecordedPrometheus,
    name: str = "chat",
    *,
    container: str = "main",
    namespace: str = "team-a",
    kind: str = "Deployment",
    cluster: str = "",
    pods: Sequence[str] = ("chat-0",),
    cards: Sequence[str] = (CARD,),
    node: str = NODE,
    partition: str = "vgpu",
    memory: int | None = 12 * GIB,
    compute: float | None = 0.5,
    runtime: str = "pytorch",
) -> dict[str, str]:
    """A container of a workload whose pods hold cards; gives the labels of its recordings."""
    workload = Labels(cluster=cluster, namespace=namespace, workload_kind=kind, workload=name)
    prometheus.add("gpuatlas_workload_info", 1, **workload, runtime=runtime)
    for pod in pods:
        own = {**workload, "pod": pod}
        prometheus.add("pod:gpuatlas_pod_workload_info:group", 1, **own)
        for card in cards:
            at = Labels(cluster=cluster, namespace=namespace, pod=pod, node=node, card=card)
            part = Labels(container=container, partition=partition)
            prometheus.add("gpuatlas_allocation_info", 1, **at, **part, evidence="annotation")
    of = Labels(**workload, container=container)
    promises = {
        "container:gpuatlas_allocations:count": len(pods) * len(cards),
        "container:gpuatlas_memory_reserved_bytes:max": memory,
        "container:gpuatlas_compute_reserved_ratio:max": compute,
    }
    for metric, value in promises.items():
        if value is not None:
            prometheus.add(metric, value, **of)
    return of


def add_days(
    prometheus: RecordedPrometheus,
    of: dict[str, str],
    peaks: Sequence[float | None],
    *,
    p95: float | None = 0.25,
    replicas: int = 1,
) -> None:
    """Days of a container that was there and measured all the time, the last one of today."""
    recorded: dict[str, Sequence[object]] = {
        "container:gpuatlas_memory_used_bytes:max1d": peaks,
        "container:gpuatlas_compute_utilization_ratio:quantile95_1d": [p95] * len(peaks),
        "container:gpuatlas_allocations:max1d": [replicas] * len(peaks),
        "container:gpuatlas_present:ratio1d": [1] * len(peaks),
        "container:gpuatlas_measured:ratio1d": [1] * len(peaks),
        "container:gpuatlas_memory_limit_hit:max1d": [0] * len(peaks),
    }
    for metric, values in recorded.items():
        prometheus.days(metric, values, **of)


def workload_of(of: dict[str, str]) -> dict[str, str]:
    """The labels of the workload of a container."""
    return {name: value for name, value in of.items() if name != "container"}


def add_run(
    prometheus: RecordedPrometheus,
    name: str,
    *,
    group: str = "nightly",
    days_ago: int,
    peak: float,
    hours: float = 2.0,
    kind: str = "Job",
    memory: int = 12 * GIB,
    card: str = CARD,
    phase: str = "Succeeded",
) -> dict[str, str]:
    """A run of some hours that ended two hours before the end of a day."""
    workload = Labels(namespace="team-a", workload_kind=kind, workload=name)
    of = {**workload, "container": "main"}
    end = prometheus.now - days_ago * DAY
    last = end - 2 * 3600
    prometheus.add("workload:gpuatlas_workload_run_group:group", 1, last, **workload, group=group)
    prometheus.add("gpuatlas_workload_info", 1, last, **workload, runtime="pytorch")
    prometheus.add("gpuatlas_workload_pods", 1, last, **workload, phase=phase)
    prometheus.add("workload:gpuatlas_card_info:group", 1, last, **workload, node=NODE, card=card)
    prometheus.add("container:gpuatlas_allocations:count", 1, last, **of)
    prometheus.add("container:gpuatlas_memory_reserved_bytes:max", memory, last, **of)
    prometheus.add("container:gpuatlas_memory_used_bytes:max1d", peak, end, **of)
    prometheus.add("container:gpuatlas_allocations:max1d", 1, end, **of)
    prometheus.add("container:gpuatlas_present:ratio1d", hours / 24, end, **of)
    prometheus.add("container:gpuatlas_measured:ratio1d", 1, end, **of)
    return of

"""The programs whose pages we read, and by which labels their pods are known: one row each.

Who serves a page is told by the pod's labels alone: HAMi's metric names and its `zone` label are
worn by others, too (facts/errata.md). Sources: facts/dcgm.md 1.1 and 1.2, facts/hami.md 1.1, 1.4
and 6.1; the charts of Project-HAMi's Ascend plugin, Volcano plugin and KAI resource isolator for
their labels. AKS managed GPU nodes run dcgm-exporter outside Kubernetes: no pod, so no row. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.targets import DCGM, HAMI_MONITOR, HAMI_SCHEDULER


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """One program in one packaging. Rows of one program have the same `name`.

    `suite` is what it is installed together with, hence in the same namespace.
    `containers` are the containers that may serve the page, empty for any. The port is the first
    container port named in `ports`, else `default_port`. `per_node` programs speak of the node
    that they run on. `node_annotation` is what the node must say for the page to exist at all.
    """

    name: str
    suite: str
    source: str
    label: str
    values: frozenset[str]
    ports: tuple[str, ...]
    default_port: int
    containers: frozenset[str] = frozenset()
    per_node: bool = True
    node_annotation: tuple[str, str] | None = None


_COMPONENT: Final = "app.kubernetes.io/component"
_NAME: Final = "app.kubernetes.io/name"
_DCGM_PORTS: Final = ("metrics", "gpu-metrics")
_MONITOR_PORTS: Final = ("metrics", "monitorport")
_VOLCANO: Final = frozenset({"volcano-device-plugin", "volcano-vgpu-device-plugin"})
_VOLCANO_CONTAINERS: Final = frozenset({"monitor", "vgpu-monitor"})

COMPONENTS: Final[tuple[Component, ...]] = (
    Component(  # GPU Operator, and its variant for DRA nodes
        name="dcgm-exporter",
        suite="dcgm",
        source=DCGM,
        label="app",
        values=frozenset({"nvidia-dcgm-exporter", "nvidia-dcgm-exporter-dra", "dcgm-exporter"}),
        ports=_DCGM_PORTS,
        default_port=9400,
    ),
    Component(  # the exporter's own chart and manifests, and GKE's managed DaemonSet
        name="dcgm-exporter",
        suite="dcgm",
        source=DCGM,
        label=_NAME,
        values=frozenset(
            {"dcgm-exporter", "nvidia-dcgm-exporter", "gke-managed-dcgm-exporter"},
        ),
        ports=_DCGM_PORTS,
        default_port=9400,
    ),
    Component(
        name="hami-monitor",
        suite="hami",
        source=HAMI_MONITOR,
        label=_COMPONENT,
        values=frozenset({"hami-device-plugin"}),
        containers=frozenset({"vgpu-monitor"}),
        ports=_MONITOR_PORTS,
        default_port=9394,
    ),
    Component(
        name="hami-scheduler",
        suite="hami",
        source=HAMI_SCHEDULER,
        label=_COMPONENT,
        values=frozenset({"hami-scheduler"}),
        containers=frozenset({"vgpu-scheduler-extender"}),
        ports=("metrics",),
        default_port=9395,
        per_node=False,
    ),
    Component(  # serves pages only on nodes with soft splitting
        name="hami-ascend",
        suite="ascend",
        source=HAMI_MONITOR,
        label=_COMPONENT,
        values=frozenset({"hami-ascend-device-plugin"}),
        ports=_MONITOR_PORTS,
        default_port=9395,
        node_annotation=("hami-vnpu-core", "true"),
    ),
    Component(
        name="kai-monitor",
        suite="kai",
        source=HAMI_MONITOR,
        label=_COMPONENT,
        values=frozenset({"kai-vgpu-monitor"}),
        ports=_MONITOR_PORTS,
        default_port=9394,
    ),
    *(
        Component(
            name="volcano-monitor",
            suite="volcano",
            source=HAMI_MONITOR,
            label=label,
            values=_VOLCANO,
            containers=_VOLCANO_CONTAINERS,
            ports=_MONITOR_PORTS,
            default_port=9394,
        )
        for label in ("name", "app", _NAME, _COMPONENT)
    ),
)


def component_of(labels: Mapping[str, str]) -> Component | None:
    """The row that a pod's labels match, or None."""
    for component in COMPONENTS:
        if labels.get(component.label) in component.values:
            return component
    return None

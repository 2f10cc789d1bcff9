"""Installations for `gpuatlas doctor`, as its readers give them, and its screens of them.

`python -m gpuatlas_harness.doctored` writes the golden screens again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from gpuatlas.cli.screens.doctor import doctor_screen
from gpuatlas.cli.screens.glyphs import UNICODE
from gpuatlas.doctor.examine import examine
from gpuatlas.doctor.recordings import GROUPS
from gpuatlas.doctor.results import Result
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.catalogue import Layer
from gpuatlas.model.checks import MissingInput
from gpuatlas.model.doctor import (
    Access,
    ClusterFacts,
    DcgmSeries,
    LoadedRule,
    PrometheusFacts,
    Scraped,
    SeenCluster,
    SourceSight,
)
from gpuatlas.model.layer import LayerController, LayerObjects
from gpuatlas.model.objects import Pod
from gpuatlas.model.snapshot import Allocation
from gpuatlas.model.targets import DCGM
from gpuatlas.sources.capture.projection import project_capture
from gpuatlas.sources.capture.reader import read_capture
from gpuatlas.sources.catalogue import load_catalogue
from gpuatlas.sources.kubernetes.rights import needed

ROOT: Final = Path(__file__).parents[3]
GOLDEN: Final = ROOT / "tests" / "exporter" / "cli" / "golden"
CAPTURE: Final = ROOT / "tests" / "fixtures" / "captures" / "hami-a10g"
WIDTHS: Final = (80, 200)
USER: Final = "system:serviceaccount:gpu-monitoring:gpuatlas"

RIGHTS: Final = tuple(
    replace(right, allowed=True) for right in needed(None, ("hami-system",), proxied=False)
)


def seen() -> SeenCluster:
    """The A10G of the seed: one node, HAMi, all pages."""
    captured = project_capture(read_capture(CAPTURE), now=0.0)
    controllers = [
        controller(kind, component)
        for kind, component in (
            ("DaemonSet", "hami-device-plugin"),
            ("Deployment", "hami-scheduler"),
        )
    ]
    pods = {uid: newer(pod) for uid, pod in captured.observations.pods.items()}
    observations = replace(
        captured.observations, pods=pods, layer=LayerObjects(controllers=tuple(controllers))
    )
    snapshot = Joiner().build(observations)
    return SeenCluster(
        observations=observations,
        snapshot=snapshot,
        statuses=captured.statuses,
        pages_from="http://prometheus:9090",
    )


def allocations() -> Iterator[Allocation]:
    """What is held on that node."""
    for node in seen().snapshot.nodes.values():
        yield from node.allocations


def newer(pod: Pod) -> Pod:
    """With a dcgm-exporter of our days."""
    tag = ":4.5.3-4.8.2-ubuntu22.04"
    containers = [replace(c, image=c.image.replace(":v2.9.0", tag)) for c in pod.containers]
    return replace(pod, containers=tuple(containers))


def controller(kind: str, component: str, tag: str = "v2.9.0") -> LayerController:
    """One of HAMi's own."""
    return LayerController(
        kind=kind,
        namespace="hami-system",
        name=component,
        component=component,
        version="",
        node_selector={},
        images={"main": f"docker.io/projecthami/hami:{tag}"},
        desired=1,
        ready=1,
        updated=1,
        settled=True,
    )


def healthy_cluster() -> ClusterFacts:
    """Everything is allowed and read."""
    access = Access(
        address="https://10.0.0.1:443", version="v1.34.2", user=USER, in_pod=True, proxied=False
    )
    return ClusterFacts(access=access, rights=RIGHTS, seen=seen())


def without_prometheus() -> ClusterFacts:
    """The same, its pages read from their pods."""
    cluster = healthy_cluster()
    return replace(cluster, seen=replace(seen(), pages_from=""))


def healthy_prometheus() -> PrometheusFacts:
    """Everything is scraped and loaded."""
    catalogue = load_catalogue()
    recordings = [LoadedRule(group=group, name=name) for group, name in GROUPS.items()]
    alerts = [
        LoadedRule(group=str(layer), name=entry.alert, check=entry.id)
        for layer in Layer
        for entry in catalogue.of_layer(layer)
    ]
    return PrometheusFacts(
        address="http://prometheus:9090",
        version="3.5.0",
        exporters=(
            Scraped(
                job="gpuatlas",
                instance="10.1.0.7:9836",
                namespace="gpu-monitoring",
                pod="gpuatlas-5d8f-x2",
                version="0.1.0",
            ),
        ),
        renamed={},
        holders=frozenset((held.namespace, held.pod) for held in allocations()),
        dcgm=DcgmSeries(series=4, nodeless=0, pods=3),
        rules=(*recordings, *alerts),
        recorded=frozenset(GROUPS.values()),
        history_days=21,
        alertmanagers=2,
        sources=(
            SourceSight(source="dcgm", up=True, namespace="gpu-monitoring", pod="gpuatlas-5d8f-x2"),
        ),
        blind=(),
    )


def troubled_cluster() -> ClusterFacts:
    """Something of everything that a cluster can lack."""
    before = healthy_cluster()
    assert before.seen is not None
    dcgm = before.seen.observations
    nodes = sorted(dcgm.nodes)
    silent = {(DCGM, nodes[0]): "HTTP 500 from 10.1.0.9:9400"}
    lacking = {"daemonsets", "deployments", "configmaps", "pods"}
    rights = tuple(
        replace(right, allowed=right.resource not in lacking or right.verb == "list")
        if right.resource in {"pods"}
        else replace(right, allowed=right.resource not in lacking)
        for right in RIGHTS
    )
    missing = (
        MissingInput(check="H04", input="DCGM_FI_DEV_ROW_REMAP_FAILURE", reason="off"),
        MissingInput(check="H04", input="DCGM_FI_DEV_ROW_REMAP_PENDING", reason="off"),
        MissingInput(check="H10", input="DCGM_FI_DEV_PCIE_LINK_WIDTH", reason="off"),
    )
    return replace(
        before,
        access=replace(before.access, version="v1.25.9"),
        rights=rights,
        seen=replace(before.seen, observations=replace(dcgm, silent=silent), missing=missing),
    )


def troubled_prometheus() -> PrometheusFacts:
    """Something of everything that a Prometheus can lack."""
    before = healthy_prometheus()
    assert before.rules is not None
    rules = [
        replace(rule, error='invalid metric name "a b"') if rule.name == GROUPS["card"] else rule
        for rule in before.rules
        if rule.name != GROUPS["worth"]
        and rule.check not in {"H05", "exporter-down"}
        and rule.group != str(Layer.SHARING)
    ]
    return replace(
        before,
        version="2.37.0",
        renamed={"gpuatlas": ("exported_namespace", "exported_pod")},
        dcgm=DcgmSeries(series=4, nodeless=4, pods=0),
        rules=tuple(rules),
        recorded=frozenset(),
        history_days=3,
        alertmanagers=0,
        sources=(
            SourceSight(
                source="dcgm", up=False, namespace="gpu-monitoring", pod="gpuatlas-5d8f-x2"
            ),
            SourceSight(source="kubernetes-nodes", up=True, namespace="", pod=""),
        ),
    )


def unmatched_cluster() -> ClusterFacts:
    """Its pages are looked for in a Prometheus where none has the labels that all must have."""
    before = seen()
    pages = {status.source for status in before.statuses if status.targets}
    observations = replace(before.observations, dcgm=(), monitors=(), schedulers=())
    statuses = tuple(
        replace(status, targets={}) if status.source in pages else status
        for status in before.statuses
    )
    return replace(
        healthy_cluster(),
        seen=replace(
            before,
            observations=observations,
            snapshot=Joiner().build(observations),
            statuses=statuses,
        ),
    )


def unmatched_prometheus() -> PrometheusFacts:
    """Nothing of ours has cluster=prd."""
    return PrometheusFacts(
        address="http://prometheus:9090",
        version="3.5.0",
        exporters=(),
        renamed={},
        holders=frozenset(),
        dcgm=DcgmSeries(),
        rules=healthy_prometheus().rules,
        recorded=frozenset(),
        history_days=0,
        alertmanagers=2,
        sources=(),
        blind=(),
        matchers={"cluster": "prd"},
        labelled=({"cluster": ""}, {"cluster": "dev"}, {"cluster": "prod"}),
    )


def results() -> dict[str, tuple[Result, ...]]:
    """By the name of the golden file."""
    catalogue = load_catalogue()
    away = ClusterFacts(access=Access(error="no Kubernetes configuration: KUBECONFIG is not set"))
    error = "HTTP 502 from http://prometheus:9090: no upstream"
    broken = PrometheusFacts(address="http://prometheus:9090", error=error)
    return {
        "healthy": examine(healthy_cluster(), healthy_prometheus(), catalogue),
        "troubled": examine(troubled_cluster(), troubled_prometheus(), catalogue),
        "blind": examine(away, broken, catalogue),
        "alone": examine(without_prometheus(), None, catalogue),
        "unmatched": examine(unmatched_cluster(), unmatched_prometheus(), catalogue),
    }


def screen_of(found: tuple[Result, ...], width: int) -> str:
    """The screen as a pipe gets it."""
    lines = doctor_screen(found, width=width, glyphs=UNICODE)
    return "".join(f"{line.plain}\n" for line in lines)


def main() -> None:
    """Write the golden screens again."""
    for name, found in results().items():
        for width in WIDTHS:
            (GOLDEN / f"doctor-{name}-{width}.txt").write_text(screen_of(found, width), "utf-8")


if __name__ == "__main__":
    main()

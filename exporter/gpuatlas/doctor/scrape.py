"""Whether our exporter and dcgm-exporter are scraped, with the labels that they give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from gpuatlas.doctor.namespaces import examine_namespaces
from gpuatlas.doctor.programs import nvidia_nodes
from gpuatlas.doctor.results import Act, Area, Remedy, Result, State
from gpuatlas.model.doctor import ClusterFacts, DcgmSeries, PrometheusFacts, Scraped

_SELECT: Final = Remedy(
    Act.SET,
    "scrape.labels to what the Prometheus' serviceMonitorSelector wants, such as "
    "scrape.labels.release=kube-prometheus-stack (plain Prometheus: the job gpuatlas of "
    "docs/install.md in scrape_configs)",
)
_ONCE: Final = Remedy(Act.SET, "scrape.by=none in our chart, or remove the other job")
_RESTART: Final = Remedy(Act.RUN, "kubectl get pods -A -l app.kubernetes.io/name=gpuatlas")
_HONOUR: Final = (
    "honorLabels: true in its ServiceMonitor (honor_labels in a plain scrape job); where it is, "
    "the Prometheus has overrideHonorLabels: let another one scrape gpuatlas"
)
_DCGM_MONITOR: Final = Remedy(
    Act.SET,
    "dcgmExporter.serviceMonitor.enabled=true in the GPU Operator (serviceMonitor.enabled in "
    "dcgm-exporter's chart; plain Prometheus: the job dcgm-exporter of docs/install.md in "
    "scrape_configs)",
)
_DCGM_PODS: Final = Remedy(Act.SET, "DCGM_EXPORTER_KUBERNETES=true in dcgm-exporter's environment")
_DCGM_NODE: Final = Remedy(
    Act.SET, "no metricRelabelings that drop Hostname in dcgm-exporter's ServiceMonitor"
)


def examine_scrape(cluster: ClusterFacts, prometheus: PrometheusFacts) -> Iterator[Result]:
    """Our exporter, its labels, and DCGM's series."""
    yield _exporter(prometheus)
    yield from _labels(cluster, prometheus)
    yield from _dcgm(cluster, prometheus)


def _exporter(prometheus: PrometheusFacts) -> Result:
    if prometheus.exporters is None:
        return _unread(prometheus, "exporters", "gpuatlas")
    if twice := _scraped_twice(prometheus.exporters):
        text = f"the same gpuatlas is scraped by jobs {twice}: every sum counts it twice"
        return _result("gpuatlas", State.TODO, text, _ONCE)
    if prometheus.exporters:
        jobs = sorted({found.job for found in prometheus.exporters})
        number = len(prometheus.exporters)
        places = ", ".join(f"{found.instance}" for found in prometheus.exporters[:3])
        text = f"{number} gpuatlas in job {', '.join(jobs)}: {places}"
        return _result("gpuatlas", State.OK, text)
    if prometheus.gone:
        text = (
            f"gpuatlas_build_info of job {', '.join(prometheus.gone)} was there within a day and "
            "has gone: the exporter does not run, or is not reached"
        )
        return _result("gpuatlas", State.TODO, text, _RESTART)
    text = "there is no gpuatlas_build_info: this Prometheus does not scrape gpuatlas serve"
    return _result("gpuatlas", State.TODO, text, _SELECT)


def _scraped_twice(exporters: Iterable[Scraped]) -> str:
    """The jobs that scrape one and the same pod, "" where none does.

    Plain jobs often name no pod, ours in docs/install.md and those by annotations among them; the
    address is then what they have in common. Two pods that are named are two, whatever addresses
    they have: those of two clusters may be equal.
    """
    listed = list(exporters)
    jobs = [
        sorted({one.job, other.job})
        for at, one in enumerate(listed)
        for other in listed[at + 1 :]
        if one.job != other.job and _is_same(one, other)
    ]
    return ", ".join(jobs[0]) if jobs else ""


def _is_same(one: Scraped, other: Scraped) -> bool:
    if one.pod and other.pod:
        return (one.namespace, one.pod) == (other.namespace, other.pod)
    return bool(one.instance) and one.instance == other.instance


def _labels(cluster: ClusterFacts, prometheus: PrometheusFacts) -> Iterator[Result]:
    if prometheus.renamed is None:
        yield _unread(prometheus, "renamed", "labels")
        return
    if not prometheus.exporters:
        text = "which labels it would have: gpuatlas is not scraped"
        yield _result("labels", State.UNKNOWN, text)
        return
    for job, names in sorted(prometheus.renamed.items()):
        text = (
            f"job {job} renames our labels to {', '.join(names)}: what is shown as pod and node "
            "is the exporter's own"
        )
        yield _result("labels", State.TODO, text, Remedy(Act.SET, _HONOUR))
    if not prometheus.renamed:
        yield examine_namespaces(cluster, prometheus)


def _dcgm(cluster: ClusterFacts, prometheus: PrometheusFacts) -> Iterator[Result]:
    if prometheus.dcgm is None:
        yield _unread(prometheus, "dcgm", "dcgm")
        return
    if prometheus.dcgm.series:
        yield _nodes(prometheus.dcgm)
        yield _pods(cluster, prometheus.dcgm)
    elif cluster.seen is not None and nvidia_nodes(cluster.seen):
        text = "no DCGM series, and nodes offer NVIDIA's cards: H01-H12 and the boards lack them"
        yield _result("dcgm", State.TODO, text, _DCGM_MONITOR)
    elif cluster.seen is None:
        text = "no DCGM series; whether there should be any is unknown without the nodes"
        yield _result("dcgm", State.UNKNOWN, text)
    else:
        text = "no DCGM series, and no node offers NVIDIA's cards"
        yield _result("dcgm", State.NOT_APPLICABLE, text)


def _nodes(dcgm: DcgmSeries) -> Result:
    if dcgm.nodeless:
        text = (
            f"{dcgm.nodeless} of {dcgm.series} DCGM series name no node (Hostname, hostname or "
            "node)"
        )
        return _result("dcgm", State.TODO, text, _DCGM_NODE)
    return _result("dcgm", State.OK, f"DCGM series of {dcgm.series} cards and instances, with node")


def _pods(cluster: ClusterFacts, dcgm: DcgmSeries) -> Result:
    if dcgm.pods:
        return _result("dcgm-pods", State.OK, f"DCGM series name {dcgm.pods} pods on the cards")
    nodes = () if cluster.seen is None else cluster.seen.snapshot.nodes.values()
    if any(node.allocations for node in nodes):
        text = "DCGM series name no pod, though pods hold cards: alerts cannot list who is hit"
        return _result("dcgm-pods", State.OPTIONAL, text, _DCGM_PODS)
    text = "DCGM series name no pod; whether they would is unknown while no pod holds a card"
    return _result("dcgm-pods", State.UNKNOWN, text)


def _unread(prometheus: PrometheusFacts, field: str, word: str) -> Result:
    return _result(word, State.UNKNOWN, prometheus.unread.get(field, "it was not read"))


def _result(word: str, state: State, text: str, remedy: Remedy | None = None) -> Result:
    return Result(area=Area.SCRAPE, word=word, state=state, text=text, remedy=remedy)

"""Which exporters and layers were found, and which of their pages could be read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from gpuatlas.doctor.matchers import matches_nothing, wanted
from gpuatlas.doctor.programs import (
    dcgm_outside,
    hami_controllers,
    hami_outside,
    nvidia_nodes,
)
from gpuatlas.doctor.results import Act, Area, Remedy, Result, State
from gpuatlas.model.doctor import ClusterFacts, PrometheusFacts, SeenCluster
from gpuatlas.model.pages import DcgmPage
from gpuatlas.model.status import SourceStatus
from gpuatlas.model.targets import DCGM, HAMI_MONITOR, HAMI_SCHEDULER

_PAGES: Final = (DCGM, HAMI_MONITOR, HAMI_SCHEDULER)
_UP: Final = "up"
_SHOWN: Final = 3
_HOST_LAYERS: Final = frozenset({"hami", "volcano", "kai"})
_SEE_NODES: Final = Remedy(
    Act.RUN, "kubectl get nodes -o custom-columns=NODE:.metadata.name,OFFERS:.status.allocatable"
)
_MAY_I: Final = Remedy(
    Act.RUN, "kubectl auth can-i list nodes && kubectl auth can-i list pods --all-namespaces"
)
_INSTALL_DCGM: Final = Remedy(
    Act.SET, "dcgmExporter.enabled=true in the GPU Operator, or install dcgm-exporter's chart"
)
_TOLERATE: Final = Remedy(
    Act.RUN, "kubectl get pods -A -o wide -l app.kubernetes.io/name=dcgm-exporter"
)
# What `sources.promapi` says of a server that holds more than one: node names repeat.
_CLUSTERS: Final = "holds several clusters"
_MATCH: Final = Remedy(
    Act.SET, "--prometheus-matcher cluster=NAME (in the chart: prometheus.matchers)"
)
_LIST_PODS: Final[Mapping[str, Remedy]] = {
    DCGM: Remedy(Act.RUN, "kubectl get pods -A -o wide | grep dcgm-exporter"),
    HAMI_MONITOR: Remedy(
        Act.RUN, "kubectl get pods -A -o wide -l app.kubernetes.io/component=hami-device-plugin"
    ),
    HAMI_SCHEDULER: Remedy(
        Act.RUN, "kubectl get pods -A -o wide -l app.kubernetes.io/component=hami-scheduler"
    ),
}


def examine_sources(cluster: ClusterFacts, prometheus: PrometheusFacts | None) -> Iterator[Result]:
    """Cards, layers, pages and the other kinds of objects."""
    seen = cluster.seen
    if seen is None:
        text = f"nodes and pods were not read: {cluster.error}"
        yield _result("cluster", State.FAILED, text, _MAY_I)
        return
    yield _cards(seen)
    yield _layers(seen)
    if prometheus is not None and seen.pages_from and matches_nothing(prometheus):
        text = f"which pages there are: no series in {seen.pages_from} has {wanted(prometheus)}"
        yield _result("pages", State.UNKNOWN, text)
    else:
        yield from _every_page(seen)
    yield from _objects(cluster, seen)


def _every_page(seen: SeenCluster) -> Iterator[Result]:
    statuses = {status.source: status for status in seen.statuses}
    way = f" in {seen.pages_from}" if seen.pages_from else ""
    for source in _PAGES:
        if (status := statuses.get(source)) is not None:
            yield from _pages(seen, status, way)
    yield from _dcgm_missing(seen, statuses.get(DCGM))


def _cards(seen: SeenCluster) -> Result:
    nodes = [node for node in seen.snapshot.nodes.values() if node.cards]
    if nodes:
        number = sum(len(node.cards) for node in nodes)
        text = f"{_count(number, 'card')} on {_count(len(nodes), 'node')}"
        return _result("cards", State.OK, text)
    if seen.snapshot.nodes:
        text = f"{_count(len(seen.snapshot.nodes), 'node')} with cards that nothing names"
        return _result("cards", State.UNKNOWN, text)
    text = (
        "no node offers cards: no device plugin or DRA driver runs, or its pods do not start "
        "on the nodes"
    )
    return _result("cards", State.TODO, text, _SEE_NODES)


def _layers(seen: SeenCluster) -> Result:
    words = Counter(
        word for node in seen.snapshot.nodes.values() for word in node.sharing.split(",") if word
    )
    if not words:
        return _result("layers", State.NOT_APPLICABLE, "no node tells how its cards are shared")
    shared = ", ".join(f"{word} on {_count(n, 'node')}" for word, n in sorted(words.items()))
    homes = sorted({controller.namespace for controller in hami_controllers(seen)})
    own = f"; HAMi itself in {', '.join(homes)}" if homes else ""
    return _result("layers", State.OK, f"{shared}{own}")


def _pages(seen: SeenCluster, status: SourceStatus, way: str) -> Iterator[Result]:
    """What was read of a source's pages, and each reason for which others were not."""
    read = status.targets.get(_UP, 0)
    total = sum(status.targets.values())
    if read:
        text = f"{read} of {_count(total, f'{status.source} page')} read{way}"
        yield _result(status.source, State.OK, text)
    reasons = _silences(seen, status.source)
    for reason, nodes in reasons.items():
        text = f"no {status.source} page of {_named(nodes)}: {reason}"
        yield _result(status.source, State.TODO, text, _LIST_PODS[status.source])
    if status.error and not reasons:
        text = f"no {status.source} pages: {status.error}"
        remedy = _MATCH if _CLUSTERS in status.error else _LIST_PODS[status.source]
        yield _result(status.source, State.TODO, text, remedy)
    if not total and not reasons and not status.error:
        yield from _absent(seen, status.source, way)


def _silences(seen: SeenCluster, source: str) -> dict[str, list[str]]:
    """Why nodes have no page of a source: reason → nodes, "" for all of them."""
    found: dict[str, list[str]] = defaultdict(list)
    for (silent, node), reason in sorted(seen.observations.silent.items()):
        if silent == source:
            found[reason].append(node)
    return found


def _absent(seen: SeenCluster, source: str, way: str) -> Iterator[Result]:
    """A source that is nowhere: of DCGM `_dcgm_missing` says whether it should be."""
    if source == DCGM:
        return
    if homes := hami_outside(seen, source):
        yield _not_named(seen, source, homes)
        return
    sharing = {w for node in seen.snapshot.nodes.values() for w in node.sharing.split(",")}
    if sharing & _HOST_LAYERS and source == HAMI_MONITOR:
        text = (
            f"no page of a sharing layer's monitor was found{way}: what tenants hold is counted "
            "by nobody"
        )
        yield _result(source, State.OPTIONAL, text, _LIST_PODS[source])
    else:
        yield _result(source, State.NOT_APPLICABLE, f"no {source} here")


def _dcgm_missing(seen: SeenCluster, status: SourceStatus | None) -> Iterator[Result]:
    """Nodes with NVIDIA's cards and without a page."""
    expected = nvidia_nodes(seen)
    if not expected:
        text = "no node offers NVIDIA's cards"
        if not seen.observations.dcgm:
            yield _result(DCGM, State.NOT_APPLICABLE, text)
        return
    told = {node for page in seen.observations.dcgm for node in _nodes_of(page, seen)}
    told |= {node for source, node in seen.observations.silent if source == DCGM}
    if "" in told or (status is not None and status.error and not told):
        return  # the pages as a whole were not read, or do not name their node
    without = [node for node in expected if node not in told]
    if homes := dcgm_outside(seen, without):
        yield _not_named(seen, DCGM, homes)
    elif len(without) == len(expected):
        text = (
            f"{_count(len(expected), 'node')} with NVIDIA's cards and no dcgm-exporter: memory "
            "and compute in use are unknown, and H01-H12 cannot look"
        )
        yield _result(DCGM, State.TODO, text, _INSTALL_DCGM)
    elif without and seen.pages_from:
        text = (
            f"no series of dcgm-exporter on {_named(without)} in {seen.pages_from}: it does not "
            "run there, or cannot be scraped (up == 0)"
        )
        yield _result(DCGM, State.TODO, text, _LIST_PODS[DCGM])
    elif without:
        text = f"dcgm-exporter does not run on {_named(without)}: a taint or a node selector"
        yield _result(DCGM, State.TODO, text, _TOLERATE)


def _nodes_of(page: DcgmPage, seen: SeenCluster) -> set[str]:
    """The nodes that a page is of, "" for one that does not tell.

    In a Prometheus the scrape need not name the node; then its cards do, unless what they name is
    the exporter's pod.
    """
    if page.node:
        return {page.node}
    hosts = {card.host for card in page.cards.values()}
    return hosts if hosts and hosts <= seen.snapshot.nodes.keys() else {""}


def _not_named(seen: SeenCluster, source: str, homes: tuple[str, ...]) -> Result:
    text = (
        f"no {source} page: what serves it runs in {', '.join(homes)}, and only pods of "
        f"{', '.join(seen.exporter_namespaces)} are taken for exporters"
    )
    options = " ".join(f"--exporter-namespace {home}" for home in homes)
    remedy = Remedy(
        Act.SET, f"{', '.join(homes)} among exporterNamespaces in our chart ({options})"
    )
    return _result(source, State.TODO, text, remedy)


def _objects(cluster: ClusterFacts, seen: SeenCluster) -> Iterator[Result]:
    """Kinds of objects that failed for another reason than a right, of which `rights` tells."""
    denied = {right.source for right in cluster.rights if right.allowed is False}
    for status in seen.statuses:
        if status.error and status.source not in {*_PAGES, *denied}:
            text = f"{status.source}: {status.error}"
            yield _result("objects", State.UNKNOWN, text)


def _named(nodes: list[str]) -> str:
    if nodes == [""]:
        return "any node"
    more = f" and {len(nodes) - _SHOWN} more" if len(nodes) > _SHOWN else ""
    return f"{', '.join(nodes[:_SHOWN])}{more}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _result(word: str, state: State, text: str, remedy: Remedy | None = None) -> Result:
    return Result(area=Area.SOURCES, word=word, state=state, text=text, remedy=remedy)

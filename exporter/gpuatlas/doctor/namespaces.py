"""Whether a Prometheus writes a namespace of its own over ours without keeping them.

So does enforcedNamespaceLabel of the operator, after the scrape and whatever honorLabels says:
no label exported_… is left to see it by. What is left are the pods' names. A pod that the
Prometheus has in the exporter's namespace, and the cluster in another, was moved.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Final

from gpuatlas.doctor.results import Act, Area, Remedy, Result, State
from gpuatlas.model.doctor import ClusterFacts, PrometheusFacts

_EXCLUDE: Final = Remedy(
    Act.SET,
    "excludedFromEnforcement of the Prometheus to our ServiceMonitor and PrometheusRules: its "
    "enforcedNamespaceLabel does that",
)

_Pod = tuple[str, str]


def examine_namespaces(cluster: ClusterFacts, prometheus: PrometheusFacts) -> Result:
    """The state of the labels of a scrape that renames none."""
    told = prometheus.holders
    if told is None:
        return _result(State.UNKNOWN, prometheus.unread.get("holders", "it was not read"))
    if not told:
        text = (
            "no pod on a card is in this Prometheus: whether it would have its own namespace "
            "cannot be seen"
        )
        return _result(State.UNKNOWN, text)
    own = {found.namespace for found in prometheus.exporters or ()} - {""}
    if not {namespace for namespace, _ in told} <= own:
        return _result(State.OK, "namespace, pod and node are those that gpuatlas gives")
    if cluster.seen is None:
        text = (
            f"all pods on cards have the exporter's own namespace {_listed(own)}; whether they are "
            "of others is unknown without the pods of the cluster"
        )
        return _result(State.UNKNOWN, text)
    real = {(pod.namespace, pod.name) for pod in cluster.seen.observations.pods.values()}
    return _compared(told, real)


def _compared(told: Collection[_Pod], real: Collection[_Pod]) -> Result:
    """Of pods that all have the exporter's own namespace."""
    moved = _moved(told, real)
    if not moved and not any(pod in real for pod in told):
        text = (
            "the pods on cards that this Prometheus has are not in the cluster any more: whether "
            "it writes its own namespace over others cannot be seen"
        )
        return _result(State.UNKNOWN, text)
    if not moved:
        text = (
            "namespace, pod and node are those that gpuatlas gives; all pods on cards are its own"
        )
        return _result(State.OK, text)
    (namespace, name), home = next(iter(sorted(moved.items())))
    text = (
        f"all pods on cards have the exporter's own namespace {namespace}, and {len(moved)} of "
        f"{len(told)} are of others, such as {name} of {home}: the Prometheus writes it over ours "
        "without keeping them"
    )
    return _result(State.TODO, text, _EXCLUDE)


def _moved(told: Collection[_Pod], real: Collection[_Pod]) -> Mapping[_Pod, str]:
    """Those that are not where they are told to be, with where they are; of gone ones nothing."""
    homes: dict[str, list[str]] = defaultdict(list)
    for namespace, name in sorted(real):
        homes[name].append(namespace)
    return {pod: homes[pod[1]][0] for pod in told if pod not in real and pod[1] in homes}


def _listed(names: Collection[str]) -> str:
    return ", ".join(sorted(names))


def _result(state: State, text: str, remedy: Remedy | None = None) -> Result:
    return Result(area=Area.SCRAPE, word="labels", state=state, text=text, remedy=remedy)

"""Whose a series is: keys out of labels. Pure.

A Prometheus may hold several clusters, which the label `cluster` tells apart. Series of ours that a
scrape renamed (`exported_…`) name the exporter's own pod and are nobody's, as in the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from gpuatlas.model.units import clean_text

# The longest name that Kubernetes lets anything have.
_MAX_NAME: Final = 253
_RENAMED: Final = ("exported_pod", "exported_node")

Labels = Mapping[str, str]


class WorkloadKey(NamedTuple):
    """The top-level object; `kind` as the label `workload_kind` writes it."""

    cluster: str
    namespace: str
    kind: str
    name: str


class ContainerKey(NamedTuple):
    """A container of all pods of a workload, "" where only the pod is known."""

    workload: WorkloadKey
    container: str


class PodKey(NamedTuple):
    """A pod."""

    cluster: str
    namespace: str
    pod: str


class NodeKey(NamedTuple):
    """A node."""

    cluster: str
    node: str


class CardKey(NamedTuple):
    """A card; `card` is its UUID, "" where nobody knows which one it is."""

    cluster: str
    node: str
    card: str


def text(labels: Labels, name: str) -> str:
    """The value of a label, fit to be one of ours; "" for none."""
    return clean_text(labels.get(name, ""), limit=_MAX_NAME)


def is_ours(labels: Labels) -> bool:
    """Whether the labels of the series are those that the exporter gave it."""
    return not any(labels.get(name) for name in _RENAMED)


def cluster_of(labels: Labels) -> str:
    """The cluster, "" where nothing names one."""
    return text(labels, "cluster")


def workload_of(labels: Labels) -> WorkloadKey | None:
    """The workload that a series names."""
    key = WorkloadKey(*(text(labels, n) for n in ("cluster", "namespace", *_WORKLOAD)))
    return key if key.namespace and key.kind and key.name else None


def container_of(labels: Labels) -> ContainerKey | None:
    """The container of a workload that a series names."""
    workload = workload_of(labels)
    return None if workload is None else ContainerKey(workload, text(labels, "container"))


def pod_of(labels: Labels) -> PodKey | None:
    """The pod that a series names."""
    key = PodKey(cluster_of(labels), text(labels, "namespace"), text(labels, "pod"))
    return key if key.namespace and key.pod else None


def behind_pod_of(labels: Labels) -> PodKey | None:
    """The pod that a page itself names where its scrape laid another pod over it.

    Pages are the tenants' own: one can speak for the pods of its namespace, and for no others.
    """
    namespace = text(labels, "namespace")
    said = text(labels, "exported_namespace") or namespace
    key = PodKey(cluster_of(labels), namespace, text(labels, "exported_pod"))
    return key if namespace and said == namespace and key.pod else None


def node_of(labels: Labels) -> NodeKey | None:
    """The node that a series names."""
    key = NodeKey(cluster_of(labels), text(labels, "node"))
    return key if key.node else None


def card_of(labels: Labels) -> CardKey:
    """The card that a series names, as far as it does."""
    return CardKey(cluster_of(labels), text(labels, "node"), text(labels, "card"))


_WORKLOAD: Final = ("workload_kind", "workload")

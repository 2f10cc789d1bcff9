"""Finds every name in a capture and gives it its replacement, parents before children."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from gpuatlas.model.observations import Observations
from gpuatlas.sources.capture.anonymise.lines import page_labels
from gpuatlas.sources.capture.anonymise.names import Names
from gpuatlas.sources.capture.anonymise.vocabulary import NAMESPACES, is_container, is_uuid
from gpuatlas.sources.capture.contents import Capture, RawObject
from gpuatlas.sources.kai.marks import RESERVATION_NAME_START
from gpuatlas.sources.kubernetes.kinds import NODES, PODS
from gpuatlas.sources.layer.asks import ASKS, DAEMON_SETS, DEPLOYMENTS

# Labels of metrics that hold names, as exporters and a Prometheus behind them write them.
NODE_LABELS: Final = frozenset(
    {"node", "nodeid", "nodename", "Hostname", "hostname", "kubernetes_node", "exported_node"}
)
NAMESPACE_LABELS: Final = frozenset(
    {"namespace", "podnamespace", "pod_namespace", "exported_namespace", "quotanamespace"}
)
POD_LABELS: Final = frozenset({"pod", "podname", "pod_name", "exported_pod"})
CONTAINER_LABELS: Final = frozenset(
    {"container", "ctrname", "container_name", "exported_container"}
)
_CLAIM: Final = "ResourceClaim"
# Of the sharing layers' objects those that are no workloads: (API group, kind).
_OF_LAYERS: Final = frozenset(
    (ask.api_group, ask.kind) for ask in ASKS if ask not in {DAEMON_SETS, DEPLOYMENTS}
)
_NO_OWNERS: Final = _OF_LAYERS | {
    (NODES.api_group, NODES.kind),
    (PODS.api_group, PODS.kind),
    ("resource.k8s.io", _CLAIM),
}
_HASH_LABEL: Final = "pod-template-hash"
_HASH_LABELS: Final = (
    _HASH_LABEL,
    "rollouts-pod-template-hash",
    "leaderworkerset.sigs.k8s.io/template-revision-hash",
    "grove.io/pod-template-hash",
    "controller-revision-hash",
)
_DIGITS: Final = re.compile(r"([0-9]+)")

Metadata = Mapping[str, Any]


def metadata_of(raw: RawObject) -> Metadata:
    """The metadata of a trimmed object."""
    found = raw.body.get("metadata")
    return found if isinstance(found, Mapping) else {}


def take_names(capture: Capture, observations: Observations, names: Names) -> None:
    """Registers the names of the objects, then those that only pages know, then the cards."""
    _nodes(capture.objects, names)
    _namespaces(capture.objects, names)
    _owners(capture.objects, names)
    _pods(capture.objects, names)
    _claims(capture.objects, names)
    _layers(capture.objects, names)
    _containers(capture.objects, names)
    _from_pages(capture, names)
    _cards(observations, names)


def _in_order(found: Iterable[str]) -> list[str]:
    """By their numbers where they have some, so that node-2 stays before node-10."""
    return sorted(
        {text for text in found if text},
        key=lambda text: [
            (0, int(part), "") if part.isdecimal() else (1, 0, part) for part in _DIGITS.split(text)
        ],
    )


def _metadata(objects: Iterable[RawObject], *kinds: str) -> Iterator[Metadata]:
    return (metadata_of(raw) for raw in objects if not kinds or raw.kind in kinds)


def _node(name: str, names: Names) -> None:
    """A node; its first part by itself is how an exporter on it may call it."""
    if names.known(name) is not None:
        return
    replacement = names.numbered(name, "node")
    short, dot, _ = name.partition(".")
    if dot:
        names.give(name, f"{replacement}.example.com")
        if names.known(short) is None:
            names.give(short, replacement)


def _nodes(objects: Iterable[RawObject], names: Names) -> None:
    for name in _in_order(m.get("name", "") for m in _metadata(objects, NODES.kind)):
        _node(name, names)


def _namespace(name: str, names: Names) -> None:
    if name in NAMESPACES and names.known(name) is None:
        names.keep(name)
    names.numbered(name, "namespace")


def _namespaces(objects: Iterable[RawObject], names: Names) -> None:
    for name in _in_order(m.get("namespace", "") for m in _metadata(objects)):
        _namespace(name, names)


def _reference(metadata: Metadata) -> tuple[str, str]:
    """(kind, name) of the controller, ("", "") where there is none."""
    for reference in metadata.get("ownerReferences", ()):
        return str(reference.get("kind", "")), str(reference.get("name", ""))
    return "", ""


def _owners(objects: Iterable[RawObject], names: Names) -> None:
    """Workloads at the top first, then what hangs below them: their names are often parts."""
    above: dict[tuple[str, str], tuple[str, str]] = {}
    for raw in objects:
        metadata = metadata_of(raw)
        reference = _reference(metadata)
        if (raw.api_group, raw.kind) not in _NO_OWNERS:
            beginning = (raw.kind, _beginning(metadata))
            above[raw.kind, metadata.get("name", "")] = reference if reference[1] else beginning
        if reference[1] and raw.kind != _CLAIM:
            above.setdefault(reference, _guessed(metadata, reference))
    for kind, name in sorted(above):
        _workload(kind, name, above, names)


def _beginning(metadata: Metadata) -> str:
    """What a name was generated from: runs that share it go on sharing it."""
    beginning = str(metadata.get("generateName", "")).rstrip("-")
    return beginning if str(metadata.get("name", "")).startswith(f"{beginning}-") else ""


def _guessed(metadata: Metadata, reference: tuple[str, str]) -> tuple[str, str]:
    """The Deployment above a ReplicaSet that was not read, as the join tells it."""
    kind, name = reference
    template = str(metadata.get("labels", {}).get(_HASH_LABEL, ""))
    if kind == "ReplicaSet" and template and name.endswith(f"-{template}"):
        return "Deployment", name.removesuffix(f"-{template}")
    return "", ""


def _workload(
    kind: str, name: str, above: Mapping[tuple[str, str], tuple[str, str]], names: Names
) -> None:
    """The workload, after what stands above it: its name may be a part of this one's."""
    if kind == NODES.kind or not name or names.known(name) is not None:
        return
    parent = above.get((kind, name), ("", ""))
    if parent[1] != name:
        _workload(*parent, {k: v for k, v in above.items() if k != (kind, name)}, names)
    names.below(name, parent[1], kind.lower() or "workload")


def _pods(objects: Iterable[RawObject], names: Names) -> None:
    found = {m.get("name", ""): m for m in _metadata(objects, PODS.kind)}
    for name in _in_order(found):
        if name.startswith(RESERVATION_NAME_START):  # KAI's pods are known by their names
            names.numbered(name, RESERVATION_NAME_START.removesuffix("-"))
        names.below(name, _reference(found[name])[1], "pod")
        _revisions(found[name], names)


def _revisions(pod: Metadata, names: Names) -> None:
    """Hashes of its template; that of a StatefulSet has the name of the set in front."""
    owner = _reference(pod)[1]
    labels = pod.get("labels", {})
    for revision in filter(None, (str(labels.get(key, "")) for key in _HASH_LABELS)):
        if owner and revision.startswith(f"{owner}-"):
            names.below(revision, owner, "revision")
        else:
            names.scrambled(revision)


def _claims(objects: Iterable[RawObject], names: Names) -> None:
    """Claims that were made from a template are named after their pod."""
    found = {m.get("name", ""): m for m in _metadata(objects, _CLAIM)}
    for name in _in_order(found):
        names.below(name, _reference(found[name])[1], "claim")


def _layers(objects: Iterable[RawObject], names: Names) -> None:
    """A sharing layer's own objects that own nothing. They are often named as its workloads are."""
    found = {
        metadata_of(raw).get("name", ""): raw.kind
        for raw in objects
        if (raw.api_group, raw.kind) in _OF_LAYERS
    }
    for name in _in_order(found):
        names.numbered(name, found[name].lower())


def _containers(objects: Iterable[RawObject], names: Names) -> None:
    for raw in objects:
        spec = raw.body.get("spec", {}) if raw.kind == PODS.kind else {}
        for field in ("initContainers", "containers"):
            for container in spec.get(field, ()):
                _container(str(container.get("name", "")), names)


def _container(name: str, names: Names) -> None:
    if is_container(name):
        names.keep(name)
    names.numbered(name, "container")


def _from_pages(capture: Capture, names: Names) -> None:
    """Names of things that no object describes. An exporter's pod can stand for a node."""
    found: dict[str, set[str]] = {"node": set(), "namespace": set(), "pod": set(), "ctr": set()}
    for page in capture.pages:
        for label, value in page_labels(page.body):
            for kind, labels in (
                ("node", NODE_LABELS),
                ("namespace", NAMESPACE_LABELS),
                ("pod", POD_LABELS),
                ("ctr", CONTAINER_LABELS),
            ):
                if label in labels:
                    found[kind].add(value)
    for name in _in_order(found["node"]):
        _node(name, names)
    for name in _in_order(found["namespace"]):
        _namespace(name, names)
    for name in _in_order(found["pod"]):
        names.numbered(name, "pod")
    for name in _in_order(found["ctr"]):
        _container(name, names)


def _cards(observations: Observations, names: Names) -> None:
    """Ids that are no UUID: made up from the node's name, or a vendor's own."""
    for node in observations.nodes.values():
        for registration in node.registrations:
            for device in registration.devices:
                names.below_node(device.card, node.name)
    for scheduler in observations.schedulers:
        for node_name, card in scheduler.devices:
            names.below_node(card, node_name)
    for card in _other_cards(observations):
        if not is_uuid(card):
            names.scrambled(card)


def _other_cards(observations: Observations) -> Iterator[str]:
    for page in observations.dcgm:
        yield from page.cards
    for monitor in observations.monitors:
        yield from monitor.hosts
        yield from (card for _, card in monitor.containers)
    for pod in observations.pods.values():
        yield from (promise.card for promise in pod.promises)

"""Sorts the observations by node: which page, which pod and which book entry belongs where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from gpuatlas.join.dra_nodes import NO_DEVICES, DraIndex
from gpuatlas.join.homes import foreign_cards, registering_nodes
from gpuatlas.join.inventory import NodeInputs
from gpuatlas.join.kai_groups import cards_of_groups
from gpuatlas.join.layer_pods import layer_namespace
from gpuatlas.model.claims import Reservation
from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.observations import Observations
from gpuatlas.model.pages import (
    CardReading,
    ContainerReading,
    HostReading,
    SchedulerDevice,
    Tenant,
)
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.targets import DCGM, HAMI_MONITOR

# The source of pods: without it nobody can say that a card is free.
PODS: Final = "kubernetes-pods"
# Every chart's DaemonSet has it in its name or labels (facts/dcgm.md 1.2).
_EXPORTER: Final = "dcgm-exporter"
_NONE: Final[frozenset[str]] = frozenset()
# The source of claims: without it nobody can say who holds a DRA device.
CLAIMS: Final = "kubernetes-resourceclaims.resource.k8s.io"
# The source of slices: without it nobody can say which cards are DRA's.
SLICES: Final = "kubernetes-resourceslices.resource.k8s.io"


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed:
    """Node name → its inputs, and what was refused that belongs to no single node."""

    nodes: Mapping[str, NodeInputs]
    rejections: tuple[Rejection, ...] = ()


@dataclass(slots=True)
class _NodeBasket:
    """What was found for one node so far. `*_at` is the oldest page's instant."""

    pods: list[Pod] = field(default_factory=list)
    readings: dict[str, CardReading] = field(default_factory=dict)
    readings_at: float = 0.0
    hosts: dict[str, HostReading] = field(default_factory=dict)
    containers: dict[tuple[Tenant, str], ContainerReading] = field(default_factory=dict)
    monitor_at: float = 0.0
    books: dict[str, SchedulerDevice] = field(default_factory=dict)
    groups: dict[str, Reservation] = field(default_factory=dict)


class _Directory:
    """Which node a card, a pod or a host name belongs to."""

    def __init__(self, observations: Observations, dra: DraIndex) -> None:
        bare = {name: found.bare for name, found in dra.nodes.items()}
        self.nodes: Mapping[str, Node] = {**bare, **observations.nodes}
        self.registering = registering_nodes(observations.nodes.values(), dra)
        # Of a card that two nodes register the page's own words must tell.
        self.node_of_card = {
            card: next(iter(names)) for card, names in self.registering.items() if len(names) == 1
        }
        self._pods = observations.pods.values()

    @cached_property
    def node_of_pod(self) -> Mapping[tuple[str, str], str]:
        """A pod that has ended holds nothing; its region file may still be there."""
        return {pod.key: pod.node for pod in self._pods if pod.holds}

    @cached_property
    def _node_of_host(self) -> Mapping[str, str]:
        return _hosts(self.nodes, self._pods)

    def node_of_reading(self, reading: CardReading) -> str:
        """By the registered UUID, else by the host label; "" where neither is known."""
        known = self.node_of_card.get(reading.card)
        return known or self._node_of_host.get(reading.host, "")


def _hosts(nodes: Mapping[str, Node], pods: Iterable[Pod]) -> dict[str, str]:
    """Host label → node: the node's name, its first part where that is unique, or the exporter pod.

    A container without the host's name reports its pod's (facts/errata.md, DCGM). Tenants choose
    the names of their pods: these stand behind the nodes' own, and one on two nodes names neither.
    """
    hosts: dict[str, str] = {}
    for pod in pods:
        if pod.node in nodes and _serves_cards(pod):
            hosts[pod.name] = pod.node if hosts.get(pod.name, pod.node) == pod.node else ""
    short: dict[str, str] = {}
    for name in nodes:
        first = name.split(".", 1)[0]
        short[first] = "" if first in short else name
    return hosts | short | {name: name for name in nodes}


def _serves_cards(pod: Pod) -> bool:
    """Whether the pod looks like a dcgm-exporter, by its name or a label."""
    return _EXPORTER in pod.name or any(_EXPORTER in text for text in pod.labels.values())


def _older(so_far: float, at: float) -> float:
    """The earlier of two instants; 0 is none yet."""
    return min(so_far, at) if so_far else at


def _add_dcgm(baskets: Mapping[str, _NodeBasket], directory: _Directory, obs: Observations) -> None:
    for page in obs.dcgm:
        for reading in page.cards.values():
            node = page.node or directory.node_of_reading(reading)
            if node in directory.nodes:
                basket = baskets[node]
                basket.readings.setdefault(reading.card, reading)
                basket.readings_at = _older(basket.readings_at, page.at)


def _add_monitors(
    baskets: Mapping[str, _NodeBasket], directory: _Directory, obs: Observations
) -> None:
    node_of_card = dict(directory.node_of_card)
    for name, basket in baskets.items():
        node_of_card |= dict.fromkeys(basket.readings, name)
    for page in obs.monitors:
        for card, host in page.hosts.items():
            node = page.node or node_of_card.get(card, "")
            if node in directory.nodes:
                baskets[node].hosts.setdefault(card, host)
                baskets[node].monitor_at = _older(baskets[node].monitor_at, page.at)
        for (tenant, card), reading in page.containers.items():
            # The pod's own node: a page can speak only of pods on the node that it serves.
            node = directory.node_of_pod.get((tenant.namespace, tenant.pod), "")
            if node in directory.nodes and page.node in {"", node}:
                baskets[node].containers.setdefault((tenant, card), reading)
                baskets[node].monitor_at = _older(baskets[node].monitor_at, page.at)


def _add_books(
    baskets: Mapping[str, _NodeBasket], directory: _Directory, obs: Observations
) -> None:
    for page in obs.schedulers:
        for (node, card), device in page.devices.items():
            if node in directory.nodes:
                baskets[node].books.setdefault(card, device)


def _add_pods(
    baskets: Mapping[str, _NodeBasket], directory: _Directory, obs: Observations
) -> tuple[Rejection, ...]:
    """The pods of each node, and KAI's groups there; what its reservations contradict."""
    reservations = []
    for pod in obs.pods.values():
        if pod.node in directory.nodes:
            baskets[pod.node].pods.append(pod)
            if pod.reservation is not None and pod.holds:
                reservations.append(pod.reservation)
    groups, refused = cards_of_groups(reservations)
    for (node, group), reservation in groups.items():
        if node in directory.nodes:
            baskets[node].groups[group] = reservation
    return refused


def _seen(baskets: Mapping[str, _NodeBasket]) -> Mapping[str, Iterable[str]]:
    """Node → the cards that its pages show."""
    return {name: {*basket.readings, *basket.hosts} for name, basket in baskets.items()}


def _silence(obs: Observations, source: str, node: str, default: str) -> str:
    return obs.silent.get((source, node)) or obs.silent.get((source, ""), default)


def route(observations: Observations, dra: DraIndex) -> Routed:
    """The inputs of each node. What belongs to no known node is left out."""
    baskets: dict[str, _NodeBasket] = defaultdict(_NodeBasket)
    directory = _Directory(observations, dra)
    refused = _add_pods(baskets, directory, observations)
    _add_dcgm(baskets, directory, observations)
    _add_monitors(baskets, directory, observations)
    _add_books(baskets, directory, observations)
    foreign = foreign_cards(_seen(baskets), directory.registering, directory.nodes)
    home = layer_namespace(observations.pods.values())
    return Routed(
        nodes={
            name: replace(
                _inputs(node, baskets[name], observations, dra),
                foreign=frozenset(foreign[name]) if name in foreign else _NONE,
                layer_namespace=home,
            )
            for name, node in sorted(directory.nodes.items())
        },
        rejections=(*dra.rejections, *refused),
    )


def _inputs(
    node: Node, basket: _NodeBasket, observations: Observations, dra: DraIndex
) -> NodeInputs:
    silent = observations.silent
    return NodeInputs(
        node=node,
        pods=tuple(sorted(basket.pods, key=lambda pod: pod.key)),
        readings=basket.readings,
        readings_at=basket.readings_at,
        hosts=basket.hosts,
        containers=basket.containers,
        monitor_at=basket.monitor_at,
        books=basket.books,
        dcgm_silent=_silence(observations, DCGM, node.name, "no dcgm-exporter page for this node"),
        monitor_silent=_silence(observations, HAMI_MONITOR, node.name, ""),
        pods_silent=silent.get((PODS, ""), ""),
        dra=dra.nodes.get(node.name, NO_DEVICES),
        claims=dra.claims.get(node.name, ()),
        claims_silent=silent.get((CLAIMS, ""), ""),
        slices_silent=silent.get((SLICES, ""), ""),
        groups=basket.groups,
    )

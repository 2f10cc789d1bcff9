"""Sorts the observations by node: which page, which pod and which book entry belongs where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from gpuatlas.join.inventory import NodeInputs
from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.observations import Observations
from gpuatlas.model.pages import (
    CardReading,
    ContainerReading,
    HostReading,
    SchedulerDevice,
    Tenant,
)
from gpuatlas.model.targets import DCGM, HAMI_MONITOR

# The source of pods: without it nobody can say that a card is free.
PODS: Final = "kubernetes-pods"


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


class _Directory:
    """Which node a card, a pod or a host name belongs to."""

    def __init__(self, observations: Observations) -> None:
        self.nodes = observations.nodes
        self.node_of_card = {
            device.card: node.name
            for node in observations.nodes.values()
            for registration in node.registrations
            for device in registration.devices
        }
        self.node_of_pod = {pod.key: pod.node for pod in observations.pods.values() if pod.node}
        self._node_of_host = _hosts(observations.nodes, observations.pods.values())

    def node_of_reading(self, reading: CardReading) -> str:
        """By the registered UUID, else by the host label; "" where neither is known."""
        known = self.node_of_card.get(reading.card)
        return known or self._node_of_host.get(reading.host, "")


def _hosts(nodes: Mapping[str, Node], pods: Iterable[Pod]) -> dict[str, str]:
    """Host label → node: the node's name, its first part where that is unique, or the exporter pod.

    A container without the host's name reports its pod's (facts/errata.md, DCGM).
    """
    hosts: dict[str, str] = {}
    for name in nodes:
        short = name.split(".", 1)[0]
        hosts[short] = "" if short in hosts else name
    hosts |= {pod.name: pod.node for pod in pods if pod.node and pod.node in nodes}
    return hosts | {name: name for name in nodes}


def _add_dcgm(baskets: Mapping[str, _NodeBasket], directory: _Directory, obs: Observations) -> None:
    for page in obs.dcgm:
        for reading in page.cards.values():
            node = page.node or directory.node_of_reading(reading)
            if node in directory.nodes:
                basket = baskets[node]
                basket.readings.setdefault(reading.card, reading)
                basket.readings_at = page.at


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
                baskets[node].monitor_at = page.at
        for (tenant, card), reading in page.containers.items():
            # The pod's own node: a page can speak only of pods on the node that it serves.
            node = directory.node_of_pod.get((tenant.namespace, tenant.pod), "")
            if node in directory.nodes and page.node in {"", node}:
                baskets[node].containers.setdefault((tenant, card), reading)
                baskets[node].monitor_at = page.at


def _add_books(baskets: Mapping[str, _NodeBasket], obs: Observations) -> None:
    for page in obs.schedulers:
        for (node, card), device in page.devices.items():
            if node in obs.nodes:
                baskets[node].books.setdefault(card, device)


def _add_pods(baskets: Mapping[str, _NodeBasket], obs: Observations) -> None:
    for pod in obs.pods.values():
        if pod.node in obs.nodes:
            baskets[pod.node].pods.append(pod)


def _silence(obs: Observations, source: str, node: str, default: str) -> str:
    return obs.silent.get((source, node)) or obs.silent.get((source, ""), default)


def route(observations: Observations) -> dict[str, NodeInputs]:
    """Node name → its inputs. What belongs to no known node is left out."""
    baskets: dict[str, _NodeBasket] = defaultdict(_NodeBasket)
    directory = _Directory(observations)
    _add_pods(baskets, observations)
    _add_dcgm(baskets, directory, observations)
    _add_monitors(baskets, directory, observations)
    _add_books(baskets, observations)
    return {
        name: _inputs(node, baskets[name], observations)
        for name, node in sorted(observations.nodes.items())
    }


def _inputs(node: Node, basket: _NodeBasket, observations: Observations) -> NodeInputs:
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
        pods_silent=observations.silent.get((PODS, ""), ""),
    )

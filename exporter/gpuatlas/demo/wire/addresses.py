"""Where the pods and nodes of the simulated cluster seem to be on the network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.demo.randomness import fraction
from gpuatlas.demo.services import page_of
from gpuatlas.demo.state import EndpointState, World, service_subject

# Ports of the real exporters (facts/dcgm.md 1.1, facts/hami.md 1.1).
DEFAULT_PORTS: Final[Mapping[str, int]] = {
    "dcgm": 9400,
    "hami-monitor": 9394,
    "hami-scheduler": 9395,
    "hami-webhook": 443,
    "node-exporter": 9100,
}
SYSTEM_NODE: Final = "system-1"  # no cards: schedulers and DNS run here


@dataclass(frozen=True, slots=True)
class Address:
    """Where a page can be read."""

    host: str
    port: int


# (kind, subject) of an endpoint → its address. The webhook of an installation has one, too.
Addresses = Mapping[tuple[str, str], Address]


def default_addresses(world: World) -> Addresses:
    """Addresses as in a real cluster: for documents that nobody is going to scrape.

    A service whose pod is not there has none.
    """
    pages = {
        endpoint.key: Address(_host(world, endpoint), DEFAULT_PORTS[endpoint.kind])
        for endpoint in world.endpoints
        if endpoint.kind != "service"
    }
    services = {
        ("service", service_subject(pod.workload, pod.ordinal)): Address(
            pod_ip(world, pod.place.node, pod.uid), page.port
        )
        for pod in world.pods
        if pod.holds and pod.place and (page := page_of(pod.workload, pod.ordinal))
    }
    webhooks = {
        ("hami-webhook", hami.release): Address(
            pages["hami-scheduler", hami.release].host, DEFAULT_PORTS["hami-webhook"]
        )
        for hami in world.scenario.hami
    }
    return {**pages, **services, **webhooks}


def _host(world: World, endpoint: EndpointState) -> str:
    """Of a page of the cluster's own pods. node-exporter is on its node's own network."""
    if endpoint.kind == "node-exporter":
        return node_ip(world, endpoint.subject)
    return pod_ip(world, node_of(*endpoint.key), *endpoint.key)


def node_of(kind: str, subject: str) -> str:
    """The node that the pod of an exporter runs on."""
    return SYSTEM_NODE if kind == "hami-scheduler" else subject


def node_ip(world: World, node: str) -> str:
    """The node's address; the system node has the first one."""
    return f"10.20.0.{10 + _number(world, node)}"


def pod_ip(world: World, node: str, *key: str) -> str:
    """An address out of the node's own range. Two pods may share one: nobody routes here."""
    return f"10.244.{_number(world, node)}.{2 + int(250 * fraction('ip', world.seed, *key))}"


def _number(world: World, node: str) -> int:
    names = [state.spec.name for state in world.nodes]
    return names.index(node) + 1 if node in names else 0

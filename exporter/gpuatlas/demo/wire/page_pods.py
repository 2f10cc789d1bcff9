"""Which pod serves which page, and by which ports: what a proxy of the API server has to know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuatlas.demo.services import page_of
from gpuatlas.demo.state import World, service_subject
from gpuatlas.demo.wire.addresses import Addresses
from gpuatlas.demo.wire.system_pods import system_pods

EndpointKey = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePod:
    """A pod with a page. `ports` are the names and numbers by which it can be asked for."""

    namespace: str
    name: str
    container: str
    endpoint: EndpointKey
    ports: frozenset[str]


def page_pods(world: World, addresses: Addresses) -> Mapping[tuple[str, str], PagePod]:
    """All of them by namespace and name."""
    pods = (*_of_the_cluster(world, addresses), *_of_services(world, addresses))
    return {(pod.namespace, pod.name): pod for pod in pods}


def _of_the_cluster(world: World, addresses: Addresses) -> Iterator[PagePod]:
    for pod in system_pods(world, addresses):
        if pod.endpoint and pod.exists:
            address = addresses[pod.endpoint]
            names = {name for name, number in pod.ports.items() if number == address.port}
            container = next(
                one.name
                for one in pod.own_containers
                if any(number == address.port for _, number in one.ports)
            )
            yield PagePod(
                namespace=pod.namespace,
                name=pod.name(world.seed),
                container=container,
                endpoint=pod.endpoint,
                ports=frozenset({"", *names, str(address.port)}),
            )


def _of_services(world: World, addresses: Addresses) -> Iterator[PagePod]:
    for pod in world.pods:
        page = page_of(pod.workload, pod.ordinal) if pod.holds else None
        key = ("service", service_subject(pod.workload, pod.ordinal))
        if page and key in addresses:
            name = "metrics" if page.own_port else "http"
            # Whoever knows the runtime knows its usual port, which the pod has in a real cluster.
            numbers = {str(addresses[key].port), str(page.port)}
            yield PagePod(
                namespace=pod.workload.namespace,
                name=pod.name,
                container=pod.container,
                endpoint=key,
                ports=frozenset({"", name, *numbers}),
            )

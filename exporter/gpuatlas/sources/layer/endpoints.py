"""What is behind the Services of the layers' schedulers, from their EndpointSlices. Pure.

A slice says of which Service it is by the label `kubernetes.io/service-name`, the one that
Kubernetes itself promises. It gives its ports by the names of the Service's ports.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.layer import LayerWebhook, ServiceEndpoints
from gpuatlas.sources.kubernetes.metadata import label_text
from gpuatlas.sources.kubernetes.shape import fields, items, text
from gpuatlas.sources.layer.asks import COMPONENT, SCHEDULER, SERVICE_NAME
from gpuatlas.sources.layer.records import label_of, labels_of, name_of

# A slice holds 1000 endpoints at most, a scheduler's Service a handful.
MAX_ENDPOINTS: Final = 1000
MAX_PORTS: Final = 64
# Addresses are kept to be asked for their certificates, and so many are never asked.
MAX_ADDRESSES: Final = 16
_MAX_PORT: Final = 65535
_IPV4: Final = "IPv4"

Place = tuple[str, str]  # namespace, name of a Service


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceRecord:
    """A Service of a layer's scheduler: its ports as (name, port)."""

    place: Place
    ports: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One endpoint. `identity` is the same in the slices of both address families."""

    identity: str
    address: str
    ready: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceRecord:
    """An EndpointSlice: of which Service, its ports as (name, port), its endpoints."""

    place: Place
    family: str
    ports: tuple[tuple[str, int], ...]
    endpoints: tuple[Endpoint, ...]


def read_service(raw: object) -> ServiceRecord | None:
    """A Service; None where it is not that of a layer's scheduler.

    Raises:
        MalformedError: "no-name".
    """
    if label_of(labels_of(raw), COMPONENT) != SCHEDULER:
        return None
    ports = _ports(fields(fields(raw).get("spec")).get("ports"))
    return ServiceRecord(place=name_of(raw), ports=tuple(ports))


def read_slice(raw: object) -> SliceRecord | None:
    """An EndpointSlice; None where it belongs to no Service.

    Raises:
        MalformedError: "no-name".
    """
    service = label_of(labels_of(raw), SERVICE_NAME)
    if not service:
        return None
    namespace, _ = name_of(raw)
    listed = items(fields(raw).get("endpoints"))[:MAX_ENDPOINTS]
    return SliceRecord(
        place=(namespace, service),
        family=text(fields(raw).get("addressType")),
        ports=tuple(_ports(fields(raw).get("ports"))),
        endpoints=tuple(_endpoints(listed)),
    )


def service_endpoints(
    services: Iterable[ServiceRecord],
    slices: Iterable[SliceRecord],
    webhooks: Iterable[LayerWebhook],
    *,
    all_read: bool,
) -> Iterator[ServiceEndpoints]:
    """The ports of the Services, and of those that webhooks call, with what is behind each.

    Nothing is said of a Service without a slice, since nobody may have looked; with `all_read`
    somebody has, and it has no endpoints. Where the Service itself is not known, its port is that
    which the webhook names.
    """
    by_service: dict[Place, list[SliceRecord]] = defaultdict(list)
    for one in sorted(slices, key=lambda one: one.family != _IPV4):
        by_service[one.place].append(one)
    known = {service.place: service.ports for service in services}
    for place, port, name in sorted(_wanted(known, webhooks)):
        found = by_service.get(place, [])
        if found or all_read:
            yield _behind(place, name, port, found)


def _wanted(
    known: Mapping[Place, tuple[tuple[str, int], ...]], webhooks: Iterable[LayerWebhook]
) -> set[tuple[Place, int, str]]:
    """(Service, port, the port's name): "" for a single port and where it is not known."""
    ports = {(place, port, name) for place, listed in known.items() for name, port in listed}
    numbers = {(place, port) for place, port, _ in ports}
    for webhook in webhooks:
        if webhook.service is not None and (webhook.service, webhook.port) not in numbers:
            ports.add((webhook.service, webhook.port, ""))
    return ports


def _behind(place: Place, name: str, port: int, slices: Iterable[SliceRecord]) -> ServiceEndpoints:
    ready: dict[str, bool] = {}
    addresses: dict[str, tuple[str, int]] = {}
    for one in slices:
        target = _target(one.ports, name, port)
        for endpoint in one.endpoints:
            # A slice without the port leads nowhere, however ready its pods are.
            usable = endpoint.ready and target is not None
            ready[endpoint.identity] = ready.get(endpoint.identity, False) or usable
            if endpoint.ready and target is not None:
                addresses.setdefault(endpoint.identity, (endpoint.address, target))
    return ServiceEndpoints(
        namespace=place[0],
        service=place[1],
        port=port,
        ready=sum(ready.values()),
        total=len(ready),
        addresses=tuple(sorted(addresses.values()))[:MAX_ADDRESSES],
    )


def _target(ports: tuple[tuple[str, int], ...], name: str, port: int) -> int | None:
    """The port of the pods behind a port of the Service.

    By name; where the Service is not known, the one of the same number or the only one.
    """
    named = dict(ports)
    if name in named:
        return named[name]
    numbers = [number for _, number in ports]
    if port in numbers:
        return port
    return numbers[0] if len(numbers) == 1 else None


def _ports(value: object) -> Iterator[tuple[str, int]]:
    for item in map(fields, items(value)[:MAX_PORTS]):
        number = item.get("port")
        if isinstance(number, int) and not isinstance(number, bool) and 0 < number <= _MAX_PORT:
            yield label_text(item.get("name")), number


def _endpoints(listed: Iterable[object]) -> Iterator[Endpoint]:
    for item in map(fields, listed):
        address = label_text(next(iter(items(item.get("addresses"))), ""))
        if not address:
            continue
        target = fields(item.get("targetRef"))
        pod = f"{label_text(target.get('namespace'))}/{label_text(target.get('name'))}"
        yield Endpoint(
            identity=pod if len(pod) > 1 else address,
            address=address,
            # Kubernetes has it that a condition that is not stated means yes.
            ready=fields(item.get("conditions")).get("ready") is not False,
        )

"""Raw objects of the sharing layers → `model.layer.LayerObjects`. Pure; never raises."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from gpuatlas.model.layer import (
    LayerConfig,
    LayerObjects,
    LayerWebhook,
    SchedulerLease,
)
from gpuatlas.model.rejections import MalformedError, Rejection
from gpuatlas.model.units import clean_text
from gpuatlas.sources.kubernetes.metadata import api_group
from gpuatlas.sources.kubernetes.shape import text
from gpuatlas.sources.layer.asks import (
    ASKS,
    CONFIG_MAPS,
    DAEMON_SETS,
    DEPLOYMENTS,
    ENDPOINT_SLICES,
    LEASES,
    SCHEDULER,
    SERVICES,
    WEBHOOKS,
    Ask,
)
from gpuatlas.sources.layer.bounds import MAX_CONTROLLERS, MAX_SERVICES, TOO_MANY, in_turn
from gpuatlas.sources.layer.configs import read_configs
from gpuatlas.sources.layer.controllers import ControllerRecord, read_controller
from gpuatlas.sources.layer.endpoints import (
    ServiceRecord,
    read_service,
    read_slice,
    service_endpoints,
)
from gpuatlas.sources.layer.leases import lease_places, read_lease
from gpuatlas.sources.layer.records import metadata_of
from gpuatlas.sources.layer.webhooks import read_webhooks

T = TypeVar("T")
Raw = Mapping[str, object]
Place = tuple[str, str]

_ASK_OF: Final = {(ask.api_group, ask.kind): ask for ask in ASKS}


def parse_layer(raw_objects: Iterable[Raw], *, every_slice: bool = False) -> LayerObjects:
    """What these objects say, in any order; objects that are no layer's are left out.

    Takes raw DaemonSets, Deployments, Services, EndpointSlices, MutatingWebhookConfigurations,
    Leases and ConfigMaps (each with its `kind` and `apiVersion`). Everything but `read_at`,
    `probes`, `licences` and `unread`, which no object tells. Of an object that comes twice the
    first one counts. With `every_slice` all EndpointSlices of the layers' Services are among them,
    so that a Service without one has no endpoints; otherwise nothing is said of it. Of controllers
    and Services there are as many as `bounds` allows; those left out are rejections.
    """
    parser = _Parser(raw_objects)
    labelled = parser.controllers()
    services = parser.each(SERVICES, read_service)
    slices = parser.each(ENDPOINT_SLICES, read_slice)
    schedulers = _schedulers({service.place for service in services}, labelled)
    webhooks = tuple(parser.webhooks(schedulers))
    records = parser.bounded_controllers(labelled, webhooks)
    services = parser.bounded_services(services, webhooks)
    controllers = tuple(record.controller for record in records)
    return LayerObjects(
        controllers=controllers,
        webhooks=webhooks,
        endpoints=tuple(service_endpoints(services, slices, webhooks, all_read=every_slice)),
        leases=tuple(parser.leases(set(lease_places(controllers)))),
        configs=tuple(parser.configs(config_places(records))),
        rejections=tuple(parser.rejections),
    )


def config_places(records: Iterable[ControllerRecord]) -> dict[Place, str]:
    """(namespace, name) of the ConfigMaps that the controllers' pods mount → whose component."""
    found: dict[Place, str] = {}
    for record in records:
        controller = record.controller
        for name in record.config_maps:
            found.setdefault((controller.namespace, name), controller.component)
    return found


def read_controllers(raw_objects: Iterable[Raw]) -> tuple[ControllerRecord, ...]:
    """All controllers that carry a layer's label, with the ConfigMaps that they mount."""
    return _Parser(raw_objects).controllers()


def service_names(raw_objects: Iterable[Raw]) -> frozenset[str]:
    """Names of the Services whose EndpointSlices tell something: schedulers' and webhooks'."""
    parser = _Parser(raw_objects)
    services = parser.each(SERVICES, read_service)
    schedulers = _schedulers({service.place for service in services}, parser.controllers())
    webhooks = tuple(parser.webhooks(schedulers))
    kept = {service.place for service in parser.bounded_services(services, webhooks)}
    return frozenset(name for _, name in kept | _called(webhooks))


def webhook_namespaces(raw_objects: Iterable[Raw]) -> frozenset[str]:
    """The namespaces that webhooks of a layer lead to: only administrators make webhooks."""
    parser = _Parser(raw_objects)
    schedulers = _schedulers(set(), parser.controllers())
    return _homes(parser.webhooks(schedulers))


def _called(webhooks: Iterable[LayerWebhook]) -> set[Place]:
    """The Services that webhooks call."""
    return {webhook.service for webhook in webhooks if webhook.service is not None}


def _homes(webhooks: Iterable[LayerWebhook]) -> frozenset[str]:
    return frozenset(namespace for namespace, _ in _called(webhooks))


def _schedulers(services: set[Place], records: Iterable[ControllerRecord]) -> set[Place]:
    """Where webhooks of a layer lead: Services of schedulers, which are called as these are."""
    controllers = (record.controller for record in records)
    return services | {(c.namespace, c.name) for c in controllers if c.component == SCHEDULER}


class _Parser:
    """Sorts the objects by kind and notes what is refused."""

    def __init__(self, raw_objects: Iterable[Raw]) -> None:
        self._by_ask: dict[Ask, dict[Place, Raw]] = defaultdict(dict)
        self.rejections: list[Rejection] = []
        for raw in raw_objects:
            group = api_group(text(raw.get("apiVersion")))
            ask = _ASK_OF.get((group, text(raw.get("kind"))))
            if ask is not None:
                self._by_ask[ask].setdefault(_place(raw), raw)

    def controllers(self) -> tuple[ControllerRecord, ...]:
        return tuple(
            record
            for ask in (DAEMON_SETS, DEPLOYMENTS)
            for record in self.each(ask, read_controller)
        )

    def bounded_controllers(
        self, records: Sequence[ControllerRecord], webhooks: Iterable[LayerWebhook]
    ) -> tuple[ControllerRecord, ...]:
        """At most `MAX_CONTROLLERS` of them, in their order."""
        turns = in_turn(records, lambda record: record.controller.namespace, _homes(webhooks))
        kept = {record.controller.object for record in turns[:MAX_CONTROLLERS]}
        for left in (record.controller for record in turns[MAX_CONTROLLERS:]):
            ask = DAEMON_SETS if left.kind == DAEMON_SETS.kind else DEPLOYMENTS
            self._leave_out(ask, (left.namespace, left.name), MAX_CONTROLLERS)
        return tuple(record for record in records if record.controller.object in kept)

    def bounded_services(
        self, services: Sequence[ServiceRecord], webhooks: Collection[LayerWebhook]
    ) -> list[ServiceRecord]:
        """Those that webhooks call, and at most `MAX_SERVICES` others."""
        called = _called(webhooks)
        others = (service for service in services if service.place not in called)
        turns = in_turn(others, lambda service: service.place[0], _homes(webhooks))
        for service in turns[MAX_SERVICES:]:
            self._leave_out(SERVICES, service.place, MAX_SERVICES)
        kept = called | {service.place for service in turns[:MAX_SERVICES]}
        return [service for service in services if service.place in kept]

    def each(self, ask: Ask, read: Callable[[object], T | None]) -> list[T]:
        """What `read` makes of the objects of a kind, by namespace and name."""
        found: list[T] = []
        for raw in self._sorted(ask):
            try:
                value = read(raw)
            except MalformedError as error:
                self._refuse(ask, raw, error)
            else:
                if value is not None:
                    found.append(value)
        return found

    def webhooks(self, schedulers: set[Place]) -> Iterator[LayerWebhook]:
        def read(raw: object) -> list[LayerWebhook | MalformedError]:
            return list(read_webhooks(raw, schedulers))

        for raw in self._sorted(WEBHOOKS):
            try:
                found = read(raw)
            except MalformedError as error:
                found = [error]
            for one in found:
                if isinstance(one, MalformedError):
                    self._refuse(WEBHOOKS, raw, one)
                else:
                    yield one

    def leases(self, wanted: set[Place]) -> Iterator[SchedulerLease]:
        yield from self.each(LEASES, lambda raw: _within(wanted, raw, read_lease))

    def configs(self, wanted: Mapping[Place, str]) -> Iterator[LayerConfig]:
        def read(raw: object) -> list[LayerConfig] | None:
            component = wanted.get(_place(raw))
            return None if component is None else list(read_configs(raw, component))

        for found in self.each(CONFIG_MAPS, read):
            yield from found

    def _sorted(self, ask: Ask) -> list[Raw]:
        return [raw for _, raw in sorted(self._by_ask[ask].items(), key=lambda pair: pair[0])]

    def _leave_out(self, ask: Ask, place: Place, most: int) -> None:
        message = f"more than {most} have the label of a sharing layer: take it off the others"
        where = clean_text(f"{ask.kind} {'/'.join(place)}")
        self.rejections.append(Rejection(ask.source, TOO_MANY, where, message))

    def _refuse(self, ask: Ask, raw: Raw, error: MalformedError) -> None:
        namespace, name = _place(raw)
        where = clean_text(f"{ask.kind} {namespace}/{name}" if namespace else f"{ask.kind} {name}")
        self.rejections.append(Rejection(ask.source, error.reason, where, clean_text(str(error))))


def _within(wanted: set[Place], raw: object, read: Callable[[object], T]) -> T | None:
    return read(raw) if _place(raw) in wanted else None


def _place(raw: object) -> Place:
    metadata = metadata_of(raw)
    return text(metadata.get("namespace")), text(metadata.get("name"))

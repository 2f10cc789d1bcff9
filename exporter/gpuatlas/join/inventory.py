"""Which cards a node has, and what each source says of each: the union by UUID, nothing guessed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gpuatlas.model.devices import RegisteredDevice, Registration
from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.pages import (
    CardReading,
    ContainerReading,
    HostReading,
    SchedulerDevice,
    Tenant,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeInputs:
    """All that is known of one node; the unit in which the join works and remembers.

    `pods` are the pods on the node, by namespace and name. `readings`, `hosts` and `books` are
    keyed by card, `containers` by (tenant, card). Instants are Unix seconds; `*_silent` says why
    DCGM or the monitor has nothing for this node, or why pods were not read at all.
    """

    node: Node
    pods: tuple[Pod, ...]
    readings: Mapping[str, CardReading]
    readings_at: float
    hosts: Mapping[str, HostReading]
    containers: Mapping[tuple[Tenant, str], ContainerReading]
    monitor_at: float
    books: Mapping[str, SchedulerDevice]
    dcgm_silent: str
    monitor_silent: str
    pods_silent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFacts:
    """One card, with every source's word on it."""

    id: str
    index: str
    vendor: str
    model: str
    pci_bus_id: str
    registration: Registration | None
    device: RegisteredDevice | None
    reading: CardReading | None
    host: HostReading | None
    books: SchedulerDevice | None

    @property
    def layer(self) -> str:
        """The sharing layer that registered the card: "hami", "volcano" or ""."""
        if self.registration is not None:
            return self.registration.layer
        return "hami" if self.books is not None else ""


def _is_confirmed(registration: Registration, inputs: NodeInputs) -> bool:
    """Whether a layer really has these cards.

    Vendors without a registration annotation have their cards derived from the node's capacity, as
    HAMi derives them. The same capacity stands on clusters without HAMi, so somebody must speak of
    those cards: the scheduler's books, or a pod's promise.
    """
    if registration.source not in inputs.node.capacity:
        return True
    cards = {device.card for device in registration.devices}
    promised = {promise.card for pod in inputs.pods for promise in pod.promises}
    return not cards.isdisjoint(inputs.books) or not cards.isdisjoint(promised)


def is_dropped(registration: Registration) -> bool:
    """Whether the layer's scheduler gave the node up."""
    return registration.handshake is not None and registration.handshake.state == "deleted"


def registrations_of(inputs: NodeInputs) -> tuple[Registration, ...]:
    """The registrations that count, those of a layer that still has the node first.

    Two layers can sit on one node and name the same card (facts/errata.md): one's "deleted" says
    nothing of the other.
    """
    confirmed = (r for r in inputs.node.registrations if _is_confirmed(r, inputs))
    return tuple(sorted(confirmed, key=is_dropped))


def _registered(inputs: NodeInputs) -> dict[str, tuple[Registration, RegisteredDevice]]:
    found: dict[str, tuple[Registration, RegisteredDevice]] = {}
    for registration in registrations_of(inputs):
        for device in registration.devices:
            found.setdefault(device.card, (registration, device))
    return found


def _index(reading: CardReading | None, device: RegisteredDevice | None) -> str:
    if reading is not None and reading.index:
        return reading.index
    return "" if device is None else str(device.index)


def _model(
    reading: CardReading | None, device: RegisteredDevice | None, books: SchedulerDevice | None
) -> str:
    candidates = (
        reading.model if reading else "",
        device.model if device else "",
        books.model if books else "",
    )
    return next((text for text in candidates if text), "")


def _by_index(card: CardFacts) -> tuple[int, str, str]:
    return (int(card.index) if card.index.isdecimal() else 1 << 30, card.index, card.id)


def _card_ids(inputs: NodeInputs, registered: Iterable[str]) -> set[str]:
    ids = {*registered, *inputs.readings, *inputs.hosts}
    if not registered:
        # The scheduler's books outlive cards (HAMi issue 1595): they count only where no
        # registration can be read.
        ids |= set(inputs.books)
    return ids


def cards_of(inputs: NodeInputs) -> tuple[CardFacts, ...]:
    """The node's cards, by index."""
    registered = _registered(inputs)
    cards = []
    for card in _card_ids(inputs, registered):
        registration, device = registered.get(card, (None, None))
        reading, books = inputs.readings.get(card), inputs.books.get(card)
        cards.append(
            CardFacts(
                id=card,
                index=_index(reading, device) or (books.index if books else ""),
                vendor=registration.vendor if registration else "nvidia",
                model=_model(reading, device, books),
                pci_bus_id=reading.pci_bus_id if reading else "",
                registration=registration,
                device=device,
                reading=reading,
                host=inputs.hosts.get(card),
                books=books,
            )
        )
    return tuple(sorted(cards, key=_by_index))

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
    DCGM or the monitor has nothing for this node.
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


def _registered(
    node: Node,
) -> dict[str, tuple[Registration, RegisteredDevice]]:
    found: dict[str, tuple[Registration, RegisteredDevice]] = {}
    for registration in node.registrations:
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
    registered = _registered(inputs.node)
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

"""Which cards a node has, and what each source says of each: the union by UUID, nothing guessed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gpuatlas.join.device_ids import is_card_uuid, read_device_id
from gpuatlas.join.dra_nodes import NO_DEVICES, NodeDevices
from gpuatlas.join.node_labels import (
    CARD_RESOURCE,
    is_mig_single,
    is_plain,
    labelled_count,
    node_strategy,
)
from gpuatlas.model.claims import Claim, DraDevice, PhysicalCard, Reservation
from gpuatlas.model.devices import RegisteredDevice, Registration
from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.pages import (
    CardReading,
    ContainerReading,
    HostReading,
    SchedulerDevice,
    Tenant,
)
from gpuatlas.model.snapshot import Sharing
from gpuatlas.model.vendors import vendor_of_count


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeInputs:
    """All that is known of one node; the unit in which the join works and remembers.

    `pods` are the pods on the node, by namespace and name. `readings`, `hosts` and `books` are
    keyed by card, `containers` by (tenant, card). `claims` hold devices of the node, by namespace
    and name; `groups` are KAI's groups of fractions there → the reservation of their card. Instants
    are Unix seconds; `*_silent` says why DCGM or the monitor has nothing for this node, or why
    pods, claims or slices were not read at all. `foreign` are cards that this node names and that
    are on another. `layer_namespace` is where the sharing layer's own pods run, "" for nowhere.
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
    dra: NodeDevices = NO_DEVICES
    claims: tuple[Claim, ...] = ()
    claims_silent: str = ""
    slices_silent: str = ""
    groups: Mapping[str, Reservation] = field(default_factory=dict)
    foreign: frozenset[str] = frozenset()
    layer_namespace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFacts:
    """One card, with every source's word on it.

    `reservation` is one of those with which KAI holds the card. `named_by_holder`: no source lists
    the node's cards and has this one; only a pod that holds it gives its name away. `crowded`: the
    node offers more devices than it has cards, and nothing says how they are shared.
    """

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
    published: PhysicalCard | None = None  # what a DRA driver publishes
    reservation: Reservation | None = None
    named_by_holder: bool = False
    crowded: bool = False

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
    those cards: the scheduler's books, or a pod's promise where HAMi runs. Tenants can write
    promises and can label a pod as HAMi's, so the two must come from different namespaces. One
    tenant with two of them can still make such a card, of the node's own capacity and no more.
    """
    if registration.source not in inputs.node.capacity:
        return True
    cards = {device.card for device in registration.devices}
    if not cards.isdisjoint(inputs.books):
        return True
    home = inputs.layer_namespace
    return bool(home) and any(
        promise.card in cards
        for pod in inputs.pods
        if pod.namespace != home
        for promise in pod.promises
    )


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


def _by_index(card: CardFacts) -> tuple[int, str, str]:
    return (int(card.index) if card.index.isdecimal() else 1 << 30, card.index, card.id)


def _listed(inputs: NodeInputs, registered: Iterable[str]) -> set[str]:
    """Cards in the word of a source that lists all of the node's cards."""
    ids = {*registered, *inputs.readings, *inputs.hosts, *inputs.dra.cards}
    if not registered:
        # The scheduler's books outlive cards (HAMi issue 1595): they count only where no
        # registration can be read.
        ids |= set(inputs.books)
    return ids


def _in_pod_status(inputs: NodeInputs) -> Iterator[str]:
    """Cards that the kubelet says that pods hold.

    Under a sharing layer it says so of cards that the layer then replaces by its own choice
    (facts/k8s.md 1.6).
    """
    if registrations_of(inputs):
        return
    for pod in inputs.pods:
        if not pod.holds:
            continue
        for status in pod.devices:
            device = read_device_id(status.device)
            whole = is_card_uuid(device.card) and not device.instance
            if whole and vendor_of_count(status.resource) is not None:
                yield device.card


def _reserved(inputs: NodeInputs) -> dict[str, Reservation]:
    """Card → KAI's reservation of it, also where several contradict each other about a group."""
    found = (pod.reservation for pod in inputs.pods if pod.holds)
    return {
        reservation.card: reservation
        for reservation in found
        if reservation is not None and is_card_uuid(reservation.card)
    }


def _only_vendor(node: Node) -> str:
    """The vendor of all accelerators that the node offers, "" where there is none or several."""
    rows = {row.name for name in node.capacity if (row := vendor_of_count(name)) is not None}
    return rows.pop() if len(rows) == 1 else ""


def _first(*candidates: str) -> str:
    return next((text for text in candidates if text), "")


def cards_of(inputs: NodeInputs) -> tuple[CardFacts, ...]:
    """The node's cards, by index."""
    registered = _registered(inputs)
    reserved = _reserved(inputs)
    listed = _listed(inputs, registered)
    only_vendor = _only_vendor(inputs.node)
    cards = []
    for card in {*listed, *reserved, *_in_pod_status(inputs)} - inputs.foreign:
        registration, device = registered.get(card, (None, None))
        reading, books = inputs.readings.get(card), inputs.books.get(card)
        published = inputs.dra.cards.get(card)
        part = _any_device(published)
        cards.append(
            CardFacts(
                id=card,
                index=_index(reading, device) or (books.index if books else ""),
                vendor=_first(
                    registration.vendor if registration else "",
                    part.vendor if part else "",
                    "nvidia" if reading is not None or is_card_uuid(card) else only_vendor,
                ),
                model=_first(
                    reading.model if reading else "",
                    device.model if device else "",
                    books.model if books else "",
                    part.model if part else "",
                ),
                pci_bus_id=_first(
                    reading.pci_bus_id if reading else "", part.pci_bus_id if part else ""
                ),
                registration=registration,
                device=device,
                reading=reading,
                host=inputs.hosts.get(card),
                books=books,
                published=published,
                reservation=reserved.get(card),
                named_by_holder=card not in listed,
            )
        )
    if _is_crowded(inputs, cards):
        cards = [replace(card, crowded=_is_plugins(card)) for card in cards]
    return tuple(sorted(cards, key=_by_index))


def _is_plugins(card: CardFacts) -> bool:
    """Whether the stock device plugin alone serves the card, as far as anything says."""
    instances = card.reading is not None and card.reading.instances
    foreign = card.layer or card.published is not None or card.reservation is not None
    return card.vendor == "nvidia" and not foreign and not instances


def _is_crowded(inputs: NodeInputs, cards: Sequence[CardFacts]) -> bool:
    """Whether the node offers a multiple of its cards although no label speaks of sharing.

    So it is on AKS and wherever GPU feature discovery does not run (facts/k8s.md 1.12). Time
    slicing and MPS look alike there.
    """
    node = inputs.node
    offered = node.capacity.get(CARD_RESOURCE, 0)
    mine = [card for card in cards if card.vendor == "nvidia"]
    if not mine or len(mine) >= offered or offered % len(mine):
        return False
    if any(card.named_by_holder or not _is_plugins(card) for card in mine):
        return False
    return node_strategy(node) is Sharing.PLAIN and not is_plain(node) and not is_mig_single(node)


def _any_device(card: PhysicalCard | None) -> DraDevice | None:
    """The device that speaks best for the card: the whole one, else its first part."""
    if card is None:
        return None
    return card.whole or next(iter(card.others), None)


def lists_every_card(inputs: NodeInputs, cards: tuple[CardFacts, ...]) -> bool:
    """Whether the node has no card beside these.

    dcgm-exporter with virtual GPUs leaves out cards without pods (facts/errata.md, DCGM).
    """
    if inputs.dra.incomplete or any(card.named_by_holder for card in cards):
        return False
    labelled = labelled_count(inputs.node)
    return labelled is None or labelled <= sum(card.vendor == "nvidia" for card in cards)

"""Which card, or part of one, each source names for a container that the device plugin serves.

What a source is known to say wrongly is left out here: under a sharing layer the kubelet's device
ids and DCGM's labels mean nothing (facts/k8s.md 1.6, facts/dcgm.md 2.4), and on a card that KAI
reserved they name the reservation's pod.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpuatlas.join.device_ids import DeviceId, read_claim_device, read_device_id
from gpuatlas.join.holding import requesting
from gpuatlas.join.inventory import CardFacts, NodeInputs, lists_every_card
from gpuatlas.join.node_labels import is_plain, node_strategy, replicas_of
from gpuatlas.join.parts import device_partition, whole_partition
from gpuatlas.join.requests import counts_cards
from gpuatlas.join.strategy import card_sharing, partition_kind, slices_of_card
from gpuatlas.model.claims import DraDevice
from gpuatlas.model.objects import Container, Node, Pod
from gpuatlas.model.pages import Tenant
from gpuatlas.model.snapshot import Evidence, PartitionKind, Sharing
from gpuatlas.model.vendors import vendor_of_count

CLAIM_RESOURCE = "claim:"  # facts/k8s.md 1.6 (b): "claim:<claim>/<request>"


@dataclass(frozen=True, slots=True)
class Place:
    """A card, or a part of it, that some source names for a container."""

    card: str
    kind: PartitionKind
    partition: str
    evidence: Evidence


class NodeView:
    """The node's cards, indexed for attribution. Built once per join of a node."""

    def __init__(self, inputs: NodeInputs, cards: tuple[CardFacts, ...]) -> None:
        self.node: Node = inputs.node
        self.inputs = inputs
        self.cards: Mapping[str, CardFacts] = {card.id: card for card in cards}
        self.kinds = {c.id: partition_kind(c, card_sharing(c, inputs.node)) for c in cards}
        self.lists_every_card = lists_every_card(inputs, cards)
        self._index = _by_index(cards)
        self._mig_devices = _mig_devices(inputs)
        self._labelled = _labelled(cards, self.kinds)

    @property
    def counts_whole_cards(self) -> bool:
        """Whether `nvidia.com/gpu` is a number of cards, or of what a label says of them."""
        if node_strategy(self.node) is not Sharing.PLAIN or is_plain(self.node):
            return True
        mine = [self.kinds[card.id] for card in self.of_vendor("nvidia")]
        return bool(mine) and all(kind is PartitionKind.WHOLE for kind in mine)

    def of_vendor(self, vendor: str) -> list[CardFacts]:
        """The cards of one vendor, by index."""
        return [card for card in self.cards.values() if card.vendor == vendor]

    def whole(self, card: CardFacts, evidence: Evidence) -> Place:
        """All of a card, or the unnamed part that its sharing gives a container of it."""
        kind = self.kinds[card.id]
        if kind is PartitionKind.DRA:
            return Place(card.id, PartitionKind.WHOLE, whole_partition(card), evidence)
        return Place(card.id, kind, str(kind), evidence)

    def of_device(self, device: DeviceId) -> Place | None:
        """The place that a device plugin's id names, by the pod's status."""
        part = self._mig_devices.get(device.mig)
        if part is not None:
            card = self.inputs.dra.card_of[part.key]
            return Place(card, PartitionKind.MIG, device_partition(part), Evidence.POD_STATUS)
        found = self.cards.get(device.card) or self._index.get(device.index)
        if found is None or is_lied_about(found):
            return None
        if device.instance:
            partition = f"gi-{device.instance}"
            return Place(found.id, PartitionKind.MIG, partition, Evidence.POD_STATUS)
        return self.whole(found, Evidence.POD_STATUS)

    def labels_of(self, pod: Pod, container: str) -> list[Place]:
        """What DCGM's labels name for a container.

        A label without a container speaks for the pod's only container that asks for cards; where
        several ask, nobody can tell them apart.
        """
        asking = [c.name for c in requesting(pod) if _asks_for_cards(c)]
        named = {container, ""} if len(asking) == 1 else {container}
        return [place for name, place in self._labelled.get(pod.key, ()) if name in named]


def _asks_for_cards(container: Container) -> bool:
    return bool(container.claims) or any(map(counts_cards, container.limits))


def is_lied_about(card: CardFacts) -> bool:
    """Whether the kubelet and DCGM are known not to know who really holds the card."""
    return bool(card.layer) or card.reservation is not None


def _by_index(cards: Iterable[CardFacts]) -> dict[str, CardFacts]:
    """NVIDIA's cards by index, where the index is one card's alone."""
    found: dict[str, list[CardFacts]] = defaultdict(list)
    for card in cards:
        if card.vendor == "nvidia" and card.index:
            found[card.index].append(card)
    return {index: same[0] for index, same in found.items() if len(same) == 1}


def _mig_devices(inputs: NodeInputs) -> dict[str, DraDevice]:
    """MIG UUID → the device that a DRA driver publishes, which knows its card."""
    return {device.uuid: device for device in inputs.dra.devices.values() if device.parent_uuid}


def _labelled(
    cards: tuple[CardFacts, ...], kinds: Mapping[str, PartitionKind]
) -> Mapping[tuple[str, str], list[tuple[str, Place]]]:
    """(namespace, pod) → (container, place) as DCGM's labels have it."""
    found: dict[tuple[str, str], list[tuple[str, Place]]] = defaultdict(list)

    def add(tenants: Iterable[Tenant], place: Place) -> None:
        for tenant in sorted(tenants):
            found[tenant.namespace, tenant.pod].append((tenant.container, place))

    for card in cards:
        if card.reading is None or is_lied_about(card):
            continue
        kind = kinds[card.id]
        if kind is PartitionKind.DRA:
            part = Place(card.id, PartitionKind.WHOLE, whole_partition(card), Evidence.DCGM)
        else:
            part = Place(card.id, kind, str(kind), Evidence.DCGM)
        add(card.reading.tenants, part)
        for instance in card.reading.instances:
            place = Place(card.id, PartitionKind.MIG, f"gi-{instance.instance}", Evidence.DCGM)
            add(instance.tenants, place)
    return found


def status_places(pod: Pod, container: Container, resource: str, view: NodeView) -> list[Place]:
    """What the pod's status names for one resource of a container (KEP-4680)."""
    found = (
        view.of_device(read_device_id(status.device))
        for status in pod.devices
        if status.container == container.name and status.resource == resource
    )
    return [place for place in found if place is not None]


def claimed_in_status(pod: Pod, container: str, view: NodeView) -> Iterator[DraDevice]:
    """DRA devices that the pod's status names for a container."""
    for status in pod.devices:
        if status.container == container and status.resource.startswith(CLAIM_RESOURCE):
            key = read_claim_device(status.device)
            device = None if key is None else view.inputs.dra.devices.get(key)
            if device is not None:
                yield device


def only_places(resource: str, count: int, mig: str, view: NodeView) -> list[Place]:
    """Where the node leaves no choice: one card, or as many as the container asks for."""
    vendor = vendor_of_count(resource)
    cards = view.of_vendor(vendor.name) if vendor is not None else []
    if not view.lists_every_card or any(is_lied_about(card) for card in cards):
        return []
    if view.node.capacity.get(resource, 0) > _most_of(cards, mig, view.node):
        return []
    whole = not mig and all(view.kinds[c.id] is PartitionKind.WHOLE for c in cards)
    if len(cards) != 1 and not (whole and len(cards) == count):
        return []
    if mig:
        kind = PartitionKind.MIG
        return [Place(card.id, kind, str(kind), Evidence.ONLY_CARD) for card in cards]
    return [view.whole(card, Evidence.ONLY_CARD) for card in cards]


def _most_of(cards: Sequence[CardFacts], mig: str, node: Node) -> float:
    """The highest capacity that these cards can make: with more, a page lacks some of the cards."""
    if node_strategy(node) is Sharing.PLAIN:
        replicas: float = 1
    else:
        replicas = replicas_of(node) or math.inf
    return replicas * sum(slices_of_card(card.model) if mig else 1 for card in cards)

"""One node: its cards, who holds them, and whether its sharing layer is ready."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from gpuatlas.join import allocations, physical
from gpuatlas.join.cards import CardContext, join_card
from gpuatlas.join.holding import Holding
from gpuatlas.join.holdings import Attribution, attribute
from gpuatlas.join.inventory import (
    CardFacts,
    NodeInputs,
    cards_of,
    is_dropped,
    lists_every_card,
    registrations_of,
)
from gpuatlas.join.layer_pods import plugin_ready
from gpuatlas.join.node_labels import COUNT_LABEL, declared_sharing, labelled_count, mig_instances
from gpuatlas.join.promised import requested_cards
from gpuatlas.model.objects import Node
from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.snapshot import Allocation, Card, NodeSnapshot, PartitionKind
from gpuatlas.model.vendors import vendor_of_count

# First match wins (facts/k8s.md 1.9, 1.12, 1.13; eksctl and managed node groups write the EKS one).
_POOL_LABELS: Final = (
    "kai.scheduler/node-pool",
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "alpha.eksctl.io/nodegroup-name",
    "kubernetes.azure.com/agentpool",
    "agentpool",
    "karpenter.sh/nodepool",
)
_PLATFORM_PREFIXES: Final = (
    ("cloud.google.com/gke-", "gke"),
    ("eks.amazonaws.com/", "eks"),
    ("kubernetes.azure.com/", "aks"),
    ("node.openshift.io/", "openshift"),
)
_DRIVER_LABEL: Final = "nvidia.com/cuda.driver-version.full"
_OLD_DRIVER_LABELS: Final = tuple(f"nvidia.com/cuda.driver.{p}" for p in ("major", "minor", "rev"))
_CUDA_LABELS: Final = (
    "nvidia.com/cuda.runtime-version.full",
    "nvidia.com/cuda.runtime-version.major",
)


def _first_label(node: Node, labels: Sequence[str]) -> str:
    return next((node.labels[label] for label in labels if node.labels.get(label)), "")


def _platform(node: Node) -> str:
    for prefix, platform in _PLATFORM_PREFIXES:
        if any(label.startswith(prefix) for label in node.labels):
            return platform
    return ""


def _driver_version(node: Node, cards: Sequence[CardFacts]) -> str:
    found = node.labels.get(_DRIVER_LABEL, "")
    if found:
        return found
    parts = [node.labels.get(label, "") for label in _OLD_DRIVER_LABELS]
    if all(parts):
        return ".".join(parts)
    read = next((c.reading.driver_version for c in cards if c.reading is not None), "")
    return read or _published(cards, "driver_version")


def _published(cards: Sequence[CardFacts], field: str) -> str:
    """A text that a DRA driver publishes with each of its devices, "" where it does not."""
    devices = (
        device
        for card in cards
        if card.published is not None
        for device in (card.published.whole, *card.published.others)
        if device is not None
    )
    return next((text for device in devices if (text := getattr(device, field))), "")


def _card_count(inputs: NodeInputs, cards: tuple[CardFacts, ...]) -> Reading[int]:
    """Cards that a source lists; where none lists all, what the node's label says."""
    if inputs.dra.incomplete:
        return Unknown(inputs.dra.incomplete)
    if cards and lists_every_card(inputs, cards):
        return Known(len(cards), 0.0, "cards identified")
    labelled = labelled_count(inputs.node)
    if labelled is not None:
        return Known(labelled, 0.0, f"node label {COUNT_LABEL}")
    if cards:
        return Unknown("only the cards that pods hold are named")
    return Unknown("capacity counts shares as well as cards, and no source names the cards")


def sharing_ready(inputs: NodeInputs) -> Reading[bool]:
    """Whether the sharing layer has registered this node and can place work on it.

    facts/hami.md 2.4: alive means that the plugin's pod is ready and the count resource is
    allocatable; a handshake that says "deleted" means that the scheduler dropped the node. An old
    "requesting" is normal since v2.9 and says nothing.
    """
    node, registrations = inputs.node, registrations_of(inputs)
    plugin = plugin_ready(inputs.pods, inputs.layer_namespace)
    if not registrations:
        if plugin is None:
            return Unknown("no sharing layer on this node")
        return Known(value=False, at=0.0, source="no registration annotation")
    kept = [r for r in registrations if not is_dropped(r)]
    healthy = any(device.healthy for r in kept for device in r.devices)
    allocatable = any(
        count > 0 and vendor_of_count(resource) is not None
        for resource, count in node.allocatable.items()
    )
    ready = plugin is not False and healthy and allocatable and node.ready
    return Known(ready, 0.0, "registration, handshake, allocatable and plugin pod")


def _homeless_for(
    card: CardFacts, held: Sequence[Holding], loose: Sequence[Holding], *, layered: bool
) -> list[Holding]:
    """Of the holdings without a card (`loose`) those that could be on this one.

    A whole card that is held takes nobody else. A card under a layer is no exception: where the
    layer has gone and its registration stayed, or where a pod passed it by, the pod runs on one of
    the cards all the same. A refused promise is no tenant of anything where a layer has cards of
    the vendor (`layered`): it must not make the sums of others unknown. Where no layer has any, the
    device plugin served the pod whatever its annotation says, so one of the cards is its.
    """
    if any(h.kind is PartitionKind.WHOLE for h in held):
        return []
    return [
        h for h in loose if h.contender and _may_hold(h, card) and not (layered and h.pod.promises)
    ]


def _may_hold(holding: Holding, card: CardFacts) -> bool:
    """By the holding's vendor; a refused annotation may name another one than the pod asks for."""
    if holding.unpublished and card.published is not None:
        return False
    return holding.vendor == card.vendor or (
        bool(holding.pod.promises) and requested_cards(holding.pod, card.vendor) > 0
    )


def _misplaced(by_card: Mapping[str, Sequence[Holding]]) -> list[Holding]:
    """Holdings of pods whose promises were all refused: such a pod runs on some card."""
    promised = [h for h in by_card.get("", ()) if h.pod.promises]
    if not promised:
        return []
    placed = {h.pod.uid for name, held in by_card.items() if name for h in held}
    return [h for h in promised if h.pod.uid not in placed]


def _joined_cards(
    inputs: NodeInputs, facts: tuple[CardFacts, ...], held_by: Attribution
) -> tuple[list[Card], list[Allocation]]:
    by_card: dict[str, list[Holding]] = defaultdict(list)
    for holding in held_by.holdings:
        by_card[holding.card].append(holding)
    labelled = physical.label_total(inputs, facts)
    layered = {card.vendor for card in facts if card.layer}
    misplaced = _misplaced(by_card)
    cards: list[Card] = []
    found: list[Allocation] = []
    for card in facts:
        # A card that KAI holds already, or somebody, is not that of another reservation.
        loose = [] if by_card[card.id] or card.reservation is not None else held_by.reserved
        context = CardContext(
            inputs=inputs,
            holdings=by_card[card.id],
            idle=held_by.idle.get(card.id, ()),
            doubt=held_by.doubtful.get(card.id, ""),
            homeless=_homeless_for(
                card, by_card[card.id], (*by_card[""], *loose), layered=card.vendor in layered
            ),
            misplaced=[h for h in misplaced if h.vendor == card.vendor],
            labelled=labelled,
        )
        joined, held = join_card(card, context)
        cards.append(joined)
        found += held
    for holding in by_card[""]:
        alike = [card for card in cards if card.vendor == holding.vendor]
        size = _common_size(alike, labelled if holding.vendor == "nvidia" else None)
        found.append(allocations.without_card(holding, inputs.node, size))
    return cards, found


def _common_size(cards: Sequence[Card], labelled: Reading[int] | None) -> Reading[int]:
    """The size of every card of one vendor on the node, where they are all alike."""
    sizes = {c.memory.physical.value for c in cards if isinstance(c.memory.physical, Known)}
    if len(sizes) == 1 and all(isinstance(c.memory.physical, Known) for c in cards):
        return cards[0].memory.physical
    if not cards and labelled is not None:
        return labelled
    return Unknown("the node's cards differ or their size is unknown")


def _foreign_cards(inputs: NodeInputs) -> list[Rejection]:
    text = "another node has this card: it is shown there only"
    return [
        Rejection("join", "card-of-another-node", f"node {inputs.node.name} card {card}", text)
        for card in sorted(inputs.foreign)
    ]


def join_node(inputs: NodeInputs) -> NodeSnapshot:
    """Everything about one node, from everything that the sources say of it."""
    node = inputs.node
    facts = cards_of(inputs)
    attribution = attribute(inputs, facts)
    cards, found = _joined_cards(inputs, facts, attribution)
    return NodeSnapshot(
        name=node.name,
        pool=_first_label(node, _POOL_LABELS),
        platform=_platform(node),
        driver_version=_driver_version(node, facts),
        cuda_version=_first_label(node, _CUDA_LABELS) or _published(facts, "cuda_version"),
        sharing=",".join(sorted({str(card.sharing) for card in cards})) or declared_sharing(node),
        sharing_ready=sharing_ready(inputs),
        card_count=_card_count(inputs, facts),
        cards=tuple(cards),
        allocations=tuple(sorted(found, key=_allocation_order)),
        mig_instances=mig_instances(node),
        rejections=(*attribution.rejections, *_foreign_cards(inputs)),
    )


def _allocation_order(allocation: Allocation) -> tuple[str, str, str, str]:
    return (allocation.card, allocation.namespace, allocation.pod, allocation.container)

"""One node: its cards, who holds them, and whether its sharing layer is ready."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from gpuatlas.join import allocations, physical
from gpuatlas.join.cards import CardContext, join_card
from gpuatlas.join.holding import Holding
from gpuatlas.join.holdings import holdings_of
from gpuatlas.join.inventory import (
    CardFacts,
    NodeInputs,
    cards_of,
    is_dropped,
    registrations_of,
)
from gpuatlas.join.strategy import is_mig_single
from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.snapshot import Allocation, Card, NodeSnapshot
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
_COUNT_LABEL: Final = "nvidia.com/gpu.count"
_PLUGIN_COMPONENT: Final = "hami-device-plugin"


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
    return next((c.reading.driver_version for c in cards if c.reading is not None), "")


def _card_count(node: Node, cards: Sequence[CardFacts]) -> Reading[int]:
    """Cards identified; where none is, what the node's labels prove without a doubt."""
    if cards:
        return Known(len(cards), 0.0, "cards identified")
    text = node.labels.get(_COUNT_LABEL, "")
    if text.isdecimal() and not is_mig_single(node):
        return Known(int(text), 0.0, f"node label {_COUNT_LABEL}")
    return Unknown("capacity counts shares as well as cards, and no source names the cards")


def _plugin_ready(pods: Sequence[Pod]) -> bool | None:
    plugins = [p for p in pods if p.labels.get("app.kubernetes.io/component") == _PLUGIN_COMPONENT]
    return any(p.ready for p in plugins) if plugins else None


def sharing_ready(inputs: NodeInputs) -> Reading[bool]:
    """Whether the sharing layer has registered this node and can place work on it.

    facts/hami.md 2.4: alive means that the plugin's pod is ready and the count resource is
    allocatable; a handshake that says "deleted" means that the scheduler dropped the node. An old
    "requesting" is normal since v2.9 and says nothing.
    """
    node, registrations = inputs.node, registrations_of(inputs)
    plugin = _plugin_ready(inputs.pods)
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


def _homeless_for(card: CardFacts, holdings: Sequence[Holding]) -> list[Holding]:
    """Holdings without a card that could be on this one.

    A refused promise is no tenant of anything: it must not make the cards of others unknown.
    """
    return [
        h
        for h in holdings
        if not h.card and h.vendor == card.vendor and not card.layer and not h.pod.promises
    ]


def _joined_cards(
    inputs: NodeInputs, facts: tuple[CardFacts, ...], holdings: list[Holding]
) -> tuple[list[Card], list[Allocation]]:
    by_card: dict[str, list[Holding]] = defaultdict(list)
    for holding in holdings:
        by_card[holding.card].append(holding)
    labelled = physical.label_total(inputs, facts)
    cards: list[Card] = []
    found: list[Allocation] = []
    for card in facts:
        context = CardContext(
            inputs=inputs,
            holdings=by_card[card.id],
            homeless=_homeless_for(card, by_card[""]),
            labelled=labelled,
        )
        joined, held = join_card(card, context)
        cards.append(joined)
        found += held
    size = _common_size(cards, labelled)
    found += [allocations.without_card(h, inputs.node.name, size) for h in by_card[""]]
    return cards, found


def _common_size(cards: Sequence[Card], labelled: Reading[int] | None) -> Reading[int]:
    """The size of every card of the node, where they are all alike."""
    sizes = {c.memory.physical.value for c in cards if isinstance(c.memory.physical, Known)}
    if len(sizes) == 1 and all(isinstance(c.memory.physical, Known) for c in cards):
        return cards[0].memory.physical
    if not cards and labelled is not None:
        return labelled
    return Unknown("the node's cards differ or their size is unknown")


def join_node(inputs: NodeInputs) -> NodeSnapshot:
    """Everything about one node, from everything that the sources say of it."""
    node = inputs.node
    facts = cards_of(inputs)
    holdings, rejections = holdings_of(inputs, facts)
    cards, found = _joined_cards(inputs, facts, holdings)
    return NodeSnapshot(
        name=node.name,
        pool=_first_label(node, _POOL_LABELS),
        platform=_platform(node),
        driver_version=_driver_version(node, facts),
        cuda_version=_first_label(node, _CUDA_LABELS),
        sharing=",".join(sorted({str(card.sharing) for card in cards})),
        sharing_ready=sharing_ready(inputs),
        card_count=_card_count(node, facts),
        cards=tuple(cards),
        allocations=tuple(sorted(found, key=_allocation_order)),
        rejections=tuple(rejections),
    )


def _allocation_order(allocation: Allocation) -> tuple[str, str, str, str]:
    return (allocation.card, allocation.namespace, allocation.pod, allocation.container)

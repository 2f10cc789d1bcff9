"""Who holds what on one node: each container's claim on a card, with the evidence that names it.

Order of trust: the layer's annotation, the pod's own status, DCGM's labels, "the node has but one".
Where none of them answers the holding stays without a card, with the reason.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from gpuatlas.join.holding import Holding, requesting
from gpuatlas.join.inventory import CardFacts, NodeInputs
from gpuatlas.join.promised import promised_holdings
from gpuatlas.join.strategy import card_sharing, is_mig_single, node_strategy, partition_kind
from gpuatlas.model.objects import Container, Node, Pod
from gpuatlas.model.pages import Tenant
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.snapshot import Evidence, PartitionKind, Sharing
from gpuatlas.model.vendors import vendor_of_count

_UNKNOWN_CARD = (
    "node {node} has {cards} and nothing says which one the container holds: run dcgm-exporter "
    "with Kubernetes mapping, or Kubernetes 1.36 or newer"
)


@dataclass(frozen=True, slots=True)
class _Place:
    """A card, or a part of it, that some source names for a container."""

    card: str
    kind: PartitionKind
    partition: str
    evidence: Evidence


class _NodeView:
    """The node's cards, indexed for attribution. Built once per join of a node."""

    def __init__(self, inputs: NodeInputs, cards: tuple[CardFacts, ...]) -> None:
        self.node: Node = inputs.node
        self.cards: Mapping[str, CardFacts] = {card.id: card for card in cards}
        self.kinds = {c.id: partition_kind(c, card_sharing(c, inputs.node)) for c in cards}
        self.labelled: Mapping[tuple[str, str], list[tuple[str, _Place]]] = _labelled(
            cards, self.kinds
        )

    def of_vendor(self, vendor: str) -> list[CardFacts]:
        return [card for card in self.cards.values() if card.vendor == vendor]


def _labelled(
    cards: tuple[CardFacts, ...], kinds: Mapping[str, PartitionKind]
) -> Mapping[tuple[str, str], list[tuple[str, _Place]]]:
    """(namespace, pod) → (container, place) as DCGM's labels have it.

    Cards under a layer are left out: the layer ignores the devices that the kubelet chose, so the
    labels lie there (facts/dcgm.md 2.4).
    """
    found: dict[tuple[str, str], list[tuple[str, _Place]]] = defaultdict(list)

    def add(tenants: Iterable[Tenant], place: _Place) -> None:
        for tenant in sorted(tenants):
            found[tenant.namespace, tenant.pod].append((tenant.container, place))

    for card in cards:
        if card.reading is None or card.layer:
            continue
        kind = kinds[card.id]
        add(card.reading.tenants, _Place(card.id, kind, str(kind), Evidence.DCGM))
        for instance in card.reading.instances:
            place = _Place(card.id, PartitionKind.MIG, f"gi-{instance.instance}", Evidence.DCGM)
            add(instance.tenants, place)
    return found


def _device_uuid(device: str) -> str:
    """The kubelet's device id without the replica number that a shared device carries."""
    return device.split("::", 1)[0]


def _status_places(pod: Pod, container: Container, resource: str, view: _NodeView) -> list[_Place]:
    places = []
    for status in pod.devices:
        if status.container != container.name or status.resource != resource:
            continue
        card = view.cards.get(_device_uuid(status.device))
        if card is not None and not card.layer:
            kind = view.kinds[card.id]
            places.append(_Place(card.id, kind, str(kind), Evidence.POD_STATUS))
    return places


def _label_places(pod: Pod, container: Container, view: _NodeView) -> list[_Place]:
    return [
        place for named, place in view.labelled.get(pod.key, ()) if named in {container.name, ""}
    ]


def _only_places(vendor: str, count: int, mig: str, view: _NodeView) -> list[_Place]:
    """Where the node leaves no choice: one card, or as many as the container asks for."""
    cards = view.of_vendor(vendor)
    whole = not mig and all(view.kinds[c.id] is PartitionKind.WHOLE for c in cards)
    if len(cards) != 1 and not (whole and len(cards) == count):
        return []
    places = []
    for card in cards:
        kind = PartitionKind.MIG if mig else view.kinds[card.id]
        if card.layer:
            return []
        places.append(_Place(card.id, kind, str(kind), Evidence.ONLY_CARD))
    return places


def _is_mig(resource: str, node: Node) -> str:
    if resource.startswith("nvidia.com/mig-"):
        return resource.removeprefix("nvidia.com/mig-").removesuffix(".shared")
    return "single" if resource == "nvidia.com/gpu" and is_mig_single(node) else ""


def _why_unknown(pod: Pod, vendor: str, view: _NodeView) -> str:
    cards = view.of_vendor(vendor)
    if any(card.layer for card in cards) and not pod.promises:
        return "it asks for a shared card and carries no allocation of the sharing layer"
    if not cards:
        return f"no source names the cards of node {view.node.name}"
    return _UNKNOWN_CARD.format(node=view.node.name, cards=f"{len(cards)} cards")


def _unknown_kind(resource: str, view: _NodeView) -> PartitionKind:
    if _is_mig(resource, view.node):
        return PartitionKind.MIG
    strategy = node_strategy(view.node)
    if strategy is Sharing.TIME_SLICING:
        return PartitionKind.SLICE
    return PartitionKind.MPS if strategy is Sharing.MPS else PartitionKind.WHOLE


def _plugin_holdings(pod: Pod, container: Container, view: _NodeView) -> Iterator[Holding]:
    """Holdings of one container that the device plugin serves."""
    for resource, count in sorted(container.limits.items()):
        vendor = vendor_of_count(resource)
        if vendor is None or count <= 0:
            continue
        places = (
            _status_places(pod, container, resource, view)
            or _label_places(pod, container, view)
            or _only_places(vendor.name, count, _is_mig(resource, view.node), view)
        )
        places = list(dict.fromkeys(places))[:count]
        base = Holding(
            pod=pod,
            container=container.name,
            init=False,
            vendor=vendor.name,
            card="",
            kind=_unknown_kind(resource, view),
            partition="",
            evidence=Evidence.UNKNOWN,
        )
        for place in places:
            yield replace(
                base,
                card=place.card,
                kind=place.kind,
                partition=place.partition,
                evidence=place.evidence,
            )
        # A shared replica is no second card: asking for two gives no more (facts/k8s.md 1.2).
        missing = count - len(places) if base.kind is PartitionKind.WHOLE else int(not places)
        if missing > 0:
            yield replace(base, reason=_why_unknown(pod, vendor.name, view), count=missing)


def _claimed_twice(holdings: list[Holding]) -> set[str]:
    """Whole cards that two pods claim: one of the sources lies, and we cannot tell which."""
    pods: dict[str, set[str]] = defaultdict(set)
    for holding in holdings:
        if holding.card and holding.kind is PartitionKind.WHOLE:
            pods[holding.card].add(holding.pod.uid)
    return {card for card, uids in pods.items() if len(uids) > 1}


def _without_conflicts(holdings: list[Holding]) -> tuple[list[Holding], list[Rejection]]:
    twice = _claimed_twice(holdings)
    if not twice:
        return holdings, []
    kept, rejections = [], []
    for holding in holdings:
        if holding.card not in twice:
            kept.append(holding)
            continue
        where = f"pod {holding.pod.namespace}/{holding.pod.name} card {holding.card}"
        text = f"another pod claims whole card {holding.card} too ({holding.evidence})"
        rejections.append(Rejection("join", "card-claimed-twice", where, text))
        kept.append(replace(holding, card="", partition="", evidence=Evidence.UNKNOWN, reason=text))
    return kept, rejections


def _merged(holdings: list[Holding]) -> list[Holding]:
    """One holding per (pod, container, card): the identity of an allocation's series.

    A container with two partitions of one card keeps both ids, joined by a comma.

    Holdings without a card of one container become one; two vendors' do not meet in one container.
    """
    merged: dict[tuple[str, str, str, str], Holding] = {}
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for holding in holdings:
        key = (holding.pod.uid, holding.container, holding.card, "" if holding.card else "?")
        counts[key] += holding.count
        first = merged.setdefault(key, holding)
        if first is not holding and holding.card:
            merged[key] = replace(
                first,
                partition=",".join(dict.fromkeys((*first.partition.split(","), holding.partition))),
                memory_bytes=_sum(first.memory_bytes, holding.memory_bytes),
                cores=_sum(first.cores, holding.cores),
            )
    return [h if h.card else replace(h, count=counts[k]) for k, h in merged.items()]


def _sum(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


def holdings_of(
    inputs: NodeInputs, cards: tuple[CardFacts, ...]
) -> tuple[list[Holding], list[Rejection]]:
    """All holdings on the node, by pod, and the claims that were refused."""
    view = _NodeView(inputs, cards)
    holdings: list[Holding] = []
    rejections: list[Rejection] = []
    for pod in inputs.pods:
        if not pod.holds:
            continue
        if pod.promises:
            promised, refused = promised_holdings(pod, view.node.name, view.cards)
            holdings += promised
            rejections += refused
            if promised:
                continue
        for container in requesting(pod):
            holdings += _plugin_holdings(pod, container, view)
    resolved, conflicts = _without_conflicts(holdings)
    return _merged(resolved), rejections + conflicts

"""Holdings of containers that a device plugin serves: what they ask for, placed as far as known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from gpuatlas.join.claimed import served_by_claim
from gpuatlas.join.device_ids import read_device_id
from gpuatlas.join.holding import Holding, requesting
from gpuatlas.join.node_labels import CARD_RESOURCE, is_mig_single, node_strategy
from gpuatlas.join.places import NodeView, Place, only_places, status_places
from gpuatlas.model.objects import Container, Node, Pod
from gpuatlas.model.snapshot import Evidence, PartitionKind, Sharing
from gpuatlas.model.vendors import Vendor, core_unit, is_share, memory_unit, vendor_of_count

_UNKNOWN_CARD: Final = (
    "node {node} has {cards} and nothing says which one the container holds: run dcgm-exporter "
    "with Kubernetes mapping, or Kubernetes 1.36 or newer"
)
_HELD_BY_INIT: Final = "its init container held it and nothing says which card that was"


def plugin_holdings(pod: Pod, view: NodeView) -> Iterator[Holding]:
    """All holdings of a pod that the device plugin serves."""
    for container in requesting(pod):
        yield from _of_container(pod, container, view)
    yield from _kept_for_init(pod, view)


def _of_container(pod: Pod, container: Container, view: NodeView) -> Iterator[Holding]:
    """Holdings of one container.

    The labels of an instance do not say by which resource it was asked for: each of them serves
    one of the container's resources, so that two profiles are two instances and not one twice.
    """
    served = served_by_claim(pod)
    taken: set[Place] = set()
    for resource, count in sorted(container.limits.items()):
        vendor = vendor_of_count(resource)
        if vendor is None or count <= 0:
            continue
        share = _asks_for_share(container, resource, vendor)
        base = Holding(
            pod=pod,
            container=container.name,
            init=False,
            vendor=vendor.name,
            card="",
            kind=_unknown_kind(resource, vendor.name, view, share=share),
            partition="",
            evidence=Evidence.UNKNOWN,
        )
        if (container.name, resource) in served:
            yield from _unclaimed(base, view)
            continue
        places = _places(pod, container, resource, view, taken)
        taken.update(places)
        for place in (_as_asked(place, share=share) for place in places):
            yield replace(
                base,
                card=place.card,
                kind=place.kind,
                partition=place.partition,
                evidence=place.evidence,
            )
        missing = _missing(base.kind, count, places, view.node)
        if missing > 0:
            yield replace(base, reason=_why_unknown(pod, vendor.name, view), count=missing)


def _places(
    pod: Pod, container: Container, resource: str, view: NodeView, taken: set[Place]
) -> list[Place]:
    """Where the container's devices are, by the best source that says it."""
    vendor = vendor_of_count(resource)
    if vendor is None:
        return []
    count = container.limits[resource]
    found = (
        status_places(pod, container, resource, view)
        or [
            place
            for place in view.labels_of(pod, container.name)
            if place not in taken and view.cards[place.card].vendor == vendor.name
        ]
        or [
            _with_instance(place, pod, container, view)
            for place in only_places(resource, count, _is_mig(resource, view.node), view)
        ]
    )
    return list(dict.fromkeys(found))[:count]


def _with_instance(place: Place, pod: Pod, container: Container, view: NodeView) -> Place:
    """The MIG instance by its UUID, where the pod's status has it and no page lists instances."""
    reading = view.cards[place.card].reading
    if place.kind is not PartitionKind.MIG or (reading is not None and reading.instances):
        return place
    ids = {read_device_id(s.device).mig for s in pod.devices if s.container == container.name}
    named = ids - {""}
    return replace(place, partition=named.pop()) if len(named) == 1 else place


def _is_mig(resource: str, node: Node) -> str:
    if resource.startswith("nvidia.com/mig-"):
        return resource.removeprefix("nvidia.com/mig-").removesuffix(".shared")
    return "single" if resource == CARD_RESOURCE and is_mig_single(node) else ""


def _asks_for_share(container: Container, resource: str, vendor: Vendor) -> bool:
    """Whether the container asks for less than the cards: a share's name, or a size beside it."""
    return is_share(vendor, resource) or any(
        memory_unit(vendor, name) or core_unit(vendor, name) for name in container.limits
    )


def _as_asked(place: Place, *, share: bool) -> Place:
    """A place on a card that looks whole, since no layer registers it, but is shared."""
    if share and place.kind is PartitionKind.WHOLE:
        return replace(place, kind=PartitionKind.VGPU, partition=str(PartitionKind.VGPU))
    return place


def _unknown_kind(resource: str, vendor: str, view: NodeView, *, share: bool) -> PartitionKind:
    if _is_mig(resource, view.node):
        return PartitionKind.MIG
    if share or any(card.layer for card in view.of_vendor(vendor)):
        return PartitionKind.VGPU
    if resource == CARD_RESOURCE and not view.counts_whole_cards:
        return PartitionKind.UNKNOWN
    strategy = node_strategy(view.node)
    if strategy is Sharing.TIME_SLICING:
        return PartitionKind.SLICE
    return PartitionKind.MPS if strategy is Sharing.MPS else PartitionKind.WHOLE


def _missing(kind: PartitionKind, count: int, places: Sequence[Place], node: Node) -> int:
    """How many of the cards or instances that were asked for no source names."""
    shared = node_strategy(node) is not Sharing.PLAIN
    unnamed = any(place.partition == str(PartitionKind.MIG) for place in places)
    if kind is PartitionKind.WHOLE or (kind is PartitionKind.MIG and not shared and not unnamed):
        return count - len(places)
    # A shared replica is no second card: asking for two gives no more (facts/k8s.md 1.2).
    return int(not places)


def _why_unknown(pod: Pod, vendor: str, view: NodeView) -> str:
    cards = view.of_vendor(vendor)
    if any(card.layer for card in cards) and not pod.promises:
        return "it asks for a shared card and carries no allocation of the sharing layer"
    if not cards:
        return f"no source names the cards of node {view.node.name}"
    return _UNKNOWN_CARD.format(node=view.node.name, cards=f"{len(cards)} cards")


def _unclaimed(base: Holding, view: NodeView) -> Iterator[Holding]:
    """A limit that Kubernetes serves by a claim, where that claim is not known."""
    name = base.pod.extended_claim
    if view.inputs.claims_silent or any(
        claim.name == name and claim.namespace == base.pod.namespace for claim in view.inputs.claims
    ):
        return
    yield replace(base, kind=PartitionKind.DRA, reason=f"its ResourceClaim {name!r} is not known")


def _kept_for_init(pod: Pod, view: NodeView) -> Iterator[Holding]:
    """Holdings of the init container that asks for most, beyond those of the others.

    The kubelet gives an init container's devices to the containers after it, and what they do not
    take stays the pod's until it ends: the scheduler counts max(init, sum of the others). What a
    claim serves is the claim's.
    """
    inits = [c for c in pod.containers if c.kind == "init"]
    if not inits:
        return
    served = served_by_claim(pod)
    vendors = {
        row.name
        for container in inits
        for resource in container.limits
        if (row := vendor_of_count(resource)) is not None
        and (container.name, resource) not in served
    }
    for vendor in sorted(vendors):
        main = sum(_cards_asked(c, vendor) for c in requesting(pod))
        most = max(inits, key=lambda c: _cards_asked(c, vendor))
        beyond = _cards_asked(most, vendor) - main
        found = [h for h in _of_container(pod, most, view) if h.vendor == vendor]
        if beyond <= 0 or not found:
            continue
        if main == 0:
            yield from (replace(h, init=True) for h in found)
            continue
        yield replace(
            found[0],
            init=True,
            card="",
            partition="",
            evidence=Evidence.UNKNOWN,
            reason=_HELD_BY_INIT,
            count=beyond,
        )


def _cards_asked(container: Container, vendor: str) -> int:
    return sum(
        count
        for resource, count in container.limits.items()
        if (row := vendor_of_count(resource)) is not None and row.name == vendor
    )

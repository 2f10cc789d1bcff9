"""What is promised of one card in all: memory, compute, and how many tenants share it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from gpuatlas.join.holding import ClaimShare, Holding
from gpuatlas.join.inventory import CardFacts
from gpuatlas.join.node_labels import node_strategy, replicas_of
from gpuatlas.join.promises import HOW_SHARED, claim_memory
from gpuatlas.join.strategy import slices_of_card
from gpuatlas.model.claims import PhysicalCard
from gpuatlas.model.objects import Node
from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.snapshot import PartitionKind, Sharing

V = TypeVar("V", int, float)


def _per_pod(amounts: Iterable[tuple[Holding, float]]) -> float:
    """Sum over pods of max(largest init container, sum of the others).

    Init containers give back what they hold before the others start (facts/hami.md 1.2).
    """
    init: dict[str, list[float]] = defaultdict(list)
    main: dict[str, list[float]] = defaultdict(list)
    for holding, amount in amounts:
        (init if holding.init else main)[holding.pod.uid].append(amount)
    return sum(max([sum(main[pod]), *init[pod]]) for pod in {*init, *main})


@dataclass(frozen=True, slots=True, kw_only=True)
class OnCard:
    """All that is promised of one card: who holds it, and what makes the sum unknown, or "".

    `shares` are those of claims, each once, the idle ones included.
    """

    holdings: Sequence[Holding]
    shares: Sequence[ClaimShare]
    tenants: Reading[int]
    doubt: str = ""


def _sum_unknown(on_card: OnCard, values: Iterable[Reading[V]]) -> Unknown | None:
    if isinstance(on_card.tenants, Unknown):
        return on_card.tenants
    if on_card.doubt:
        return Unknown(on_card.doubt)
    return next((value for value in values if isinstance(value, Unknown)), None)


def _total(on_card: OnCard, own: Sequence[Reading[V]], joint: Sequence[Reading[V]]) -> float:
    """`own` are the holdings' readings, of which those of claims count by way of `joint`."""
    amounts = [
        (holding, float(value.value))
        for holding, value in zip(on_card.holdings, own, strict=True)
        if isinstance(value, Known) and not holding.claims
    ]
    shared = sum(float(value.value) for value in joint if isinstance(value, Known))
    return _per_pod(amounts) + shared


def memory_allocated(
    on_card: OnCard, promised: Sequence[Reading[int]], physical: Reading[int]
) -> Reading[int]:
    """Bytes promised of the card in all; unknown as soon as one promise or a tenant is.

    `promised` are those of the holdings, in their order.
    """
    joint = [claim_memory(share, physical) for share in on_card.shares]
    unknown = _sum_unknown(on_card, (*_own(on_card, promised), *joint))
    return unknown or Known(int(_total(on_card, promised, joint)), 0.0, "sum of the promises")


def compute_allocated(on_card: OnCard, promised: Sequence[Reading[float]]) -> Reading[float]:
    """Share of the card promised in all; unknown as soon as one tenant has no limit.

    Such a tenant may take the whole card: to add 0 for it would call a busy card unpromised, which
    is what HAMi's own figure does (HAMi issue 1353).
    """
    joint = [share.compute for share in on_card.shares]
    unknown = _sum_unknown(on_card, (*_own(on_card, promised), *joint))
    total = _total(on_card, promised, joint)
    return unknown or Known(round(total, 6), 0.0, "sum of the promises")


def _own(on_card: OnCard, promised: Sequence[Reading[V]]) -> list[Reading[V]]:
    pairs = zip(on_card.holdings, promised, strict=True)
    return [value for holding, value in pairs if not holding.claims]


def tenants_of(
    holdings: Sequence[Holding], homeless: Sequence[Holding], silent: str
) -> Reading[int]:
    """Pods on the card; unknown while a pod on the node may hold it without our knowing.

    `silent` says why holders cannot be known at all, "" where they can.
    """
    if silent:
        return Unknown(silent)
    if homeless:
        pod = homeless[0].pod
        return Unknown(f"pod {pod.namespace}/{pod.name}: {homeless[0].reason}")
    return Known(len({h.pod.uid for h in holdings}), 0.0, "pods")


def tenants_limit_of(card: CardFacts, kind: PartitionKind, node: Node) -> Reading[int]:
    """The most tenants that the card takes."""
    if card.device is not None:
        slots = card.device.slots
        if slots is None:
            return Unknown("the registration names no number of shares")
        return Known(slots, 0.0, "registration")
    if card.published is not None:
        return _slots(card.published)
    return _limit_of_kind(card, kind, node)


def _limit_of_kind(card: CardFacts, kind: PartitionKind, node: Node) -> Reading[int]:
    if kind is PartitionKind.WHOLE:
        return Known(1, 0.0, "whole card")
    if kind is PartitionKind.MIG:
        return _limit_of_instances(card, node)
    if kind is PartitionKind.FRACTION:
        return Unknown("KAI sets no number of shares")
    if kind is PartitionKind.UNKNOWN:
        return Unknown(HOW_SHARED)
    replicas = replicas_of(node)
    return Known(replicas, 0.0, "node label") if replicas else Unknown("no label says it")


def _limit_of_instances(card: CardFacts, node: Node) -> Reading[int]:
    """As many as there are instances, each of them replicated where the node is time-sliced."""
    replicas = 1 if node_strategy(node) is Sharing.PLAIN else replicas_of(node)
    if not replicas:
        return Unknown("no label says how many share one MIG instance")
    instances = len(card.reading.instances) if card.reading is not None else 0
    if instances:
        return Known(instances * replicas, 0.0, "MIG instances")
    return Known(slices_of_card(card.model) * replicas, 0.0, "MIG slices")


def _slots(card: PhysicalCard) -> Reading[int]:
    slots = card.whole.slots if card.whole is not None else None
    if slots is None:
        return Unknown("the DRA driver sets no number of claims, and pods can share a claim")
    return Known(slots, 0.0, "ResourceSlice capacity")

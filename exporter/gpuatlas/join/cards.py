"""One card and its allocations, from the facts and the holdings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuatlas.join import allocations, compute, counted, parts, physical, promises, state, totals
from gpuatlas.join.holding import ClaimShare, Holding
from gpuatlas.join.inventory import CardFacts, NodeInputs
from gpuatlas.join.strategy import card_sharing, partition_kind
from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.snapshot import Allocation, Card, CardMemory, IdleClaim


@dataclass(frozen=True, slots=True, kw_only=True)
class CardContext:
    """What one card's join needs beside the card: its holdings and the node's loose ends.

    `idle` are the shares of claims on it that no pod uses, `doubt` says why its promises do not add
    up. `homeless` are holdings on the node without a card that could be this one, `misplaced` those
    whose promise names a wrong one; `labelled` is the size of the node's cards by label.
    """

    inputs: NodeInputs
    holdings: Sequence[Holding]
    idle: Sequence[ClaimShare]
    doubt: str
    homeless: Sequence[Holding]
    misplaced: Sequence[Holding]
    labelled: Reading[int] | None


def _overcommitted(allocated: Reading[int], total: Reading[int]) -> Reading[int]:
    if isinstance(allocated, Unknown):
        return allocated
    if isinstance(total, Unknown):
        return total
    return Known(max(0, allocated.value - total.value), total.at, "allocated − physical")


def _schedulable(card: CardFacts) -> Reading[int]:
    if card.registration is not None and card.device is not None:
        if card.device.memory_bytes is None:
            return Unknown(f"{card.registration.family} registers a placeholder, not a size")
        return Known(card.device.memory_bytes, 0.0, card.registration.source)
    if card.books is not None and card.books.limit_bytes is not None:
        return Known(card.books.limit_bytes, 0.0, "hami_gpu_memory_limit_bytes")
    whole = card.published.whole if card.published is not None else None
    if whole is not None:
        return parts.device_memory(whole)
    return Unknown("no sharing layer registers this card")


def _silent(card: CardFacts, context: CardContext) -> str:
    """Why nobody can know who holds the card, or ""."""
    inputs, reservation = context.inputs, card.reservation
    if inputs.pods_silent:
        return inputs.pods_silent
    if inputs.claims_silent and _may_be_claimed(card, inputs):
        return inputs.claims_silent
    if reservation is not None and not context.holdings:
        # KAI deletes a reservation with the last pod of its group.
        return f"KAI holds it with pod {reservation.pod} for a group that no pod on it names"
    return ""


def _may_be_claimed(card: CardFacts, inputs: NodeInputs) -> bool:
    """Whether a ResourceClaim can hold the card.

    Where slices cannot be read nothing tells DRA's cards from the others: any card that no layer
    has may be that of a pod with claims.
    """
    if card.published is not None:
        return True
    if card.layer or not inputs.slices_silent:
        return False
    return any(pod.holds and (pod.claims or pod.extended_claim) for pod in inputs.pods)


def _doubt(card: CardFacts, inputs: NodeInputs, utilization: Reading[float]) -> str:
    """Why the card may be in use, or gone, although no pod holds it."""
    silent = card.reading is None and card.host is None
    if silent and not inputs.node.ready:
        return f"node {inputs.node.name} is not ready and no page shows the card"
    return compute.unseen_work(card) if isinstance(utilization, Unknown) else ""


def _holders(card: CardFacts, context: CardContext) -> Reading[int]:
    """Tenants of a card without a holding: a pod that nobody can place may be on it."""
    unplaced = [*context.homeless, *context.misplaced]
    return totals.tenants_of((), unplaced, _silent(card, context))


def _idle_claims(shares: Sequence[ClaimShare]) -> tuple[IdleClaim, ...]:
    named = sorted({(share.namespace, share.claim) for share in shares})
    return tuple(IdleClaim(namespace, claim) for namespace, claim in named)


def join_card(card: CardFacts, context: CardContext) -> tuple[Card, tuple[Allocation, ...]]:
    """The card as the families show it, and who holds it."""
    inputs, node, held = context.inputs, context.inputs.node, context.holdings
    sharing = card_sharing(card, node)
    kind = partition_kind(card, sharing)
    total = physical.physical_of(card, inputs, context.labelled)
    shares = list({s.id: s for h in held for s in h.claims}.values()) + list(context.idle)
    partitions = parts.partitions_of(card, kind, total, held, shares, inputs.readings_at)
    by_id = {part.id: part for part in partitions}
    tenants = totals.tenants_of(held, context.homeless, _silent(card, context))
    on_card = totals.OnCard(holdings=held, shares=shares, tenants=tenants, doubt=context.doubt)
    memory_shares = [promises.memory_promised(h, total, by_id, node) for h in held]
    compute_shares = [promises.compute_promised(h, card, by_id, node) for h in held]
    allocated = totals.memory_allocated(on_card, memory_shares, total)
    resident = physical.resident_of(card, inputs)
    counted_bytes = counted.counted_of_card(card, inputs)
    utilization = compute.utilization_of(card, inputs)
    word, why = state.state_of(
        card,
        utilization=utilization,
        tenants=tenants if held else _holders(card, context),
        resident=resident,
        reserved=bool(context.idle) or card.reservation is not None,
        doubt=_doubt(card, inputs, utilization),
    )
    joined = Card(
        node=node.name,
        id=card.id,
        index=card.index,
        vendor=card.vendor,
        model=card.model,
        sharing=sharing,
        pci_bus_id=card.pci_bus_id,
        memory=CardMemory(
            physical=total,
            schedulable=_schedulable(card),
            allocated=allocated,
            overcommitted=_overcommitted(allocated, total),
            resident=resident,
            counted=counted_bytes,
            offloaded=counted.offloaded_of(counted_bytes, resident),
        ),
        compute_allocated=totals.compute_allocated(on_card, compute_shares),
        compute_utilization=utilization,
        tenants=tenants,
        tenants_limit=totals.tenants_limit_of(card, kind, node),
        state=word,
        state_reason=why,
        partitions=partitions,
        # Without pods nobody can say that no pod uses it.
        idle_claims=() if inputs.pods_silent else _idle_claims(context.idle),
    )
    return joined, tuple(
        allocations.on_card(h, joined, memory, compute_share, card, inputs, held)
        for h, memory, compute_share in zip(held, memory_shares, compute_shares, strict=True)
    )

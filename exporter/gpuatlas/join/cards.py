"""One card and its allocations, from the facts and the holdings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuatlas.join import allocations, compute, counted, parts, physical, promises, state
from gpuatlas.join.holding import Holding
from gpuatlas.join.inventory import CardFacts, NodeInputs
from gpuatlas.join.strategy import card_sharing, partition_kind
from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.snapshot import Allocation, Card, CardMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class CardContext:
    """What one card's join needs beside the card: its holdings and the node's loose ends.

    `homeless` are holdings on the node without a card that could be this one; `labelled` is the
    size of the node's cards by label.
    """

    inputs: NodeInputs
    holdings: Sequence[Holding]
    homeless: Sequence[Holding]
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
    return Unknown("no sharing layer registers this card")


def join_card(card: CardFacts, context: CardContext) -> tuple[Card, tuple[Allocation, ...]]:
    """The card as the families show it, and who holds it."""
    inputs, node, held = context.inputs, context.inputs.node, context.holdings
    sharing = card_sharing(card, node)
    kind = partition_kind(card, sharing)
    total = physical.physical_of(card, inputs, context.labelled)
    partitions = parts.partitions_of(card, kind, total, held, inputs.readings_at)
    by_id = {part.id: part for part in partitions}
    tenants = promises.tenants_of(held, context.homeless, inputs.pods_silent)
    memory_shares = [(h, promises.memory_promised(h, total, by_id)) for h in held]
    compute_shares = [(h, promises.compute_promised(h, card, by_id)) for h in held]
    allocated = promises.memory_allocated(memory_shares, tenants)
    resident = physical.resident_of(card, inputs)
    counted_bytes = counted.counted_of_card(card, inputs)
    utilization = compute.utilization_of(card, inputs)
    word, why = state.state_of(card, utilization=utilization, tenants=tenants, resident=resident)
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
        compute_allocated=promises.compute_allocated(compute_shares, tenants),
        compute_utilization=utilization,
        tenants=tenants,
        tenants_limit=promises.tenants_limit_of(card, kind, node),
        state=word,
        state_reason=why,
        partitions=partitions,
    )
    shares = zip(memory_shares, compute_shares, strict=True)
    return joined, tuple(
        allocations.on_card(h, joined, memory, compute_share, card, context.inputs, held)
        for (h, memory), (_, compute_share) in shares
    )

"""`gpuatlas cards --output json`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from gpuatlas.cli.documents.values import API_VERSION, measured, sources, timestamp
from gpuatlas.cli.selection import HeldCard, NodeView
from gpuatlas.model.readings import value_of
from gpuatlas.model.snapshot import Allocation, Card, Partition
from gpuatlas.model.status import SourceStatus


def cards_document(
    views: Sequence[NodeView], statuses: Sequence[SourceStatus], at: float
) -> dict[str, Any]:
    """The whole document."""
    return {
        "apiVersion": API_VERSION,
        "kind": "Cards",
        "at": timestamp(at),
        "nodes": [_node(view) for view in views],
        "summary": _summary([held.card for view in views for held in view.cards], len(views)),
        "sources": sources(statuses),
    }


def _node(view: NodeView) -> dict[str, Any]:
    node = view.node
    return {
        "name": node.name,
        "pool": node.pool,
        "platform": node.platform,
        "driver_version": node.driver_version,
        "cuda_version": node.cuda_version,
        "sharing": node.sharing.split(",") if node.sharing else [],
        **measured({"sharing_ready": node.sharing_ready, "card_count": node.card_count}),
        "cards": [_card(held) for held in view.cards],
        "allocations_without_card": [_allocation(each) for each in view.homeless],
        "rejections": [
            {"source": r.source, "reason": r.reason, "where": r.where, "message": r.message}
            for r in node.rejections
        ],
    }


def _card(held: HeldCard) -> dict[str, Any]:
    card, memory = held.card, held.card.memory
    return {
        "id": card.id,
        "index": card.index,
        "vendor": card.vendor,
        "model": card.model,
        "sharing": card.sharing,
        "pci_bus_id": card.pci_bus_id,
        "state": card.state,
        "state_reason": card.state_reason,
        **measured(
            {
                "memory.physical_bytes": memory.physical,
                "memory.schedulable_bytes": memory.schedulable,
                "memory.allocated_bytes": memory.allocated,
                "memory.overcommitted_bytes": memory.overcommitted,
                "memory.resident_bytes": memory.resident,
                "memory.counted_bytes": memory.counted,
                "memory.offloaded_bytes": memory.offloaded,
                "compute.allocated_ratio": card.compute_allocated,
                "compute.utilization_ratio": card.compute_utilization,
                "tenants": card.tenants,
                "tenants_limit": card.tenants_limit,
            }
        ),
        "partitions": [_partition(part) for part in card.partitions],
        "allocations": [_allocation(each) for each in held.allocations],
    }


def _partition(part: Partition) -> dict[str, Any]:
    return {
        "id": part.id,
        "kind": part.kind,
        "profile": part.profile,
        **measured({"memory.physical_bytes": part.memory_physical}),
    }


def _allocation(allocation: Allocation) -> dict[str, Any]:
    return {
        "namespace": allocation.namespace,
        "pod": allocation.pod,
        "container": allocation.container,
        "card": allocation.card or None,
        "partition": allocation.partition,
        "evidence": allocation.evidence,
        "reason": allocation.reason,
        **measured(
            {
                "memory.reserved_bytes": allocation.memory_reserved,
                "memory.resident_bytes": allocation.memory_resident,
                "memory.counted_bytes": allocation.memory_counted,
                "compute.reserved_ratio": allocation.compute_reserved,
                "compute.utilization_ratio": allocation.compute_utilization,
                "priority": allocation.priority,
                "idle_seconds": allocation.idle_seconds,
            }
        ),
    }


def _summary(cards: Sequence[Card], nodes: int) -> dict[str, Any]:
    """Sums over the cards whose value is known, with the number of the others."""
    physical = [value_of(card.memory.physical) for card in cards]
    allocated = [value_of(card.memory.allocated) for card in cards]
    over = [value_of(card.memory.overcommitted) for card in cards]
    return {
        "nodes": nodes,
        "cards": len(cards),
        "states": dict(sorted(Counter(str(card.state) for card in cards).items())),
        "physical_bytes": sum(value or 0 for value in physical),
        "physical_unknown_cards": physical.count(None),
        "allocated_bytes": sum(value or 0 for value in allocated),
        "allocated_unknown_cards": allocated.count(None),
        "overcommitted_bytes": sum(value or 0 for value in over),
        "overcommitted_cards": sum(1 for value in over if value),
    }

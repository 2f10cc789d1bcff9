"""Metrics of a card: what it is, its memory, its compute, who is on it and its state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from gpuatlas.families.labels import CARD, card_labels
from gpuatlas.families.spec import Family, Kind, Series, Stability
from gpuatlas.model.readings import Known, Reading
from gpuatlas.model.snapshot import Card, CardState, NodeSnapshot

# `quantity` of gpuatlas_card_signal_info: those that more than one signal can tell.
SIGNALS: Final[tuple[tuple[str, Callable[[Card], Reading[float]]], ...]] = (
    ("compute_utilization", lambda card: card.compute_utilization),
    ("memory_physical", lambda card: card.memory.physical),
    ("memory_resident", lambda card: card.memory.resident),
    ("memory_counted", lambda card: card.memory.counted),
)


def _of_each(pick: Callable[[Card], Reading[float]]) -> Callable[[NodeSnapshot], Iterator[Series]]:
    """One series for each card whose reading is known."""

    def samples(node: NodeSnapshot) -> Iterator[Series]:
        for card in node.cards:
            reading = pick(card)
            if isinstance(reading, Known):
                yield card_labels(card), reading.value

    return samples


def _info(node: NodeSnapshot) -> Iterator[Series]:
    for card in node.cards:
        yield (*card_labels(card), card.vendor, card.model, card.sharing, card.pci_bus_id), 1


def _signals(node: NodeSnapshot) -> Iterator[Series]:
    for card in node.cards:
        for quantity, pick in SIGNALS:
            reading = pick(card)
            if isinstance(reading, Known):
                yield (*card_labels(card), quantity, reading.source), 1


def _states(node: NodeSnapshot) -> Iterator[Series]:
    for card in node.cards:
        for state in CardState:
            yield (*card_labels(card), state), int(card.state is state)


def _idle_claims(node: NodeSnapshot) -> Iterator[Series]:
    for card in node.cards:
        for held in card.idle_claims:
            yield (*card_labels(card), held.namespace, held.claim), 1


def _memory(word: str, text: str, pick: Callable[[Card], Reading[int]]) -> Family[NodeSnapshot]:
    return Family(
        name=f"gpuatlas_card_memory_{word}_bytes",
        kind=Kind.GAUGE,
        help=text,
        labels=CARD,
        unit="bytes",
        samples=_of_each(pick),
    )


FAMILIES: Final[tuple[Family[NodeSnapshot], ...]] = (
    Family(
        name="gpuatlas_card_info",
        kind=Kind.INFO,
        help="A physical card, its vendor and model, and how it is shared.",
        labels=(*CARD, "vendor", "model", "sharing", "pci_bus_id"),
        samples=_info,
    ),
    _memory(
        "physical",
        "Memory of the card in bytes as the driver reports it, not what a sharing layer hands out.",
        lambda card: card.memory.physical,
    ),
    _memory(
        "schedulable",
        "Memory in bytes that the sharing layer hands out after its scaling factor, "
        "not what the card has.",
        lambda card: card.memory.schedulable,
    ),
    _memory(
        "allocated",
        "Sum of the promises on the card in bytes, not memory in use; "
        "a tenant of the whole card holds all of it.",
        lambda card: card.memory.allocated,
    ),
    _memory(
        "overcommitted",
        "Allocated memory in bytes beyond the physical memory, 0 where all of it fits.",
        lambda card: card.memory.overcommitted,
    ),
    _memory(
        "resident",
        "Memory in use on the card in bytes as the driver reports it, "
        "without what was moved to host memory.",
        lambda card: card.memory.resident,
    ),
    _memory(
        "counted",
        "Memory in use in bytes as the sharing layer counts it, "
        "which may be more than is on the card.",
        lambda card: card.memory.counted,
    ),
    _memory(
        "offloaded",
        "Lower bound in bytes of the memory that tenants believe they hold and that is not "
        "on the card; absent unless both counted and resident are known.",
        lambda card: card.memory.offloaded,
    ),
    Family(
        name="gpuatlas_card_compute_allocated_ratio",
        kind=Kind.GAUGE,
        help="Share of the compute that is promised, where 1 is the whole card; "
        "not compute in use.",
        labels=CARD,
        unit="ratio",
        samples=_of_each(lambda card: card.compute_allocated),
    ),
    Family(
        name="gpuatlas_card_compute_utilization_ratio",
        kind=Kind.GAUGE,
        help="Compute in use by the best signal available, where 1 is the whole card; "
        "which signal it is stands in gpuatlas_card_signal_info.",
        labels=CARD,
        unit="ratio",
        samples=_of_each(lambda card: card.compute_utilization),
    ),
    Family(
        name="gpuatlas_card_signal_info",
        kind=Kind.INFO,
        help="Where the value of a quantity of the card was read, "
        "as a foreign metric, a node label or an annotation.",
        labels=(*CARD, "quantity", "signal"),
        samples=_signals,
    ),
    Family(
        name="gpuatlas_card_tenants",
        kind=Kind.GAUGE,
        help="Pods that hold an allocation on the card, not processes and not containers.",
        labels=CARD,
        samples=_of_each(lambda card: card.tenants),
    ),
    Family(
        name="gpuatlas_card_tenants_limit",
        kind=Kind.GAUGE,
        help="The most tenants that the card takes.",
        labels=CARD,
        samples=_of_each(lambda card: card.tenants_limit),
    ),
    Family(
        name="gpuatlas_card_state",
        kind=Kind.GAUGE,
        help="State set of what this instant shows, 1 for the state that the card is in "
        "and 0 for the others.",
        labels=(*CARD, "state"),
        samples=_states,
    ),
    Family(
        name="gpuatlas_card_idle_claim_info",
        kind=Kind.INFO,
        help="A ResourceClaim that holds the card, or a part of it, although no pod uses it; "
        "what it holds is allocated all the same.",
        labels=(*CARD, "namespace", "claim"),
        samples=_idle_claims,
        stability=Stability.EXPERIMENTAL,
    ),
)

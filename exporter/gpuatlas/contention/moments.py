"""From one look at the cluster to the moments of its shared cards. Pure.

What takes two looks (rates of counters, an error that is new) is in a memory that is handed in and
out; it holds the cards and servers of the present only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from gpuatlas.contention.hardware import CardMemory, hardware_cause, remembered
from gpuatlas.contention.pace import Pace, paced
from gpuatlas.contention.saturation import saturation
from gpuatlas.contention.tenancy import Place, SharedCard
from gpuatlas.contention.tenants import tenant_moments
from gpuatlas.model.contention import CardMoment
from gpuatlas.model.observations import Observations
from gpuatlas.model.pages import CardReading
from gpuatlas.model.readings import Reading, Unknown, value_of
from gpuatlas.model.services import ServiceReading
from gpuatlas.model.snapshot import Card

# A server that was not read for so long has no signal any more.
_OLDEST_READING_SECONDS: Final = 180.0
# A card that is not shared now may be again, as by a job of every night.
_FORGET_CARD_SECONDS: Final = 86400.0
_NOTHING: Final[Mapping[str, float]] = {}
_OF_CARD: Final = Unknown("of the whole card")


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentMemory:
    """What one look leaves for the next: paces by pod, cards by id, and when each was shared."""

    paces: Mapping[tuple[str, str], Pace] = field(default_factory=dict)
    cards: Mapping[str, CardMemory] = field(default_factory=dict)
    shared_at: Mapping[Place, float] = field(default_factory=dict)


def moments_of(
    observations: Observations,
    shared: Iterable[SharedCard],
    readings: Iterable[ServiceReading],
    memory: MomentMemory,
    *,
    at: float,
) -> tuple[tuple[CardMoment, ...], MomentMemory]:
    """The moments of the shared cards at `at` (Unix seconds), and the memory for the next look.

    Args:
        observations: whose DCGM pages are read.
        shared: by `tenancy.shared_cards` of the same look and the memory's `shared_at`.
        readings: the newest of each server; of pods that are on none of the cards they are ignored.
        memory: of the look before.
        at: now.
    """
    cards = list(shared)
    pages = {c.card.id for c in cards}
    found = {
        card: reading
        for page in observations.dcgm
        for card, reading in page.cards.items()
        if card in pages
    }
    pods = {(a.namespace, a.pod) for c in cards for held in c.held.values() for a in held}
    paces = _paces([r for r in readings if (r.namespace, r.pod) in pods], memory.paces, at)
    kept = {
        card: known
        for card, known in memory.cards.items()
        if at - known.seen_at <= _FORGET_CARD_SECONDS
    }
    moments: list[CardMoment] = []
    for one in cards:
        reading = found.get(one.card.id)
        kept[one.card.id] = _remembered(one.card, reading, kept.get(one.card.id), at)
        moments.append(_moment(one, reading, kept[one.card.id], paces, at))
    shared_at = _shared_at(cards, memory.shared_at, at)
    return tuple(moments), MomentMemory(paces=paces, cards=kept, shared_at=shared_at)


def _paces(
    readings: Iterable[ServiceReading], before: Mapping[tuple[str, str], Pace], at: float
) -> dict[tuple[str, str], Pace]:
    return {
        (reading.namespace, reading.pod): paced(
            reading, before.get((reading.namespace, reading.pod))
        )
        for reading in readings
        if at - reading.at <= _OLDEST_READING_SECONDS
    }


def _shared_at(
    cards: Iterable[SharedCard], before: Mapping[Place, float], at: float
) -> dict[Place, float]:
    now = {card.place: at for card in cards if card.is_shared}
    old = {place: seen for place, seen in before.items() if at - seen <= _FORGET_CARD_SECONDS}
    return {**old, **now}


def _remembered(
    card: Card, reading: CardReading | None, before: CardMemory | None, at: float
) -> CardMemory:
    fields = reading.fields if reading is not None else _NOTHING
    busy = value_of(card.compute_utilization)
    # Hard partitions of one card come one after the other in the same look.
    if before is not None and before.seen_at == at:
        return before
    return remembered(before, fields, busy=busy, at=at)


def _moment(
    shared: SharedCard,
    reading: CardReading | None,
    memory: CardMemory,
    paces: Mapping[tuple[str, str], Pace],
    at: float,
) -> CardMoment:
    card = shared.card
    of_card = reading.fields if reading is not None else _NOTHING
    busy = value_of(card.compute_utilization)
    return CardMoment(
        node=card.node,
        card=card.id,
        index=card.index,
        at=at,
        saturated=_saturated(shared, reading),
        hardware=hardware_cause(card, of_card, memory, busy=busy, at=at),
        tenants=tenant_moments(shared, paces),
        instance=shared.instance,
    )


def _saturated(shared: SharedCard, reading: CardReading | None) -> frozenset[str] | None:
    """Of the card, or of the instance that is shared where the card has instances."""
    card = shared.card
    if shared.instance and reading is not None and reading.instances:
        wanted = shared.instance.removeprefix("gi-")
        own = next((i for i in reading.instances if i.instance == wanted), None)
        fields = own.fields if own is not None else _NOTHING
        unknown: Reading[int] = _OF_CARD
        return saturation(fields, utilization=_OF_CARD, resident=unknown, physical=unknown)
    return saturation(
        reading.fields if reading is not None else _NOTHING,
        utilization=card.compute_utilization,
        resident=card.memory.resident,
        physical=card.memory.physical,
    )

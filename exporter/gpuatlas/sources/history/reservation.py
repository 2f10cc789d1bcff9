"""What a container is promised now, out of what is there. Pure.

A value that differs between its pods or cards and must not be guessed is None or "".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Final, TypeVar

from gpuatlas.model.sizing import Reservation
from gpuatlas.model.snapshot import Sharing
from gpuatlas.sources.history.labels import CardKey, ContainerKey, NodeKey, WorkloadKey
from gpuatlas.sources.history.present import CardFacts, Held, Present

T = TypeVar("T", bound=Hashable)

_SHARINGS: Final = frozenset(map(str, Sharing))


def reservation_of(container: ContainerKey, present: Present) -> Reservation:
    """The promise of a container that holds something now."""
    held = present.held.get(container, ())
    cards, unplaced = _cards_of_a_pod(held), _unplaced_cards(held, present.compute.get(container))
    promises = present.promises.get(container, len(held))
    return Reservation(
        sharing=_sharing([h.card for h in held], present),
        memory=_part(present.reserved.get(container), unplaced),
        compute=1.0 if unplaced > 1 else present.compute.get(container),
        cards=max(cards, unplaced),
        containers=promises * unplaced,
        card_memory=_same(_card_memory(h.card, present) for h in held),
        card_model=_same(_facts(h.card, present).model for h in held) or "",
        profile=_same(p for h in held for p in _profiles(h, present)) or "",
        node_names=tuple(sorted({h.card.node for h in held} - {""})),
        resources=_resources(container.workload, max(cards, unplaced), present),
        limited=present.isolated.get(container),
    )


def past_reservation_of(container: ContainerKey, present: Present) -> Reservation:
    """The last promise of a container of a run that has ended, as far as recordings have it.

    How many cards one pod had is not recorded: the most that the run had on one node.
    """
    cards = sorted(present.past_cards.get(container.workload, ()))
    promises = max(1, present.promises.get(container, 1))
    on_a_node = max(Counter(card.node for card in cards).values(), default=1)
    return Reservation(
        sharing=_sharing(cards, present),
        memory=present.reserved.get(container),
        compute=present.compute.get(container),
        cards=min(on_a_node, promises),
        containers=promises,
        card_memory=_same(_card_memory(card, present) for card in cards),
        card_model=_same(_facts(card, present).model for card in cards) or "",
        node_names=tuple(sorted({card.node for card in cards} - {""})),
    )


def _cards_of_a_pod(held: Sequence[Held]) -> int:
    """The most cards or instances that one of its pods has."""
    counts: Counter[object] = Counter()
    for one in held:
        counts[one.pod] += len(one.partition.split(","))
    return max(counts.values(), default=1)


def _unplaced_cards(held: Sequence[Held], compute: float | None) -> int:
    """How many whole cards one promise stands for, where nobody knows which ones they are.

    The exporter then tells one promise of all of them, which alone can be above one card.
    """
    placed = any(h.card.card for h in held)
    return 1 if placed or not held or compute is None else max(1, round(compute))


def _part(memory: int | None, cards: int) -> int | None:
    return None if memory is None else memory // cards


def _sharing(cards: Iterable[CardKey], present: Present) -> Sharing:
    word = _same(_facts(card, present).sharing for card in cards) or ""
    return Sharing(word) if word in _SHARINGS else Sharing.UNKNOWN


def _facts(card: CardKey, present: Present) -> CardFacts:
    """What the card is; of a card that nobody knows what all cards of its node are."""
    if card.card:
        return present.cards.get(card, CardFacts("", ""))
    facts = [present.cards[each] for each in _on_its_node(card, present)]
    return CardFacts(_same(f.sharing for f in facts) or "", _same(f.model for f in facts) or "")


def _card_memory(card: CardKey, present: Present) -> int | None:
    if card.card:
        return present.card_memory.get(card)
    return _same(present.card_memory.get(each) for each in _on_its_node(card, present))


def _on_its_node(card: CardKey, present: Present) -> Iterable[CardKey]:
    return present.node_cards.get(NodeKey(card.cluster, card.node), ())


def _profiles(held: Held, present: Present) -> Iterable[str | None]:
    return (present.profiles.get((held.card, part)) for part in held.partition.split(","))


def _same(values: Iterable[T | None]) -> T | None:
    """The value that all have, None where they differ or one is not known."""
    found = set(values)
    return found.pop() if len(found) == 1 else None


def _resources(workload: WorkloadKey, cards: int, present: Present) -> Mapping[str, int] | None:
    """The names that one pod asks for, and how much of each.

    The exporter adds up all pods. A single name stands for the cards that the pod has; of several
    each is dealt out to the pods that go on.
    """
    requested = present.requested.get(workload)
    if not requested:
        return None
    if len(requested) == 1:
        return dict.fromkeys(requested, cards)
    pods = max(1, sum(present.unfinished.get(workload, {}).values()))
    return {name: max(1, -(-number // pods)) for name, number in requested.items()}

"""Puts the cards of a snapshot into pools: cards of one model on nodes of one pool. Pure.

A node without a pool label belongs to the nodes of its platform that have none either. The cards of
a pool with several models are judged model by model, because what a card can do depends on it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from gpuatlas.model.card_models import plain_model
from gpuatlas.model.snapshot import Allocation, Card, NodeSnapshot


class PoolKey(NamedTuple):
    """What makes a pool one. `model` is in the common spelling, "" where no card is named."""

    pool: str
    platform: str
    model: str


@dataclass(slots=True)
class Pool:
    """Cards of one model on nodes of one pool.

    `allocations` are those on these cards, `unplaced` those on the pool's nodes whose card nobody
    names: each could be on any of the cards.
    """

    key: PoolKey
    nodes: dict[str, NodeSnapshot] = field(default_factory=dict)
    cards: list[Card] = field(default_factory=list)
    allocations: list[Allocation] = field(default_factory=list)
    unplaced: list[Allocation] = field(default_factory=list)

    def add(self, node: NodeSnapshot, cards: Iterable[Card]) -> None:
        """Take in a node with its cards of this pool's model."""
        self.nodes[node.name] = node
        self.cards += cards
        ids = {card.id for card in cards}
        self.allocations += [held for held in node.allocations if held.card in ids]
        named = {card.id for card in node.cards}
        self.unplaced += [held for held in node.allocations if held.card not in named]


def pools_of(nodes: Iterable[NodeSnapshot]) -> list[Pool]:
    """All pools by name, platform and model."""
    pools: dict[PoolKey, Pool] = {}
    for node in nodes:
        for model, cards in _by_model(node).items():
            key = PoolKey(node.pool, node.platform, model)
            pools.setdefault(key, Pool(key)).add(node, cards)
    return [pools[key] for key in sorted(_adopt_nameless(pools))]


def _by_model(node: NodeSnapshot) -> dict[str, list[Card]]:
    found: dict[str, list[Card]] = defaultdict(list)
    for card in node.cards:
        found[plain_model(card.model)].append(card)
    return found or {"": []}


def _adopt_nameless(pools: dict[PoolKey, Pool]) -> dict[PoolKey, Pool]:
    """Nodes that name no card join the only model of their labelled pool: they are alike."""
    kept = dict(pools)
    for key, nameless in pools.items():
        alike = [k for k in pools if k[:2] == key[:2] and k.model]
        if key.pool and not key.model and not nameless.cards and len(alike) == 1:
            del kept[key]
            for node in nameless.nodes.values():
                kept[alike[0]].add(node, ())
    return kept

"""Which node a card is on, where more nodes than one name it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from gpuatlas.join.dra_nodes import DraIndex
from gpuatlas.model.objects import Node

# Ids that no two cards in the world share.
_UNIQUE: Final = "GPU-"


def registering_nodes(nodes: Iterable[Node], dra: DraIndex) -> Mapping[str, set[str]]:
    """Card → the nodes on which a sharing layer registers it or a DRA driver publishes it."""
    found: dict[str, set[str]] = defaultdict(set)
    for node in nodes:
        for registration in node.registrations:
            for device in registration.devices:
                found[device.card].add(node.name)
    for name, devices in dra.nodes.items():
        for card in devices.cards:
            found[card].add(name)
    return found


def foreign_cards(
    shown: Mapping[str, Iterable[str]],
    registering: Mapping[str, set[str]],
    nodes: Mapping[str, Node],
) -> Mapping[str, set[str]]:
    """Node → the cards that it names and that another node has. `shown` is node → cards on pages.

    A machine that came back under a new name, a copied annotation or a page of another node names
    a card twice; it would be counted twice. It is where a page of the node itself shows it, then
    where the node is ready, then where it is registered; after that nobody can tell, and no node
    has it. Only a maker's UUID tells that two cards are one.
    """
    seen: dict[str, set[str]] = defaultdict(set)
    for name, cards in shown.items():
        for card in cards:
            seen[card].add(name)
    foreign: dict[str, set[str]] = defaultdict(set)
    for card in {*registering, *seen}:
        registered, showing = registering.get(card, set()), seen.get(card, set())
        if len(registered | showing) > 1 and card.startswith(_UNIQUE):
            for name in _others(showing, registered, nodes):
                foreign[name].add(card)
    return foreign


def _others(seen: set[str], registered: set[str], nodes: Mapping[str, Node]) -> set[str]:
    """The nodes that name a card, without the one that has it; all of them where two may."""

    def rank(name: str) -> tuple[bool, bool, bool, bool]:
        # Both together are the strongest: a stray page registers nothing.
        both = name in seen and name in registered
        ready = nodes[name].ready
        return (not both, name not in seen, not ready, name not in registered)

    names = seen | registered
    best = min(map(rank, names))
    homes = {name for name in names if rank(name) == best}
    return names - homes if len(homes) == 1 else names

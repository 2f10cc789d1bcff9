"""The last lines of the cards screen: how many cards in which state, and the memory of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from rich.text import Text

from gpuatlas.cli.screens.glyphs import OVER_STYLE, QUIET_STYLE, Glyphs, word_style
from gpuatlas.cli.screens.layout import flowed
from gpuatlas.cli.screens.wording import count, instant, mebibytes, percent
from gpuatlas.cli.selection import NodeView
from gpuatlas.model.readings import Known, Reading, value_of
from gpuatlas.model.snapshot import Card, CardState


def summary(views: Sequence[NodeView], at: float, *, width: int, glyphs: Glyphs) -> Iterator[Text]:
    """Cards by state, then memory; sums leave out what is unknown and say of how many cards."""
    cards = [held.card for view in views for held in view.cards]
    yield from flowed(_states(cards, len(views), at, glyphs), width=width)
    if cards:
        yield from flowed(_memory(cards), width=width)


def _states(cards: Sequence[Card], nodes: int, at: float, glyphs: Glyphs) -> Iterator[Text]:
    yield Text(f"{count(len(cards), 'card')} on {count(nodes, 'node')}", "bold")
    counted = Counter(card.state for card in cards)
    for state in CardState:
        if counted[state]:
            mark = glyphs.states[state]
            yield Text().append(f"{mark} {counted[state]} {state}", word_style(state))
    yield Text(instant(at), QUIET_STYLE)


def _memory(cards: Sequence[Card]) -> Iterator[Text]:
    """Physical and allocated side by side, over the same cards: else they cannot be compared."""
    both = [card for card in cards if _is_known(card)] or cards
    physical, physical_left = _sum(both, lambda card: card.memory.physical)
    allocated, allocated_left = _sum(both, lambda card: card.memory.allocated)
    over = [value_of(card.memory.overcommitted) or 0 for card in cards]
    share = ""
    if physical and not physical_left and not allocated_left:
        share = f" ({percent(allocated / physical)})"
    if len(both) < len(cards):
        share += f" on the {count(len(both), 'card')} of which both are known"
    yield Text(f"{_said(physical, 'physical', physical_left, len(both))},")
    comma = "," if any(over) else ""
    yield Text(f"{_said(allocated, 'allocated', allocated_left, len(both))}{share}{comma}")
    if any(over):
        crossed = count(sum(1 for size in over if size), "card")
        yield Text(f"{mebibytes(sum(over))} MiB over-allocated on {crossed}", OVER_STYLE)


def _is_known(card: Card) -> bool:
    memory = card.memory
    return isinstance(memory.physical, Known) and isinstance(memory.allocated, Known)


def _said(total: int, what: str, left: int, cards: int) -> str:
    """A sum over some of the cards says so; over none of them it is no sum."""
    if left == cards:
        return f"? MiB {what}"
    return f"{mebibytes(total)} MiB {what}" + (f" ({count(left, 'card')} unknown)" if left else "")


def _sum(cards: Sequence[Card], of: Callable[[Card], Reading[int]]) -> tuple[int, int]:
    """The sum of what is known, and of how many cards it is not."""
    readings = [of(card) for card in cards]
    known = [reading.value for reading in readings if isinstance(reading, Known)]
    return sum(known), len(readings) - len(known)

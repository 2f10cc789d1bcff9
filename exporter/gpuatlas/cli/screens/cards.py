"""The cards screen: every card of every node on a line, over-allocation drawn past its limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.text import Text

from gpuatlas.cli.screens.bars import Level, Scale, draw, scale_for
from gpuatlas.cli.screens.footnotes import Footnotes
from gpuatlas.cli.screens.glyphs import OVER_STYLE, QUIET_STYLE, STATE_STYLES, Glyphs, word_style
from gpuatlas.cli.screens.layout import Column, Fitted, Line, Paragraph, Row, Sheet, wrapped
from gpuatlas.cli.screens.summary import summary
from gpuatlas.cli.screens.wording import (
    count,
    in_mebibytes,
    in_percent,
    listed,
    mebibytes,
    tallied,
    unknown,
)
from gpuatlas.cli.selection import HeldCard, NodeView
from gpuatlas.model.readings import Known, Reading, Unknown, value_of
from gpuatlas.model.snapshot import Allocation, Card, CardState, Sharing

_MEMORY: Final = "memory, MiB"
_COMPUTE: Final = "compute"
_COLUMNS: Final = (
    Column(title="#", right=True),
    Column(title="model", rank=4),
    Column(title="state"),
    Column(title="", group=_MEMORY),
    Column(title="allocated", group=_MEMORY, right=True),
    Column(title="physical", group=_MEMORY, right=True),
    Column(title="resident", group=_MEMORY, right=True, rank=1),
    Column(title="counted", group=_MEMORY, right=True, rank=5),
    Column(title="offloaded", group=_MEMORY, right=True, rank=6),
    Column(title="used", group=_COMPUTE, right=True),
    Column(title="allocated", group=_COMPUTE, right=True, rank=3),
    Column(title="tenants", right=True),
    Column(title="held by", rank=2, flexible=True, least=30),
)
_STATE_COLUMN: Final = 2
_HELD_BY_COLUMN: Final = 12
# From here on the names of the tenants have a column of their own.
WIDE: Final = 120
_BAR_CELLS: Final = ((180, 40), (WIDE, 28), (0, 20))
_ADVICE: Final = (
    "run dcgm-exporter on this node, or a sharing layer that registers its cards (HAMi); then they "
    "appear here"
)
_NOTHING: Final = (
    "No node with accelerator cards was found, or none that the filters leave: a node counts that "
    "offers an accelerator resource, wears a vendor's label, or is registered by a sharing layer."
)
_COUNTING: Final = frozenset({Sharing.HAMI, Sharing.VOLCANO})


def cards_screen(
    views: Sequence[NodeView], at: float, *, width: int, glyphs: Glyphs
) -> Iterator[Text]:
    """The whole screen: table, legend, reasons of what is unknown, summary."""
    if not views:
        yield from wrapped(_NOTHING, "", width=width)
    else:
        yield from _CardsTable(views, width=width, glyphs=glyphs).lines()
    yield from summary(views, at, width=width, glyphs=glyphs)


class _CardsTable:
    """Renders once for one width."""

    def __init__(self, views: Sequence[NodeView], *, width: int, glyphs: Glyphs) -> None:
        self._views = views
        self._width = width
        self._glyphs = glyphs
        self._footnotes = Footnotes()
        self._scale = self._fitting_scale()

    def lines(self) -> Iterator[Text]:
        """The table and the reasons of what is unknown in it."""
        columns = _COLUMNS if self._width >= WIDE else _COLUMNS[:_HELD_BY_COLUMN]
        sheet = Sheet(columns, self._glyphs.ellipsis)
        for view in self._views:
            sheet.body += self._node(view)
        yield from sheet.render(self._width)
        yield Text()
        if any(view.cards for view in self._views):
            yield self._legend()
        yield from self._footnotes.lines(sheet.shown, self._glyphs, self._width)

    def _fitting_scale(self) -> Scale:
        cells = next(cells for width, cells in _BAR_CELLS if self._width >= width)
        cards = (held.card for view in self._views for held in view.cards)
        return scale_for((_level(card).ratio for card in cards), cells)

    def _legend(self) -> Text:
        g = self._glyphs
        text = Text(f"{g.resident} resident  {g.allocated} allocated  {g.limit} physical limit")
        if self._scale.beyond:
            text.append("  ").append(f"{g.limit}{g.allocated} allocated beyond it", OVER_STYLE)
        return text

    def _node(self, view: NodeView) -> Iterator[Row | Line | Paragraph]:
        yield Line(Text())
        yield Line(self._node_heading(view))
        mixed = len({held.card.model for held in view.cards}) > 1
        for held in view.cards:
            yield Row(self._cells(held))
            yield from self._below(held, mixed=mixed)
        if not view.node.cards:
            yield from self._no_cards(view)
        yield from self._homeless(view)

    def _node_heading(self, view: NodeView) -> Text:
        node = view.node
        text = Text().append(node.name, "bold")
        facts = [
            tallied((card.model or card.vendor for card in node.cards), self._glyphs),
            node.sharing,
            f"driver {node.driver_version}" if node.driver_version else "",
            f"pool {node.pool}" if node.pool else "",
        ]
        for fact in filter(None, facts):
            text.append(f" {self._glyphs.dot} {fact}", QUIET_STYLE)
        if value_of(node.sharing_ready) is False:
            text.append(f" {self._glyphs.dot} sharing layer not ready", "yellow")
        return text

    def _cells(self, held: HeldCard) -> list[Text | Fitted]:
        card, memory = held.card, held.card.memory
        style = STATE_STYLES[card.state]
        return [
            Text(card.index or "?"),
            Text(card.model or card.vendor),
            Text().append(
                f"{self._glyphs.states[card.state]} {card.state}", word_style(card.state)
            ),
            draw(_level(card), self._scale, self._glyphs, style),
            self._allocated(card),
            self._size("physical", memory.physical, card, 5),
            self._size("resident", memory.resident, card, 6),
            self._layered("counted", memory.counted, card, 7),
            self._layered("offloaded", memory.offloaded, card, 8),
            self._share("compute used", card.compute_utilization, card, 9),
            self._share("compute allocated", card.compute_allocated, card, 10),
            self._tenants(card),
            _held_by(held.allocations, self._glyphs),
        ]

    def _allocated(self, card: Card) -> Text:
        text = self._size("allocated", card.memory.allocated, card, 4)
        if value_of(card.memory.overcommitted):
            text.stylize(OVER_STYLE)
        return text

    def _size(self, name: str, reading: Reading[int], card: Card, column: int) -> Text:
        self._footnotes.note(name, reading, card.node, column)
        return in_mebibytes(reading)

    def _layered(self, name: str, reading: Reading[int], card: Card, column: int) -> Text:
        """Only a sharing layer counts memory: on other cards there is nothing to know."""
        if isinstance(reading, Unknown) and card.sharing not in _COUNTING:
            return Text(self._glyphs.dash, QUIET_STYLE)
        return self._size(name, reading, card, column)

    def _share(self, name: str, reading: Reading[float], card: Card, column: int) -> Text:
        self._footnotes.note(name, reading, card.node, column)
        return in_percent(reading)

    def _tenants(self, card: Card) -> Text:
        self._footnotes.note("tenants", card.tenants, card.node, 11)
        limit = value_of(card.tenants_limit)
        text = Text(str(card.tenants.value)) if isinstance(card.tenants, Known) else unknown()
        text.append(f"/{'?' if limit is None else limit}", QUIET_STYLE)
        return text

    def _below(self, held: HeldCard, *, mixed: bool) -> Iterator[Line]:
        """What a line cannot hold: why it needs a look, and then who is on it; its MIG layout."""
        card = held.card
        remarks = Text()
        over = value_of(card.memory.overcommitted)
        if over:
            remarks.append(f"{mebibytes(over)} MiB over-allocated", OVER_STYLE)
        if card.state in {CardState.SLOWED, CardState.FAILED}:
            remarks.append("; " if remarks else "")
            remarks.append(card.state_reason, STATE_STYLES[CardState.SLOWED])
        holders = _holders(held.allocations)
        if remarks and holders and self._width < WIDE:
            room = self._width - len(remarks) - 10
            remarks.append(f": {listed(holders, room, self._glyphs.ellipsis)}", QUIET_STYLE)
        if remarks:
            yield Line(remarks, _STATE_COLUMN)
        extra = [card.model] if mixed and self._width < WIDE else []
        profiles = [part.profile for part in card.partitions if part.profile]
        if profiles:
            extra.append(f"MIG {tallied(sorted(profiles), self._glyphs)}")
        if extra:
            yield Line(Text(f" {self._glyphs.dot} ".join(extra), QUIET_STYLE), _STATE_COLUMN)

    def _no_cards(self, view: NodeView) -> Iterator[Paragraph]:
        reading = view.node.card_count
        if isinstance(reading, Known):
            said = f"{count(reading.value, 'card')}, but nothing names them"
        else:
            said = f"its cards cannot be told: {reading.reason}"
        yield Paragraph(f"? {said}", "yellow", 1)
        yield Paragraph(_ADVICE, QUIET_STYLE, 1)

    def _homeless(self, view: NodeView) -> Iterator[Line]:
        holders = _holders(view.homeless)
        if not holders:
            return
        said = f"? {count(len(holders), 'tenant')} on cards that nothing names: "
        text = Text(said, "yellow")
        text.append(
            listed(holders, self._width - len(said) - 4, self._glyphs.ellipsis), QUIET_STYLE
        )
        yield Line(text, 1)
        if view.node.cards:
            for allocation in view.homeless:
                self._footnotes.say("card of a tenant", allocation.reason, view.node.name)


def _level(card: Card) -> Level:
    return Level(
        limit=value_of(card.memory.physical),
        promised=value_of(card.memory.allocated),
        used=value_of(card.memory.resident),
    )


def _held_by(allocations: Sequence[Allocation], glyphs: Glyphs) -> Fitted:
    names = _holders(allocations)
    return Fitted(
        len(", ".join(names)),
        lambda room: Text(listed(names, room, glyphs.ellipsis), QUIET_STYLE),
    )


def _holders(allocations: Sequence[Allocation]) -> list[str]:
    """Pods, the largest promise first."""
    sizes: dict[str, int] = {}
    for allocation in allocations:
        name = f"{allocation.namespace}/{allocation.pod}"
        sizes[name] = sizes.get(name, 0) + (value_of(allocation.memory_reserved) or 0)
    return sorted(sizes, key=lambda name: (-sizes[name], name))

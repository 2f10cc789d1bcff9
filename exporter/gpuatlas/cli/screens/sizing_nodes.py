"""The nodes' part of the sizing screen: how far their memory is promised, and how far it may be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.text import Text

from gpuatlas.cli.screens.footnotes import Footnotes
from gpuatlas.cli.screens.glyphs import OVER_STYLE, QUIET_STYLE, Glyphs
from gpuatlas.cli.screens.layout import Column, Fitted, Row, Sheet
from gpuatlas.cli.screens.wording import in_mebibytes, listed, natural, unknown
from gpuatlas.model.readings import Known, Reading
from gpuatlas.model.sizing import NodeRatio

_MEMORY: Final = "memory, MiB"
# The inputs stand between the node and what follows from them, where there is room.
_COLUMNS: Final = (
    Column(title="node", flexible=True, least=12),
    Column(title="sharing", flexible=True, least=7),
    Column(title="physical", group=_MEMORY, right=True, rank=5),
    Column(title="promised", group=_MEMORY, right=True, rank=4),
    Column(title="highest demand", group=_MEMORY, right=True, rank=3),
    Column(title="host, least free", group=_MEMORY, right=True, rank=2),
    Column(title="days", right=True, rank=1),
    Column(title="present", group="promised / physical", right=True),
    Column(title="safe", group="promised / physical", right=True),
    Column(title="room, MiB", right=True),
    Column(title="more that would fit", flexible=True, least=20),
)
_PRESENT: Final = 7
_SAFE: Final = 8
_ROOM: Final = 9


def nodes_table(nodes: Sequence[NodeRatio], *, width: int, glyphs: Glyphs) -> Iterator[Text]:
    """One row a node, and the reasons of what is unknown."""
    table = _Nodes(nodes, glyphs)
    return table.lines(width)


class _Nodes:
    def __init__(self, nodes: Sequence[NodeRatio], glyphs: Glyphs) -> None:
        self._nodes = sorted(nodes, key=lambda n: (n.demand.cluster, natural(n.demand.node)))
        self._clusters = len({node.demand.cluster for node in nodes}) > 1
        self._glyphs = glyphs
        self._footnotes = Footnotes()

    def lines(self, width: int) -> Iterator[Text]:
        sheet = Sheet(_COLUMNS, self._glyphs.ellipsis)
        sheet.body += [Row(self._cells(node)) for node in self._nodes]
        yield from sheet.render(width)
        yield from self._footnotes.lines(sheet.shown, self._glyphs, width)

    def _cells(self, ratio: NodeRatio) -> list[Text | Fitted]:
        demand = ratio.demand
        name = f"{demand.cluster}/{demand.node}" if self._clusters else demand.node
        readings = (demand.physical, demand.allocated, demand.demand, demand.host_available)
        for number, reading in enumerate(readings, start=2):
            self._footnotes.note(_COLUMNS[number].title, reading, name, number)
        return [
            Text(name),
            Text(demand.sharing),
            *map(in_mebibytes, readings),
            Text(f"{demand.days:g}"),
            self._ratio("present ratio", ratio.present, name, _PRESENT),
            self._ratio("safe ratio", ratio.safe, name, _SAFE),
            self._room(ratio, name),
            self._fits(ratio),
        ]

    def _ratio(self, what: str, reading: Reading[float], name: str, column: int) -> Text:
        self._footnotes.note(what, reading, name, column)
        return Text(f"{reading.value:.2f}") if isinstance(reading, Known) else unknown()

    def _room(self, ratio: NodeRatio, name: str) -> Text:
        self._footnotes.note("room", ratio.room, name, _ROOM)
        return in_mebibytes(ratio.room)

    def _fits(self, ratio: NodeRatio) -> Text | Fitted:
        """Workloads of whose promises more would fit, those that fit most often first."""
        if not isinstance(ratio.room, Known):
            return Text(self._glyphs.dash, QUIET_STYLE)
        if _is_above(ratio):
            return Text("above the safe ratio", OVER_STYLE)
        found = sorted(ratio.fits.items(), key=lambda item: (-item[1], item[0]))
        names = [
            f"{kind}/{name} {self._glyphs.times}{number}"
            for (_, kind, name), number in found
            if number > 0
        ]
        if not names:
            return Text("none of those on it", QUIET_STYLE)
        return Fitted(
            len(", ".join(names)), lambda room: Text(listed(names, room, self._glyphs.ellipsis))
        )


def _is_above(ratio: NodeRatio) -> bool:
    present, safe = ratio.present, ratio.safe
    return isinstance(present, Known) and isinstance(safe, Known) and present.value > safe.value

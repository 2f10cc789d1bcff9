"""The workloads screen: one row per workload, what it has reserved and what it uses of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from rich.text import Text

from gpuatlas.cli.screens.bars import Level, Scale, draw, scale_for
from gpuatlas.cli.screens.footnotes import Footnotes
from gpuatlas.cli.screens.glyphs import OVER_STYLE, QUIET_STYLE, Glyphs
from gpuatlas.cli.screens.layout import Column, Fitted, Line, Paragraph, Row, Sheet, flowed
from gpuatlas.cli.screens.wording import (
    count,
    duration,
    in_mebibytes,
    in_percent,
    instant,
    listed,
)
from gpuatlas.cli.selection import WorkloadView
from gpuatlas.cli.usage import (
    Progress,
    cards_held,
    compute_reserved,
    compute_used,
    is_over,
    memory_reserved,
    memory_used,
    progress_of,
)
from gpuatlas.model.readings import Reading, Unknown, value_of
from gpuatlas.model.snapshot import Workload

_MEMORY: Final = "memory, MiB"
_COMPUTE: Final = "compute"
_COLUMNS: Final = (
    Column(title="workload", flexible=True, least=20),
    Column(title="pods"),
    Column(title="runtime", rank=5),
    Column(title="scheduler", rank=6),
    Column(title="cards", flexible=True, least=10),
    Column(title="", group=_MEMORY, rank=1),
    Column(title="used", group=_MEMORY, right=True),
    Column(title="reserved", group=_MEMORY, right=True),
    Column(title="used", group=_COMPUTE, right=True),
    Column(title="reserved", group=_COMPUTE, right=True, rank=2),
)
_PODS_COLUMN: Final = 1
# From here on there is room for the kind's whole name.
_WIDE: Final = 110
_BAR_CELLS: Final = ((160, 24), (_WIDE, 14), (0, 7))
# As kubectl takes them.
_SHORT_KINDS: Final = {
    "Deployment": "deploy",
    "StatefulSet": "sts",
    "DaemonSet": "ds",
    "Job": "job",
    "CronJob": "cj",
    "Pod": "pod",
}
_STYLES: Final = {
    Progress.WAITING: "yellow",
    Progress.STARTING: "yellow",
    Progress.RUNNING: "green",
    Progress.FAILED: "bold red",
    Progress.FINISHED: "bright_black",
}


def workloads_screen(
    views: Sequence[WorkloadView],
    at: float,
    *,
    finished: bool,
    width: int,
    glyphs: Glyphs,
) -> Iterator[Text]:
    """The whole screen: table, legend, reasons of what is unknown, summary.

    Without `finished` those workloads are counted only: a cluster keeps many.
    """
    shown = [view for view in views if finished or not is_over(view.workload)]
    if shown:
        yield from _WorkloadsTable(shown, width=width, glyphs=glyphs).lines()
    else:
        yield Text("No pod holds a card or waits for one, or none that the filters leave.")
    yield from flowed(_summary(views, at), width=width)
    if len(shown) < len(views):
        yield Text("finished and failed ones are not listed: --all lists them", QUIET_STYLE)


class _WorkloadsTable:
    """Renders once for one width."""

    def __init__(self, views: Sequence[WorkloadView], *, width: int, glyphs: Glyphs) -> None:
        self._views = views
        self._width = width
        self._glyphs = glyphs
        self._footnotes = Footnotes()
        self._scale = self._fitting_scale()

    def lines(self) -> Iterator[Text]:
        """The table and the reasons of what is unknown in it."""
        sheet = Sheet(_COLUMNS, self._glyphs.ellipsis)
        for namespace, views in groupby(self._views, key=lambda view: view.workload.id.namespace):
            sheet.body.append(Line(Text()))
            sheet.body.append(Line(Text(namespace, "bold")))
            for view in views:
                sheet.body += self._workload(view)
        yield from sheet.render(self._width)
        yield Text()
        yield self._legend()
        yield from self._footnotes.lines(sheet.shown, self._glyphs, self._width)

    def _fitting_scale(self) -> Scale:
        cells = next(cells for width, cells in _BAR_CELLS if self._width >= width)
        return scale_for((_level(view).ratio for view in self._views), cells)

    def _legend(self) -> Text:
        g = self._glyphs
        text = Text(f"{g.resident} used  {g.allocated} reserved  {g.limit} the reservation")
        text.append("  compute: 100% is one card", QUIET_STYLE)
        if self._scale.beyond:
            text.append("  ").append(f"{g.limit}{g.resident} used beyond it", OVER_STYLE)
        return text

    def _workload(self, view: WorkloadView) -> Iterator[Row | Paragraph]:
        yield Row(self._cells(view))
        for reason, seconds in view.workload.waiting.items():
            yield Paragraph(f"waiting for {duration(seconds)}: {reason}", "yellow", _PODS_COLUMN)

    def _cells(self, view: WorkloadView) -> list[Text | Fitted]:
        workload, allocations = view.workload, view.allocations
        progress = progress_of(workload)
        cards = cards_held(allocations)
        return [
            Text(self._name(workload)),
            Text(f"{progress} {_pods(workload)}", _STYLES[progress]),
            Text(workload.runtime),
            Text(workload.scheduler),
            Fitted(
                len(", ".join(cards)),
                lambda room: Text(listed(cards, room, self._glyphs.ellipsis)),
            ),
            self._bar(view, _STYLES[progress]),
            self._size("memory used", memory_used(allocations), view, 6),
            self._size("memory reserved", memory_reserved(allocations), view, 7),
            self._share("compute used", compute_used(allocations), view, 8),
            self._share("compute reserved", compute_reserved(allocations), view, 9),
        ]

    def _name(self, workload: Workload) -> str:
        kind = workload.id.kind
        short = kind if self._width >= _WIDE else _SHORT_KINDS.get(kind, kind.lower())
        return f"{short}/{workload.id.name}"

    def _bar(self, view: WorkloadView, style: str) -> Text:
        if not view.allocations:
            return Text()
        return draw(_level(view), self._scale, self._glyphs, style)

    def _size(self, name: str, reading: Reading[int], view: WorkloadView, column: int) -> Text:
        return self._unknown(name, reading, view, column) or in_mebibytes(reading)

    def _share(self, name: str, reading: Reading[float], view: WorkloadView, column: int) -> Text:
        return self._unknown(name, reading, view, column) or in_percent(reading)

    def _unknown(
        self, name: str, reading: Reading[object], view: WorkloadView, column: int
    ) -> Text | None:
        """A dash for a workload that holds no card: there is nothing to know about it."""
        if isinstance(reading, Unknown) and not view.allocations:
            return Text(self._glyphs.dash, QUIET_STYLE)
        workload = view.workload.id
        self._footnotes.note(name, reading, f"{workload.namespace}/{workload.name}", column)
        return None


def _summary(views: Sequence[WorkloadView], at: float) -> Iterator[Text]:
    namespaces = {view.workload.id.namespace for view in views}
    said = f"{count(len(views), 'workload')} in {count(len(namespaces), 'namespace')}"
    yield Text(said, "bold")
    counted = Counter(progress_of(view.workload) for view in views)
    for progress in Progress:
        if counted[progress]:
            yield Text(f"{counted[progress]} {progress}", _STYLES[progress])
    yield Text(instant(at), QUIET_STYLE)


def _level(view: WorkloadView) -> Level:
    reserved = value_of(memory_reserved(view.allocations))
    return Level(limit=reserved, promised=reserved, used=value_of(memory_used(view.allocations)))


def _pods(workload: Workload) -> str:
    """Running of all that are not finished: "2/3"; of a finished workload all its pods."""
    alive = {phase: n for phase, n in workload.pods.items() if phase not in {"Succeeded", "Failed"}}
    if not alive:
        return str(sum(workload.pods.values()))
    return f"{alive.get('Running', 0)}/{sum(alive.values())}"

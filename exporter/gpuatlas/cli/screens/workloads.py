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
from gpuatlas.cli.screens.placement_words import (
    gang_words,
    placement_line,
    queue_words,
    remarks,
    runtime_words,
)
from gpuatlas.cli.screens.waiting_words import waiting_words
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
from gpuatlas.model.workload_kinds import kind_name

_MEMORY: Final = "memory, MiB"
_COMPUTE: Final = "compute"
_WHO: Final = (
    Column(title="workload", flexible=True, least=20),
    Column(title="pods"),
)
# Only where there is room for all of them; else they are told in a line of their own.
_HOW: Final = (
    Column(title="runtime", flexible=True, least=8),
    Column(title="scheduler", flexible=True, least=9),
    Column(title="queue", flexible=True),
    Column(title="gang", flexible=True, least=5),
)
_WHAT: Final = (
    Column(title="cards", flexible=True, least=10),
    Column(title="", group=_MEMORY, rank=1),
    Column(title="used", group=_MEMORY, right=True),
    Column(title="reserved", group=_MEMORY, right=True),
    Column(title="used", group=_COMPUTE, right=True),
    Column(title="reserved", group=_COMPUTE, right=True, rank=2),
)
_PODS_COLUMN: Final = 1
# From here on there is room for the kind's whole name, and for the columns of `_HOW`.
_WIDE: Final = 110
_WIDEST: Final = 150
_BAR_CELLS: Final = ((160, 24), (_WIDE, 14), (0, 7))
# As kubectl takes them; others in small letters.
_SHORT_KINDS: Final = {
    ("apps", "Deployment"): "deploy",
    ("apps", "StatefulSet"): "sts",
    ("apps", "DaemonSet"): "ds",
    ("apps", "ReplicaSet"): "rs",
    ("batch", "CronJob"): "cj",
    ("batch.volcano.sh", "Job"): "vcjob",
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): "lws",
    ("serving.kserve.io", "InferenceService"): "isvc",
    ("serving.kserve.io", "LLMInferenceService"): "llmisvc",
    ("serving.knative.dev", "Service"): "ksvc",
    ("argoproj.io", "Workflow"): "wf",
    ("argoproj.io", "CronWorkflow"): "cwf",
    ("sparkoperator.k8s.io", "SparkApplication"): "sparkapp",
    ("grove.io", "PodCliqueSet"): "pcs",
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


def _whole_name(workload: Workload) -> str:
    return f"{kind_name(workload.id.api_group, workload.id.kind)}/{workload.id.name}"


class _WorkloadsTable:
    """Renders once for one width."""

    def __init__(self, views: Sequence[WorkloadView], *, width: int, glyphs: Glyphs) -> None:
        self._views = views
        self._width = width
        self._glyphs = glyphs
        self._footnotes = Footnotes()
        self._scale = self._fitting_scale()
        self._longest = max(len(_whole_name(view.workload)) for view in views)

    def lines(self) -> Iterator[Text]:
        """The table and the reasons of what is unknown in it."""
        how = _HOW if self._width >= _WIDEST else ()
        sheet = Sheet((*_WHO, *how, *_WHAT), self._glyphs.ellipsis)
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
        workload = view.workload
        yield Row(self._cells(view))
        dot = self._glyphs.dot
        if self._width < _WIDEST:
            yield Paragraph(placement_line(workload, dot), QUIET_STYLE, _PODS_COLUMN)
        elif said := f" {dot} ".join(remarks(workload)):
            yield Paragraph(said, QUIET_STYLE, _PODS_COLUMN)
        for reason in workload.reasons:
            yield Paragraph(_waiting(workload, reason), "yellow", _PODS_COLUMN)
            if text := workload.waiting_texts.get(reason):
                yield Paragraph(text, QUIET_STYLE, _PODS_COLUMN)

    def _cells(self, view: WorkloadView) -> list[Text | Fitted]:
        workload, allocations = view.workload, view.allocations
        progress = progress_of(workload)
        cards = cards_held(allocations)
        how = self._how(workload) if self._width >= _WIDEST else []
        first = len(_WHO) + len(how) + 2
        return [
            self._name(workload),
            Text(f"{progress} {_pods(workload)}", _STYLES[progress]),
            *how,
            Fitted(
                len(", ".join(cards)),
                lambda room: Text(listed(cards, room, self._glyphs.ellipsis)),
            ),
            self._bar(view, _STYLES[progress]),
            self._size("memory used", memory_used(allocations), view, first),
            self._size("memory reserved", memory_reserved(allocations), view, first + 1),
            self._share("compute used", compute_used(allocations), view, first + 2),
            self._share("compute reserved", compute_reserved(allocations), view, first + 3),
        ]

    def _how(self, workload: Workload) -> list[Text]:
        said = (workload.scheduler, queue_words(workload), gang_words(workload))
        dash = Text(self._glyphs.dash, QUIET_STYLE)
        return [
            Text(runtime_words(workload)),
            *(Text(word) if word else dash.copy() for word in said),
        ]

    def _name(self, workload: Workload) -> Text | Fitted:
        group, kind = workload.id.api_group, workload.id.kind
        written = kind_name(group, kind)
        short = f"{_SHORT_KINDS.get((group, kind), written.lower())}/{workload.id.name}"
        whole = _whole_name(workload)
        if self._width < _WIDE:
            return Text(short)
        # All rows alike: kinds in two spellings under each other would look like two kinds.
        return Fitted(len(whole), lambda room: Text(whole if self._longest <= room else short))

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


def _waiting(workload: Workload, reason: str) -> str:
    seconds = workload.waiting.get(reason)
    since = "" if seconds is None else f" for {duration(seconds)}"
    return f"waiting{since}: {waiting_words(reason)}"


def _level(view: WorkloadView) -> Level:
    reserved = value_of(memory_reserved(view.allocations))
    return Level(limit=reserved, promised=reserved, used=value_of(memory_used(view.allocations)))


def _pods(workload: Workload) -> str:
    """Running of all that are not finished: "2/3"; of a finished workload all its pods.

    Pods that a queue does not let into being are among those that are not finished.
    """
    alive = {phase: n for phase, n in workload.pods.items() if phase not in {"Succeeded", "Failed"}}
    total = sum(alive.values()) + workload.held_pods
    return f"{alive.get('Running', 0)}/{total}" if total else str(sum(workload.pods.values()))

"""The checks screen: a line for each check, below it what fails it or what it lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.text import Text

from gpuatlas.cli.judged import CHECK_LAYERS, JudgedCheck, JudgedCluster, Verdict
from gpuatlas.cli.screens.check_details import Details
from gpuatlas.cli.screens.check_marks import (
    SEVERITY_STYLES,
    STATE_STYLES,
    marked,
    state_words,
)
from gpuatlas.cli.screens.glyphs import QUIET_STYLE, Glyphs
from gpuatlas.cli.screens.layout import Column, Line, Paragraph, Row, Sheet, wrapped
from gpuatlas.cli.screens.wording import duration, instant
from gpuatlas.model.catalogue import Layer, Severity
from gpuatlas.model.checks import CheckState

_COLUMNS: Final = (
    Column(title=""),
    Column(title="state"),
    Column(title="looks for", flexible=True, least=20),
    Column(title="found", right=True),
    Column(title="since", right=True),
)
_FOUND_COLUMN: Final = 3
_SINCE_COLUMN: Final = 4
_TITLES: Final = {
    Layer.HARDWARE: "hardware",
    Layer.SHARING: "sharing layer",
    Layer.OPERATIONS: "operations",
    Layer.META: "GPU Atlas itself",
}
_SUMMED_UP: Final = (CheckState.OK, CheckState.UNKNOWN, CheckState.NOT_APPLICABLE)
_INSTANT: Final = (
    "One look at one instant. Alerts wait before they fire, and storms, rates and cards that went "
    "away take history: --prometheus-url asks a Prometheus that has our rules."
)


def checks_screen(
    verdict: Verdict, *, everything: bool, width: int, glyphs: Glyphs
) -> Iterator[Text]:
    """The whole screen. `everything`: all findings, and what does not apply check by check."""
    for number, cluster in enumerate(verdict.clusters):
        if number:
            yield Text()
        if cluster.name:
            yield Text(f"cluster {cluster.name}", "bold")
        yield from _summary(cluster, verdict.at, width)
        yield Text()
        table = _ChecksTable(verdict, width=width, glyphs=glyphs, everything=everything)
        yield from table.lines(cluster)
    if not verdict.address:
        yield Text()
        yield from wrapped(_INSTANT, QUIET_STYLE, width=width)


def _summary(cluster: JudgedCluster, at: float, width: int) -> Iterator[Text]:
    """How many checks fire and how many are in which other state, and when."""
    firing = [
        Text(f"{cluster.severities[severity]} {severity}", SEVERITY_STYLES[severity])
        for severity in Severity
        if cluster.severities[severity]
    ]
    states = [
        Text(f"{cluster.states[state]} {state_words(state)}", STATE_STYLES[state])
        for state in _SUMMED_UP
        if cluster.states[state]
    ]
    text = Text(", ").join(firing or [Text("nothing fires", "bold")])
    if states:
        text.append("; ").append_text(Text(", ").join(states))
    when = Text(instant(at), QUIET_STYLE)
    if text.cell_len + 2 + when.cell_len <= width:
        yield text.append("  ").append_text(when)
    else:
        yield text
        yield when


def _columns_of(verdict: Verdict) -> int:
    """How many columns have something to say. A look remembers nothing."""
    if not any(check.occurrences for cluster in verdict.clusters for check in cluster.checks):
        return _FOUND_COLUMN
    return len(_COLUMNS) if verdict.address else _SINCE_COLUMN


class _ChecksTable:
    """Renders clusters for one width."""

    def __init__(self, verdict: Verdict, *, width: int, glyphs: Glyphs, everything: bool) -> None:
        self._at = verdict.at
        self._width = width
        self._glyphs = glyphs
        self._everything = everything
        self._columns = _COLUMNS[: _columns_of(verdict)]

    def lines(self, cluster: JudgedCluster) -> Iterator[Text]:
        """The 29, then the alerts beside them, whose ids are longer."""
        details = Details(self._at, self._width, self._glyphs, everything=self._everything)
        for layers in (CHECK_LAYERS, frozenset(Layer) - CHECK_LAYERS):
            sheet = Sheet(self._columns, self._glyphs.ellipsis)
            for layer in Layer:
                checks = [check for check in cluster.checks if check.entry.layer is layer]
                if layer in layers and checks:
                    sheet.body.append(Line(Text()))
                    sheet.body.append(Line(Text(_TITLES[layer], "bold")))
                    sheet.body += self._checks(checks, details)
            if sheet.body and layers is not CHECK_LAYERS:
                yield Text()
            yield from sheet.render(self._width)

    def _checks(
        self, checks: Sequence[JudgedCheck], details: Details
    ) -> Iterator[Row | Line | Paragraph]:
        apart: list[str] = []
        for check in checks:
            if check.state is CheckState.NOT_APPLICABLE and not self._everything:
                apart.append(check.entry.id)
                continue
            yield Row(self._cells(check))
            yield from map(Line, details.lines(check))
        if apart:
            mark = self._glyphs.checks[CheckState.NOT_APPLICABLE]
            said = f"{mark} not applicable: {', '.join(apart)}"
            yield Paragraph(said, QUIET_STYLE, indent=1)

    def _cells(self, check: JudgedCheck) -> list[Text]:
        since = "" if check.since is None else duration(max(0.0, self._at - check.since))
        return [
            Text(check.entry.id),
            marked(check, self._glyphs),
            Text(check.entry.title, "bold" if check.firing else ""),
            Text(f"{check.count:,}" if check.occurrences else ""),
            Text(since),
        ]

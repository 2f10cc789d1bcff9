"""The effect report as Markdown: what changed, what it rests on, what to keep in mind. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from gpuatlas.cli.screens.wording import duration, instant
from gpuatlas.report.effect import Difference, EffectReport, Row, Verdict
from gpuatlas.report.measures import NEEDED_COVERAGE, NEEDED_SAMPLES, Measure
from gpuatlas.report.quantities import Reduction, Unit
from gpuatlas.report.windows import Window

_MEBIBYTE: Final = 1024 * 1024
_UNKNOWN: Final = "?"
_NOTHING: Final = "nothing was measured. It needs {}."
# Two values that differ in the table are not called the same.
_CHANCE: Final = "not beyond chance"
_WORDS: Final = {
    Verdict.MORE: "more",
    Verdict.LESS: "less",
    Verdict.SAME: "no difference",
    Verdict.UNKNOWN: "not called",
}


def report_markdown(report: EffectReport) -> Iterator[str]:
    """The lines of the document."""
    yield f"# Effect of a change of sharing: {_plain(report.scope)}"
    yield ""
    yield from _about(report)
    yield ""
    yield from _table(_value_columns(report.windows), [_values(row) for row in report.rows])
    yield ""
    yield "## What it rests on"
    yield ""
    yield (
        f"A sample is taken every {duration(report.step)}. A difference is called where both "
        f"windows have {NEEDED_COVERAGE:.0%} coverage and {NEEDED_SAMPLES} samples, and where it "
        "is larger than three standard errors of the means (of counts: than twice the root of "
        "both together)."
    )
    yield ""
    titles = ["", *(f"{_plain(window.name)}: samples, coverage" for window in report.windows)]
    yield from _table(titles, [_basis(row) for row in report.rows])
    yield from _remarks(report)


def _about(report: EffectReport) -> Iterator[str]:
    length = duration(report.windows[0].seconds)
    yield f"Made {instant(report.at)}. Each window is {length} long:"
    yield ""
    for window in report.windows:
        yield f"- {_plain(window.name)}: {instant(window.start)} to {instant(window.end)}"


def _value_columns(windows: Sequence[Window]) -> list[str]:
    titles = ["", _plain(windows[0].name)]
    for window in windows[1:]:
        titles += [_plain(window.name), "difference"]
    return titles


def _values(row: Row) -> list[str]:
    cells = [title_of(row), written(row.quantity.unit, row.measures[0].value)]
    for measure, difference in zip(row.measures[1:], row.differences, strict=True):
        cells.append(written(row.quantity.unit, measure.value))
        cells.append(_difference(row.quantity.unit, difference))
    return cells


def _difference(unit: Unit, difference: Difference) -> str:
    word = _WORDS[difference.verdict]
    if difference.verdict is Verdict.SAME and difference.change:
        return _CHANCE
    if difference.change is None or difference.verdict in {Verdict.SAME, Verdict.UNKNOWN}:
        return word
    sign = "+" if difference.change > 0 else "−"
    return f"{sign}{written(unit, abs(difference.change))} ({word})"


def _basis(row: Row) -> list[str]:
    return [title_of(row), *(_samples(row, measure) for measure in row.measures)]


def _samples(row: Row, measure: Measure) -> str:
    if measure.value is None and not measure.coverage:
        return "nothing"
    kind = "" if row.quantity.reduction is Reduction.MEAN else " counted"
    return f"{measure.samples:,}{kind}, {measure.coverage:.1%}"


def _remarks(report: EffectReport) -> Iterator[str]:
    notes = list(report.notes)
    measured = [row for row in report.rows if _is_measured(row)]
    for row in measured:
        for window, difference in zip(report.windows[1:], row.differences, strict=True):
            if difference.verdict is Verdict.UNKNOWN:
                where = f" ({window.name})" if len(report.windows) > 2 else ""  # noqa: PLR2004
                notes.append(f"{title_of(row)}{where}: not called: {difference.reason}.")
    notes += [
        f"{title_of(row)}: {row.error or _NOTHING.format(row.quantity.needs)}"
        for row in report.rows
        if row not in measured
    ]
    if notes:
        yield ""
        yield "## To keep in mind"
        yield ""
        yield from (f"- {_plain(note)}" for note in dict.fromkeys(notes))


def _is_measured(row: Row) -> bool:
    return any(measure.value is not None for measure in row.measures)


def title_of(row: Row) -> str:
    """The line's name, with the service that it is of."""
    return f"{row.quantity.title}: {_plain(row.service)}" if row.service else row.quantity.title


def written(unit: Unit, value: float | None) -> str:
    """A value as people read it."""
    if value is None:
        return _UNKNOWN
    return _WRITTEN[unit](value)


def _seconds(value: float) -> str:
    return f"{value * 1000:,.0f} ms" if value < 1 else f"{value:,.2f} s"


_WRITTEN: Final[Mapping[Unit, Callable[[float], str]]] = {
    Unit.NUMBER: lambda value: f"{value:,.2f}",
    Unit.RATIO: lambda value: f"{value:.1%}",
    Unit.BYTES: lambda value: f"{value / _MEBIBYTE:,.0f} MiB",
    Unit.SECONDS: _seconds,
    Unit.PER_SECOND: lambda value: f"{value:,.1f}/s",
    Unit.MINUTES_A_DAY: lambda value: f"{value:,.1f} min/d",
    Unit.EVENTS: lambda value: f"{value:,.0f}",
}


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Aligned, so that it is read as it is, too; values to the right."""
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first = cells[0].ljust(widths[0])
        rest = (cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True))
        return f"| {' | '.join((first, *rest))} |"

    yield line(titles)
    marks = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    yield f"| {' | '.join(marks)} |"
    yield from map(line, rows)


def _plain(text: str) -> str:
    """Names that strangers chose, without what Markdown would take for its own."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in " ".join(text.split()))

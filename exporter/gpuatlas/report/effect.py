"""From the answers of a Prometheus to values, and to what may be called a difference. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from gpuatlas.report.measures import (
    NEEDED_COVERAGE,
    NEEDED_SAMPLES,
    NOTHING,
    Measure,
    Points,
    expected,
    measure,
)
from gpuatlas.report.quantities import QUANTITIES, Quantity, Unit
from gpuatlas.report.windows import DAY, WEEK, Window, step_of

# Of twenty lines one is beyond two standard errors by chance; beyond three hardly any is.
_ERRORS: Final = 3.0
# Counts vary by their root; the same bound for the difference of two.
_COUNTS: Final = 2.0
MOST_SERVICES: Final = 10

Labels = tuple[tuple[str, str], ...]
"""Label and value, by label."""


class Verdict(StrEnum):
    """What may be said of two windows."""

    MORE = "more"
    LESS = "less"
    SAME = "no difference"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Between a window and the one before it; `reason` says why a verdict is unknown."""

    verdict: Verdict
    change: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a Prometheus gave for one quantity in one window; `error` where it refused."""

    series: Mapping[Labels, Points]
    seen: Mapping[Labels, Points] | None = None
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line. `service` is "namespace Kind/name" of lines about one service, else "".

    `measures` has one for each window, `differences` one for each but the first. `error` is what
    the server said where it refused to answer.
    """

    quantity: Quantity
    measures: tuple[Measure, ...]
    differences: tuple[Difference, ...]
    service: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectReport:
    """The whole report; `at` is when it was made, `notes` what to keep in mind."""

    at: float
    scope: str
    windows: tuple[Window, ...]
    step: float
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


def effect(
    scope: str,
    windows: Sequence[Window],
    answers: Mapping[tuple[str, int], Answer],
    *,
    at: float,
    quantities: Iterable[Quantity] = QUANTITIES,
) -> EffectReport:
    """The report.

    Args:
        scope: in words.
        windows: all of one length.
        answers: by the quantity's key and the window's number; what is missing was not measured.
        at: Unix seconds.
        quantities: the lines.
    """
    step = step_of(windows[0])
    maker = _Maker(windows, step, answers)
    rows = [row for quantity in quantities for row in maker.rows(quantity)]
    return EffectReport(
        at=at,
        scope=scope,
        windows=tuple(windows),
        step=step,
        rows=tuple(rows),
        notes=tuple(dict.fromkeys((*_of_length(windows), *maker.notes))),
    )


def _of_length(windows: Sequence[Window]) -> Iterator[str]:
    if windows[0].seconds < DAY:
        yield (
            "The windows are shorter than a day: different hours of the day are compared, and a "
            "difference may be theirs."
        )
    elif windows[0].seconds % WEEK:
        yield (
            "The windows are no whole weeks: different weekdays are compared, and a difference may "
            "be theirs."
        )


class _Maker:
    def __init__(
        self,
        windows: Sequence[Window],
        step: float,
        answers: Mapping[tuple[str, int], Answer],
    ) -> None:
        self._windows = windows
        self._step = step
        self._answers = answers
        self.notes: list[str] = []

    def rows(self, quantity: Quantity) -> Iterator[Row]:
        """One line, or of services one for each."""
        answers = [
            self._answers.get((quantity.key, number), Answer(series={}))
            for number in range(len(self._windows))
        ]
        if not quantity.services:
            yield self._row(quantity, answers, (), "")
            return
        for labels in self._services(quantity, answers):
            yield self._row(quantity, answers, labels, _service(labels))

    def _services(self, quantity: Quantity, answers: Sequence[Answer]) -> list[Labels]:
        """Those that were there for half of every window, the most samples first."""
        enough = expected(self._windows[0], self._step) / 2
        there = [
            {who for who, points in self._looked(quantity, answer).items() if len(points) >= enough}
            for answer in answers
        ]
        in_all = set.intersection(*there)
        in_any: set[Labels] = set().union(*(answer.series for answer in answers))
        if others := len(in_any - in_all):
            self.notes.append(
                f"{quantity.title}: {others} services were not there in every window, and are left "
                "out"
            )
        ordered = sorted(in_all, key=lambda s: (-_samples(s, answers), s))
        if (left := len(ordered) - MOST_SERVICES) > 0:
            self.notes.append(f"{quantity.title}: {left} more services are left out")
        return ordered[:MOST_SERVICES]

    def _looked(self, quantity: Quantity, answer: Answer) -> Mapping[Labels, Points]:
        return answer.series if quantity.seen is None else answer.seen or {}

    def _row(
        self, quantity: Quantity, answers: Sequence[Answer], labels: Labels, service: str
    ) -> Row:
        measures = tuple(
            self._measure(quantity, answer, labels, window)
            for answer, window in zip(answers, self._windows, strict=True)
        )
        errors = [answer.error for answer in answers]
        return Row(
            quantity=quantity,
            measures=measures,
            differences=tuple(
                difference(quantity, before, after, *said)
                for (before, after), said in zip(pairwise(measures), pairwise(errors), strict=True)
            ),
            service=service,
            error=next(filter(None, errors), ""),
        )

    def _measure(
        self, quantity: Quantity, answer: Answer, labels: Labels, window: Window
    ) -> Measure:
        seen = None
        if quantity.seen is not None:
            seen = (answer.seen or {}).get(labels, {})
        points = answer.series.get(labels)
        if points is None and not seen:
            return NOTHING
        return measure(quantity, points or {}, window, self._step, seen)


def difference(quantity: Quantity, before: Measure, after: Measure, *errors: str) -> Difference:
    """What may be said: only what both windows cover, and what is beyond their own variation."""
    change = None
    if before.value is not None and after.value is not None:
        change = after.value - before.value
    reason = next(filter(None, errors), "") or _lacking(before) or _lacking(after)
    if reason or change is None:
        return Difference(verdict=Verdict.UNKNOWN, change=change, reason=reason or quantity.needs)
    bound = _bound(quantity, before, after)
    if bound is None:
        return Difference(
            verdict=Verdict.UNKNOWN, change=change, reason="too few samples to tell it from chance"
        )
    if abs(change) <= bound:
        return Difference(verdict=Verdict.SAME, change=change)
    verdict = Verdict.MORE if change > 0 else Verdict.LESS
    return Difference(verdict=verdict, change=change)


def _lacking(one: Measure) -> str:
    if one.is_enough:
        return ""
    if one.value is None:
        return "nothing was measured in one of the windows"
    if one.coverage < NEEDED_COVERAGE:
        return f"{one.coverage:.1%} of a window was seen, and {NEEDED_COVERAGE:.0%} are needed"
    return f"{one.samples} samples in a window, and {NEEDED_SAMPLES} are needed"


def _bound(quantity: Quantity, before: Measure, after: Measure) -> float | None:
    """The largest change that may be chance."""
    if quantity.unit is Unit.EVENTS:
        return _COUNTS * math.sqrt((before.value or 0.0) + (after.value or 0.0))
    if before.error is None or after.error is None:
        return None
    # Equal values differ by rounding of floats.
    rounding = 1e-9 * abs(before.value or 0.0)
    return _ERRORS * math.hypot(before.error, after.error) + rounding


def _samples(labels: Labels, answers: Iterable[Answer]) -> int:
    return sum(len(answer.series.get(labels, ())) for answer in answers)


def _service(labels: Labels) -> str:
    known = dict(labels)
    workload = f"{known.get('workload_kind', '?')}/{known.get('workload', '?')}"
    return f"{known.get('namespace', '?')} {workload}"

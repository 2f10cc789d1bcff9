"""Asks a Prometheus for everything that an effect report compares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from gpuatlas.report.effect import Answer, EffectReport, Labels, effect
from gpuatlas.report.measures import Points
from gpuatlas.report.quantities import QUANTITIES, STEP, Quantity
from gpuatlas.report.scope import Scope
from gpuatlas.report.windows import Window, step_of
from gpuatlas.sources.errors import BadAnswerError
from gpuatlas.sources.promapi.expressions import ExpressionReader
from gpuatlas.sources.promapi.settings import PrometheusSettings

_SERVICE: Final = ("cluster", "namespace", "workload_kind", "workload")


def look_at_effect(
    settings: PrometheusSettings, scope: Scope, windows: Sequence[Window], *, now: float
) -> tuple[EffectReport, tuple[str, ...]]:
    """The report, and the server's warnings.

    An expression that the server refuses costs its line.

    Raises:
        SourceError: it does not answer, or refuses all of them.
    """
    reading = _Reading(ExpressionReader(settings), scope)
    answers = {
        (quantity.key, number): reading.answer(quantity, window)
        for quantity in QUANTITIES
        for number, window in enumerate(windows)
    }
    errors = [answer.error for answer in answers.values()]
    if all(errors):
        raise BadAnswerError(errors[0])
    return effect(scope.words, windows, answers, at=now), tuple(reading.warnings)


class _Reading:
    def __init__(self, reader: ExpressionReader, scope: Scope) -> None:
        self._reader = reader
        self._scope = scope
        # Several quantities look at whether the same was seen.
        self._known: dict[tuple[str, float], Mapping[Labels, Points]] = {}
        self.warnings: dict[str, None] = {}

    def answer(self, quantity: Quantity, window: Window) -> Answer:
        """One quantity in one window."""
        try:
            series = self._ask(quantity.expression(self._scope), window)
            seen = None if quantity.seen is None else self._ask(quantity.seen(self._scope), window)
        except BadAnswerError as error:
            return Answer(series={}, error=str(error))
        return Answer(series=series, seen=seen)

    def _ask(self, expression: str, window: Window) -> Mapping[Labels, Points]:
        key = (expression, window.start)
        if key not in self._known:
            step = step_of(window)
            found, warnings = self._reader.evaluate(
                expression.replace(STEP, f"{step:.0f}s"),
                start=window.start,
                end=window.end - step,  # what begins with the change is none of the window
                step=step,
            )
            self.warnings |= dict.fromkeys(warnings)
            self._known[key] = {_labels(each.labels): each.points for each in found}
        return self._known[key]


def _labels(labels: Mapping[str, str]) -> Labels:
    return tuple((name, labels[name]) for name in _SERVICE if name in labels)

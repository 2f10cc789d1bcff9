"""Evaluates rules over a stretch of the past and writes what Prometheus would have written.

Recording rules become their series, alerts become `ALERTS` and `ALERTS_FOR_STATE` with their `for`
applied. Templates in the labels of alerts may only name labels; annotations are not looked at.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, Protocol

from gpuatlas.runtime.backfill.alert_states import ActiveAlert, AlertState, AlertStates
from gpuatlas.runtime.backfill.range_query import Grid
from gpuatlas.runtime.backfill.rule_files import (
    ALERTS,
    ALERTS_FOR_STATE,
    Rule,
    RuleFileError,
    RuleGroup,
)
from gpuatlas.runtime.backfill.series import (
    NAME,
    Block,
    Column,
    SeriesKey,
    blank,
    held,
    joined,
    series_key,
    series_labels,
)

_TEMPLATE: Final = re.compile(r"\{\{\s*\$labels\.([a-zA-Z_][a-zA-Z0-9_]*)\s*\}\}")
_STATE: Final = "alertstate"
_FAR_SECONDS: Final = 12 * 3600.0
_SLOW_SECONDS: Final = 3600.0
_ALERT_NAME: Final = "alertname"

Answer = Iterable[tuple[dict[str, str], Column]]


class Asks(Protocol):
    """`range_query.RangeQuery` is the real one."""

    def ask(self, expression: str, grid: Grid) -> Answer:
        """The series of an expression."""


class Writes(Protocol):
    """`remote_write.RemoteWriter` is the real one."""

    def write(self, block: Block, *, writer: str) -> None:
        """Takes a block."""


class PastEvaluator:
    """Evaluates stretches that follow each other; `groups` are in order (`rule_files`)."""

    def __init__(self, groups: Sequence[RuleGroup], asks: Asks, writes: Writes) -> None:
        self._groups = groups
        self._asks = asks
        self._writes = writes
        self._states: dict[str, AlertStates[SeriesKey]] = {}

    def resume(self, at: float) -> None:
        """Go on behind the instant `at`, whose alerts Prometheus has."""
        grid = Grid(first=at, last=at, step=1.0)
        since = dict(_alerts(self._asks.ask(ALERTS_FOR_STATE, grid)))
        firing = dict(_alerts(self._asks.ask(f'{ALERTS}{{{_STATE}="{AlertState.FIRING}"}}', grid)))
        for writer, rule in _alert_rules(self._groups):
            self._states_of(writer, rule).resume(
                {
                    key: ActiveAlert(
                        state=AlertState.FIRING if key in firing else AlertState.PENDING,
                        since=began,
                    )
                    for key, began in since.items()
                    if _is_of(rule, series_labels(key))
                }
            )

    def evaluate(self, grid: Grid) -> None:
        """One stretch, whose samples are written already.

        Each rule is evaluated at the instants of the grid, or as seldom as its group says. What
        looks back over most of a day or more changes slowly and takes long: that is recorded once
        an hour, and stands until the next time.
        """
        for group in self._groups:
            instants = grid.every(group.interval_seconds)
            if instants is not None:
                for number, rule in enumerate(group.rules):
                    far = rule.record and rule.looks_back_seconds >= _FAR_SECONDS
                    every = max(1, round(_SLOW_SECONDS / instants.step)) if far else 1
                    self._evaluate(_writer(group, number), rule, instants, every=every)

    def evaluate_now_and_then(
        self, grid: Grid, *, every: int, only: Collection[str], standing: Collection[str]
    ) -> None:
        """One stretch in which something changes at each `every`-th instant at most.

        Of the recording rules those are evaluated that record one of the names `only`, and at these
        instants alone. What records one of `standing` is written for all instants of the grid: it
        stands until the next time. No alert is looked at.
        """
        for group in self._groups:
            for number, rule in enumerate(group.rules):
                if rule.record in only:
                    stands = rule.record in standing
                    instants, times = (grid, every) if stands else (grid.each(every), 1)
                    self._evaluate(_writer(group, number), rule, instants, every=times)

    def _evaluate(self, writer: str, rule: Rule, grid: Grid, *, every: int = 1) -> None:
        answer = self._asks.ask(rule.expression, grid.each(every))
        instants = grid.instants
        columns: Mapping[SeriesKey, Column]
        if rule.record:
            columns = {
                key: held(column, every, len(instants))
                for key, column in recorded(rule, answer).items()
            }
        else:
            columns = alerted(rule, answer, grid, self._states_of(writer, rule))
        self._writes.write(Block(instants=instants, columns=columns), writer=writer)

    def _states_of(self, writer: str, rule: Rule) -> AlertStates[SeriesKey]:
        known = self._states.get(writer)
        if known is None:
            known = self._states[writer] = AlertStates(
                for_seconds=rule.for_seconds, keep_firing_seconds=rule.keep_firing_seconds
            )
        return known


def _writer(group: RuleGroup, number: int) -> str:
    return f"{group.name}/{number}"


def _alert_rules(groups: Iterable[RuleGroup]) -> Iterator[tuple[str, Rule]]:
    for group in groups:
        for number, rule in enumerate(group.rules):
            if rule.alert:
                yield _writer(group, number), rule


def _alerts(answer: Answer) -> Iterator[tuple[SeriesKey, float]]:
    """The alerts behind `ALERTS` or `ALERTS_FOR_STATE`, with the value."""
    for labels, column in answer:
        own = {name: value for name, value in labels.items() if name not in {NAME, _STATE}}
        yield series_key(own), column[0]


def _is_of(rule: Rule, labels: Mapping[str, str]) -> bool:
    """Whether an alert can be this rule's: it has its name and those labels that are no template.

    Two rules of one alert with the same labels would write the same series.
    """
    fixed = {name: text for name, text in rule.labels.items() if "{{" not in text}
    return labels[_ALERT_NAME] == rule.alert and fixed.items() <= labels.items()


def recorded(rule: Rule, answer: Answer) -> dict[SeriesKey, Column]:
    """The series that a recording rule writes.

    Over time one of them may come in parts: `x and y or x * 0` has the name of `x` while `y` is
    there, and no name while it is not.
    """
    found: dict[SeriesKey, Column] = {}
    for labels, column in answer:
        key = series_key({**labels, **rule.labels, NAME: rule.record})
        found[key] = joined(found[key], column) if key in found else column
    return found


def alerted(
    rule: Rule, answer: Answer, grid: Grid, states: AlertStates[SeriesKey]
) -> dict[SeriesKey, Column]:
    """The series that Prometheus writes of an alert.

    Raises:
        RuleFileError: a label of the rule has a template that names more than a label.
    """
    found = [(series_key(alert_labels(rule, labels)), column) for labels, column in answer]
    length = len(grid.instants)
    columns: dict[SeriesKey, Column] = defaultdict(lambda: blank(length))
    for index, instant in enumerate(grid.instants):
        present = (key for key, column in found if not math.isnan(column[index]))
        for key, alert in states.evaluate(instant, present).items():
            labels = series_labels(key)
            columns[series_key({**labels, NAME: ALERTS, _STATE: alert.state})][index] = 1.0
            columns[series_key({**labels, NAME: ALERTS_FOR_STATE})][index] = alert.since
    return dict(columns)


def alert_labels(rule: Rule, labels: Mapping[str, str]) -> dict[str, str]:
    """The labels of an alert: those of the element, and the rule's laid over them."""
    element = {name: value for name, value in labels.items() if name != NAME}
    own = {name: _expanded(text, labels) for name, text in rule.labels.items()}
    return {**element, **own, _ALERT_NAME: rule.alert}


def _expanded(template: str, labels: Mapping[str, str]) -> str:
    text = _TEMPLATE.sub(lambda match: labels.get(match[1], ""), template)
    if "{{" in text:
        message = f"the label template {template!r} names more than a label"
        raise RuleFileError(message)
    return text

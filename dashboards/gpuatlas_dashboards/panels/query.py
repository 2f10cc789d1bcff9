"""A query of a panel."""

from __future__ import annotations

from dataclasses import dataclass

from gpuatlas_dashboards.signals.signal import Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One PromQL expression and how its answer is read.

    Attributes:
        expr: With Grafana's variables.
        legend: Grafana's format, as in "{{pod}}".
        instant: The value at the end of the time range, not its course.
        table: As rows of a table; implies `instant`.
        ref: The name that transformations and overrides use; else A, B, … by place.
        interval: The smallest step, as in "1m".
    """

    expr: str
    legend: str = ""
    instant: bool = False
    table: bool = False
    ref: str = ""
    interval: str = ""


def query_of(signal: Signal, scope: str, *, legend: str = "", instant: bool = False) -> Query:
    """The course of a signal, or its present value, for label matchers."""
    return Query(expr=signal.within(scope), legend=legend or signal.legend, instant=instant)

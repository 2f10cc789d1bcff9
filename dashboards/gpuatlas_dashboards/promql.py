"""Forms of PromQL that Grafana's tables need; not a quantity of its own."""

from __future__ import annotations

NONE = "none"  # the value of a label that `or_none` sets


def or_none(label: str, expr: str) -> str:
    """One row that says "none", where a table of several queries would be empty without a word."""
    return f'{expr}\nor on () label_replace(vector(NaN), "{label}", "{NONE}", "", "")'


def or_nan(expr: str, *, by: str, of: str) -> str:
    """NaN for each `by` of `of` that the expression does not have.

    Grafana merges frames by the labels that all of them have: a query without an answer, as of
    waits when nobody waits, would leave none of them.
    """
    return f"{expr}\nor on ({by})\nNaN * group by ({by}) ({of})"

"""What promtool does not ask of our alerts: their PromQL, their holds, what their texts query."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

import promql_parser

from gpuatlas_harness.alert_rules import alert_groups, dcgm_counters
from gpuatlas_harness.promql import Rule, called, matched_labels, nodes
from gpuatlas_harness.rule_lint import LABELS, SHARED, Lint, limit_join_faults
from gpuatlas_harness.rule_lint import metric_faults as unknown_metrics

INTERVALS = {group.name: group.interval for group in alert_groups()}
LONGEST_HOLD = timedelta(days=1)
COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}
# A fault that is meant, and why.
EXCEPTIONS: Final = {
    ("H12", "$labels.UUID is not there"): (
        "no-cards and exporter-down share the text about pods, which then says that none is named"
    ),
}


def condition_faults(rule: Rule) -> Iterator[str]:
    """An alert without a condition fires for every series that exists."""
    filters = {
        str(node.op)
        for node in nodes(rule.tree, promql_parser.BinaryExpr)
        if node.modifier is None or not node.modifier.return_bool
    }
    if not filters & (COMPARISONS | {"unless"}) and not called(rule.tree, "absent"):
        yield "no condition"


def ranking_faults(rule: Rule) -> Iterator[str]:
    """What is first of many changes with every evaluation, and with it the alert."""
    for aggregation in nodes(rule.tree, promql_parser.AggregateExpr):
        if str(aggregation.op) in {"topk", "bottomk"}:
            yield f"{aggregation.op} in an alert"


def hold_faults(rule: Rule) -> Iterator[str]:
    # The parser takes no 0.
    hold = promql_parser.parse_duration(rule.hold) if rule.hold != "0m" else timedelta(0)
    interval = INTERVALS.get(rule.group) or timedelta(minutes=1)
    if hold > LONGEST_HOLD:
        yield f"a hold of {rule.hold}"
    if called(rule.tree, "absent", "absent_over_time") and hold < 2 * interval:
        yield f"{rule.hold} is less than two evaluations: one lost scrape makes an absence"


def metric_faults(rule: Rule) -> Iterator[str]:
    yield from unknown_metrics(rule.tree, dcgm_counters().keys())


def template_label_faults(rule: Rule) -> Iterator[str]:
    """Labels that the texts use and the expression does not give.

    The labels node and card of an alert may come out empty, a sentence may not have a hole.
    """
    there = LABELS.of(rule.tree)
    if there is None:
        return
    texts = " ".join(rule.annotations.values())
    for label in sorted(set(re.findall(r"\$labels\.(\w+)", texts)) - there):
        yield f"$labels.{label} is not there"


def template_query_faults(rule: Rule) -> Iterator[str]:
    for text in rule.annotations.values():
        for query in queries(text):
            yield from _query_faults(query)


def queries(text: str) -> list[str]:
    """The PromQL that a template prints, with "x" for every value."""
    printed = re.findall(r"printf `([^`]*)`", text)
    printed += [quoted.replace('\\"', '"') for quoted in _QUOTED.findall(text)]
    return [re.sub("%[qs]", '"x"', query) for query in printed if "{" in query]


_QUOTED: Final = re.compile(r'printf "((?:[^"\\]|\\.)*)"')


def _query_faults(query: str) -> Iterator[str]:
    try:
        tree: promql_parser.Expr = promql_parser.parse(query)
    except ValueError as error:
        yield f"{query}: {error}"
        return
    yield from unknown_metrics(tree, dcgm_counters().keys())
    yield from LABELS.faults(tree)
    for selector in nodes(tree, promql_parser.VectorSelector):
        asked = {label for label, _ in matched_labels(selector)}
        # The UUID of a card is its own in every cluster, the name of a node is not.
        if not asked & {"cluster", "UUID"}:
            yield f"{selector.name} of every cluster in a text"


LINTS: tuple[Lint, ...] = (
    *SHARED,
    limit_join_faults,
    condition_faults,
    ranking_faults,
    hold_faults,
    metric_faults,
    template_label_faults,
    template_query_faults,
)


def faults(rule: Rule) -> list[str]:
    found = [fault for lint in LINTS for fault in lint(rule)]
    return [fault for fault in found if (rule.check, fault) not in EXCEPTIONS]

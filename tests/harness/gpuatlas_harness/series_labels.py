"""Which labels a PromQL expression gives, as far as the declared families and our rules tell.

`None` means that nobody can say: a foreign metric is in it. Labels of a scrape (`instance`) and of
the server (`cluster`) may stand on every series.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import promql_parser

from gpuatlas.families.catalogue import ALL_FAMILIES
from gpuatlas.families.documents import ITSELF_ROWS
from gpuatlas_harness.promql import Rule, grouping, nodes

Labels = frozenset[str] | None

SCRAPED: Final = frozenset(
    {"cluster", "job", "instance", "exported_node", "exported_namespace", "exported_pod"}
)
_SET_OPERATORS: Final = {"and", "unless", "or"}
# Every metric that the exporter publishes, with its labels: the tables, and what is beside them.
OURS: Final = {family.name: frozenset(family.labels) for family in ALL_FAMILIES} | {
    name: frozenset(re.findall(r"`(\w+)`", labels)) for name, _, labels, _ in ITSELF_ROWS
}


class SeriesLabels:
    """Labels by metric: of the declared families, and of what the given recording rules make."""

    def __init__(self, recording: Iterable[Rule]) -> None:
        self._rules: dict[str, list[Rule]] = {}
        for rule in recording:
            self._rules.setdefault(rule.name, []).append(rule)
        self._found: dict[str, Labels] = {name: own | SCRAPED for name, own in OURS.items()}

    def of_metric(self, name: str) -> Labels:
        """The labels of one metric."""
        if name not in self._found:
            self._found[name] = None  # a rule that reads itself adds nothing of its own
            parts = [self._of_rule(rule) for rule in self._rules.get(name, [])]
            self._found[name] = _union(parts) if parts else None
        return self._found[name]

    def _of_rule(self, rule: Rule) -> Labels:
        found = self.of(rule.tree)
        return None if found is None else found | set(rule.labels)

    def of(self, tree: promql_parser.Expr) -> Labels:
        """The labels of the result of an expression."""
        rules: Mapping[type[promql_parser.Expr], Callable[..., Labels]] = {
            promql_parser.VectorSelector: lambda node: self.of_metric(node.name or ""),
            promql_parser.MatrixSelector: lambda node: self.of(node.vector_selector),
            promql_parser.ParenExpr: lambda node: self.of(node.expr),
            promql_parser.UnaryExpr: lambda node: self.of(node.expr),
            promql_parser.SubqueryExpr: lambda node: self.of(node.expr),
            promql_parser.AggregateExpr: self._of_aggregation,
            promql_parser.Call: self._of_call,
            promql_parser.BinaryExpr: self._of_binary,
        }
        rule = rules.get(type(tree))
        return frozenset() if rule is None else rule(tree)

    def _of_aggregation(self, node: promql_parser.AggregateExpr) -> Labels:
        if str(node.op) in {"topk", "bottomk"}:
            return self.of(node.expr)
        by = grouping(node)
        if by is None:
            return None if node.modifier is not None else frozenset()
        made = {node.param.val} if isinstance(node.param, promql_parser.StringLiteral) else set()
        return frozenset(by) | made

    def _of_call(self, node: promql_parser.Call) -> Labels:
        name = node.func.name
        if name.startswith("absent"):
            return frozenset(
                matcher.name
                for selector in nodes(node, promql_parser.VectorSelector)
                for matcher in selector.matchers.matchers
            )
        found = _union([self.of(argument) for argument in node.args])
        if name in {"label_replace", "label_join"} and found is not None:
            return found | {node.args[1].val}
        return found

    def _of_binary(self, node: promql_parser.BinaryExpr) -> Labels:
        left, right = self.of(node.lhs), self.of(node.rhs)
        modifier, op = node.modifier, str(node.op)
        if op in _SET_OPERATORS:
            return _union([left, right]) if op == "or" else left
        if modifier is None or modifier.matching is None:
            return _union([left, right])
        if modifier.card == promql_parser.VectorMatchCardinality.ManyToOne:
            return None if left is None else left | set(modifier.group_labels or ())
        if modifier.matching.type == promql_parser.LabelModifierType.Include:
            return frozenset(modifier.matching.labels)
        return None if left is None else left - set(modifier.matching.labels)

    def faults(self, tree: promql_parser.Expr) -> Iterator[str]:
        """Labels that an expression asks for where they cannot be."""
        for selector in nodes(tree, promql_parser.VectorSelector):
            asked = {matcher.name for matcher in selector.matchers.matchers}
            yield from _missing(f"{selector.name}", asked, self.of(selector))
        for aggregation in nodes(tree, promql_parser.AggregateExpr):
            asked = set(grouping(aggregation) or ())
            yield from _missing(f"what {aggregation.op} reads", asked, self.of(aggregation.expr))
        for binary in nodes(tree, promql_parser.BinaryExpr):
            yield from self._join_faults(binary)

    def _join_faults(self, node: promql_parser.BinaryExpr) -> Iterator[str]:
        modifier = node.modifier
        if modifier is None or modifier.matching is None:
            return
        asked = set(modifier.matching.labels)
        yield from _missing("the left side", asked, self.of(node.lhs))
        yield from _missing("the right side", asked, self.of(node.rhs))
        if modifier.card == promql_parser.VectorMatchCardinality.ManyToOne:
            yield from _missing(
                "the right side", set(modifier.group_labels or ()), self.of(node.rhs)
            )


def _union(parts: Iterable[Labels]) -> Labels:
    found: frozenset[str] = frozenset()
    for part in parts:
        if part is None:
            return None
        found |= part
    return found


def _missing(what: str, asked: set[str], there: Labels) -> Iterator[str]:
    for label in sorted(asked - SCRAPED - (asked if there is None else there)):
        yield f"{what} has no label {label}"

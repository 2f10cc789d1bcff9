"""Rule files and the syntax trees of their expressions, for the tests of our rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import promql_parser
import yaml

NodeT = TypeVar("NodeT", bound=promql_parser.Expr)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One recording or alerting rule; ``name`` is what it records, or the alert's name.

    ``hold`` is an alert's ``for`` as it is written, ``labels`` and ``annotations`` are templates.
    """

    file: Path
    group: str
    name: str
    expression: str
    is_alert: bool = False
    hold: str = "0m"
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        if not self.is_alert:
            return " ".join((f"{self.file.name}: {self.name}", *self.labels.values()))
        return f"{self.check}-{self.labels.get('signal', '')}-{self.labels.get('severity', '')}"

    @property
    def check(self) -> str:
        """What an alert belongs to: H05, S12, or the slug of one beside the 29."""
        return self.labels.get("check", "")

    @property
    def tree(self) -> promql_parser.Expr:
        tree: promql_parser.Expr = promql_parser.parse(self.expression)
        return tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One group of a rule file; ``interval`` is None where the server's own counts."""

    file: Path
    name: str
    interval: timedelta | None
    rules: tuple[Rule, ...]

    def __str__(self) -> str:
        return f"{self.file.name}: {self.name}"


def read_groups(file: Path) -> list[Group]:
    """The groups of a file of rules that promtool accepts, in the file's order."""
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    return [
        Group(
            file=file,
            name=group["name"],
            interval=(
                promql_parser.parse_duration(group["interval"]) if "interval" in group else None
            ),
            rules=tuple(_rule(file, group["name"], rule) for rule in group["rules"]),
        )
        for group in content["groups"]
    ]


def _rule(file: Path, group: str, rule: dict[str, Any]) -> Rule:
    return Rule(
        file=file,
        group=group,
        name=rule["alert"] if "alert" in rule else rule["record"],
        expression=str(rule["expr"]),
        is_alert="alert" in rule,
        hold=rule.get("for", "0m"),
        labels=rule.get("labels", {}),
        annotations=rule.get("annotations", {}),
    )


def nodes(tree: promql_parser.Expr, kind: type[NodeT]) -> list[NodeT]:
    """Every node of a kind, outermost first."""
    found: list[promql_parser.Expr] = []
    promql_parser.walk(tree, found.append)
    return [node for node in found if isinstance(node, kind)]


def metric_names(tree: promql_parser.Expr) -> set[str]:
    """The names of every metric read; a selector without a name gives the empty string."""
    return {selector.name or "" for selector in nodes(tree, promql_parser.VectorSelector)}


def matched_labels(tree: promql_parser.Expr) -> set[tuple[str, str]]:
    """Label and value of every matcher of every selector."""
    return {
        (matcher.name, matcher.value)
        for selector in nodes(tree, promql_parser.VectorSelector)
        for matcher in selector.matchers.matchers
    }


def called(tree: promql_parser.Expr, *functions: str) -> list[promql_parser.Call]:
    """The calls of the named functions, of every one where none is named."""
    calls = nodes(tree, promql_parser.Call)
    return [call for call in calls if not functions or call.func.name in functions]


def strings(tree: promql_parser.Expr) -> set[str]:
    """Every text that is an argument: new labels, patterns, replacements."""
    return {node.val for node in nodes(tree, promql_parser.StringLiteral)}


def grouping(aggregation: promql_parser.AggregateExpr) -> list[str] | None:
    """The labels of ``by``; None without one, or with ``without``."""
    modifier = aggregation.modifier
    if modifier is None or modifier.type != promql_parser.AggModifierType.By:
        return None
    return list(modifier.labels)

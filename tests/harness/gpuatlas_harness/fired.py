"""Alerts as Prometheus sends them: the labels of a rule of ours, filled in as it would do it."""

from __future__ import annotations

import re
from typing import Final

from gpuatlas_harness.alert_rules import alert_rules
from gpuatlas_harness.promql import Rule
from gpuatlas_harness.rule_lint import LABELS

_LABEL: Final = re.compile(r"{{ \$labels\.(\w+) }}")


def rule_of(check: str, signal: str = "", severity: str = "") -> Rule:
    """The one rule of a check with this signal and severity, where they are given.

    Raises:
        LookupError: none or several are so.
    """
    found = [
        rule
        for rule in alert_rules()
        if rule.check == check
        and signal in {"", rule.labels.get("signal")}
        and severity in {"", rule.labels["severity"]}
    ]
    if len(found) != 1:
        message = f"{len(found)} rules are {check} {signal} {severity}"
        raise LookupError(message)
    return found[0]


def fired(check: str, signal: str = "", severity: str = "", /, **series: str) -> dict[str, str]:
    """The labels of the alert that a rule makes of one series of its expression.

    Raises:
        LookupError: no such rule, or its expression gives no series with these labels.
    """
    rule = rule_of(check, signal, severity)
    there = LABELS.of(rule.tree)
    if there is not None and (unknown := set(series) - there - {"cluster"}):
        message = f"the expression of {rule} gives no label {sorted(unknown)}"
        raise LookupError(message)

    def filled(text: str) -> str:
        return _LABEL.sub(lambda match: series.get(match[1], ""), text)

    named = {name: filled(value) for name, value in rule.labels.items()}
    labels = {**series, **named, "alertname": rule.name}
    return {name: value for name, value in labels.items() if value}

"""S01-S17: every behaviour by promtool, and what holds for the sharing layer's alerts alone."""

from __future__ import annotations

from typing import Final

import pytest

from gpuatlas.checks.evaluate import EVALUATORS
from gpuatlas_harness.alert_cases import PROMTOOLS, case_faults, promtool_says
from gpuatlas_harness.alert_rules import alert_rules, by_check, metrics_read
from gpuatlas_harness.promql import Rule, matched_labels

CHECKS: Final = tuple(f"S{number:02}" for number in range(1, 18))
RULES: Final = by_check(alert_rules("sharing"))
FINDING: Final = "gpuatlas_finding_info"
# The relabelling that may be done without being asked (DESIGN 1).
REPAIRED_ALONE: Final = {("S11", "label")}


@pytest.mark.parametrize("major", PROMTOOLS)
@pytest.mark.parametrize("check", CHECKS)
def test_the_alert_behaves(check: str, major: int) -> None:
    assert promtool_says(check, major) == ""


@pytest.mark.parametrize("check", CHECKS)
def test_the_cases_cover_the_alert(check: str) -> None:
    assert case_faults(check, RULES[check]) == []


def test_the_seventeen_checks_are_here_and_no_other() -> None:
    assert tuple(RULES) == CHECKS


def test_every_check_has_an_evaluator() -> None:
    assert set(EVALUATORS) == set(CHECKS)


@pytest.mark.parametrize("rule", alert_rules("sharing"), ids=str)
def test_the_rule_asks_for_its_own_findings(rule: Rule) -> None:
    """A rule on findings names its check and signal; one on facts leaves findings alone."""
    if FINDING not in metrics_read(rule):
        return
    asked = {value for label, value in matched_labels(rule.tree) if label in {"check", "signal"}}
    assert asked == {rule.check, rule.labels["signal"]}


def test_nothing_but_a_lost_label_is_mended_alone() -> None:
    alone = {
        (rule.check, rule.labels["signal"])
        for rule in alert_rules("sharing")
        if rule.labels["remedy"] == "auto"
    }
    assert alone == REPAIRED_ALONE

"""Every alert and every helper of one, as it stands in `alerts/`."""

from __future__ import annotations

import re

import pytest

from gpuatlas_harness.alert_lint import EXCEPTIONS, INTERVALS, LINTS, faults, metric_faults
from gpuatlas_harness.alert_rules import alert_groups, alert_rules, form_faults, helper_rules
from gpuatlas_harness.binaries import required, system_binary
from gpuatlas_harness.prometheus import promtool
from gpuatlas_harness.promql import Group, Rule, metric_names
from gpuatlas_harness.rule_lint import SHARED, group_faults

RULES = alert_rules()


def test_promtool_finds_no_fault() -> None:
    required(lambda: system_binary("promtool", package="prometheus"))
    files = sorted({group.file for group in alert_groups()})
    answer = promtool(["check", "rules", "--lint=all", "--lint-fatal", *files])
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_the_rule_carries_what_the_catalogue_promises(rule: Rule) -> None:
    assert form_faults(rule) == []


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_the_rule_keeps_the_conventions(rule: Rule) -> None:
    assert faults(rule) == []


@pytest.mark.parametrize("rule", helper_rules().values(), ids=str)
def test_a_helper_keeps_the_conventions(rule: Rule) -> None:
    assert [fault for lint in (*SHARED, metric_faults) for fault in lint(rule)] == []
    assert re.fullmatch(r"(gpu|model|allocation|card):[a-z0-9_]+:[a-z0-9]+", rule.name)


def test_every_helper_is_read_by_a_later_rule_of_its_group() -> None:
    for group in alert_groups():
        for place, rule in enumerate(group.rules):
            later = {name for other in group.rules[place:] for name in metric_names(other.tree)}
            assert rule.is_alert or rule.name in later, rule


@pytest.mark.parametrize("group", alert_groups(), ids=str)
def test_the_group_can_run_in_any_ruler(group: Group) -> None:
    assert list(group_faults(group)) == []
    assert group.name.startswith(group.file.stem.partition("-")[0])


def test_no_group_has_the_name_of_another() -> None:
    assert len(INTERVALS) == len(alert_groups())


def test_every_exception_is_needed() -> None:
    found = {(rule.check, fault) for rule in RULES for lint in LINTS for fault in lint(rule)}
    assert set(EXCEPTIONS) <= found

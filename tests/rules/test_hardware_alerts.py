"""H01-H12: every behaviour by promtool, and what the catalogue promises of every rule."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any, Final

import promql_parser
import pytest
import yaml

from gpuatlas_harness.runbook_headers import (
    RUNBOOKS,
    Rule,
    by_check,
    hardware_rules,
    runbook,
    with_header,
)
from gpuatlas_harness.xid_text import ALERTS, Xid, table, with_texts

CASES: Final = Path(__file__).parent / "alerts"
CHECKS: Final = tuple(f"H{number:02}" for number in range(1, 13))
HEADINGS: Final = (
    "What it means",
    "How we know",
    "What to do first",
    "If that fails",
    "When it is noise",
)
RULES: Final = by_check(hardware_rules())
EVERY_RULE: Final = [
    pytest.param(rule, id=f"{rule.check}-{rule.labels['signal']}-{rule.labels['severity']}")
    for rule in hardware_rules()
]


def promtool(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    if shutil.which("promtool") is None:
        pytest.skip("promtool is not installed: apt-get install prometheus")
    return subprocess.run(
        ["promtool", *map(str, arguments)], capture_output=True, text=True, check=False
    )


def cases(check: str) -> list[dict[str, Any]]:
    text = (CASES / f"{check.lower()}.yaml").read_text(encoding="utf-8")
    tests: list[dict[str, Any]] = yaml.safe_load(text)["tests"]
    return tests


def fires(case: dict[str, Any]) -> bool:
    return any(step.get("exp_alerts") for step in case["alert_rule_test"])


def counters() -> dict[str, tuple[str, str]]:
    """Type and help text of every line of the list for dcgm-exporter."""
    lines = (ALERTS / "dcgm-counters.csv").read_text(encoding="utf-8").splitlines()
    rows = [line.split(", ") for line in lines if line and not line.startswith("#")]
    return {name: (kind, text) for name, kind, text in rows}


def xids(*categories: str) -> set[str]:
    return {str(xid.number) for xid in table() if xid.category in categories}


def test_promtool_finds_no_fault_in_the_rules() -> None:
    result = promtool("check", "rules", "--lint=all", "--lint-fatal", ALERTS / "hardware.yaml")
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("check", CHECKS)
def test_the_alert_behaves(check: str) -> None:
    result = promtool("test", "rules", CASES / f"{check.lower()}.yaml")
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("check", CHECKS)
def test_the_alert_has_its_share_of_cases(check: str) -> None:
    kinds = Counter(case["name"].partition(":")[0] for case in cases(check))
    assert kinds["fires"] >= 2
    assert kinds["silent"] >= 2
    assert kinds["missing"] >= 1
    assert set(kinds) == {"fires", "silent", "missing"}


@pytest.mark.parametrize("check", CHECKS)
def test_the_name_of_a_case_says_what_it_expects(check: str) -> None:
    wrong = [c["name"] for c in cases(check) if fires(c) != c["name"].startswith("fires: ")]
    assert wrong == []


@pytest.mark.parametrize("check", CHECKS)
def test_every_rule_of_the_alert_fires_in_a_case(check: str) -> None:
    fired = {
        (alert["exp_labels"]["signal"], alert["exp_labels"]["severity"])
        for case in cases(check)
        for step in case["alert_rule_test"]
        for alert in step.get("exp_alerts", ())
    }
    assert fired == {(rule.labels["signal"], rule.labels["severity"]) for rule in RULES[check]}


def test_the_twelve_checks_are_here_and_no_other() -> None:
    assert tuple(RULES) == CHECKS
    assert all(len({rule.alert for rule in rules}) == 1 for rules in RULES.values())


@pytest.mark.parametrize("rule", EVERY_RULE)
def test_the_rule_carries_what_the_catalogue_promises(rule: Rule) -> None:
    assert {"check", "layer", "severity", "remedy", "signal", "node", "card"} == set(rule.labels)
    assert rule.labels["layer"] == "hardware"
    assert rule.labels["severity"] in {"critical", "warning", "info"}
    assert rule.labels["remedy"] in {"none", "auto", "approval"}
    assert "{{" not in rule.annotations["summary"]
    assert "limit" in rule.annotations["description"] or "must" in rule.annotations["description"]
    assert "$labels" in rule.annotations["description"]
    assert "| query |" in rule.annotations["pods"]
    assert rule.annotations["runbook_url"] == f"docs/runbooks/{rule.check.lower()}.md"
    assert {"cause", "action"} < set(rule.annotations)


@pytest.mark.parametrize("rule", EVERY_RULE)
def test_every_aggregation_of_the_rule_keeps_the_cluster(rule: Rule) -> None:
    groupings = re.findall(r"\b(?:by|on) \(([^)]*)\)", rule.expr)
    assert groupings
    assert [g for g in groupings if not g.startswith("cluster") and g != "class"] == []


@pytest.mark.parametrize("rule", EVERY_RULE)
def test_every_metric_of_the_rule_is_in_the_list_for_the_exporter(rule: Rule) -> None:
    unnamed = {
        name
        for name in rule.metrics
        if not re.search(rf"\b{rule.check}\b", counters().get(name, ("", ""))[1])
    }
    assert unnamed == set()


def test_a_line_names_only_checks_that_read_it() -> None:
    read = {(name, rule.check) for rule in hardware_rules() for name in rule.metrics}
    named = {
        (name, check)
        for name, (_, text) in counters().items()
        for check in re.findall(r"\bH\d\d\b", text)
    }
    assert named == read


def test_the_list_has_the_form_that_the_exporter_reads() -> None:
    assert {kind for kind, _ in counters().values()} == {"gauge", "counter", "label"}
    assert len(counters()) <= 128  # the most fields before exporter 4.8.4, facts/dcgm.md 4.0
    assert all("," not in text for _, text in counters().values())


def test_the_table_has_every_xid_once() -> None:
    assert [xid.number for xid in table()] == list(range(1, 174))


def test_the_texts_of_the_rules_are_those_of_the_table() -> None:
    text = (ALERTS / "hardware.yaml").read_text(encoding="utf-8")
    assert with_texts(text) == text


@pytest.mark.parametrize("severity", ["critical", "warning"])
def test_the_rule_alerts_on_the_numbers_of_its_class(severity: str) -> None:
    (rule,) = [rule for rule in RULES["H01"] if rule.labels["severity"] == severity]
    listed = re.findall(r'"((?:\d+\|)+\d+)"', rule.expr)
    assert len(listed) == 3  # the counts, and the gauge twice
    assert all(set(numbers.split("|")) == xids(severity) for numbers in listed)


def test_a_storm_is_counted_over_the_numbers_of_its_class() -> None:
    (rule,) = [rule for rule in RULES["H02"] if rule.labels["signal"] == "storm"]
    (numbers,) = re.findall(r'"((?:\d+\|)+\d+)"', rule.expr)
    assert set(numbers.split("|")) == xids("storm")


def test_a_row_of_the_table_gives_these_texts() -> None:
    (xid,) = [xid for xid in table() if xid.number == 79]
    assert xid == Xid(
        number=79,
        category="critical",
        meaning="GPU has fallen off the bus",
        nvidia="RESTART_BM",
        advice="drain the node, power cycle it; reseat the card; replace it if it repeats",
        source="catalog",
    )
    assert xid.cause == "XID 79: GPU has fallen off the bus."
    assert xid.action.startswith("NVIDIA's action: RESTART_BM. First step: drain the node")


@pytest.mark.parametrize("check", CHECKS)
def test_the_runbook_has_the_five_headings_and_its_table(check: str) -> None:
    page = runbook(check).read_text(encoding="utf-8")
    assert page.startswith(f"# {check} {RULES[check][0].alert}\n")
    assert tuple(re.findall(r"^## (.+)$", page, re.MULTILINE)) == HEADINGS
    assert with_header(page, RULES[check]) == page


@pytest.mark.parametrize("check", CHECKS)
def test_each_line_of_the_query_in_the_runbook_is_promql(check: str) -> None:
    (block,) = re.findall(r"```promql\n(.*?)```", runbook(check).read_text("utf-8"), re.DOTALL)
    for line in block.splitlines():
        promql_parser.parse(line)  # raises on a fault


def test_no_runbook_of_a_hardware_check_is_left_over() -> None:
    assert {path.stem for path in RUNBOOKS.glob("h[0-9][0-9].md")} == {c.lower() for c in CHECKS}

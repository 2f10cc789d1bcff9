"""H01-H12: every behaviour by promtool, and what the catalogue promises of every rule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from gpuatlas_harness.alert_cases import (
    PROMTOOLS,
    case_faults,
    promtool_says,
    promtool_says_without_descriptions,
)
from gpuatlas_harness.alert_rules import ALERTS, alert_rules, by_check, dcgm_counters, metrics_read
from gpuatlas_harness.promql import Rule
from gpuatlas_harness.xid_text import Xid, table, with_texts

CHECKS: Final = tuple(f"H{number:02}" for number in range(1, 13))
RULES: Final = by_check(alert_rules("hardware"))


def xids(*categories: str) -> set[str]:
    return {str(xid.number) for xid in table() if xid.category in categories}


# Prometheus 3 leaves the sample at the left edge of a range out. These checks show a share or a sum
# of a range, which differs in the second digit then; what fires does not.
SHOW_A_RANGE: Final[Mapping[str, str]] = {
    "H07": "share of the time, and of the samples, in which heat cut the clocks",
    "H08": "share of the samples in which the power brake held the card",
    "H11": "errors of 15 minutes, extrapolated from the first and the last sample",
}


@pytest.mark.parametrize(
    ("check", "major"),
    [(c, m) for c in CHECKS for m in PROMTOOLS if m == 2 or c not in SHOW_A_RANGE],
)
def test_the_alert_behaves(check: str, major: int) -> None:
    assert promtool_says(check, major) == ""


@pytest.mark.parametrize("check", SHOW_A_RANGE)
def test_the_alert_behaves_on_the_newest_but_for_the_value_shown(
    check: str, tmp_path: Path
) -> None:
    assert promtool_says_without_descriptions(check, 3, tmp_path) == ""
    assert promtool_says(check, 3) != "", "the exception is not needed"


@pytest.mark.parametrize("check", CHECKS)
def test_the_cases_cover_the_alert(check: str) -> None:
    assert case_faults(check, RULES[check]) == []


def test_the_twelve_checks_are_here_and_no_other() -> None:
    assert tuple(RULES) == CHECKS


@pytest.mark.parametrize("rule", alert_rules("hardware"), ids=str)
def test_the_rule_reads_nothing_of_ours(rule: Rule) -> None:
    assert [name for name in metrics_read(rule) if not re.match("DCGM_|up$", name)] == []


def test_the_list_has_the_form_that_the_exporter_reads() -> None:
    assert {kind for kind, _ in dcgm_counters().values()} == {"gauge", "counter", "label"}
    assert len(dcgm_counters()) <= 128  # the most fields before exporter 4.8.4, facts/dcgm.md 4.0
    assert all("," not in text for _, text in dcgm_counters().values())


def test_the_table_has_every_xid_once() -> None:
    assert [xid.number for xid in table()] == list(range(1, 174))


def test_the_texts_of_the_rules_are_those_of_the_table() -> None:
    text = (ALERTS / "hardware.yaml").read_text(encoding="utf-8")
    assert with_texts(text) == text


@pytest.mark.parametrize("severity", ["critical", "warning"])
def test_the_rule_alerts_on_the_numbers_of_its_class(severity: str) -> None:
    (rule,) = [rule for rule in RULES["H01"] if rule.labels["severity"] == severity]
    listed = re.findall(r'"((?:\d+\|)+\d+)"', rule.expression)
    assert len(listed) == 2  # the counts, and the gauge
    assert all(set(numbers.split("|")) == xids(severity) for numbers in listed)


def test_a_storm_is_counted_over_the_numbers_of_its_class() -> None:
    (rule,) = [rule for rule in RULES["H02"] if rule.labels["signal"] == "storm"]
    (numbers,) = re.findall(r'"((?:\d+\|)+\d+)"', rule.expression)
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

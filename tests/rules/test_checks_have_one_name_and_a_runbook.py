"""What stands elsewhere about the checks is what the alerts say."""

from __future__ import annotations

import re

import pytest

from gpuatlas_harness.alert_rules import (
    HEADINGS,
    RUNBOOKS,
    alert_rules,
    by_check,
    dcgm_counters,
    metrics_read,
    runbook,
    runbook_faults,
)
from gpuatlas_harness.checks_document import DOCUMENT, checks_document
from gpuatlas_harness.runbook_headers import with_header

RULES = alert_rules()
CHECKS = by_check(RULES)


def test_a_check_and_its_alert_have_one_name_each() -> None:
    names = {check: {rule.name for rule in rules} for check, rules in CHECKS.items()}
    assert {check: found for check, found in names.items() if len(found) != 1} == {}
    assert len(set().union(*names.values())) == len(names)


def test_a_signal_and_its_severity_are_one_rule() -> None:
    keys = [(rule.check, rule.name, str(rule)) for rule in RULES]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("check", CHECKS)
def test_the_runbook_is_whole(check: str) -> None:
    assert runbook_faults(check, CHECKS[check][0].name) == []
    page = runbook(check).read_text(encoding="utf-8")
    assert with_header(page, CHECKS[check]) == page


def test_no_runbook_is_left_over() -> None:
    assert {page.stem for page in RUNBOOKS.glob("*.md")} == {check.lower() for check in CHECKS}


def test_the_document_of_the_checks_is_that_of_the_rules() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == checks_document(), "run `make docs`"


def test_the_list_for_the_exporter_names_the_checks_that_read_a_line() -> None:
    read = {
        (name, rule.check)
        for rule in RULES
        for name in metrics_read(rule)
        if name.startswith("DCGM_")
    }
    named = {
        (name, check)
        for name, (_, text) in dcgm_counters().items()
        for check in re.findall(r"\b[HS]\d\d\b", text)
    }
    assert named == read


def test_the_headings_of_a_runbook_are_five() -> None:
    assert len(HEADINGS) == 5

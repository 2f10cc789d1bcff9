"""What promtool does not ask of our alerts, of whichever layer: form, PromQL, texts, runbooks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

import promql_parser
import pytest

from gpuatlas_harness.alert_rules import (
    ALERTS,
    HEADINGS,
    RUNBOOKS,
    alert_groups,
    alert_rules,
    by_check,
    dcgm_counters,
    form_faults,
    helper_rules,
    metrics_read,
    runbook,
    runbook_faults,
)
from gpuatlas_harness.binaries import required, system_binary
from gpuatlas_harness.checks_document import DOCUMENT, checks_document
from gpuatlas_harness.prometheus import promtool
from gpuatlas_harness.promql import Group, Rule, called, matched_labels, metric_names, nodes
from gpuatlas_harness.rule_lint import LABELS, SHARED, Lint, group_faults, limit_join_faults
from gpuatlas_harness.rule_lint import metric_faults as unknown_metrics
from gpuatlas_harness.runbook_headers import with_header

RULES = alert_rules()
CHECKS = by_check(RULES)
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


FINDING = 'count by (cluster, signal, node) (gpuatlas_finding_info{check="S10"}) > 0'


def alert(expression: str = FINDING, *, hold: str = "5m", **changed: str) -> Rule:
    texts = {
        "summary": "A node is not well",
        "description": "Node {{ $labels.node }} has {{ $value }} findings; the limit is 0.",
        "cause": "Something.",
        "action": "Mend it.",
        "runbook_url": "docs/runbooks/s10.md",
        "pods": "{{ printf `up{cluster=%q}` $labels.cluster | query | first }}",
        "evidence": "{{ printf `up{cluster=%q}` $labels.cluster | query | first }}",
    }
    labels = {
        "check": "S10",
        "layer": "sharing",
        "severity": "critical",
        "remedy": "none",
        "signal": "missing",
        "node": "{{ $labels.node }}",
        "card": "",
    }
    return Rule(
        file=ALERTS / "sharing.yaml",
        group="sharing-s10",
        name="GpuDevicePluginDown",
        expression=expression,
        is_alert=True,
        hold=hold,
        labels=labels | {key: text for key, text in changed.items() if key in labels},
        annotations=texts | {key: text for key, text in changed.items() if key in texts},
    )


def test_a_good_alert_has_no_fault() -> None:
    assert faults(alert()) == []
    assert form_faults(alert()) == []


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ('gpuatlas_finding_info{check="S10"}', "no condition"),
        ("gpuatlas_findings > bool 0", "no condition"),
        ("count(gpuatlas_finding_info) > 0", "without by"),
        ("count by (node) (gpuatlas_finding_info) > 0", "loses the cluster"),
        ("topk by (cluster) (3, gpuatlas_findings) > 0", "topk in an alert"),
        ("gpuatlas_finding > 0", "nobody publishes or records gpuatlas_finding"),
        ("node:gpuatlas_nothing:max > 0", "nobody publishes or records"),
        ("DCGM_FI_DEV_NOTHING > 0", "nobody publishes or records"),
        ('gpuatlas_findings{node="a"} > 0', "gpuatlas_findings has no label node"),
        ("sum by (cluster, node) (gpuatlas_findings) > 0", "has no label node"),
        (
            "gpuatlas_node_driver_cards > on (cluster, card) gpuatlas_node_registered_cards",
            "the left side has no label card",
        ),
        ("increase(gpuatlas_findings[5m]) > 0", "which is no counter"),
        ("irate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[5m]) > 0", "irate is not among"),
        ("rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[3m]) > 0", "less than four scrapes"),
        ("max_over_time((gpuatlas_findings > 0)[2m:1m]) > 0", "less than four scrapes"),
        (
            "gpuatlas_node_driver_cards > on (node) gpuatlas_node_registered_cards",
            "mixes clusters",
        ),
        (
            "gpuatlas_node_driver_cards > ignoring (cluster) gpuatlas_node_registered_cards",
            "mixes clusters",
        ),
        (
            "gpuatlas_card_tenants > on (cluster, node) group_left () gpuatlas_node_driver_cards",
            "no _info and not one for each",
        ),
        (
            "gpuatlas_card_tenants > on (cluster, node) group_left () "
            "max by (cluster, node, card) (gpuatlas_card_tenants_limit)",
            "no _info and not one for each",
        ),
        (
            "gpuatlas_node_driver_cards < on (cluster, node) group_right () gpuatlas_card_tenants",
            "the other way round",
        ),
    ],
)
def test_a_fault_of_the_expression_is_found(expression: str, fault: str) -> None:
    assert [found for found in faults(alert(expression)) if fault in found] != []


@pytest.mark.parametrize(
    "expression",
    [
        "gpuatlas_card_tenants > on (cluster, node) group_left () "
        "max by (cluster, node) (gpuatlas_node_driver_cards)",
        "gpuatlas_card_tenants > 0 and on (cluster, node) gpuatlas_node_driver_cards",
        "label_replace(gpuatlas_node_driver_cards, "
        '"card", "$1", "node", "(.*)") > on (cluster, card) gpuatlas_card_tenants',
    ],
)
def test_a_join_that_cannot_go_wrong_is_no_fault(expression: str) -> None:
    rule = alert(expression)
    assert [*limit_join_faults(rule), *LABELS.faults(rule.tree)] == []


@pytest.mark.parametrize(
    ("expression", "hold", "fault"),
    [
        ("absent(gpuatlas_build_info)", "1m", "less than two evaluations"),
        (FINDING, "2d", "a hold of 2d"),
    ],
)
def test_a_fault_of_the_hold_is_found(expression: str, hold: str, fault: str) -> None:
    assert [found for found in faults(alert(expression, hold=hold)) if fault in found] != []


@pytest.mark.parametrize(
    ("field", "text", "fault"),
    [
        ("cause", "{{ $labels.card }}", "$labels.card is not there"),
        ("pods", "{{ printf `up{` | query | first }}", "up{"),
        ("pods", '{{ printf "up{job=%q}" $labels.node | query | first }}', "of every cluster"),
        ("pods", "{{ printf `gpuatlas_x{cluster=%q}` | query | first }}", "nobody publishes"),
        (
            "pods",
            "{{ printf `gpuatlas_findings{cluster=%q, pod=%q}` | query | first }}",
            "gpuatlas_findings has no label pod",
        ),
    ],
)
def test_a_fault_of_a_text_is_found(field: str, text: str, fault: str) -> None:
    assert [found for found in faults(alert(**{field: text})) if fault in found] != []


@pytest.mark.parametrize(
    ("field", "text", "fault"),
    [
        ("severity", "page", "severity 'page'"),
        ("remedy", "magic", "remedy 'magic'"),
        ("layer", "hardware", "layer 'hardware' in sharing.yaml"),
        ("node", "{{ $value }}", "the label node holds a value"),
        ("node", '{{ with query "up" }}{{ end }}', "the label node holds a value"),
        ("summary", "Node {{ $labels.node }} is not well", "not static"),
        ("description", "A node has {{ $value }}; the limit is 0.", "names no object"),
        ("description", "{{ $labels.node }} has {{ $value }}.", "names no limit"),
        ("description", "{{ $labels.node }} must not.", "shows no value"),
        ("runbook_url", "docs/runbooks/s11.md", "runbook_url 'docs/runbooks/s11.md'"),
        ("evidence", "none", "evidence asks nothing"),
    ],
)
def test_a_fault_of_the_form_is_found(field: str, text: str, fault: str) -> None:
    assert [found for found in form_faults(alert(**{field: text})) if fault in found] != []


def test_the_headings_of_a_runbook_are_five() -> None:
    assert len(HEADINGS) == 5

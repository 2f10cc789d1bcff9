"""The lints of alerts, on alerts that are wrong in one way each."""

from __future__ import annotations

import pytest

from gpuatlas_harness.alert_lint import faults
from gpuatlas_harness.alert_rules import ALERTS, form_faults
from gpuatlas_harness.promql import Rule
from gpuatlas_harness.rule_lint import LABELS, limit_join_faults

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

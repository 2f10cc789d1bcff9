"""How grave a finding is where the catalogue has two severities for its signal."""

from __future__ import annotations

import re

import pytest

from gpuatlas.checks import certificates, licence, monitor, stuck
from gpuatlas.checks.certificates import certificate
from gpuatlas.checks.licence import ended
from gpuatlas.model.catalogue import Layer
from gpuatlas.sources.catalogue import load_catalogue
from gpuatlas_harness.alert_rules import alert_rules
from gpuatlas_harness.checked_books import a_layer, a_licence
from gpuatlas_harness.checked_layers import (
    DAY,
    a_checked_cluster,
    a_plugin_pod,
    a_probe,
    a_shared_node,
    a_shared_pod,
    a_webhook,
    installed,
    the_finding,
)
from gpuatlas_harness.observed import NOW, a_container, a_node


def expression(check: str, signal: str, severity: str) -> str:
    (rule,) = (
        rule
        for rule in alert_rules("sharing")
        if (rule.check, rule.labels["signal"], rule.labels["severity"]) == (check, signal, severity)
    )
    return rule.expression


@pytest.mark.parametrize(
    ("check", "signal", "severity", "seconds"),
    [
        ("S08", "ends", "warning", certificates.WARNING_SECONDS),
        ("S08", "ends", "critical", certificates.CRITICAL_SECONDS),
        ("S08", "ca-ends", "warning", certificates.WARNING_SECONDS),
        ("S08", "ca-ends", "critical", certificates.CRITICAL_SECONDS),
        ("S17", "ends", "warning", licence.WARNING_SECONDS),
        ("S17", "ends", "critical", licence.CRITICAL_SECONDS),
    ],
)
def test_ends_are_told_as_early_as_the_alert_does(
    check: str, signal: str, severity: str, seconds: float
) -> None:
    (days,) = re.findall(r"< (\d+) \* 86400", expression(check, signal, severity))
    assert int(days) * DAY == seconds


@pytest.mark.parametrize(
    ("severity", "seconds"),
    [("warning", stuck.LOCK_SECONDS), ("critical", stuck.LOCK_CRITICAL_SECONDS)],
)
def test_locks_are_as_old_as_the_alert_wants(severity: str, seconds: float) -> None:
    assert expression("S13", "lock", severity).endswith(f"\n> {seconds:.0f}\n")


def test_the_priority_that_may_be_paused_is_that_of_the_alert() -> None:
    wanted = f"gpuatlas_allocation_priority >= {monitor.PAUSABLE_PRIORITY}"
    assert wanted in expression("S06", "silent", "critical")


@pytest.mark.parametrize(
    ("left", "severity"),
    [(3 * DAY, "warning"), (3 * DAY - 1, "critical"), (-1, "critical")],
)
def test_the_last_days_are_critical(left: float, severity: str) -> None:
    layer = installed(
        probes=(a_probe(not_after=NOW + left),), webhooks=(a_webhook(ca_not_after=NOW + left),)
    )
    context = a_checked_cluster([a_shared_node()], [a_plugin_pod()], layer=layer)
    found = {finding.signal: finding.severity for finding in certificate(context).findings}
    assert found == {"ends": severity, "ca-ends": severity}

    layer = a_layer(licences=(a_licence(not_after=NOW + left),))
    assert the_finding(ended(a_checked_cluster([a_node()], layer=layer))).severity == severity


@pytest.mark.parametrize(
    ("text", "severity"),
    [("2027-01-15T07:50:00Z", "warning"), ("2027-01-15T07:49:59Z", "critical")],
)
def test_a_lock_for_ten_minutes_is_critical(text: str, severity: str) -> None:
    node = a_shared_node(annotations={"hami.io/mutex.lock": text})
    context = a_checked_cluster([node], [a_plugin_pod()])
    assert the_finding(stuck.allocations(context)).severity == severity


@pytest.mark.parametrize(("priority", "severity"), [("0", "warning"), ("1", "critical")])
def test_a_silent_monitor_is_critical_where_tenants_stay_paused(
    priority: str, severity: str
) -> None:
    tenant = a_shared_pod(
        containers=(
            a_container(limits={"nvidia.com/gpu": 1}, env={"CUDA_TASK_PRIORITY": priority}),
        )
    )
    context = a_checked_cluster(
        [a_shared_node()],
        [a_plugin_pod(), tenant],
        silent={("hami-monitor", "gpu-a"): "HTTP 500 from 10.0.0.7:9394"},
    )
    assert the_finding(monitor.silent(context)).severity == severity


def test_no_other_signal_has_two_severities() -> None:
    """An evaluator of such a signal would have to say which one it means."""
    twofold = {
        (entry.id, signal.signal)
        for entry in load_catalogue().of_layer(Layer.SHARING)
        for signal in entry.signals
        if len(signal.severities) > 1
    }
    assert twofold == {
        ("S06", "silent"),
        ("S08", "ends"),
        ("S08", "ca-ends"),
        ("S13", "lock"),
        ("S17", "ends"),
    }

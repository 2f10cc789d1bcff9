"""The numbers that evaluators and alerts/sharing.yaml both judge by: they must not part."""

from __future__ import annotations

import pytest

from gpuatlas.checks import certificates, compute, licence, limits, monitor, registration, stuck
from gpuatlas.model.units import MIB
from gpuatlas_harness.alert_rules import alert_rules, whole_expression

EXPRESSIONS = {
    (rule.check, rule.labels["signal"], rule.labels["severity"]): whole_expression(rule)
    for rule in alert_rules("sharing")
}
CRITICAL, WARNING = "critical", "warning"
DAY = 86_400


def mib(size: int) -> str:
    """A size as the rules write it."""
    return f"{size / MIB:g} * 2^20"


def gib(size: int) -> str:
    """A larger one."""
    return f"{size / MIB / 1024:g} * 2^30"


@pytest.mark.parametrize(
    ("check", "signal", "severity", "condition"),
    [
        ("S02", "limit-above", CRITICAL, f"/ {limits.KAI_STEPS_PER_CARD} and on"),
        ("S02", "limit-below", WARNING, f"/ {limits.KAI_STEPS_PER_CARD} and on"),
        (
            *("S03", "over-promise", CRITICAL),
            f"* {limits.RESIDENT_FACTOR} + {mib(limits.RESIDENT_SLACK_BYTES)} ",
        ),
        ("S03", "over-limit", WARNING, f"* {limits.COUNTED_FACTOR} and"),
        (
            *("S03", "uncounted", WARNING),
            f"* {mib(limits.UNCOUNTED_BYTES_PER_TENANT)} + {gib(limits.UNCOUNTED_BYTES)} ",
        ),
        (
            *("S05", "over-promise", WARNING),
            f"* {compute.OVERSHOOT_FACTOR} + {compute.OVERSHOOT_SLACK} ",
        ),
        ("S05", "over-promise", WARNING, f") > {compute.SATURATED} and"),
        ("S05", "over-promise", WARNING, f") > {compute.AT_WORK} and"),
        ("S06", "silent", CRITICAL, f"_priority >= {monitor.PAUSABLE_PRIORITY} "),
        ("S08", "ends", WARNING, f"< {certificates.WARNING_SECONDS / DAY:g} * {DAY} "),
        ("S08", "ends", CRITICAL, f"< {certificates.CRITICAL_SECONDS / DAY:g} * {DAY} "),
        ("S08", "ca-ends", WARNING, f"< {certificates.WARNING_SECONDS / DAY:g} * {DAY} "),
        ("S08", "ca-ends", CRITICAL, f"< {certificates.CRITICAL_SECONDS / DAY:g} * {DAY} "),
        ("S12", "heartbeat", WARNING, f"> {registration.HEARTBEAT_SECONDS:g} "),
        ("S13", "lock", WARNING, f"> {stuck.LOCK_SECONDS:g} "),
        ("S13", "lock", CRITICAL, f"> {stuck.LOCK_CRITICAL_SECONDS:g} "),
        ("S17", "ends", WARNING, f"< {licence.WARNING_SECONDS / DAY:g} * {DAY} "),
        ("S17", "ends", CRITICAL, f"< {licence.CRITICAL_SECONDS / DAY:g} * {DAY} "),
    ],
)
def test_the_condition_stands_in_the_rule(
    check: str, signal: str, severity: str, condition: str
) -> None:
    assert condition in f"{EXPRESSIONS[check, signal, severity]} "


@pytest.mark.parametrize(
    ("signal", "severity"), [("limit-above", CRITICAL), ("limit-below", WARNING)]
)
def test_limits_may_differ_by_the_tolerance(signal: str, severity: str) -> None:
    """The rules of S02 write it without a number: 2^20 times an info series."""
    assert limits.TOLERANCE_BYTES == 2**20
    for layer in ("hami", "volcano"):
        assert (
            f'gpuatlas_card_info{{sharing="{layer}"}} * 2^20 '
            in (EXPRESSIONS["S02", signal, severity])
        )

"""The numbers and names of the hardware signals against alerts/hardware.yaml and the recordings."""

from __future__ import annotations

import re

import pytest

from gpuatlas.checks import hardware_signals as ours
from gpuatlas.checks.hardware import visible_signals
from gpuatlas.checks.hardware_signals import CHECKS
from gpuatlas.model.catalogue import Layer
from gpuatlas.sources.catalogue import load_catalogue
from gpuatlas.sources.dcgm.fields import FIELD_OF_METRIC
from gpuatlas_harness.alert_rules import ROOT, alert_rules, whole_expression
from gpuatlas_harness.promql import matched_labels, read_groups

EXPRESSIONS = {
    (rule.check, rule.labels["signal"], rule.labels["severity"]): whole_expression(rule)
    for rule in alert_rules("hardware")
}
CRITICAL, WARNING, INFO = "critical", "warning", "info"


@pytest.mark.parametrize(
    ("check", "signal", "severity", "condition"),
    [
        ("H03", "volatile", CRITICAL, "(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL < 1e15) > 0"),
        ("H03", "sram-threshold", CRITICAL, "DCGM_FI_DEV_THRESHOLD_SRM == 1"),
        ("H03", "unrepairable", CRITICAL, "DCGM_FI_DEV_MEMORY_UNREPAIRABLE_FLAG == 1"),
        ("H04", "remap-failed", CRITICAL, "DCGM_FI_DEV_ROW_REMAP_FAILURE == 1"),
        ("H04", "remap-pending", WARNING, "DCGM_FI_DEV_ROW_REMAP_PENDING == 1"),
        ("H04", "remapped-rows", WARNING, f">= {ours.REMAPPED_ROWS}"),
        ("H04", "spares-gone", WARNING, "(DCGM_FI_DEV_BANKS_REMAP_ROWS_AVAIL_NONE < 1e15) > 0"),
        ("H04", "retirement-pending", WARNING, "(DCGM_FI_DEV_RETIRED_PENDING < 1e15) > 0"),
        (
            *("H04", "retired-pages", WARNING),
            f">= {ours.RETIRED_PAGES} < {ours.RETIRED_PAGES_FULL}",
        ),
        ("H04", "retired-pages", CRITICAL, f">= {ours.RETIRED_PAGES_FULL}"),
        ("H05", "margin", WARNING, f"> {ours.LEAST_MARGIN} < 1e6) <= {ours.MARGIN} "),
        ("H05", "margin", WARNING, f"(DCGM_FI_DEV_GPU_TEMP < 1e6) > {ours.MARGIN_COUNTS_ABOVE}"),
        ("H05", "margin", CRITICAL, f") <= {ours.MARGIN_GONE} "),
        ("H05", "margin", CRITICAL, f"(DCGM_FI_DEV_GPU_TEMP < 1e6) > {ours.MARGIN_COUNTS_ABOVE}"),
        (
            "H05",
            "slowdown",
            WARNING,
            f"(DCGM_FI_DEV_SLOWDOWN_TEMP > 0 < 1e6) - {ours.BELOW_SLOWDOWN})",
        ),
        ("H05", "slowdown", WARNING, ") > on (cluster, UUID) group_left ()"),
        ("H05", "slowdown", CRITICAL, ") >= on (cluster, UUID) group_left ()"),
        ("H05", "slowdown", CRITICAL, "(DCGM_FI_DEV_SLOWDOWN_TEMP > 0 < 1e6) - 0)"),
        ("H05", "fixed", WARNING, f") > {ours.HOT} unless"),
        ("H05", "fixed", CRITICAL, f") >= {ours.TOO_HOT} unless"),
        ("H06", "memory", WARNING, "(DCGM_FI_DEV_MEMORY_TEMP > 0 < 1e6) >= on"),
        ("H06", "memory", WARNING, f"* 0 + {ours.MEMORY_LIMIT}) - {ours.BELOW_MEMORY_LIMIT})"),
        ("H06", "memory", CRITICAL, "(DCGM_FI_DEV_MEMORY_TEMP > 0 < 1e6) > on"),
        ("H06", "memory", CRITICAL, f"* 0 + {ours.MEMORY_LIMIT})"),
        ("H07", "hw-samples", CRITICAL, f"< 512) / {ours.HW_THERMAL}) % 2 unless"),
        ("H07", "sw-samples", WARNING, f"< 512) / {ours.SW_THERMAL}) % 2 unless"),
        ("H08", "brake-samples", CRITICAL, f"< 512) / {ours.HW_POWER_BRAKE}) % 2 unless"),
        # Of five bits from this one on: 1, and 3 with the one behind it.
        ("H08", "hw-slowdown", WARNING, f"< 512) / {ours.HW_SLOWDOWN}) % 32 - 2) ^ 2 == bool 1)"),
        ("H08", "hw-slowdown", WARNING, "(DCGM_FI_DEV_PSTATE < 16) == 0"),
        ("H08", "above-limit", WARNING, f"{ours.ABOVE_POWER_LIMIT} * max"),
        ("H08", "reading", WARNING, f"[10m])) < {ours.READS_NO_POWER} "),
        ("H08", "reading", WARNING, f"[10m]) <= 1) > {ours.WORKS}"),
        ("H08", "cap", INFO, f"{ours.BELOW_POWER_DEFAULT} * max"),
        ("H10", "width", WARNING, "(DCGM_FI_DEV_PCIE_LINK_WIDTH > 0 < 1e6) < on"),
        ("H10", "generation", WARNING, "(DCGM_FI_DEV_PCIE_LINK_GEN > 0 < 1e6) < on"),
        ("H10", "generation", WARNING, f"<= 100) / 100 ) > {ours.WORKS_A_LITTLE}"),
        (
            *("H11", "fabric-manager", CRITICAL),
            f"> 0 != {ours.FABRIC_REGISTERED} < {ours.FABRIC_TOO_OLD})",
        ),
        *(
            ("H11", "fabric-health", WARNING, f"< {ours.FABRIC_MASK_END}) / {place}) % 4 == bool 1")
            for place in ours.FABRIC_ANSWERS
        ),
        ("H12", "recovery", CRITICAL, f"> 0 < {ours.RECOVERY_END})) != {ours.DRAIN_PEERS} "),
        ("H12", "recovery", WARNING, f"== {ours.DRAIN_PEERS} "),
    ],
)
def test_the_condition_stands_in_the_rule(
    check: str, signal: str, severity: str, condition: str
) -> None:
    assert condition in f"{EXPRESSIONS[check, signal, severity]} "


def test_the_mask_has_no_other_faults() -> None:
    rule = EXPRESSIONS["H11", "fabric-health", WARNING]
    assert rule.count("== bool 1") == len(ours.FABRIC_ANSWERS)


@pytest.mark.parametrize("severity", [CRITICAL, WARNING])
def test_the_numbers_of_h01_are_those_of_the_table(severity: str) -> None:
    (listed,) = re.findall(
        r'XID_ERRORS_COUNT\{xid=~"([0-9|]+)"', EXPRESSIONS["H01", "xid", severity]
    )
    kinds = {xid.number for xid in load_catalogue().xids.values() if xid.kind == severity}
    assert {int(number) for number in listed.split("|")} == kinds


def test_every_signal_is_one_of_the_catalogue() -> None:
    hardware = load_catalogue().of_layer(Layer.HARDWARE)
    assert [check.id for check in CHECKS] == [entry.id for entry in hardware]
    for entry in hardware:
        assert visible_signals(entry.id) <= {signal.signal for signal in entry.signals}


def test_signals_that_take_history_are_left_to_prometheus() -> None:
    """Those whose rules ask for growth, for earlier instants, or for what our readers leave out."""
    for entry in load_catalogue().of_layer(Layer.HARDWARE):
        for signal in {s.signal for s in entry.signals} - visible_signals(entry.id):
            rules = [text for key, text in EXPRESSIONS.items() if key[:2] == (entry.id, signal)]
            assert all(re.search(r"increase\(|rate\(|offset|DCGM_EXP|up\{", text) for text in rules)


def recorded_inputs() -> dict[str, set[str]]:
    """Check → the fields that check:gpuatlas_missing_input:group names, those that we read."""
    found: dict[str, set[str]] = {}
    for group in read_groups(ROOT / "recording_rules" / "check.yaml"):
        for rule in group.rules:
            if rule.name == "check:gpuatlas_missing_input:group" and "check" in rule.labels:
                names = {value for name, value in matched_labels(rule.tree) if name == "input"}
                read = {name for name in names if name in FIELD_OF_METRIC}
                fields = {name.removeprefix("DCGM_FI_") for name in read}
                found.setdefault(rule.labels["check"], set()).update(fields)
    return found


def test_missing_fields_are_named_as_the_recording_names_them() -> None:
    recorded = recorded_inputs()
    assert sorted(recorded) == [check.id for check in CHECKS]
    # To look at a link its maximum is needed as well; and what says that a card must be reset is
    # no field of the recording, which goes by whether there are cards at all.
    beyond = {
        "H10": {"DEV_PCIE_MAX_LINK_WIDTH", "DEV_PCIE_MAX_LINK_GEN"},
        "H12": {"DEV_GET_GPU_RECOVERY_ACTION"},
    }
    for check in CHECKS:
        wanted = recorded[check.id] - {"DEV_SM_CLOCK"} | beyond.get(check.id, set())
        assert set(check.inputs) == wanted, check.id


def test_every_field_is_one_that_is_read() -> None:
    names = {name for check in CHECKS for name in check.inputs}
    assert {f"DCGM_FI_{name}" for name in names} <= set(FIELD_OF_METRIC)

"""The states of workloads, in the rules and on the boards."""

from __future__ import annotations

import yaml

from gpuatlas_dashboards.catalogue import LANGUAGES
from gpuatlas_dashboards.tokens import (
    WORKLOAD_STATE_CODES,
    WORKLOAD_STATE_COLOURS,
    WORKLOAD_STATE_MARKS,
    WorkloadState,
)
from gpuatlas_harness.alert_rules import ROOT
from gpuatlas_harness.workloads_board import STATE


def test_codes_are_those_that_the_rules_record() -> None:
    rules = yaml.safe_load((ROOT / "recording_rules" / "state.yaml").read_text("utf-8"))
    recorded = {
        rule["labels"]["state"]: rule["expr"].strip().partition(" * ")[0]
        for rule in rules["groups"][0]["rules"]
        if rule["record"] == STATE
    }

    assert recorded.keys() == set(WorkloadState)
    for state, code in recorded.items():
        # Without a factor, `group` makes it 1.
        assert WORKLOAD_STATE_CODES[WorkloadState(state)] == (int(code) if code.isdigit() else 1)


def test_every_state_of_a_workload_has_a_word_a_colour_and_a_mark_of_its_own() -> None:
    for language in LANGUAGES:
        assert list(language.shared.workload_states) == list(WorkloadState)
        assert list(language.shared.workload_state_meanings) == list(WorkloadState)
    for looks in (WORKLOAD_STATE_COLOURS, WORKLOAD_STATE_MARKS):
        assert list(looks) == list(WorkloadState)
        assert len(set(looks.values())) == len(WorkloadState)

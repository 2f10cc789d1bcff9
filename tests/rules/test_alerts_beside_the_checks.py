"""The alerts of operations and of GPU Atlas itself: every behaviour by promtool."""

from __future__ import annotations

from typing import Final

import pytest

from gpuatlas_harness.alert_cases import PROMTOOLS, cases_of, promtool_says
from gpuatlas_harness.alert_rules import alert_rules

LAYERS: Final = ("operations", "meta")


def asked(layer: str, *, firing: bool) -> set[str]:
    """The alerts that some case of the layer expects, or expects not."""
    return {
        step["alertname"]
        for case in cases_of(layer)
        for step in case["alert_rule_test"]
        if bool(step.get("exp_alerts")) == firing
    }


@pytest.mark.parametrize("major", PROMTOOLS)
@pytest.mark.parametrize("layer", LAYERS)
def test_the_alerts_behave(layer: str, major: int) -> None:
    assert promtool_says(layer, major) == ""


@pytest.mark.parametrize("layer", LAYERS)
def test_every_alert_fires_in_a_case_and_is_silent_in_another(layer: str) -> None:
    names = {rule.name for rule in alert_rules(layer)}
    assert names
    assert asked(layer, firing=True) == names
    assert asked(layer, firing=False) == names

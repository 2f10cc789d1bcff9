"""What the checks H01-H12 say of one instant."""

from __future__ import annotations

from gpuatlas.checks.hardware import judge_hardware
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.checks import CheckResult
from gpuatlas.model.observations import Observations
from gpuatlas.model.pages import CardReading
from gpuatlas.sources.catalogue import load_catalogue
from gpuatlas_harness.observed import a_dcgm_page, a_node, observations

XIDS = load_catalogue().xids
IDS = [f"H{number:02}" for number in range(1, 13)]


def judged_hardware(seen: Observations) -> dict[str, CheckResult]:
    results = judge_hardware(seen, Joiner().build(seen), XIDS)
    assert [result.check for result in results] == IDS
    return {result.check: result for result in results}


def of_cards(*cards: CardReading) -> dict[str, CheckResult]:
    return judged_hardware(observations([a_node()], dcgm=(a_dcgm_page(*cards),)))

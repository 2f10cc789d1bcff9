"""Six hours of a working afternoon on a simulated cluster in which nothing is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from gpuatlas.runtime.backfill.range_query import Grid
from gpuatlas_harness.past import course_of, healthy_scenario, our_rules, past_server
from gpuatlas_harness.simulated import EVENING

HOURS: Final = 6
STEP: Final = 60.0
# As much as two processes at a time can share.
PIECES: Final = 4
FIRED: Final = "count_over_time(ALERTS{alertstate='firing'}[6h1m])"
CHECKS: Final = {f"H{n:02}" for n in range(1, 13)} | {f"S{n:02}" for n in range(1, 18)}
# No monitor tells which limits are in force on the simulated nodes of Volcano and KAI: these checks
# cannot look there, and it is right that an alert of its own says so.
BLIND: Final = {"S01", "S02", "S03", "S05"}


def test_no_alert_fires_and_every_check_looks_where_it_can(tmp_path: Path) -> None:
    began = EVENING - HOURS * 3600
    length = HOURS * 3600 / PIECES
    grids = [
        Grid(first=began + n * length, last=began + (n + 1) * length - STEP, step=STEP)
        for n in range(PIECES)
    ]
    end = grids[-1].last

    with past_server(tmp_path) as prometheus:
        prometheus.write(course_of(healthy_scenario(), began=began), grids, our_rules())
        fired = [labels for labels, _ in prometheus.query(FIRED, end)]
        ok = {
            labels["check"]: value
            for labels, value in prometheus.query(
                "sum_over_time(check:gpuatlas_check_state:max{state='ok'}[6h1m])", end
            )
        }

    blind = {labels.get("blind_check") for labels in fired if labels["check"] == "inputs-missing"}
    assert [labels for labels in fired if labels["check"] != "inputs-missing"] == []
    assert blind == BLIND
    # From the first evaluation to the last: that nothing fires must not come from blindness.
    assert ok == dict.fromkeys(CHECKS - BLIND, HOURS * 60.0) | dict.fromkeys(BLIND, 0.0)

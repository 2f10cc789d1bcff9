"""The card that is chosen on the board Cards, on series written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from gpuatlas_dashboards.boards import cards_queries as queries
from gpuatlas_dashboards.scopes import CARD
from gpuatlas_dashboards.signals import card as signals
from gpuatlas_dashboards.signals.card import PHYSICAL, SM_CLOCK
from gpuatlas_dashboards.workload_variables import KEY
from gpuatlas_harness.board_answers import Samples, faults
from gpuatlas_harness.cards_board import HELD, SHARE, WHERE, WORKLOAD, a_card, board

MIB: Final = 2**20
CHOSEN: Final = {"card": "GPU-a"}


def test_the_chain_leads_from_the_card_to_the_workload(tmp_path: Path) -> None:
    row = f'{{{SHARE}, partition="p", kind="vgpu", evidence="annotation", {WORKLOAD}'
    row += f', {KEY}="c/red/Deployment/chat"}}'

    assert faults(tmp_path, HELD, {queries.CHAIN: [(row, 1.0)]}, variables=CHOSEN) == ""


def test_a_part_that_nobody_holds_has_a_row(tmp_path: Path) -> None:
    mig = f'{WHERE}, partition="gi-7", kind="mig", profile="1g.10gb"'
    series = HELD | {f"gpuatlas_partition_info{{{mig}}}": "1x5"}
    rows = [('{partition="p"}', 1.0), ('{partition="gi-7"}', 1.0)]
    asked = {f"count by (partition) ({queries.CHAIN})": rows}

    assert faults(tmp_path, series, asked, variables=CHOSEN) == ""


@pytest.mark.parametrize(
    "unknown", ["pod:gpuatlas_pod_workload_info:group", "gpuatlas_partition_info"]
)
def test_a_container_whose_workload_or_part_is_unknown_keeps_its_row(
    unknown: str, tmp_path: Path
) -> None:
    series = {name: values for name, values in HELD.items() if not name.startswith(unknown)}
    asked = {f"count by (pod) ({queries.CHAIN})": [('{pod="chat-0"}', 1.0)]}

    assert faults(tmp_path, series, asked, variables=CHOSEN) == ""


def test_a_card_without_shares_says_nobody(tmp_path: Path) -> None:
    asked = {f"count by (workload) ({queries.CHAIN})": [(f'{{workload="{queries.NOBODY}"}}', 1.0)]}

    assert faults(tmp_path, {}, asked, variables=CHOSEN) == ""


def test_promises_beyond_the_card_stand_past_its_physical_memory(tmp_path: Path) -> None:
    """23,028 MiB, four tenants promised 29,000 MiB: 5,972 MiB over-allocated."""
    promised = {"a": 8_000, "b": 8_000, "c": 8_000, "d": 5_000}
    series = {
        f"card:gpuatlas_memory_physical_bytes:max{{{WHERE}}}": f"{23_028 * MIB}x5",
        f"card:gpuatlas_memory_allocated_bytes:max{{{WHERE}}}": f"{29_000 * MIB}x5",
        f"card:gpuatlas_memory_resident_bytes:max{{{WHERE}}}": f"{22_000 * MIB}x5",
    }
    for name, mib in promised.items():
        pod = f'namespace="red", pod="{name}-0"'
        share = f'{WHERE}, {pod}, container="main"'
        owner = f'cluster="c", {pod}, workload_kind="Deployment", workload="{name}"'
        series[f"allocation:gpuatlas_memory_reserved_bytes:max{{{share}}}"] = f"{mib * MIB}x5"
        series[f"pod:gpuatlas_pod_workload_info:group{{{owner}}}"] = "1x5"
    bars = {("promised", f"red / {name}"): mib for name, mib in promised.items()}
    bars |= {("physical", "physical"): 23_028, ("physical", "overcommitted"): 5_972}
    bars |= {("resident", "resident"): 22_000}
    answer = [
        (f'{{bar="{bar}", part="{part}"}}', float(m * MIB)) for (bar, part), m in bars.items()
    ]

    assert faults(tmp_path, series, {queries.BARS: answer}, variables=CHOSEN) == ""


def test_what_the_card_is_survives_a_driver_upgrade(tmp_path: Path) -> None:
    series = a_card("GPU-a") | {
        f'gpuatlas_node_info{{cluster="c", node="n", driver_version="{version}"}}': "1x5"
        for version in ("570.1", "580.2")
    }
    asked = {
        f"count by (model, card) ({queries.IDENTITY})": [('{model="A10G", card="GPU-a"}', 1.0)]
    }

    assert faults(tmp_path, series, asked, variables=CHOSEN) == ""


def test_without_a_chosen_card_no_other_card_answers_for_it(tmp_path: Path) -> None:
    """`=~""` also matches series that have no such label at all."""
    series = {
        'DCGM_FI_DEV_SM_CLOCK{cluster="c", UUID="GPU-a"}': "1000x5",
        'card:gpuatlas_memory_physical_bytes:max{cluster="c", node="n"}': "1x5",
        'ALERTS_FOR_STATE{cluster="c", alertname="GpuInputsMissing", check="inputs"}': "1x5",
    }
    asked: dict[str, Samples] = {
        SM_CLOCK.within(CARD): [],
        PHYSICAL.within(CARD): [],
        queries.ALERTS: [],
    }

    assert faults(tmp_path, series, asked, variables={"card": ""}) == ""


@pytest.mark.parametrize("spelling", ["UUID", "uuid"])
def test_the_clock_is_found_by_both_spellings_of_the_uuid(spelling: str, tmp_path: Path) -> None:
    series = {f'DCGM_FI_DEV_SM_CLOCK{{cluster="c", {spelling}="GPU-a"}}': "1500x5"}

    asked = {SM_CLOCK.within(CARD): [('{cluster="c"}', 1.5e9)]}

    assert faults(tmp_path, series, asked, variables=CHOSEN) == ""


@pytest.mark.parametrize(("check", "shown"), [("H07", ', shown="H07"'), ("overcommit-memory", "")])
def test_an_alert_is_shown_once_with_its_first_beginning_in_milliseconds(
    check: str, shown: str, tmp_path: Path
) -> None:
    alert = f'alertname="GpuAlert", check="{check}"'
    series = {
        f'ALERTS_FOR_STATE{{{WHERE}, {alert}, severity="warning"}}': "120x5",
        f'ALERTS_FOR_STATE{{{WHERE}, {alert}, severity="critical"}}': "180x5",
    }

    assert faults(tmp_path, series, {queries.ALERTS: [(f"{{{alert}{shown}}}", 120_000.0)]}) == ""


def test_every_signal_of_a_card_is_on_the_board() -> None:
    expressions = "".join(query.expr for query in board("cards").queries())

    assert [s.key for s in signals.SIGNALS if s.within(CARD) not in expressions] == []

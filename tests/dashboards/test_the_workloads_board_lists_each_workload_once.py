"""The table of the board Workloads, on series written by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from gpuatlas_dashboards.boards import workloads_queries as queries
from gpuatlas_dashboards.boards import workloads_slowed_queries as slowed
from gpuatlas_dashboards.boards.workloads import TEXTS
from gpuatlas_dashboards.signals import workload
from gpuatlas_dashboards.workload_variables import KEY
from gpuatlas_harness.board_answers import Samples, faults
from gpuatlas_harness.boards import read_boards
from gpuatlas_harness.workloads_board import CHAT, LISTED, STATE, workloads_boards


def of_rows(expr: str) -> str:
    """How many samples a query has for each workload, so that NaN can be compared."""
    return f"count by (workload) ({expr})"


COLUMNS: Final = {
    "cards": queries.CARDS,
    "waiting": queries.WAITING,
    **{
        signal.name: queries.filled(queries.listed_values(signal))
        for signal in (workload.MEMORY_OCCUPANCY, workload.PODS, workload.GANG)
    },
}


@pytest.mark.parametrize("expr", COLUMNS.values(), ids=COLUMNS)
def test_a_column_that_nobody_measures_has_one_row(expr: str, tmp_path: Path) -> None:
    """Grafana merges by the labels that all frames have: a column without rows breaks the table."""
    assert faults(tmp_path, LISTED, {of_rows(expr): [('{workload="chat"}', 1.0)]}) == ""


@pytest.mark.parametrize(
    "expr",
    [queries.WHAT, slowed.SLOWED_BY, *COLUMNS.values()],
    ids=["what", "slowed by", *COLUMNS],
)
def test_without_a_workload_every_column_says_none(expr: str, tmp_path: Path) -> None:
    assert faults(tmp_path, {}, {of_rows(expr): [('{workload="none"}', 1.0)]}) == ""


def test_every_workload_has_a_row(tmp_path: Path) -> None:
    rows = [('{workload="chat"}', 1.0), ('{workload="tune"}', 1.0)]

    assert faults(tmp_path, LISTED, {of_rows(queries.WHAT): rows}) == ""


def test_a_row_says_what_the_workload_is_and_how_to_open_it(tmp_path: Path) -> None:
    key = f'{KEY}="c/red/Deployment/chat"'
    answer = [(f'{{{CHAT}, runtime="vllm", scheduler="hami", {key}}}', 400.0)]

    assert faults(tmp_path, LISTED, {f"({queries.WHAT}) > 0": answer}) == ""


def test_only_workloads_in_the_chosen_states_are_listed(tmp_path: Path) -> None:
    asked = {of_rows(queries.WHAT): [('{workload="tune"}', 1.0)]}

    assert faults(tmp_path, LISTED, asked, variables={"workload_state": "waiting|failed"}) == ""


def test_a_workload_that_changes_while_it_is_described_has_one_row(tmp_path: Path) -> None:
    both = LISTED | {f'gpuatlas_workload_info{{{CHAT}, runtime="tgi", scheduler="hami"}}': "1x5"}
    rows = [('{workload="chat"}', 1.0), ('{workload="tune"}', 1.0)]

    assert faults(tmp_path, both, {of_rows(queries.WHAT): rows}) == ""


def test_a_large_cluster_lists_the_worst_states_and_sums_all(tmp_path: Path) -> None:
    count = queries.MOST + 10
    series = {
        f'{STATE}{{cluster="c", namespace="red", workload_kind="Job", workload="w{n}", '
        f'state="working"}}': "2x5"
        for n in range(count)
    } | {f'{STATE}{{{CHAT}, state="failed"}}': "6x5"}
    reserved = "workload:gpuatlas_memory_reserved_bytes:sum"
    series |= {
        f'{reserved}{{cluster="c", namespace="red", workload_kind="Job", workload="w{n}"}}': "1x5"
        for n in range(count)
    }
    board = next(board for board in read_boards() if board.name == "workloads")
    title = TEXTS["en"].totals.title
    totals = [query.expr for query in board.queries() if query.panel == title]
    asked: dict[str, Samples] = {
        f"count({queries.SHOWN})": [("{}", float(queries.MOST))],
        f"max({queries.SHOWN})": [("{}", 6.0)],
        totals[0]: [("{}", float(count))],
    }

    assert faults(tmp_path, series, asked) == ""


def test_a_row_opens_its_workload_and_keeps_the_filters() -> None:
    for board in workloads_boards():
        opened = [
            url for url in board.addresses() if f'var-workload=${{__data.fields["{KEY}"]' in url
        ]

        assert opened
        for url in opened:
            for kept in ("namespace", "workload_kind", "workload_state"):
                assert f"${{{kept}:queryparam}}" in url


def test_only_the_trend_is_turned_into_courses() -> None:
    """Grafana takes a table of one row for a course, so a cluster of one workload had no table."""
    for board in workloads_boards():
        (table,) = (
            panel
            for panel in board.panels()
            if any(step["id"] == "timeSeriesTable" for step in panel.get("transformations", []))
        )
        timeless, *_ = table["transformations"]
        pattern = re.compile(timeless["filter"]["options"].strip("/"))
        courses = [t["refId"] for t in table["targets"] if not pattern.search(t["refId"])]

        assert timeless["options"] == {"exclude": {"names": ["Time"]}}
        assert courses == [t["refId"] for t in table["targets"] if not t["instant"]] == ["trend"]
        assert table["targets"][-1]["refId"] == "trend"

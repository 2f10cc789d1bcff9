"""Several exporters (replicas, a new pod beside the old one) say the same: no board adds it up."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from gpuatlas_dashboards.boards import workloads_queries as queries
from gpuatlas_dashboards.signals import workload
from gpuatlas_harness.board_answers import faults
from gpuatlas_harness.boards import read_boards
from gpuatlas_harness.workloads_board import CHAT, CHOSEN

# A sum of what exporters publish, or of how much more it became, and not of a recording.
ADDED_UP: Final = re.compile(
    r"\bsum\s*(?:(?:by|without)\s*\([^)]*\)\s*)?\(\s*(?:\w+\(\s*)?gpuatlas_\w+\s*[{[)]"
)


def of_two(series: str, values: str) -> dict[str, str]:
    """A series as two pods of the exporter publish it."""
    return {series.replace("{", f'{{instance="{pod}", '): values for pod in ("a", "b")}


def test_running_pods_are_counted_once(tmp_path: Path) -> None:
    series = of_two(f'gpuatlas_workload_pods{{{CHAT}, phase="Running"}}', "3x5")
    running = workload.PODS.within('namespace="red"')

    assert faults(tmp_path, series, {running: [(f"{{{CHAT}}}", 3.0)]}) == ""


def test_what_is_asked_for_is_counted_once_and_added_up_over_runs(tmp_path: Path) -> None:
    asked = f'gpuatlas_workload_cards_requested{{{CHAT}, resource="nvidia.com/gpu"}}'
    other = asked.replace('workload="chat"', 'workload="chat-2"')
    series = of_two(asked, "4x5") | of_two(other, "2x5")
    both = CHOSEN | {"chosen_workloads": "chat|chat-2"}
    answer = [('{resource="nvidia.com/gpu"}', 6.0)]

    assert faults(tmp_path, series, {queries.REQUESTED: answer}, variables=both) == ""


def test_no_board_adds_up_what_each_exporter_says() -> None:
    expressions = [query.expr for board in read_boards() for query in board.queries()]

    assert [expr for expr in expressions if ADDED_UP.search(expr)] == []


@pytest.mark.parametrize(
    ("expr", "is_found"),
    [
        ("sum by (node) (gpuatlas_workload_pods{})", True),
        ("sum by (node) (increase(gpuatlas_seconds_total[5m]))", True),
        ("sum(gpuatlas_workload_pods)", True),
        ("sum by (node) (max by (node, pod) (gpuatlas_workload_pods))", False),
        ("sum(workload:gpuatlas_memory_reserved_bytes:sum)", False),
    ],
)
def test_a_sum_is_recognised(expr: str, *, is_found: bool) -> None:
    assert bool(ADDED_UP.search(expr)) is is_found

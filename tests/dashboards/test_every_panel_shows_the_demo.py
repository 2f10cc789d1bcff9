"""Every query of every board on a real Prometheus with half an hour of the simulated cluster."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import pytest

from gpuatlas_harness.boards import BoardFile, PanelQuery, filled, read_boards
from gpuatlas_harness.demo_evening import DemoEvening
from gpuatlas_harness.opened_boards import first_choices

BOARDS: Final = [board for board in read_boards() if "/" not in board.name]
QUERIES: Final = [(board, query) for board in BOARDS for query in board.queries()]

NO_ANALYSIS: Final = "the analysis needs days, and this is an hour"
# Panels that are rightly empty on this cluster when the board is opened, and why.
RIGHTLY_EMPTY: Final = {
    ("cards", "Pods on a card that nobody can tell"): "the exporter knows the card of each pod",
    ("cards", "Alerts of this card"): "no alert names the first card",
    ("sizing", "Priority"): NO_ANALYSIS,
    ("sizing", "What is proposed"): NO_ANALYSIS,
    ("sizing", "What the analysis lacks"): NO_ANALYSIS,
    ("sizing", "What would come of it"): NO_ANALYSIS,
    ("sizing", "What would still fit"): NO_ANALYSIS,
    ("sizing", "Whole cards: measured against held"): NO_ANALYSIS,
    ("workloads", "Alerts on it"): "nothing is wrong with the first workload",
    ("workloads", "Memory in use by pod"): "it is KAI's, and nobody measures its pods there",
    ("workloads", "Original records"): "no finding names it",
    ("workloads", "Slowed"): "nobody slows the first workload",
    ("workloads", "Slowed by"): "nobody slows the first workload",
    ("workloads", "What it waits for"): "it runs",
}


Chosen = Mapping[str, Mapping[str, str]]  # of each board, its variables


@pytest.fixture(scope="module")
def chosen(demo: DemoEvening) -> Chosen:
    """What stands above each board when it is opened."""
    return {board.name: first_choices(board, demo.ask) for board in BOARDS}


@pytest.mark.parametrize(("board", "query"), QUERIES, ids=[str(query) for _, query in QUERIES])
def test_a_query_is_answered_without_an_error(
    demo: DemoEvening, chosen: Chosen, board: BoardFile, query: PanelQuery
) -> None:
    assert demo.ask(filled(query.expr, chosen[board.name])) is not None


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_every_panel_has_data_unless_it_is_rightly_empty(
    demo: DemoEvening, chosen: Chosen, board: BoardFile
) -> None:
    shown: dict[str, int] = {}
    for query in board.queries():
        # Queries that end in `or vector(NaN)` say so that there is nothing.
        answer = demo.ask(filled(query.expr, chosen[board.name]))
        known = [value for _, value in answer if not math.isnan(value)]
        shown[query.panel] = shown.get(query.panel, 0) + len(known)

    empty = sorted(title for title, count in shown.items() if not count)

    assert empty == sorted(title for name, title in RIGHTLY_EMPTY if name == board.name)

"""Every expression of every board parses, and reads only what somebody publishes or records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import promql_parser
import pytest

from gpuatlas_harness.alert_rules import dcgm_counters
from gpuatlas_harness.boards import (
    BoardFile,
    PanelQuery,
    filled,
    read_boards,
    tree_of,
    variables_in,
)
from gpuatlas_harness.promql import called, nodes
from gpuatlas_harness.rule_lint import LABELS, metric_faults

BOARDS: Final = read_boards()
# Of one language: the other has the same expressions, which is a test of its own.
QUERIES: Final = [query for board in BOARDS if "/" not in board.name for query in board.queries()]
FOREIGN: Final = {*dcgm_counters(), "ALERTS_FOR_STATE"}
BUILT_IN: Final = {"__rate_interval", "__range", "__interval"}


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_expression_parses(query: PanelQuery) -> None:
    assert tree_of(query.expr) is not None


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_every_metric_is_published_or_recorded(query: PanelQuery) -> None:
    assert list(metric_faults(tree_of(query.expr), FOREIGN)) == []


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_labels_that_are_asked_for_are_there(query: PanelQuery) -> None:
    assert list(LABELS.faults(tree_of(query.expr))) == []


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_every_selector_keeps_to_the_chosen_clusters(query: PanelQuery) -> None:
    """A Thanos or Mimir holds many clusters, whose nodes and pods may have the same names."""
    assert list(_unbound(query)) == []


def _unbound(query: PanelQuery) -> Iterator[str]:
    tree = promql_parser.parse(filled(query.expr, {"cluster": "$cluster"}))
    for selector in nodes(tree, promql_parser.VectorSelector):
        matchers = [(m.name, m.op, m.value) for m in selector.matchers.matchers]
        if ("cluster", promql_parser.MatchOp.Re, "$cluster") not in matchers:
            yield f'{selector.name} has no cluster=~"$cluster"'


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_rates_use_the_rate_interval(query: PanelQuery) -> None:
    for name in ("rate", "irate", "increase"):
        if called(tree_of(query.expr), name):
            assert "[$__rate_interval]" in query.expr or "[$__range]" in query.expr


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_every_variable_in_a_query_is_above_the_board(board: BoardFile) -> None:
    used = {name for query in board.queries() for name in variables_in(query.expr)}
    for variable in board.variables().values():
        used |= variables_in(str(variable["query"]))

    assert used - BUILT_IN <= board.variables().keys()


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_every_variable_above_a_board_is_used(board: BoardFile) -> None:
    body = str({key: value for key, value in board.body.items() if key != "templating"})
    definitions = str([v["query"] for v in board.variables().values()])

    assert board.variables().keys() <= variables_in(body) | variables_in(definitions)


def test_both_languages_ask_the_same() -> None:
    asked: dict[str, list[str]] = {}
    for board in BOARDS:
        asked[board.name] = [query.expr for query in board.queries()]

    for name, expressions in asked.items():
        if "/" not in name:
            assert asked[f"ja/{name}"] == expressions

"""The board Sizing has a text for every word of the advice and waits for the names it lists."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from gpuatlas.advice.rules import RULES
from gpuatlas.model.advice import Strategy, Verdict
from gpuatlas_dashboards.boards.sizing import TEXTS
from gpuatlas_dashboards.signals.sizing import AWAITED, REASONS, VERDICTS
from gpuatlas_harness.boards import BoardFile, read_boards, tree_of
from gpuatlas_harness.promql import metric_names

# What is said where no rule holds.
NEUTRAL: Final = "nothing-against"
BOARDS: Final = [board for board in read_boards() if board.name.endswith("sizing")]


@pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)
def test_every_word_of_the_advice_has_a_text(texts: Any) -> None:
    assert texts.advice_reasons.keys() == {rule.word for rule in RULES} | {NEUTRAL}
    assert list(texts.strategies) == [strategy.value for strategy in Strategy]
    assert texts.advised.keys() == {verdict.value for verdict in Verdict}


@pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)
def test_every_answer_of_the_analysis_has_a_text(texts: Any) -> None:
    assert tuple(texts.verdicts) == VERDICTS
    assert tuple(texts.reasons) == REASONS


@pytest.mark.parametrize("name", AWAITED)
def test_an_awaited_name_keeps_the_rules_of_names(name: str) -> None:
    assert re.fullmatch(r"gpuatlas_sizing(_[a-z0-9]+)+", name)
    assert not name.endswith("_total")


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_the_board_reads_every_awaited_name_and_no_other(board: BoardFile) -> None:
    read = {name for query in board.queries() for name in metric_names(tree_of(query.expr))}

    assert {name for name in read if name.startswith("gpuatlas_sizing")} == AWAITED.keys()

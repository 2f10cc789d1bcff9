"""The board Sizing has a text for every word of the analysis, and shows all that it publishes."""

from __future__ import annotations

from typing import Any, Final

import pytest

from gpuatlas.advice.rules import RULES
from gpuatlas.families.sizing import FAMILIES
from gpuatlas.model import sizing
from gpuatlas.model.advice import Strategy, Verdict
from gpuatlas_dashboards.boards.sizing import TEXTS
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
    assert list(texts.verdicts) == [verdict.value for verdict in sizing.Verdict]
    assert list(texts.reasons) == [reason.value for reason in sizing.CannotReason]


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_the_board_reads_all_that_the_analysis_publishes(board: BoardFile) -> None:
    read = {name for query in board.queries() for name in metric_names(tree_of(query.expr))}

    published = {family.name for family in FAMILIES}
    assert {name for name in read if name.startswith("gpuatlas_sizing")} == published

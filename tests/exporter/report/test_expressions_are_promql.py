"""Every expression of every scope, read by a parser of PromQL."""

from __future__ import annotations

import promql_parser
import pytest

from gpuatlas.report.quantities import QUANTITIES, STEP, Quantity
from gpuatlas.report.scope import Scope

ALL = Scope(matchers={"cluster": "prod"})
NODE = Scope(matchers={"cluster": "prod"}, node="a10g-1")
WORKLOAD = Scope(matchers={"cluster": "prod"}, workload=("chat", "Deployment", "llm-chat"))
OF_THE_WORKLOAD = 'namespace="chat",workload="llm-chat",workload_kind="Deployment"'


def expressions(quantity: Quantity, scope: Scope) -> list[str]:
    made = [quantity.expression(scope)]
    made += [] if quantity.seen is None else [quantity.seen(scope)]
    return [text.replace(STEP, "300s") for text in made]


@pytest.mark.parametrize("scope", [ALL, NODE, WORKLOAD], ids=lambda s: s.words)
@pytest.mark.parametrize("quantity", QUANTITIES, ids=lambda q: q.key)
def test_it_is_promql(quantity: Quantity, scope: Scope) -> None:
    for text in expressions(quantity, scope):
        promql_parser.parse(text)
        assert text.count("{") == text.count("}")


@pytest.mark.parametrize("quantity", QUANTITIES, ids=lambda q: q.key)
def test_every_series_is_of_the_cluster_that_is_asked_for(quantity: Quantity) -> None:
    for scope in (ALL, NODE, WORKLOAD):
        for text in expressions(quantity, scope):
            assert text.count("{") == text.count('cluster="prod"')


@pytest.mark.parametrize("quantity", QUANTITIES, ids=lambda q: q.key)
def test_every_expression_is_of_the_part_that_is_asked_for(quantity: Quantity) -> None:
    for text in expressions(quantity, NODE):
        assert 'node="a10g-1"' in text
    for text in expressions(quantity, WORKLOAD):
        assert OF_THE_WORKLOAD in text


def test_names_cannot_leave_their_quotes() -> None:
    hostile = Scope(node='a"} or vector(1) or x{b="')
    (text, *_) = expressions(QUANTITIES[0], hostile)
    promql_parser.parse(text)
    assert 'node="a\\"} or vector(1) or x{b=\\""' in text


def test_what_a_scope_is_called() -> None:
    assert ALL.words == "all nodes"
    assert NODE.words == "node a10g-1"
    assert WORKLOAD.words == "Deployment chat/llm-chat and the cards it is on"

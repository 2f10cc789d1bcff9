from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.evaluate import EVALUATORS, NAMED_OBJECTS, NODE_FACTS, evaluate
from gpuatlas.model.checks import CheckResult, Finding, InputState, MissingInput
from gpuatlas.model.snapshot import NodeSnapshot
from gpuatlas_harness.checked_books import a_layer, a_tenant
from gpuatlas_harness.checked_layers import (
    a_checked_cluster,
    a_plugin_pod,
    a_shared_node,
    a_shared_pod,
)
from gpuatlas_harness.observed import NOW, a_node

IDS = [f"S{number:02}" for number in range(1, 18)]


class BrokenError(RuntimeError):
    """A fault of ours."""


def fail(_: CheckContext) -> CheckResult:
    raise BrokenError("no such key")


def a_cluster() -> CheckContext:
    return a_checked_cluster(
        [a_shared_node()], [a_plugin_pod(), a_tenant("a", 4_000)], layer=a_layer()
    )


def test_each_check_has_one_result_in_the_order_of_the_ids() -> None:
    context = a_cluster()
    report = evaluate(context.observations, context.snapshot)
    assert [result.check for result in report.results] == IDS
    assert report.at == context.now
    assert [node.node for node in report.nodes] == ["gpu-a"]


def test_without_a_sharing_layer_no_check_applies() -> None:
    context = a_checked_cluster([a_node()], [], layer=a_layer(controllers=(), webhooks=()))
    report = evaluate(context.observations, context.snapshot)
    assert {result.state for result in report.results} == {InputState.NOT_APPLICABLE}
    assert (report.findings, report.nodes) == ((), ())


def test_a_thousand_pods_that_nobody_owns_are_few_findings() -> None:
    refused = [
        a_shared_pod(
            f"bare-{number}", phase="Failed", reason="UnexpectedAdmissionError", created_at=NOW - 60
        )
        for number in range(1000)
    ]
    context = a_checked_cluster([a_shared_node()], [a_plugin_pod(), *refused], layer=a_layer())
    report = evaluate(context.observations, context.snapshot)
    found = [finding for finding in report.findings if finding.check == "S13"]
    assert (len(found), sum(finding.count for finding in found)) == (NAMED_OBJECTS, 1000)


def test_a_broken_evaluator_costs_its_own_check_and_is_told() -> None:
    context = a_cluster()
    healthy = evaluate(context.observations, context.snapshot)
    errors: dict[str, Exception] = {}
    report = evaluate(
        context.observations,
        context.snapshot,
        on_error=errors.__setitem__,
        evaluators={**EVALUATORS, "S05": fail},
    )
    assert report.results[4] == CheckResult(
        check="S05",
        state=InputState.MISSING,
        missing=(
            MissingInput(
                check="S05",
                input="evaluator",
                reason="a fault of ours, please report it: BrokenError('no such key')",
            ),
        ),
    )
    assert report.results[:4] + report.results[5:] == healthy.results[:4] + healthy.results[5:]
    assert [(check, str(error)) for check, error in errors.items()] == [("S05", "no such key")]


class Unreadable(dict[str, NodeSnapshot]):
    """Nodes of a snapshot that no evaluator can look at."""

    def __iter__(self) -> Iterator[str]:
        raise BrokenError("no such node")

    def items(self) -> Any:
        raise BrokenError("no such node")


def test_broken_facts_of_nodes_cost_no_result() -> None:
    context = a_cluster()
    snapshot = replace(context.snapshot, nodes=Unreadable())
    errors: dict[str, Exception] = {}
    report = evaluate(context.observations, snapshot, on_error=errors.__setitem__)
    assert (report.nodes, [result.check for result in report.results]) == ((), IDS)
    assert "S14" in errors
    assert str(errors[NODE_FACTS]) == "no such node"


def many(pods: int) -> Iterator[Finding]:
    for number in range(pods):
        yield Finding(
            check="S05",
            signal="s",
            object="Job/team-a/x",
            source="pod",
            record=f"record of {number}\n",
            namespace="team-a" if number % 2 else "team-b",
            pod=f"x-{number}",
        )


def findings(pods: int, hidden: frozenset[str] = frozenset()) -> list[tuple[str, int]]:
    """Record and count of the findings of a check that has so many alike."""
    result = CheckResult(check="S05", state=InputState.OK, findings=tuple(many(pods)))
    context = a_cluster()
    report = evaluate(
        context.observations,
        context.snapshot,
        hidden=hidden,
        evaluators={"S05": lambda _: result},
    )
    return [(finding.record, finding.count) for finding in report.findings]


def test_of_many_alike_five_are_named_and_all_are_counted() -> None:
    assert findings(1_000) == [
        *((f"record of {number}�", 1) for number in range(4)),
        ("record of 4�", 996),
    ]


def test_those_that_are_hidden_are_not_counted_with_the_others() -> None:
    assert findings(12, frozenset({"team-b"})) == [
        *((f"record of {number}�", 1) for number in (1, 3, 5, 7)),
        ("record of 9�", 2),
    ]

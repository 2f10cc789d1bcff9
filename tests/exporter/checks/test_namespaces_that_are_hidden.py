"""Excluded namespaces: nothing about them is said, and nothing else is lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.evaluate import evaluate
from gpuatlas.checks.hiding import WITHHELD, hide, hide_owner, mentions
from gpuatlas.model.checks import (
    CheckReport,
    CheckResult,
    Finding,
    InputState,
    MissingInput,
    NodeLayer,
)
from gpuatlas_harness.checked_books import a_book, a_layer, a_tenant, in_books
from gpuatlas_harness.checked_layers import a_checked_cluster, a_plugin_pod, a_shared_node
from gpuatlas_harness.observed import uuid

HIDDEN = frozenset({"team-b"})


def a_finding(**changes: object) -> Finding:
    values: dict[str, object] = {
        "check": "S14",
        "signal": "s",
        "object": "Node/gpu-a",
        "source": "x",
        "record": "r",
    }
    return Finding(**(values | changes))  # type: ignore[arg-type]


def hidden_in(finding: Finding) -> tuple[Finding, ...]:
    result = CheckResult(check="S14", state=InputState.OK, findings=(finding,))
    return hide(result, HIDDEN, mentions(HIDDEN)).findings


@pytest.mark.parametrize(
    "finding",
    [
        pytest.param(a_finding(namespace="team-b"), id="a pod there"),
        pytest.param(a_finding(object="Deployment/team-b/llm"), id="a workload there"),
    ],
)
def test_findings_there_are_gone(finding: Finding) -> None:
    assert hidden_in(finding) == ()


@pytest.mark.parametrize(
    "record",
    ["2026-09-21T13:33:20Z,team-b,chat-0", "MiB 9 of 8: team-b/a GPU-1", '{namespace="team-b"}'],
)
def test_a_record_that_names_them_is_withheld_and_the_finding_stays(record: str) -> None:
    finding = a_finding(record=record)
    assert hidden_in(finding) == (replace(finding, record=WITHHELD),)


@pytest.mark.parametrize(
    "record", ["team-bc/x", "a-team-b/x", "team-b.example", "team_b", "TEAM-B"]
)
def test_longer_names_are_other_names(record: str) -> None:
    finding = a_finding(record=record)
    assert hidden_in(finding) == (finding,)


@pytest.mark.parametrize("name", ["Node/team-b", "ConfigMap/kube-system/team-b", "team-b"])
def test_other_objects_may_be_called_the_same(name: str) -> None:
    finding = a_finding(object=name)
    assert hidden_in(finding) == (finding,)


def test_reasons_and_owners_of_locks_are_withheld() -> None:
    lack = MissingInput(check="S14", input="annotation", reason="pod team-b/x: bad", node="gpu-a")
    result = CheckResult(check="S14", state=InputState.MISSING, missing=(lack,))
    assert hide(result, HIDDEN, mentions(HIDDEN)).missing == (replace(lack, reason=WITHHELD),)
    node = NodeLayer(node="gpu-a", layers=("hami",), lock_at=1.0, lock_owner="team-b/x")
    assert hide_owner(node, HIDDEN) == replace(node, lock_owner="")
    other = replace(node, lock_owner="team-c/x")
    assert hide_owner(other, HIDDEN) is other


def test_without_hidden_namespaces_nothing_is_mentioned() -> None:
    assert not mentions(frozenset())("team-b")


def two_tenants() -> CheckContext:
    """Both have promises of a card that nobody knows; together they are beyond the first."""
    pods = [
        a_tenant("x", 4_000, card=9, namespace="team-a"),
        a_tenant("y", 4_000, card=9, namespace="team-b", uid="y"),
        a_tenant("z", 40_000, namespace="team-b", uid="z"),
    ]
    return a_checked_cluster(
        [a_shared_node()],
        [a_plugin_pod(), *pods],
        layer=a_layer(),
        schedulers=(a_book(in_books(40_000)),),
    )


def books(report: CheckReport) -> list[tuple[str, str, str]]:
    (result,) = [result for result in report.results if result.check == "S14"]
    return [(f.signal, f.pod, f.record) for f in result.findings]


def test_what_they_do_to_others_is_still_seen() -> None:
    context = two_tenants()
    report = evaluate(context.observations, context.snapshot, hidden=HIDDEN)
    assert books(report) == [
        ("over-schedulable", "", WITHHELD),
        ("unknown-card", "x", f"{uuid(9)},NVIDIA,4000,0"),
    ]


def test_the_layers_own_namespace_is_never_hidden() -> None:
    """Or an administrator who excludes kube-system would not learn that HAMi is down."""
    pod = replace(a_plugin_pod(), ready=False)
    context = a_checked_cluster([a_shared_node()], [pod], layer=a_layer())
    hidden = frozenset({"kube-system"})
    report = evaluate(context.observations, context.snapshot, hidden=hidden)
    assert "S10" in {finding.check for finding in report.findings}

"""S13: locks that nobody releases."""

from __future__ import annotations

import pytest

from gpuatlas.checks import stuck
from gpuatlas.model.checks import Finding, InputState, MissingInput
from gpuatlas.model.objects import Node
from gpuatlas_harness.checked_allocations import a_bound_pod, found
from gpuatlas_harness.checked_layers import (
    a_checked_cluster,
    a_plugin_pod,
    a_shared_node,
    the_finding,
)

OK, MISSING = InputState.OK, InputState.MISSING


def a_locked_node(text: str, key: str = "hami.io/mutex.lock") -> Node:
    return a_shared_node(annotations={key: text})


def test_a_lock_whose_owner_is_gone() -> None:
    text = "2027-01-15T07:55:00Z,team-a,infer-0"
    cluster = a_checked_cluster([a_locked_node(text)], [a_plugin_pod()])
    assert the_finding(stuck.allocations(cluster)) == Finding(
        check="S13",
        signal="lock",
        object="Node/gpu-a",
        source="node annotation hami.io/mutex.lock",
        record="2027-01-15T07:55:00Z,team-a,infer-0; pod team-a/infer-0 is gone",
        node="gpu-a",
        namespace="team-a",
        pod="infer-0",
        severity="warning",
    )


def test_a_lock_whose_owner_still_waits() -> None:
    node = a_locked_node("2027-01-15T07:55:00Z,team-a,chat-0")
    findings = found(a_bound_pod("", phase="Pending"), node=node)
    assert [f.record for f in findings] == [
        "2027-01-15T07:55:00Z,team-a,chat-0; pod team-a/chat-0: phase Pending, not Ready"
    ]


@pytest.mark.parametrize(
    "key", ["hami.io/mutex.lock", "volcano.sh/mutex.lock", "cambricon.com/dsmlu.lock"]
)
def test_a_lock_that_names_nobody(key: str) -> None:
    (finding,) = found(node=a_locked_node("2027-01-15T08:55:00+01:00", key))
    assert finding.source == f"node annotation {key}"
    assert finding.record == "2027-01-15T08:55:00+01:00; the lock does not name its owner"
    assert (finding.namespace, finding.pod) == ("", "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2027-01-15T07:58:00Z", []), ("2027-01-15T07:57:59Z", ["lock"]), ("", [])],
)
def test_a_lock_for_two_minutes_is_healthy(text: str, expected: list[str]) -> None:
    assert [f.signal for f in found(node=a_locked_node(text))] == expected


def test_a_lock_without_a_readable_time_is_a_missing_input() -> None:
    cluster = a_checked_cluster([a_locked_node("soon,team-a,x")], [a_plugin_pod()])
    result = stuck.allocations(cluster)
    assert result.findings == ()
    assert result.missing == (
        MissingInput(
            check="S13",
            input="node lock",
            node="gpu-a",
            reason="the annotation hami.io/mutex.lock has no readable time: soon,team-a,x",
        ),
    )
    assert result.nodes == (("gpu-a", MISSING),)


def test_pods_that_cannot_be_listed_are_a_missing_input() -> None:
    silence = {("kubernetes-pods", ""): "403 Forbidden"}
    node = a_locked_node("2027-01-15T07:55:00Z,team-a,infer-0")
    result = stuck.allocations(a_checked_cluster([node], silent=silence))
    assert [lack.input for lack in result.missing] == ["pods"]
    assert the_finding(result).record == "2027-01-15T07:55:00Z,team-a,infer-0"

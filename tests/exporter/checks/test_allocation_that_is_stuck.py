"""S13: allocations that do not come to an end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from gpuatlas.checks import stuck
from gpuatlas.checks.binding import Binding, binding_of
from gpuatlas.checks.conditions import rfc3339
from gpuatlas.model.checks import Finding, InputState
from gpuatlas.model.claims import Fraction
from gpuatlas.model.objects import Owner, Pod
from gpuatlas_harness.checked_allocations import OWNERS, a_bound_pod, found
from gpuatlas_harness.checked_layers import (
    a_checked_cluster,
    a_plugin_pod,
    a_shared_node,
    a_shared_pod,
    signals,
)
from gpuatlas_harness.observed import NOW, a_container, a_node

OK, MISSING = InputState.OK, InputState.MISSING
REPLICA_SET = Owner(api_group="apps", kind="ReplicaSet", name="llm-7c9d", uid="rs-1")


def a_refused_pod(name: str = "llm-1", age: float = 60, **changes: Any) -> Pod:
    """A pod that the kubelet did not admit."""
    values: dict[str, Any] = {
        "phase": "Failed",
        "ready": False,
        "reason": "UnexpectedAdmissionError",
        "message": "Allocate failed due to rpc error: no binding pod found on node gpu-a",
        "created_at": NOW - age,
        "controller": REPLICA_SET,
    }
    return a_shared_pod(name, **(values | changes))


def test_a_pod_that_is_allocating_for_too_long() -> None:
    assert found(a_bound_pod("allocating")) == (
        Finding(
            check="S13",
            signal="allocating",
            object="Pod/team-a/chat-0",
            source="pod annotation hami.io/bind-phase",
            record=(
                "hami.io/bind-phase=allocating, hami.io/bind-time=1799999939 (2027-01-15T07:58:59Z)"
            ),
            node="gpu-a",
            namespace="team-a",
            pod="chat-0",
        ),
    )


@pytest.mark.parametrize(
    "pod",
    [
        a_bound_pod("allocating", age=60),
        a_bound_pod("allocating", phase="Running"),
        a_bound_pod("allocating", deleting=True),
        a_bound_pod("allocating", node=""),
        a_bound_pod("success", age=9999),
        a_shared_pod(annotations={"hami.io/bind-phase": "allocating"}, phase="Pending"),
        a_shared_pod(),
    ],
    ids=["in time", "running", "leaving", "unscheduled", "succeeded", "without a time", "healthy"],
)
def test_allocations_that_are_no_finding(pod: Pod) -> None:
    assert found(pod) == ()


def test_the_node_is_named_where_it_explains_the_wait() -> None:
    record = found(a_bound_pod("allocating"), node=a_shared_node(ready=False))[0].record
    assert record.endswith("; node gpu-a is not Ready")


def test_volcano_writes_under_its_own_keys() -> None:
    keys = {"volcano.sh/bind-phase": "allocating", "volcano.sh/bind-time": str(int(NOW - 90))}
    finding = found(a_bound_pod("", annotations=keys))[0]
    assert finding.source == "pod annotation volcano.sh/bind-phase"


def test_an_allocation_that_failed() -> None:
    for pod in (
        a_bound_pod("failed", created_at=NOW - 100),
        a_bound_pod("allocating", phase="Failed", created_at=NOW - 100),
    ):
        (finding,) = found(pod)
        assert (finding.signal, finding.object) == ("failed", "Pod/team-a/chat-0")
        assert finding.record.endswith(
            f"hami.io/bind-time=1799999939; pod team-a/chat-0: phase {pod.phase}, not Ready"
        )


@pytest.mark.parametrize(
    "pod",
    [
        a_bound_pod("failed", age=3601, created_at=NOW - 9999),
        a_bound_pod("failed", phase="Succeeded"),
        a_bound_pod("success", phase="Failed"),
    ],
    ids=["old", "succeeded", "failed later"],
)
def test_failures_that_are_no_finding(pod: Pod) -> None:
    assert found(pod) == ()


def test_a_pod_that_waited_long_may_fail_late() -> None:
    assert len(found(a_bound_pod("failed", age=10, created_at=NOW - 9999))) == 1
    late = a_refused_pod(age=9999, started_at=NOW - 10)
    assert len(found(late)) == 1
    # A time in the future makes nothing younger than now.
    forged = a_bound_pod("failed", age=-99_999, created_at=NOW - 9999)
    assert len(found(forged)) == 1


def test_a_thousand_refused_pods_of_one_workload_are_one_finding() -> None:
    pods = [a_refused_pod(f"llm-{number:04d}", age=2000 - number) for number in range(1000)]
    assert found(*pods) == (
        Finding(
            check="S13",
            signal="admission-error",
            object="Deployment/team-a/llm",
            source="pod status",
            record=(
                "UnexpectedAdmissionError: Allocate failed due to rpc error: no binding pod found "
                "on node gpu-a"
            ),
            node="gpu-a",
            namespace="team-a",
            pod="llm-0999",
            count=1000,
        ),
    )


def test_each_node_has_its_own_finding() -> None:
    pods = [a_refused_pod("llm-1"), a_refused_pod("llm-2", node="gpu-b")]
    cluster = a_checked_cluster([a_shared_node(), a_shared_node("gpu-b")], pods, owners=OWNERS)
    result = stuck.allocations(cluster)
    assert [(f.node, f.count) for f in result.findings] == [("gpu-a", 1), ("gpu-b", 1)]


def test_a_refused_pod_is_not_counted_as_failed_beside() -> None:
    pod = a_refused_pod(annotations={"hami.io/bind-phase": "failed"})
    assert [finding.signal for finding in found(pod)] == ["admission-error"]


def test_a_node_that_ran_out_of_the_resource() -> None:
    (finding,) = found(a_refused_pod(reason="OutOfnvidia.com/gpu", message=""))
    assert finding.record == "OutOfnvidia.com/gpu"


@pytest.mark.parametrize(
    "pod",
    [
        a_refused_pod(age=3601),
        a_refused_pod(reason="OutOfmemory"),
        a_refused_pod(reason="OutOfamd.com/gpu"),
        a_refused_pod(reason="Evicted"),
        a_refused_pod(containers=(a_container(limits={"example.org/fpga": 1}),)),
        a_refused_pod(phase="Pending"),
        a_refused_pod(node="gpu-b"),
    ],
    ids=["old", "memory", "of another", "evicted", "no card", "pending", "unshared node"],
)
def test_refusals_that_are_no_finding(pod: Pod) -> None:
    cluster = a_checked_cluster(
        [a_shared_node(), a_node("gpu-b")], [a_plugin_pod(), pod], owners=OWNERS
    )
    assert stuck.allocations(cluster).findings == ()


def test_a_tenant_that_does_not_end() -> None:
    pod = a_shared_pod(deleting=True, deleting_at=NOW - 301)
    (finding,) = found(pod, node=a_shared_node(ready=False))
    assert (finding.signal, finding.source) == ("terminating", "pod deletionTimestamp")
    assert finding.record == (
        "grace ended 2027-01-15T07:54:59Z; pod team-a/chat-0: phase Running, terminating; "
        "node gpu-a is not Ready"
    )


def test_a_tenant_of_a_fraction_may_not_end_either() -> None:
    fraction = Fraction(
        portion=0.5,
        memory_bytes=None,
        devices=1,
        container="main",
        mps=False,
        groups=(),
        received="",
    )
    pod = a_shared_pod(deleting=True, deleting_at=NOW - 301)
    assert len(found(replace(pod, promises=(), fraction=fraction))) == 1


@pytest.mark.parametrize(
    "pod",
    [
        a_shared_pod(deleting=True, deleting_at=NOW - 300),
        a_shared_pod(deleting=True, deleting_at=NOW - 999, phase="Succeeded"),
        replace(a_shared_pod(deleting=True, deleting_at=NOW - 999), promises=()),
        a_shared_pod(deleting=True),
    ],
    ids=["in time", "done", "no tenant", "no time"],
)
def test_terminating_pods_that_are_no_finding(pod: Pod) -> None:
    assert found(pod) == ()


def test_it_applies_where_a_layer_binds_pods() -> None:
    healthy = stuck.allocations(a_checked_cluster([a_shared_node()], [a_plugin_pod()]))
    assert (healthy.state, healthy.nodes, signals(healthy)) == (OK, (("gpu-a", OK),), [])
    assert stuck.allocations(a_checked_cluster([a_node()])).state is InputState.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("annotations", "at"),
    [
        ({"hami.io/bind-time": "1799999939"}, 1_799_999_939.0),
        ({"hami.io/bind-time": "1799999939000000000"}, 1_799_999_939.0),
        ({"hami.io/bind-time": "0"}, None),
        ({"hami.io/bind-time": "-5"}, None),
        ({"hami.io/bind-time": "1" * 21}, None),
        ({"hami.io/bind-time": "9" * 20}, None),
        ({"hami.io/bind-time": "soon"}, None),
        ({}, None),
    ],
)
def test_times_of_binding(annotations: Mapping[str, str], at: float | None) -> None:
    text = annotations.get("hami.io/bind-time", "")
    pod = a_shared_pod(annotations={"hami.io/bind-phase": "success", **annotations})
    assert binding_of(pod) == Binding(
        key="hami.io/bind-phase",
        phase="success",
        at=at,
        record=f"hami.io/bind-phase=success, hami.io/bind-time={text}",
    )


def test_an_instant_beyond_the_calendar_is_still_told() -> None:
    assert rfc3339(1e18) == "1e+18 s after 1970"
    assert rfc3339(0) == "1970-01-01T00:00:00Z"


def test_the_thresholds_are_those_of_the_alert() -> None:
    assert (stuck.ALLOCATING_SECONDS, stuck.LOCK_SECONDS) == (60, 120)
    assert (stuck.FAILED_SECONDS, stuck.TERMINATING_SECONDS) == (3600, 300)

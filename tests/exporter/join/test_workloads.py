"""From pods to the workloads that own them."""

from __future__ import annotations

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Owner, OwnerLink, Pod
from gpuatlas.model.snapshot import NamespaceSnapshot, PodWorkload, WorkloadId
from gpuatlas_harness.observed import NOW, a_container, a_node, a_pod, observations


def an_owner(kind: str, name: str, group: str = "apps") -> Owner:
    return Owner(api_group=group, kind=kind, name=name, uid=f"{kind}-{name}")


def a_link(kind: str, name: str, controller: Owner | None, group: str = "apps") -> OwnerLink:
    return OwnerLink(
        uid=f"{kind}-{name}",
        api_group=group,
        kind=kind,
        namespace="team-a",
        name=name,
        controller=controller,
    )


def joined(*pods: Pod, links: tuple[OwnerLink, ...] = ()) -> NamespaceSnapshot:
    obs = observations([a_node()], pods, owners={link.uid: link for link in links})
    return Joiner().build(obs).namespaces["team-a"]


@pytest.mark.parametrize(
    ("controller", "labels", "links", "expected"),
    [
        pytest.param(
            an_owner("ReplicaSet", "chat-5d8f"),
            {"pod-template-hash": "5d8f"},
            (a_link("ReplicaSet", "chat-5d8f", an_owner("Deployment", "chat")),),
            ("apps", "Deployment", "chat"),
            id="Deployment",
        ),
        pytest.param(
            an_owner("ReplicaSet", "chat-5d8f"),
            {"pod-template-hash": "5d8f"},
            (),
            ("apps", "Deployment", "chat"),
            id="Deployment without the right to read ReplicaSets",
        ),
        pytest.param(
            an_owner("ReplicaSet", "chat-5d8f"),
            {"pod-template-hash": "5d8f"},
            (a_link("ReplicaSet", "chat-5d8f", None),),
            ("apps", "ReplicaSet", "chat-5d8f"),
            id="a ReplicaSet of its own",
        ),
        pytest.param(
            an_owner("StatefulSet", "db"), {}, (), ("apps", "StatefulSet", "db"), id="StatefulSet"
        ),
        pytest.param(
            an_owner("DaemonSet", "probe"), {}, (), ("apps", "DaemonSet", "probe"), id="DaemonSet"
        ),
        pytest.param(
            an_owner("Job", "train", "batch"),
            {},
            (a_link("Job", "train", None, "batch"),),
            ("batch", "Job", "train"),
            id="Job",
        ),
        pytest.param(
            an_owner("Job", "nightly-29", "batch"),
            {},
            (a_link("Job", "nightly-29", an_owner("CronJob", "nightly", "batch"), "batch"),),
            ("batch", "CronJob", "nightly"),
            id="CronJob",
        ),
        pytest.param(None, {}, (), ("", "Pod", "app-0"), id="bare pod"),
        pytest.param(an_owner("Node", "gpu-a", ""), {}, (), ("", "Pod", "app-0"), id="static pod"),
        pytest.param(
            an_owner("A", "1", "x"),
            {},
            (
                a_link("A", "1", an_owner("B", "2", "x"), "x"),
                a_link("B", "2", an_owner("A", "1", "x"), "x"),
            ),
            ("x", "B", "2"),
            id="a cycle of owners ends",
        ),
    ],
)
def test_the_top_owner_is_the_workload(
    controller: Owner | None,
    labels: dict[str, str],
    links: tuple[OwnerLink, ...],
    expected: tuple[str, str, str],
) -> None:
    space = joined(a_pod(controller=controller, labels=labels), links=links)
    identity = WorkloadId(
        namespace="team-a", api_group=expected[0], kind=expected[1], name=expected[2]
    )
    assert [w.id for w in space.workloads] == [identity]
    assert space.pods == (
        PodWorkload(namespace="team-a", pod="app-0", node="gpu-a", workload=identity),
    )


def test_phases_requests_and_waiting_time() -> None:
    owner = an_owner("StatefulSet", "db")
    pods = (
        a_pod("db-0", controller=owner),
        a_pod("db-1", controller=owner, phase="Failed"),
        a_pod(
            "db-2",
            "",
            controller=owner,
            phase="Pending",
            waiting_reason="Unschedulable",
            created_at=NOW - 90,
        ),
        a_pod(
            "db-3",
            "",
            controller=owner,
            phase="Pending",
            waiting_reason="Unschedulable",
            created_at=NOW - 30,
        ),
    )
    (workload,) = joined(*pods).workloads
    assert workload.pods == {"Failed": 1, "Pending": 2, "Running": 1}
    assert workload.cards_requested == {"nvidia.com/gpu": 3}
    assert workload.waiting == {"Unschedulable": 90.0}


def test_a_pod_created_in_the_future_has_waited_for_nothing() -> None:
    pod = a_pod("app", "", phase="Pending", created_at=NOW + 500)
    assert joined(pod).workloads[0].waiting == {"Unscheduled": 0.0}


def test_requests_of_a_pod_are_the_larger_of_init_and_main() -> None:
    containers = (
        a_container("warm", {"nvidia.com/gpu": 4}, kind="init"),
        a_container("a", {"nvidia.com/gpu": 1}),
        a_container("b", {"nvidia.com/gpu": 2}),
    )
    assert joined(a_pod(containers=containers)).workloads[0].cards_requested == {
        "nvidia.com/gpu": 4
    }


def test_pods_read_for_their_metrics_are_no_workloads() -> None:
    exporter = a_pod("dcgm-exporter-x", containers=(a_container(limits={}),))
    obs = observations([a_node()], [exporter])
    assert Joiner().build(obs).namespaces == {}


def test_without_a_creation_time_the_waiting_time_is_not_known() -> None:
    pod = a_pod("app", "", phase="Pending", created_at=0.0)
    assert joined(pod).workloads[0].waiting == {}

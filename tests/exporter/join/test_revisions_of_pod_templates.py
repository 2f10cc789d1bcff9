"""Which pod templates the pods of a workload were made from."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.join.revisions import MOST_REVISIONS, revisions_of
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Owner, OwnerLink, Pod
from gpuatlas.model.snapshot import Workload, WorkloadId
from gpuatlas_harness.observed import a_node, a_pod, observations

LWS = "leaderworkerset.sigs.k8s.io/template-revision-hash"
ROLLOUT = ("argoproj.io", "Rollout")
CHAT = WorkloadId(namespace="team-a", api_group="apps", kind="StatefulSet", name="chat")


def an_owner(group: str, kind: str, name: str) -> Owner:
    return Owner(api_group=group, kind=kind, name=name, uid=f"{kind}-{name}")


def workloads(*pods: Pod, links: tuple[OwnerLink, ...] = ()) -> dict[str, Workload]:
    obs = observations([a_node()], pods, owners={link.uid: link for link in links})
    return {w.id.name: w for w in Joiner().build(obs).namespaces["team-a"].workloads}


@pytest.mark.parametrize(
    ("controller", "labels", "expected"),
    [
        pytest.param(
            an_owner("apps", "ReplicaSet", "chat-5d8f7c9b64"),
            {"pod-template-hash": "5d8f7c9b64"},
            ("5d8f7c9b64",),
            id="Deployment",
        ),
        pytest.param(
            an_owner("apps", "ReplicaSet", "chat-6f7"),
            {"rollouts-pod-template-hash": "6f7", "pod-template-hash": "old"},
            ("6f7",),
            id="Argo Rollout",
        ),
        pytest.param(
            an_owner("apps", "StatefulSet", "chat"),
            {"controller-revision-hash": "chat-7c9b64d8f5"},
            ("7c9b64d8f5",),
            id="StatefulSet: a revision is named after its set",
        ),
        pytest.param(
            an_owner("apps", "DaemonSet", "chat"),
            {"controller-revision-hash": "7c9b64d8f5", "pod-template-generation": "3"},
            ("7c9b64d8f5",),
            id="DaemonSet",
        ),
        pytest.param(
            an_owner("apps", "StatefulSet", "chat-0"),
            {LWS: "dd6699c7c", "controller-revision-hash": "chat-0-99c4ff976"},
            ("dd6699c7c",),
            id="LeaderWorkerSet: not the hash of its own StatefulSets",
        ),
        pytest.param(
            an_owner("grove.io", "PodClique", "chat-0-api"),
            {"grove.io/pod-template-hash": "5bd48485d788d55cd5c4"},
            ("5bd48485d788d55cd5c4",),
            id="Grove",
        ),
        pytest.param(
            an_owner("batch", "Job", "chat"), {"job-name": "chat"}, (), id="a Job has none"
        ),
        pytest.param(
            an_owner("ray.io", "RayCluster", "chat"),
            {"ray.io/cluster": "chat", "ray.io/group": "cards"},
            (),
            id="a RayCluster of its own has none",
        ),
        pytest.param(None, {}, (), id="a bare pod has none"),
        pytest.param(None, {"pod-template-hash": ""}, (), id="an empty label says nothing"),
    ],
)
def test_the_controller_writes_it_on_the_pod(
    controller: Owner | None, labels: dict[str, str], expected: tuple[str, ...]
) -> None:
    (workload,) = workloads(a_pod(controller=controller, labels=labels)).values()
    assert workload.revisions == expected


def test_a_ray_service_has_a_new_cluster_for_each_template() -> None:
    cluster = an_owner("ray.io", "RayCluster", "rag-x7k2p")
    link = OwnerLink(
        uid=cluster.uid,
        api_group="ray.io",
        kind="RayCluster",
        namespace="team-a",
        name="rag-x7k2p",
        controller=an_owner("ray.io", "RayService", "rag"),
    )
    pod = a_pod(controller=cluster, labels={"ray.io/cluster": "a lie"})
    assert workloads(pod, links=(link,))["rag"].revisions == ("x7k2p",)


def test_a_rollout_shows_both_templates_and_then_the_new_one() -> None:
    owner = an_owner("apps", "StatefulSet", "chat")
    old, new = ({"controller-revision-hash": f"chat-{mark}"} for mark in ("bbb", "aaa"))
    pods = [
        a_pod("chat-0", controller=owner, labels=old),
        a_pod("chat-1", "", controller=owner, labels=new, phase="Pending"),
    ]
    assert workloads(*pods)["chat"].revisions == ("aaa", "bbb")
    pods[0] = a_pod("chat-0", controller=owner, labels=old, phase="Failed")
    assert workloads(*pods)["chat"].revisions == ("aaa",)


def test_finished_pods_alone_run_no_template() -> None:
    pod = a_pod(labels={"pod-template-hash": "5d8f"}, phase="Succeeded")
    assert workloads(pod)["app-0"].revisions == ()


def test_a_tenants_lie_is_told_of_its_own_workload_only() -> None:
    honest = a_pod(
        "chat-0",
        controller=an_owner("apps", "StatefulSet", "chat"),
        labels={"controller-revision-hash": "chat-aaa"},
    )
    liar = a_pod("mine", labels={"controller-revision-hash": "chat-aaa", "app": "chat"})
    found = workloads(honest, liar)
    assert found["chat"].revisions == ("aaa",)
    assert found["mine"].revisions == ("chat-aaa",)


def many(*marks: str) -> tuple[str, ...]:
    return revisions_of(CHAT, [a_pod(f"chat-{m}", labels={"pod-template-hash": m}) for m in marks])


def test_of_more_than_four_the_last_stands_for_all_others_and_changes_with_them() -> None:
    assert many("d", "c", "b", "a") == ("a", "b", "c", "d")
    five = many("a", "b", "c", "d", "e")
    assert five[:3] == ("a", "b", "c")
    assert five[3].startswith("2 others ")
    assert many("e", "d", "c", "b", "a") == five
    changed = many("a", "b", "c", "d", "f")
    assert changed[:3] == five[:3]
    assert changed[3] != five[3]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(max_size=90), max_size=9))
def test_any_text_gives_few_short_and_printable_revisions(marks: list[str]) -> None:
    found = many(*marks)
    assert len(found) <= MOST_REVISIONS
    assert len(set(found)) == len(found)
    assert all(0 < len(revision) <= 63 and revision.isprintable() for revision in found)
    assert bool(found) == any(marks)

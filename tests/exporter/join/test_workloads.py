"""From pods to the workloads that own them."""

from __future__ import annotations

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Owner, OwnerLink
from gpuatlas.model.placement import Waiting
from gpuatlas.model.pod_spec import PodScheduling, Runtime
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.snapshot import PodWorkload, Workload, WorkloadId
from gpuatlas_harness.joined_workloads import a_link, an_owner, joined_team
from gpuatlas_harness.observed import a_container, a_node, a_pod, observations
from gpuatlas_harness.placed import a_group, a_queued, objects


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
    space = joined_team(a_pod(controller=controller, labels=labels), links=links)
    identity = WorkloadId(
        namespace="team-a", api_group=expected[0], kind=expected[1], name=expected[2]
    )
    assert [w.id for w in space.workloads] == [identity]
    assert space.pods == (
        PodWorkload(namespace="team-a", pod="app-0", node="gpu-a", workload=identity),
    )


def test_pods_read_for_their_metrics_are_no_workloads() -> None:
    exporter = a_pod("dcgm-exporter-x", containers=(a_container(limits={}),))
    obs = observations([a_node()], [exporter])
    assert Joiner().build(obs).namespaces == {}


def test_what_a_queue_wrote_down_names_a_workload_that_cannot_be_read() -> None:
    pod = a_pod(
        controller=an_owner("RayCluster", "rag-x7k2p", "ray.io"),
        annotations={"kueue.x-k8s.io/workload": "rayjob-rag"},
    )
    queued = a_queued("rayjob-rag", owner=an_owner("RayJob", "rag", "ray.io"), waiting=Waiting())
    (workload,) = joined_team(pod, placement=objects(queued)).workloads
    assert (workload.id.kind, workload.id.name, workload.source) == ("RayJob", "rag", "label")


def test_one_pod_that_a_label_brought_makes_the_workload_told_by_a_label() -> None:
    read = an_owner("ReplicaSet", "chat-5d8f")
    pods = (
        a_pod("a", controller=read),
        a_pod(
            "b",
            controller=an_owner("ReplicaSet", "chat-77aa"),
            labels={"pod-template-hash": "77aa"},
        ),
    )
    known = (a_link("ReplicaSet", "chat-5d8f", an_owner("Deployment", "chat")),)
    (workload,) = joined_team(*pods, links=known).workloads
    assert (workload.id.name, workload.source) == ("chat", "label")
    (workload,) = joined_team(pods[0], links=known).workloads
    assert workload.source == "owner"


def test_jobs_of_one_name_and_several_groups_are_several_workloads() -> None:
    pods = (
        a_pod("a", controller=an_owner("Job", "train", "batch")),
        a_pod(
            "b", controller=Owner(api_group="batch.volcano.sh", kind="Job", name="train", uid="v")
        ),
    )
    space = joined_team(*pods)
    assert [(w.id.api_group, w.pod_names) for w in space.workloads] == [
        ("batch", ("a",)),
        ("batch.volcano.sh", ("b",)),
    ]


def test_runtime_scheduler_and_gang_of_its_pods() -> None:
    owner = an_owner("LeaderWorkerSet", "big", "leaderworkerset.x-k8s.io")
    vllm = Runtime(
        name="vllm",
        evidence="command vllm serve",
        memory_ahead=0.85,
        memory_ahead_setting="--gpu-memory-utilization",
    )
    pods = tuple(
        a_pod(
            f"big-{n}",
            controller=owner,
            scheduler="volcano",
            annotations={"scheduling.k8s.io/group-name": "big", "volcano.sh/vgpu-node": "gpu-a"},
            runtime=vllm,
            scheduling=PodScheduling(placeholder=n == 3),
        )
        for n in range(4)
    )
    group = a_group("volcano", "big", 4, queue="prod")
    (workload,) = joined_team(*pods, placement=objects(group)).workloads
    assert workload == Workload(
        id=WorkloadId(
            namespace="team-a",
            api_group="leaderworkerset.x-k8s.io",
            kind="LeaderWorkerSet",
            name="big",
        ),
        runtime="vllm",
        runtime_evidence="command vllm serve",
        memory_ahead=0.85,
        memory_ahead_setting="--gpu-memory-utilization",
        scheduler="volcano",
        queue="prod",
        queue_kind="VolcanoQueue",
        gang="big",
        gang_system="volcano",
        gang_min_members=4,
        gangs=1,
        pods={"Running": 4},
        placeholders=1,
        cards_requested={"nvidia.com/gpu": 4},
        waiting={},
        pod_names=("big-0", "big-1", "big-2", "big-3"),
        restarts=0,
    )


def test_the_runtime_is_that_of_the_pods_that_are_left() -> None:
    owner = an_owner("Job", "train", "batch")
    old, new = (Runtime(name=name, evidence=name) for name in ("jax", "pytorch"))
    pods = (
        a_pod("a", controller=owner, phase="Failed", runtime=old),
        a_pod("b", controller=owner, phase="Failed", runtime=old),
        a_pod("c", controller=owner, runtime=new),
    )
    assert joined_team(*pods).workloads[0].runtime == "pytorch"
    assert joined_team(*pods[:2]).workloads[0].runtime == "jax"


def test_a_pod_between_the_workload_and_its_pods_needs_no_card() -> None:
    driver = a_pod(
        "driver",
        containers=(a_container(limits={}),),
        controller=an_owner("SparkApplication", "etl", "sparkoperator.k8s.io"),
    )
    executor = a_pod(
        "exec-1", controller=Owner(api_group="", kind="Pod", name="driver", uid=driver.uid)
    )
    (workload,) = joined_team(driver, executor).workloads
    assert (workload.id.kind, workload.pod_names) == ("SparkApplication", ("exec-1",))


def test_what_was_refused_of_a_queued_job_is_told() -> None:
    refused = Rejection("kueue", "bad-quantity", "workload team-a/j", "is no number")
    obs = observations(
        [a_node()], placement=objects(a_queued("j", rejections=(refused,)), a_queued("k"))
    )
    assert Joiner().build(obs).rejections == (refused,)

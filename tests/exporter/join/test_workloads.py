"""From pods to the workloads that own them."""

from __future__ import annotations

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Owner, OwnerLink, Pod
from gpuatlas.model.placement import PlacementObjects, Waiting
from gpuatlas.model.pod_spec import PodScheduling, Runtime
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.snapshot import NamespaceSnapshot, PodWorkload, Workload, WorkloadId
from gpuatlas_harness.observed import NOW, a_container, a_node, a_pod, observations
from gpuatlas_harness.placed import a_group, a_pod_set, a_queue, a_queued, objects


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


TRAIN = WorkloadId(namespace="team-a", api_group="batch", kind="Job", name="train")


def joined(
    *pods: Pod,
    links: tuple[OwnerLink, ...] = (),
    placement: PlacementObjects | None = None,
) -> NamespaceSnapshot:
    obs = observations(
        [a_node()],
        pods,
        owners={link.uid: link for link in links},
        placement=placement or PlacementObjects(),
    )
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


def test_a_job_that_waits_in_a_queue_is_a_workload_without_pods() -> None:
    local = a_queue("LocalQueue", "research", "shared-h100")
    space = joined(placement=objects(a_queued("job-train-1", a_pod_set(4, 8)), local))
    assert space == NamespaceSnapshot(
        name="team-a",
        workloads=(
            Workload(
                id=TRAIN,
                runtime="unknown",
                scheduler="",
                queue="shared-h100",
                queue_kind="ClusterQueue",
                local_queue="research",
                gang="job-train-1",
                gang_system="kueue",
                gang_min_members=4,
                gangs=1,
                pods={},
                held_pods=4,
                cards_requested={"nvidia.com/gpu": 32},
                waiting={"KueueWaitingForQuota": 900.0},
                waiting_texts={"KueueWaitingForQuota": "24 more needed"},
            ),
        ),
        pods=(),
    )


def test_a_cron_job_runs_one_job_and_waits_with_the_next() -> None:
    cron = an_owner("CronJob", "nightly", "batch")
    known = tuple(a_link("Job", f"nightly-{n}", cron, "batch") for n in (1, 2))
    pods = (
        a_pod("nightly-1-a", controller=an_owner("Job", "nightly-1", "batch")),
        a_pod(
            "nightly-1-b",
            "",
            controller=an_owner("Job", "nightly-1", "batch"),
            phase="Pending",
            created_at=NOW - 60,
            annotations={"kueue.x-k8s.io/workload": "job-nightly-1"},
        ),
    )
    running = a_queued(
        "job-nightly-1",
        a_pod_set(2),
        owner=an_owner("Job", "nightly-1", "batch"),
        cluster_queue="shared-h100",
        waiting=Waiting(),
    )
    next_one = a_queued(
        "job-nightly-2", a_pod_set(3, 2), owner=an_owner("Job", "nightly-2", "batch")
    )
    (workload,) = joined(*pods, links=known, placement=objects(running, next_one)).workloads
    assert (workload.id.kind, workload.id.name) == ("CronJob", "nightly")
    assert workload.pods == {"Pending": 1, "Running": 1}
    assert workload.held_pods == 3
    assert workload.cards_requested == {"nvidia.com/gpu": 8}
    assert workload.waiting == {"KueueWaitingForQuota": 900.0, "Unscheduled": 60.0}
    assert (workload.queue, workload.queue_kind) == ("shared-h100", "ClusterQueue")
    assert (workload.gang, workload.gang_min_members, workload.gangs) == ("job-nightly-2", 3, 2)


def test_the_longer_wait_for_one_reason_is_told() -> None:
    pod = a_pod(
        "train-1",
        "",
        controller=an_owner("Job", "other", "batch"),
        phase="Pending",
        created_at=NOW - 2000,
        annotations={"kueue.x-k8s.io/workload": "job-other"},
    )
    cron = an_owner("CronJob", "c", "batch")
    known = (a_link("Job", "other", cron, "batch"), a_link("Job", "train", cron, "batch"))
    own = a_queued("job-other", owner=an_owner("Job", "other", "batch"))
    held = a_queued(
        "job-train-1",
        owner=an_owner("Job", "train", "batch"),
        waiting=Waiting(reason="KueueWaitingForQuota", text="shorter"),
    )
    (workload,) = joined(pod, links=known, placement=objects(own, held)).workloads
    assert workload.waiting == {"KueueWaitingForQuota": 2000.0}
    assert workload.waiting_texts == {"KueueWaitingForQuota": "24 more needed"}


def test_a_job_that_waits_since_nobody_knows_when_still_waits() -> None:
    (workload,) = joined(placement=objects(a_queued(waiting_since=0.0))).workloads
    assert workload.waiting == {}
    assert workload.reasons == ("KueueWaitingForQuota",)


def test_what_a_queue_wrote_down_names_a_workload_that_cannot_be_read() -> None:
    pod = a_pod(
        controller=an_owner("RayCluster", "rag-x7k2p", "ray.io"),
        annotations={"kueue.x-k8s.io/workload": "rayjob-rag"},
    )
    queued = a_queued("rayjob-rag", owner=an_owner("RayJob", "rag", "ray.io"), waiting=Waiting())
    (workload,) = joined(pod, placement=objects(queued)).workloads
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
    (workload,) = joined(*pods, links=known).workloads
    assert (workload.id.name, workload.source) == ("chat", "label")
    (workload,) = joined(pods[0], links=known).workloads
    assert workload.source == "owner"


def test_jobs_of_one_name_and_several_groups_are_several_workloads() -> None:
    pods = (
        a_pod("a", controller=an_owner("Job", "train", "batch")),
        a_pod(
            "b", controller=Owner(api_group="batch.volcano.sh", kind="Job", name="train", uid="v")
        ),
    )
    space = joined(*pods)
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
    (workload,) = joined(*pods, placement=objects(group)).workloads
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
    assert joined(*pods).workloads[0].runtime == "pytorch"
    assert joined(*pods[:2]).workloads[0].runtime == "jax"


def test_a_pod_between_the_workload_and_its_pods_needs_no_card() -> None:
    driver = a_pod(
        "driver",
        containers=(a_container(limits={}),),
        controller=an_owner("SparkApplication", "etl", "sparkoperator.k8s.io"),
    )
    executor = a_pod(
        "exec-1", controller=Owner(api_group="", kind="Pod", name="driver", uid=driver.uid)
    )
    (workload,) = joined(driver, executor).workloads
    assert (workload.id.kind, workload.pod_names) == ("SparkApplication", ("exec-1",))


def test_what_was_refused_of_a_queued_job_is_told() -> None:
    refused = Rejection("kueue", "bad-quantity", "workload team-a/j", "is no number")
    obs = observations(
        [a_node()], placement=objects(a_queued("j", rejections=(refused,)), a_queued("k"))
    )
    assert Joiner().build(obs).rejections == (refused,)

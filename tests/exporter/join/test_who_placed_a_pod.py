"""facts/k8s.md 3.1 and 3.2: the scheduler that decided, and the queue that let in."""

from __future__ import annotations

import pytest

from gpuatlas.join.placement import place
from gpuatlas.join.queues import QueueName
from gpuatlas.model.objects import Pod
from gpuatlas.model.placement import Waiting
from gpuatlas_harness.observed import NOW, a_pod
from gpuatlas_harness.placed import Placeable, a_bind, a_group, a_queue, a_queued, inputs

HAMI, VOLCANO_NODE = {"hami.io/vgpu-node": "gpu-a"}, {"volcano.sh/vgpu-node": "gpu-a"}
RECEIVED = {"received-resource-type": "Fraction"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("default-scheduler", "default"),
        ("hami-scheduler", "hami"),
        ("volcano", "volcano"),
        ("kai-scheduler", "kai"),
        ("runai-scheduler", "kai"),
        ("yunikorn", "yunikorn"),
        ("koord-scheduler", "koordinator"),
        ("scheduler-plugins-scheduler", "scheduler-plugins-scheduler"),
        ("gke.io/optimize-utilization-scheduler", "gke.io/optimize-utilization-scheduler"),
        ("binpack-scheduler", "binpack-scheduler"),
        ("", ""),
    ],
)
@pytest.mark.parametrize("node", ["gpu-a", ""])
def test_by_the_name_in_the_spec(name: str, expected: str, node: str) -> None:
    assert place([a_pod(node=node, scheduler=name)], inputs(), NOW).scheduler == expected


@pytest.mark.parametrize(
    ("scheduler", "annotations", "decided", "expected"),
    [
        pytest.param("default-scheduler", HAMI, (), "hami", id="HAMi as an extender"),
        pytest.param("my-scheduler", HAMI, (), "hami", id="HAMi under any name"),
        pytest.param("kai-scheduler", HAMI, (a_bind("app-0"),), "hami", id="HAMi stands first"),
        pytest.param("my-scheduler", {}, (a_bind("app-0"),), "kai", id="KAI under another name"),
        pytest.param(
            "volcano", VOLCANO_NODE, (a_bind("app-0"),), "kai", id="KAI stands before Volcano"
        ),
        pytest.param("my-scheduler", VOLCANO_NODE, (), "volcano", id="Volcano under another name"),
        pytest.param("my-scheduler", RECEIVED, (), "kai", id="what KAI writes on pods"),
        pytest.param("volcano", RECEIVED, (), "volcano", id="a tenant cannot rename Volcano"),
        pytest.param(
            "default-scheduler",
            {"hami.io/vgpu-node": "gpu-b"},
            (),
            "default",
            id="HAMi's word for another node",
        ),
        pytest.param(
            "default-scheduler",
            {"volcano.sh/vgpu-node": "gpu-b"},
            (a_bind("app-0", "gpu-b"), a_bind("app-1")),
            "default",
            id="decisions for other nodes and pods",
        ),
        pytest.param(
            "default-scheduler",
            {"kubernetes.io/config.mirror": "7", **HAMI},
            (),
            "",
            id="nobody places a static pod",
        ),
    ],
)
def test_by_the_evidence_of_the_decision(
    scheduler: str, annotations: dict[str, str], decided: tuple[Placeable, ...], expected: str
) -> None:
    pod = a_pod(scheduler=scheduler, annotations=annotations)
    assert place([pod], inputs(*decided), NOW).scheduler == expected


def test_without_a_node_nothing_was_decided() -> None:
    pod = a_pod(node="", phase="Pending", annotations=HAMI | VOLCANO_NODE | RECEIVED)
    assert place([pod], inputs(a_bind("app-0")), NOW).scheduler == "default"


def test_of_several_pods_the_newest_with_a_node_speaks() -> None:
    pods = [
        a_pod("old", scheduler="volcano", created_at=NOW - 900),
        a_pod("new", scheduler="kai-scheduler", created_at=NOW - 600),
        a_pod("waits", "", scheduler="yunikorn", phase="Pending", created_at=NOW - 10),
        a_pod("done", scheduler="koord-scheduler", phase="Succeeded", created_at=NOW - 5),
    ]
    assert place(pods, inputs(), NOW).scheduler == "kai"
    assert place(pods[3:], inputs(), NOW).scheduler == "koordinator"
    assert place([], inputs(), NOW).scheduler == ""


LOCAL = a_queue("LocalQueue", "research", "shared-h100")
NOTHING = QueueName()


def the_queue(pod: Pod, *given: Placeable) -> QueueName:
    return place([pod], inputs(*given), NOW).queue


@pytest.mark.parametrize(
    ("labels", "annotations", "given", "expected"),
    [
        pytest.param(
            {
                "kueue.x-k8s.io/managed": "true",
                "kueue.x-k8s.io/podset": "main",
                "kueue.x-k8s.io/cluster-queue-name": "shared-h100",
                "kueue.x-k8s.io/local-queue-name": "research",
            },
            {},
            (),
            QueueName(name="shared-h100", kind="ClusterQueue", local="research"),
            id="labels of an admitted pod",
        ),
        pytest.param(
            {"kueue.x-k8s.io/queue-name": "research"},
            {},
            (LOCAL,),
            QueueName(name="shared-h100", kind="ClusterQueue", local="research"),
            id="LocalQueue to ClusterQueue",
        ),
        pytest.param(
            {"kueue.x-k8s.io/queue-name": "research"},
            {},
            (a_queue("LocalQueue", "research", "other", "team-b"),),
            QueueName(name="research", kind="LocalQueue", local="research"),
            id="the LocalQueue of another namespace",
        ),
        pytest.param(
            {},
            {"kueue.x-k8s.io/workload": "job-train-1"},
            (a_queued(waiting=Waiting(), cluster_queue="burst"), LOCAL),
            QueueName(name="burst", kind="ClusterQueue", local="research"),
            id="where the Workload was admitted",
        ),
        pytest.param(
            {},
            {"kueue.x-k8s.io/workload": "job-train-1"},
            (a_queued(), LOCAL),
            QueueName(name="shared-h100", kind="ClusterQueue", local="research"),
            id="where the Workload waits",
        ),
        pytest.param(
            {"kueue.x-k8s.io/pod-group-name": "sweep"},
            {},
            (a_queued("sweep", owner=None), LOCAL),
            QueueName(name="shared-h100", kind="ClusterQueue", local="research"),
            id="a group of plain pods",
        ),
        pytest.param({}, {"kueue.x-k8s.io/workload": "gone"}, (LOCAL,), NOTHING, id="no Workload"),
    ],
)
def test_queues_of_kueue(
    labels: dict[str, str],
    annotations: dict[str, str],
    given: tuple[Placeable, ...],
    expected: QueueName,
) -> None:
    assert the_queue(a_pod(labels=labels, annotations=annotations), *given) == expected


@pytest.mark.parametrize(
    ("scheduler", "labels", "annotations", "given", "expected"),
    [
        pytest.param(
            "volcano",
            {"volcano.sh/queue-name": "label"},
            {"scheduling.volcano.sh/queue-name": "annotation"},
            (),
            QueueName(name="annotation", kind="VolcanoQueue"),
            id="Volcano",
        ),
        pytest.param(
            "volcano",
            {"volcano.sh/queue-name": "label"},
            {},
            (),
            QueueName(name="label", kind="VolcanoQueue"),
            id="a Volcano Job's label",
        ),
        pytest.param(
            "volcano",
            {},
            {"scheduling.k8s.io/group-name": "pg", "scheduling.volcano.sh/queue-name": "old"},
            (a_group("volcano", queue="research"),),
            QueueName(name="research", kind="VolcanoQueue"),
            id="Volcano's group",
        ),
        pytest.param(
            "kai-scheduler",
            {"kai.scheduler/queue": "inference", "runai/queue": "old"},
            {},
            (),
            QueueName(name="inference", kind="KaiQueue"),
            id="KAI",
        ),
        pytest.param(
            "runai-scheduler",
            {"runai/queue": "old"},
            {},
            (),
            QueueName(name="old", kind="KaiQueue"),
            id="KAI's old label",
        ),
        pytest.param(
            "kai-scheduler",
            {"team/queue": "renamed"},
            {"pod-group-name": "pg"},
            (a_group("kai", queue="inference"),),
            QueueName(name="inference", kind="KaiQueue"),
            id="KAI's group, whatever the label's key",
        ),
        pytest.param(
            "yunikorn",
            {"yunikorn.apache.org/queue": "root.label", "queue": "root.old"},
            {"yunikorn.apache.org/queue": "root.annotation"},
            (),
            QueueName(name="root.label", kind="YuniKornQueue"),
            id="YuniKorn",
        ),
        pytest.param(
            "yunikorn",
            {"queue": "root.old"},
            {"yunikorn.apache.org/queue": "root.annotation"},
            (),
            QueueName(name="root.annotation", kind="YuniKornQueue"),
            id="YuniKorn's annotation",
        ),
        pytest.param(
            "yunikorn",
            {"queue": "root.old"},
            {},
            (),
            QueueName(name="root.old", kind="YuniKornQueue"),
            id="YuniKorn's old label",
        ),
        pytest.param(
            "default-scheduler",
            {"queue": "x", "kai.scheduler/queue": "y", "volcano.sh/queue-name": "z"},
            {"yunikorn.apache.org/queue": "w"},
            (),
            NOTHING,
            id="labels for schedulers that do not place it",
        ),
        pytest.param("kai-scheduler", {}, {}, (), NOTHING, id="none"),
    ],
)
def test_queues_of_schedulers(
    scheduler: str,
    labels: dict[str, str],
    annotations: dict[str, str],
    given: tuple[Placeable, ...],
    expected: QueueName,
) -> None:
    pod = a_pod(scheduler=scheduler, labels=labels, annotations=annotations)
    assert the_queue(pod, *given) == expected


def test_kueue_admits_before_a_scheduler_looks() -> None:
    pod = a_pod(
        scheduler="volcano",
        labels={"kueue.x-k8s.io/queue-name": "research"},
        annotations={"scheduling.k8s.io/group-name": "pg"},
    )
    given = (LOCAL, a_group("volcano", queue="default"))
    assert the_queue(pod, *given).name == "shared-h100"

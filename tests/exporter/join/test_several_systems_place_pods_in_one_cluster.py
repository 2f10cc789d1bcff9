"""HAMi, Volcano, KAI, Kueue, YuniKorn and plain Kubernetes side by side, each pod by its own.

The objects are those of tests/fixtures/placement, read by the sources.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from gpuatlas.join.owners import LABEL, identify
from gpuatlas.join.placement import Placement, PlacementInputs, Wait, place
from gpuatlas.join.placement_index import index_placement, told_owners
from gpuatlas.model.placement import PlacementObjects
from gpuatlas.model.pod_spec import Gang, PodScheduling
from gpuatlas.sources.placement import kai, kueue, native, volcano
from gpuatlas_harness.observed import NOW, a_pod
from gpuatlas_harness.owned import an_owner
from gpuatlas_harness.placed import held_workloads

FIXTURES = Path(__file__).parents[2] / "fixtures" / "placement"
PROJECTIONS: dict[tuple[str, str], tuple[str, Any]] = {
    ("kueue.x-k8s.io", "Workload"): ("workloads", kueue.project_workload),
    ("kueue.x-k8s.io", "LocalQueue"): ("queues", kueue.project_local_queue),
    ("kueue.x-k8s.io", "ClusterQueue"): ("queues", kueue.project_cluster_queue),
    ("scheduling.volcano.sh", "PodGroup"): ("groups", volcano.project_group),
    ("scheduling.volcano.sh", "Queue"): ("queues", volcano.project_queue),
    ("scheduling.run.ai", "PodGroup"): ("groups", kai.project_group),
    ("scheduling.run.ai", "Queue"): ("queues", kai.project_queue),
    ("scheduling.run.ai", "BindRequest"): ("binds", kai.project_bind_request),
    ("scheduling.k8s.io", "PodGroup"): ("groups", native.project_group),
    ("scheduling.k8s.io", "Workload"): ("templates", native.project_workload),
}


def the_objects() -> PlacementObjects:
    found: dict[str, dict[str, Any]] = {
        name: {} for name in ("workloads", "queues", "groups", "templates", "binds")
    }
    for path in sorted(FIXTURES.glob("*/*.yaml")):
        raw = yaml.safe_load(path.read_text())
        known = PROJECTIONS.get((raw["apiVersion"].partition("/")[0], raw["kind"]))
        value = known[1](raw) if known else None
        if known and value is not None:
            found[known[0]][value.uid] = value
    return PlacementObjects(**found)


INDEX = index_placement(the_objects())
PODS = {
    pod.name: pod
    for pod in (
        a_pod("plain"),
        a_pod("shared", annotations={"hami.io/vgpu-node": "gpu-a"}),
        a_pod(
            "finetune-worker-0",
            "",
            phase="Pending",
            scheduler="volcano",
            waiting_reason="Unschedulable",
            controller=an_owner(("batch.volcano.sh", "Job"), "finetune"),
            annotations={"scheduling.k8s.io/group-name": "finetune-0c1d"},
            created_at=NOW - 1800,
        ),
        a_pod(
            "chat-0",
            namespace="team-c",
            scheduler="my-scheduler",
            labels={"kai.scheduler/queue": "inference", "runai-gpu-group": "6b1d2f3c"},
        ),
        a_pod(
            "score-worker-0",
            "",
            namespace="team-c",
            phase="Pending",
            scheduler="kai-scheduler",
            controller=an_owner(("ray.io", "RayCluster"), "score-x7k2p"),
            annotations={"pod-group-name": "pg-score-32000000-0000-4000-8000-000000000021"},
            created_at=NOW - 600,
        ),
        a_pod(
            "tune-node-0-0",
            controller=an_owner(("batch", "Job"), "tune-node-0"),
            labels={"jobset.sigs.k8s.io/jobset-name": "tune"},
            annotations={"kueue.x-k8s.io/workload": "trainjob-tune-81c0d"},
        ),
        a_pod(
            "sweep-0",
            "",
            phase="Pending",
            waiting_reason="SchedulingGated",
            labels={"kueue.x-k8s.io/pod-group-name": "sweep"},
            created_at=NOW - 1800,
            scheduling=PodScheduling(gates=("kueue.x-k8s.io/admission",)),
        ),
        a_pod(
            "etl-driver",
            scheduler="yunikorn",
            labels={"queue": "root.etl", "applicationId": "e"},
            scheduling=PodScheduling(gangs=(Gang(system="yunikorn", name="e", minimum=6),)),
        ),
        a_pod(
            "workers-0",
            "",
            phase="Pending",
            created_at=NOW - 3600,
            scheduling=PodScheduling(native_group="train-workers-0"),
        ),
    )
}
INPUTS = PlacementInputs(index=INDEX)


def placed(name: str) -> Placement:
    return place([PODS[name]], INPUTS, NOW)


def told_workload(name: str) -> tuple[str, str, str]:
    pod = PODS[name]
    told = told_owners(pod, INDEX)
    identity = identify(pod, {}, told=told)
    return identity.workload.kind, identity.workload.name, identity.source


def test_each_scheduler_is_told_apart() -> None:
    assert {name: placed(name).scheduler for name in PODS} == {
        "plain": "default",
        "shared": "hami",
        "finetune-worker-0": "volcano",
        "chat-0": "kai",
        "score-worker-0": "kai",
        "tune-node-0-0": "default",
        "sweep-0": "default",
        "etl-driver": "yunikorn",
        "workers-0": "default",
    }


def test_each_queue_is_the_right_system_s() -> None:
    queues = {name: placed(name).queue for name in PODS}
    assert {name: (queue.kind, queue.name) for name, queue in queues.items() if queue.name} == {
        "finetune-worker-0": ("VolcanoQueue", "research"),
        "chat-0": ("KaiQueue", "inference"),
        "score-worker-0": ("KaiQueue", "inference"),
        "tune-node-0-0": ("ClusterQueue", "shared-h100"),
        "sweep-0": ("ClusterQueue", "shared-h100"),
        "etl-driver": ("YuniKornQueue", "root.etl"),
    }


def test_each_gang_is_the_right_system_s() -> None:
    gangs = {name: placed(name).gang for name in PODS}
    assert {name: (g.system, g.name, g.minimum) for name, g in gangs.items() if g} == {
        "finetune-worker-0": ("volcano", "finetune-0c1d", 3),
        "score-worker-0": ("kai", "pg-score-32000000-0000-4000-8000-000000000021", 3),
        "sweep-0": ("kueue", "sweep", 2),
        "etl-driver": ("yunikorn", "e", 6),
        "workers-0": ("native", "train-workers-0", 8),
    }


def test_each_pod_waits_for_its_own_reason() -> None:
    waiting = {name: placed(name).waiting for name in PODS}
    assert {name: waits for name, waits in waiting.items() if waits} == {
        "finetune-worker-0": {
            "VolcanoNotEnoughResources": Wait(
                seconds=1800.0,
                text="3/3 tasks in gang unschedulable: pod group is not ready, 3 Pending, "
                "3 minAvailable; Pending: 3 Unschedulable",
            )
        },
        "score-worker-0": {
            "KaiOverLimit": Wait(
                seconds=600.0, text="inference quota has reached the allowable limit of GPUs"
            )
        },
        "sweep-0": {"KueuePending": Wait(seconds=1800.0, text="")},
        "workers-0": {
            "GroupUnschedulable": Wait(seconds=3600.0, text="0/3 nodes are available for 8 pods")
        },
    }


def test_kueue_and_kai_name_the_jobs_that_nobody_else_could() -> None:
    assert told_workload("score-worker-0") == ("RayJob", "score", LABEL)
    assert told_workload("tune-node-0-0") == ("TrainJob", "tune", LABEL)


def test_only_jobs_without_pods_are_held() -> None:
    held = held_workloads(INPUTS, PODS.values(), NOW)
    assert [(w.id.kind, w.id.name, dict(w.requested), list(w.waiting)) for w in held] == [
        ("Job", "pretrain", {"nvidia.com/gpu": 32}, ["KueueWaitingForQuota"]),
        ("Job", "flaky", {"nvidia.com/gpu": 1}, ["KueueDeactivated"]),
        ("PyTorchJob", "eval", {"nvidia.com/gpu": 4}, ["KueueUnsatisfiedAdmissionChecks"]),
        ("RayJob", "score", {"nvidia.com/gpu": 8}, ["KueueInadmissible"]),
    ]
    assert [wait.seconds for w in held for wait in w.waiting.values()] == [
        3600.0,
        15_600.0,  # since its eviction
        7200.0,
        10_800.0,
    ]

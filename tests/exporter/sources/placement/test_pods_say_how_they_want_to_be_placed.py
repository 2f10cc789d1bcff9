"""Gates and placeholders that a pod's own object declares."""

from __future__ import annotations

import pytest

from gpuatlas.model.pod_spec import PodScheduling
from gpuatlas.sources.placement.pod import trim_scheduling
from gpuatlas_harness.declared import read_pod

TAINT = "3 node(s) had untolerated taint {nvidia.com/gpu: present}"


def test_spec_and_status_of_a_gated_pod() -> None:
    scheduling, refused = read_pod(
        {
            "schedulingGates": [{"name": "kueue.x-k8s.io/admission"}, {}, {"name": "a.example/b"}],
            "schedulingGroup": {"podGroupName": "train-workers-0"},
            "workloadRef": {"name": "train", "podGroup": "workers", "podGroupReplicaKey": "0"},
        },
        {
            "conditions": [
                {"type": "Ready", "status": "False", "message": "not this one"},
                {
                    "type": "PodScheduled",
                    "status": "False",
                    "reason": "Unschedulable",
                    "message": f"0/5 nodes are available: {TAINT}.",
                },
            ]
        },
    )
    assert refused == ()
    assert scheduling == PodScheduling(
        gates=("kueue.x-k8s.io/admission", "a.example/b"),
        cause="UntoleratedTaint",
        message=f"0/5 nodes are available: {TAINT}.",
        native_group="train-workers-0",
        native_workload="train",
        native_template="workers",
    )


def test_a_scheduled_pod_says_nothing() -> None:
    status = {"conditions": [{"type": "PodScheduled", "status": "True", "message": "old"}]}
    assert read_pod(status=status) == (PodScheduling(), ())


def test_gates_are_bounded() -> None:
    scheduling, _ = read_pod(
        {"schedulingGates": [{"name": f"g{n}" + "x" * 300} for n in range(99)]}
    )
    assert len(scheduling.gates) == 16
    assert all(len(gate) == 200 for gate in scheduling.gates)


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("yunikorn.apache.org/placeholder", "true", True),
        ("si.internal.yunikorn.example/placeholder", "true", True),
        ("yunikorn.apache.org/placeholder", "false", False),
        ("team.example/placeholder", "true", False),
    ],
)
def test_placeholders_hold_cards_without_work(key: str, value: str, expected: bool) -> None:  # noqa: FBT001
    scheduling, _ = read_pod(annotations={key: value})
    assert scheduling.placeholder is expected


def test_a_trimmed_pod_keeps_only_what_is_read() -> None:
    condition = {"type": "PodScheduled", "status": "False", "message": "m" * 9000, "reason": "R"}
    spec, status = trim_scheduling(
        {"schedulingGates": [{"name": "g", "x": 1}], "containers": [{"name": "a"}]},
        {"conditions": [condition], "phase": "Pending"},
    )
    assert spec == {"schedulingGates": [{"name": "g"}]}
    assert status == {
        "conditions": [{"type": "PodScheduled", "status": "False", "message": "m" * 4096}]
    }

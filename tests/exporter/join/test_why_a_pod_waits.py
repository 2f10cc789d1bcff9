"""facts/k8s.md 5.1: fixed words for label values, texts for people, seconds since creation."""

from __future__ import annotations

import pytest

from gpuatlas.join.placement import Wait, place
from gpuatlas.model.objects import Pod
from gpuatlas.model.placement import Waiting
from gpuatlas.model.pod_spec import PodScheduling
from gpuatlas_harness.observed import NOW, a_pod
from gpuatlas_harness.placed import Placeable, a_group, a_queued, inputs

NOTHING = PodScheduling()
FULL = PodScheduling(
    cause="InsufficientDevices", message="0/2 nodes: 2 Insufficient nvidia.com/gpu"
)
OVER = Waiting(reason="KaiOverLimit", text="quota")
KUEUE, KAI, VOLCANO = "kueue.x-k8s.io/workload", "pod-group-name", "scheduling.k8s.io/group-name"


def a_waiting_pod(
    scheduling: PodScheduling = NOTHING, reason: str = "", *annotations: tuple[str, str]
) -> Pod:
    return a_pod(
        node="",
        phase="Pending",
        waiting_reason=reason,
        annotations=dict(annotations),
        created_at=NOW - 90,
        scheduling=scheduling,
    )


@pytest.mark.parametrize(
    ("reason", "annotation", "scheduling", "given", "expected"),
    [
        pytest.param("", (), NOTHING, (), ("Unscheduled", ""), id="nobody has looked yet"),
        pytest.param(
            "Unschedulable", (), FULL, (), ("InsufficientDevices", FULL.message), id="no card free"
        ),
        pytest.param("Unschedulable", (), NOTHING, (), ("Unschedulable", ""), id="no message"),
        pytest.param(
            "SchedulerError",
            (),
            PodScheduling(cause="Unschedulable", message="binding rejected"),
            (),
            ("SchedulerError", "binding rejected"),
            id="the scheduler failed",
        ),
        pytest.param(
            "BindingError",
            (KAI, "pg"),
            PodScheduling(cause="Unschedulable", message="Failed to bind"),
            (a_group("kai", waiting=OVER),),
            ("BindingError", "Failed to bind"),
            id="KAI could not bind",
        ),
        pytest.param(
            "Invented",
            (),
            PodScheduling(message="x"),
            (),
            ("Unscheduled", "x"),
            id="unknown reason",
        ),
        pytest.param(
            "SchedulingGated",
            (),
            PodScheduling(gates=("kueue.x-k8s.io/admission", "a.example/b"), message="m"),
            (),
            ("GatedByKueue", "kueue.x-k8s.io/admission, a.example/b"),
            id="gated by Kueue",
        ),
        pytest.param(
            "SchedulingGated",
            (),
            PodScheduling(gates=("kueue.x-k8s.io/topology",)),
            (),
            ("GatedByKueue", "kueue.x-k8s.io/topology"),
            id="gated by Kueue's topology",
        ),
        pytest.param(
            "SchedulingGated",
            (),
            PodScheduling(gates=("scheduling.volcano.sh/queue-allocation-gate",)),
            (),
            ("GatedByVolcano", "scheduling.volcano.sh/queue-allocation-gate"),
            id="gated by Volcano",
        ),
        pytest.param(
            "SchedulingGated",
            (),
            PodScheduling(gates=("grove.io/podgang-pending-creation",)),
            (),
            ("GatedByGrove", "grove.io/podgang-pending-creation"),
            id="gated by Grove",
        ),
        pytest.param(
            "SchedulingGated",
            (),
            PodScheduling(gates=("team.example/later",)),
            (),
            ("Gated", "team.example/later"),
            id="gated by somebody",
        ),
        pytest.param(
            "SchedulingGated",
            (KUEUE, "job-train-1"),
            PodScheduling(gates=("kueue.x-k8s.io/admission",)),
            (a_queued(),),
            ("KueueWaitingForQuota", "24 more needed"),
            id="Kueue says why it holds the gate",
        ),
        pytest.param(
            "Unschedulable",
            (KUEUE, "job-train-1"),
            FULL,
            (a_queued(waiting=Waiting()),),
            ("InsufficientDevices", FULL.message),
            id="admitted, and no card free",
        ),
        pytest.param(
            "Unschedulable",
            (KAI, "pg"),
            FULL,
            (a_group("kai", waiting=OVER),),
            ("KaiOverLimit", "quota"),
            id="the queue's limit, not the nodes",
        ),
        pytest.param(
            "Unschedulable",
            (KAI, "pg"),
            FULL,
            (a_group("kai", waiting=Waiting(reason="KaiUnschedulable", text="t")),),
            ("InsufficientDevices", FULL.message),
            id="the nodes say more than the group",
        ),
        pytest.param(
            "Unschedulable",
            (KAI, "pg"),
            PodScheduling(cause="Unschedulable", message="m"),
            (a_group("kai", waiting=Waiting(reason="KaiUnschedulable", text="t")),),
            ("KaiUnschedulable", "t"),
            id="neither says much",
        ),
        pytest.param(
            "",
            (VOLCANO, "pg"),
            NOTHING,
            (a_group("volcano", waiting=Waiting(reason="VolcanoNotEnqueued", text="t")),),
            ("VolcanoNotEnqueued", "t"),
            id="Volcano's queue has not let it in",
        ),
        pytest.param(
            "Unschedulable",
            (VOLCANO, "pg"),
            PodScheduling(cause="Unschedulable", message="pod group is not ready"),
            (a_group("volcano", waiting=Waiting(reason="VolcanoNotEnoughResources", text="t")),),
            ("VolcanoNotEnoughResources", "t"),
            id="Volcano's gang finds no room",
        ),
        pytest.param(
            "Unschedulable",
            (VOLCANO, "pg"),
            FULL,
            (a_group("volcano", waiting=Waiting(reason="VolcanoNotEnoughTasks", text="t")),),
            ("VolcanoNotEnoughTasks", "t"),
            id="Volcano's gang is not complete",
        ),
    ],
)
def test_reasons(
    reason: str,
    annotation: tuple[str, str] | tuple[()],
    scheduling: PodScheduling,
    given: tuple[Placeable, ...],
    expected: tuple[str, str],
) -> None:
    pod = a_waiting_pod(scheduling, reason, *([annotation] if annotation else []))
    placement = place([pod], inputs(*given), NOW)
    word, text = expected
    assert placement.waiting == {word: Wait(seconds=90.0, text=text)}


def test_a_native_group_says_why() -> None:
    group = a_group("native", waiting=Waiting(reason="GroupSchedulerError", text="t"))
    pod = a_waiting_pod(PodScheduling(native_group="pg"))
    assert place([pod], inputs(group), NOW).waiting == {
        "GroupSchedulerError": Wait(seconds=90.0, text="t")
    }


@pytest.mark.parametrize(
    "pod",
    [
        a_pod(phase="Pending"),
        a_pod(phase="Running"),
        a_pod(node="", phase="Failed"),
        a_pod(node="", phase="Unknown"),
    ],
    ids=["pulls its image", "runs", "failed", "lost"],
)
def test_who_does_not_wait_for_a_node(pod: Pod) -> None:
    assert place([pod], inputs(), NOW).waiting == {}


def test_the_longest_wait_for_each_reason_with_its_own_text() -> None:
    pods = [
        a_pod(
            f"p{n}",
            "",
            phase="Pending",
            waiting_reason="Unschedulable",
            created_at=NOW - age,
            scheduling=PodScheduling(cause=cause, message=f"m{n}"),
        )
        for n, (age, cause) in enumerate([(30, "A"), (90, "A"), (60, "A"), (10, "B"), (-50, "C")])
    ]
    assert place(pods, inputs(), NOW).waiting == {
        "A": Wait(seconds=90.0, text="m1"),
        "B": Wait(seconds=10.0, text="m3"),
        "C": Wait(seconds=0.0, text="m4"),
    }


def test_texts_are_short_lines() -> None:
    gates = tuple(f"g{n}.example/" + "x" * 180 for n in range(9))
    pod = a_waiting_pod(PodScheduling(gates=gates))
    (wait,) = place([pod], inputs(), NOW).waiting.values()
    assert len(wait.text) == 200

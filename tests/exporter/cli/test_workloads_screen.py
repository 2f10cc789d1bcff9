"""Kind, runtime, gang, scheduler and queue of every workload, at every width."""

from __future__ import annotations

import re

import pytest

from gpuatlas.cli.screens.glyphs import UNICODE
from gpuatlas.cli.screens.waiting_words import waiting_words
from gpuatlas.cli.screens.workloads import workloads_screen
from gpuatlas.cli.selection import WorkloadView
from gpuatlas.model.snapshot import Workload
from gpuatlas_harness import build


def a_workload(**changes: object) -> Workload:
    plain: dict[str, object] = {
        "id": build.a_workload_id(api_group="batch.volcano.sh", kind="Job", name="train"),
        "runtime": "pytorch",
        "scheduler": "volcano",
        "queue": "prod",
        "queue_kind": "VolcanoQueue",
        "gang": "podgroup-1",
        "gang_system": "volcano",
        "gang_min_members": 8,
        "gangs": 1,
        "pods": {"Running": 8},
        "waiting": {},
        "memory_ahead": None,
    }
    return build.a_workload(**(plain | changes))


def screen(*workloads: Workload, width: int = 80) -> list[str]:
    views = [WorkloadView(workload, ()) for workload in workloads]
    lines = workloads_screen(views, build.NOW, finished=False, width=width, glyphs=UNICODE)
    return [str(line) for line in lines]


def line_with(text: str, lines: list[str]) -> str:
    (found,) = [line for line in lines if text in line]
    return " ".join(found.split())


def test_a_narrow_screen_has_a_line_for_it() -> None:
    lines = screen(a_workload())
    assert line_with("vcjob", lines).startswith("vcjob/train running 8/8")
    assert "runtime pytorch · scheduler volcano · queue prod · gang of 8 (volcano)" in " ".join(
        " ".join(lines).split()
    )


def test_a_wide_screen_has_columns_for_it() -> None:
    lines = screen(a_workload(), width=200)
    assert re.split(r"\s{2,}", line_with_spaces("train", lines))[:6] == [
        "Job.batch.volcano.sh/train",
        "running 8/8",
        "pytorch",
        "volcano",
        "prod",
        "8 (volcano)",
    ]


def test_a_name_that_does_not_fit_has_its_kind_cut_first() -> None:
    long = a_workload(
        id=build.a_workload_id(api_group="batch.volcano.sh", kind="Job", name="n" * 20),
        queue="a-cluster-queue-with-a-rather-long-name",
        local_queue="a-local-queue-with-a-rather-long-name",
    )
    assert line_with_spaces("nnn", screen(long, width=160)).startswith(f"vcjob/{'n' * 20}  ")
    assert line_with_spaces("nnn", screen(long, width=220)).startswith("Job.batch.volcano.sh/nnn")


def line_with_spaces(text: str, lines: list[str]) -> str:
    (found,) = [line for line in lines if text in line]
    return found


@pytest.mark.parametrize("width", [80, 110, 149, 150, 200])
def test_it_all_fits(width: int) -> None:
    workloads = (
        a_workload(),
        a_workload(
            id=build.a_workload_id(
                api_group="serving.kserve.io", kind="LLMInferenceService", name="a" * 63
            ),
            scheduler="gke.io/optimize-utilization-scheduler",
            queue="a-cluster-queue-with-a-rather-long-name",
            local_queue="a-local-queue-with-a-rather-long-name",
            runtime="tensorflow-serving",
            waiting={"KueueWaitingForQuota": 4530.0},
            waiting_texts={"KueueWaitingForQuota": "insufficient unused quota " * 7},
        ),
    )
    lines = screen(*workloads, width=width)
    assert max(map(len, lines)) <= width
    text = " ".join(" ".join(lines).split())
    assert "waiting for 1h15m: its queue has no quota left (KueueWaitingForQuota)" in text


def test_nothing_is_said_of_what_it_has_not() -> None:
    alone = a_workload(
        id=build.a_workload_id(api_group="", kind="Pod", name="scratch"),
        runtime="unknown",
        scheduler="",
        queue="",
        gang="",
        gang_system="",
        gang_min_members=None,
        gangs=0,
    )
    assert line_with("runtime", screen(alone)) == "runtime unknown"
    assert line_with_spaces("scratch", screen(alone, width=200)).split()[:6] == [
        "Pod/scratch",
        "running",
        "8/8",
        "unknown",
        "–",
        "–",
    ]


def test_a_job_that_a_queue_holds_back() -> None:
    held = a_workload(
        scheduler="",
        queue="shared-h100",
        local_queue="research",
        gang_system="kueue",
        pods={},
        held_pods=8,
        waiting={"KueueWaitingForQuota": 900.0},
        waiting_texts={"KueueWaitingForQuota": "24 more needed"},
    )
    lines = screen(held)
    assert line_with("vcjob", lines).startswith("vcjob/train waiting 0/8")
    assert (
        line_with("queue shared", lines)
        == "runtime pytorch · queue shared-h100 by research · gang of 8 (kueue)"
    )
    start = lines.index(next(line for line in lines if "waiting for 15m" in line))
    assert [line.strip() for line in lines[start : start + 2]] == [
        "waiting for 15m: its queue has no quota left (KueueWaitingForQuota)",
        "24 more needed",
    ]


def test_a_wait_since_nobody_knows_when() -> None:
    lines = screen(a_workload(waiting={}, waiting_texts={"Gated": ""}))
    assert line_with("waiting:", lines) == "waiting: a scheduling gate holds it back (Gated)"
    assert line_with("vcjob", lines).startswith("vcjob/train waiting 8/8")


@pytest.mark.parametrize("width", [80, 200])
def test_what_else_is_known(width: int) -> None:
    lines = screen(
        a_workload(memory_ahead=0.9, placeholders=2, source="label", gangs=3), width=width
    )
    text = " ".join(" ".join(lines).split())
    assert "pytorch (90% ahead)" in text
    assert "2 placeholder pods among its pods · owner told by a label" in text
    assert "8 (volcano, 3 gangs)" in text


REASONS = re.findall(
    r"\w+",
    """
Unscheduled Unschedulable InsufficientDevices InsufficientNodeResources UntoleratedTaint
NodeAffinity NodesCordoned ClaimsNotAllocated SchedulerError BindingError
Gated GatedByKueue GatedByVolcano GatedByGrove GroupUnschedulable GroupSchedulerError
KueueNoMatchingFlavor KueueWaitingForQuota KueueExceedsMaxQuota KueueTopologyPlacementFailed
KueueWaitingForPreemptedWorkloads KueueMisconfigured KueueSuspended KueuePendingEvaluation
KueueWaitingForPodsReady KueuePending KueueInadmissible KueueOnHold KueueWaiting
KueueAdmissionGated KueueNoReservation KueueUnsatisfiedAdmissionChecks
KueuePendingDelayedTopologyRequests KueueNotAdmitted KueueDeactivated
VolcanoUnschedulable VolcanoNotEnoughResources VolcanoNotEnoughTasks VolcanoNotEnoughPodsOfTask
VolcanoPodFailed VolcanoPodDeleted VolcanoNotEnqueued
KaiUnschedulable KaiNonPreemptibleOverQuota KaiOverLimit KaiQueueDoesNotExist
HamiCardInsufficientMemory HamiCardInsufficientCore HamiCardTimeSlicingExhausted
HamiNodeInsufficientDevice HamiExclusiveDeviceAllocateConflict HamiResourceQuotaNotFit
HamiCardMigTopologyInfeasible HamiCardUuidMismatch HamiCardTypeMismatch HamiCardNotHealth
HamiCardCordoned HamiNumaNotFit HamiModeNotFit
""",
)


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_of_the_join_is_said_in_words(reason: str) -> None:
    said = waiting_words(reason)
    assert said.endswith(f" ({reason})")
    assert len(said) > len(reason) + 10


def test_a_reason_that_is_new_stands_for_itself() -> None:
    assert waiting_words("SomethingElse") == "SomethingElse"

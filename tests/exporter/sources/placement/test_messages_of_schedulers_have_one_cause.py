"""Why a pod is not placed, of all that its scheduler says."""

from __future__ import annotations

import pytest

from gpuatlas.sources.placement.messages import read_cause

TAINT = "3 node(s) had untolerated taint {nvidia.com/gpu: present}"
TAIL = "preemption: 0/5 nodes are available: 5 No preemption victims found for incoming pod."

DEVICES = "InsufficientDevices"
OTHERS = "InsufficientNodeResources"


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        (f"2 Insufficient nvidia.com/gpu, {TAINT}.", DEVICES),
        (f"{TAINT}, 2 Insufficient nvidia.com/gpu. {TAIL}", DEVICES),
        ("5 Insufficient nvidia.com/mig-1g.10gb.", DEVICES),
        ("5 Insufficient huawei.com/Ascend910B3-memory.", DEVICES),
        ("5 Insufficient volcano.sh/vgpu-number.", DEVICES),
        ("Insufficient nvidia.com/gpu (9), MatchNodeSelector (18).", DEVICES),
        ("4 Insufficient cpu, 1 Insufficient memory.", OTHERS),
        ("5 Insufficient rdma/hca.", OTHERS),
        ("5 Too many pods.", OTHERS),
        ("5 cannot allocate all claims. still not schedulable", "ClaimsNotAllocated"),
        (f"{TAINT}.", "UntoleratedTaint"),
        ("3 node(s) didn't match Pod's node affinity/selector.", "NodeAffinity"),
        ("3 node(s) were unschedulable.", "NodesCordoned"),
        ("1/2 CardInsufficientMemory, 2 Insufficient cpu.", "HamiCardInsufficientMemory"),
        ("1/2 CardInsufficientCore.", "HamiCardInsufficientCore"),
        ("1/1 CardTimeSlicingExhausted", "HamiCardTimeSlicingExhausted"),
        ("1/1 NodeInsufficientDevice", "HamiNodeInsufficientDevice"),
        ("1/1 ExclusiveDeviceAllocateConflict", "HamiExclusiveDeviceAllocateConflict"),
        ("1/1 ResourceQuotaNotFit", "HamiResourceQuotaNotFit"),
        ("1/1 CardMigTopologyInfeasible", "HamiCardMigTopologyInfeasible"),
        ("1/1 CardUuidMismatch", "HamiCardUuidMismatch"),
        ("1/1 CardTypeMismatch", "HamiCardTypeMismatch"),
        ("1/1 CardNotHealth", "HamiCardNotHealth"),
        ("1/1 CardCordoned", "HamiCardCordoned"),
        ("1/1 NumaNotFit", "HamiNumaNotFit"),
        ("1/1 ModeNotFit", "HamiModeNotFit"),
        ("no nodes with enough resources were found", "Unschedulable"),
        (f"{TAINT}. preemption: 5 Insufficient nvidia.com/gpu.", "UntoleratedTaint"),
        ("preemption: 5 Insufficient nvidia.com/gpu", "Unschedulable"),
    ],
)
def test_the_message_has_one_cause(said: str, cause: str) -> None:
    message = f"0/5 nodes are available: {said}"
    assert read_cause(message) == (cause, message)


@pytest.mark.parametrize("message", ["", "  ", "\n"])
def test_no_message_has_no_cause(message: str) -> None:
    assert read_cause(message) == ("", "")


def test_the_part_that_decided_is_shown_where_it_stands_far_behind() -> None:
    taints = ", ".join(f"1 node(s) had untolerated taint {{k{n}: v}}" for n in range(20))
    message = f"0/40 nodes are available: {taints}, 20 Insufficient nvidia.com/gpu. {TAIL}"
    assert read_cause(message) == ("InsufficientDevices", "20 Insufficient nvidia.com/gpu")


def test_a_message_without_end_is_read_to_its_limit() -> None:
    cause, text = read_cause("x" * 5000 + ": 2 Insufficient nvidia.com/gpu.")
    assert (cause, text) == ("Unschedulable", "x" * 199 + "…")

"""PodGroups, queues and decisions of Volcano, KAI, coscheduling and Kubernetes itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpuatlas.model.objects import Owner
from gpuatlas.model.placement import BindRequest, GangTemplates, PodGroup, Queue, Waiting
from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.placement import coscheduling, kai, native, volcano

Object = dict[str, Any]
Written = Callable[[str], Object]


def test_a_volcano_group_that_finds_no_room(written: Written) -> None:
    group = volcano.project_group(written("volcano-v1beta1/podgroup-not-enough-resources"))
    assert group == PodGroup(
        system="volcano",
        uid="34000000-0000-4000-8000-000000000001",
        namespace="team-a",
        name="finetune-0c1d",
        queue="research",
        minimum=3,
        waiting=Waiting(
            reason="VolcanoNotEnoughResources",
            text="3/3 tasks in gang unschedulable: pod group is not ready, 3 Pending, "
            "3 minAvailable; Pending: 3 Unschedulable",
        ),
    )


def test_volcano_leaves_the_old_condition_on_a_scheduled_group(written: Written) -> None:
    group = volcano.project_group(written("volcano-v1beta1/podgroup-running"))
    assert (group.waiting, group.minimum) == (Waiting(), 1)


def test_a_volcano_group_that_the_queue_did_not_let_in(written: Written) -> None:
    group = volcano.project_group(written("volcano-v1beta1/podgroup-pending"))
    assert group.waiting.reason == "VolcanoNotEnqueued"


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        ("NotEnoughTasks", "VolcanoNotEnoughTasks"),
        ("NotEnoughPodsOfTask", "VolcanoNotEnoughPodsOfTask"),
        ("PodFailed", "VolcanoPodFailed"),
        ("PodDeleted", "VolcanoPodDeleted"),
        ("Invented", "VolcanoUnschedulable"),
        (None, "VolcanoUnschedulable"),
    ],
)
def test_reasons_of_volcano(reason: str | None, word: str, written: Written) -> None:
    raw = written("volcano-v1beta1/podgroup-not-enough-resources")
    raw["status"]["conditions"][1]["reason"] = reason
    assert volcano.project_group(raw).waiting.reason == word


@pytest.mark.parametrize(
    ("state", "is_open"),
    [("Open", True), ("Unknown", True), ("Closing", False), ("Closed", False), (None, True)],
)
def test_a_volcano_queue(state: str | None, is_open: bool, written: Written) -> None:  # noqa: FBT001
    raw = written("volcano-v1beta1/queue")
    raw["status"]["state"] = state
    assert volcano.project_queue(raw) == Queue(
        kind="VolcanoQueue",
        uid="36000000-0000-4000-8000-000000000001",
        namespace="",
        name="research",
        parent="root",
        open=is_open,
    )


def test_a_kai_group_over_its_limit(written: Written) -> None:
    assert kai.project_group(written("kai-2026-03/podgroup-over-limit")) == PodGroup(
        system="kai",
        uid="37000000-0000-4000-8000-000000000001",
        namespace="team-c",
        name="pg-score-32000000-0000-4000-8000-000000000021",
        queue="inference",
        minimum=3,
        waiting=Waiting(
            reason="KaiOverLimit", text="inference quota has reached the allowable limit of GPUs"
        ),
        top_owner=Owner(
            api_group="ray.io",
            kind="RayJob",
            name="score",
            uid="32000000-0000-4000-8000-000000000021",
        ),
    )


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        ("NonPreemptibleOverQuota", "KaiNonPreemptibleOverQuota"),
        ("QueueDoesNotExist", "KaiQueueDoesNotExist"),
        ("free text", "KaiUnschedulable"),
    ],
)
def test_reasons_of_kai(reason: str, word: str, written: Written) -> None:
    raw = written("kai-2026-03/podgroup-over-limit")
    raw["status"]["schedulingConditions"][0]["reasons"][0]["reason"] = reason
    assert kai.project_group(raw).waiting.reason == word


def test_kai_sub_groups_are_added_up_where_they_hold_pods(written: Written) -> None:
    group = kai.project_group(written("kai-2026-03/podgroup-subgroups"))
    assert group.minimum == 4 + 2 + 1
    assert group.waiting == Waiting(
        reason="KaiUnschedulable", text="no nodes with enough resources were found"
    )
    assert group.top_owner is None


def test_a_kai_condition_that_is_over_says_nothing(written: Written) -> None:
    raw = written("kai-2026-03/podgroup-over-limit")
    raw["status"]["schedulingConditions"][0]["status"] = "False"
    assert kai.project_group(raw).waiting == Waiting()


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        (
            "name: a\nkind: Pod\ngroup: \"\"\nuid: '7'\n",
            Owner(api_group="", kind="Pod", name="a", uid="7"),
        ),
        ("name: a\r\nkind: Job\r\n", Owner(api_group="", kind="Job", name="a", uid="")),
        ("name: a", None),
        ("kind: Pod", None),
        ("", None),
        ("name:a\nkind:b", None),
        ("- x\n{}", None),
        ("name: a\nkind: b\n" + "x" * 2048, None),
    ],
)
def test_top_owner_annotation(text: str, owner: Owner | None) -> None:
    assert kai.read_top_owner(text) == owner


def test_a_kai_queue_and_a_decision(written: Written) -> None:
    assert kai.project_queue(written("kai-2026-03/queue")) == Queue(
        kind="KaiQueue",
        uid="38000000-0000-4000-8000-000000000001",
        namespace="",
        name="inference",
        parent="production",
        open=True,
    )
    assert kai.project_bind_request(written("kai-2026-03/bindrequest")) == BindRequest(
        uid="39000000-0000-4000-8000-000000000001",
        namespace="team-c",
        pod="chat-0",
        node="gpu-a",
        phase="Succeeded",
        resource_type="Fraction",
        groups=("6b1d2f3c",),
    )


@pytest.mark.parametrize("missing", ["podName", "selectedNode"])
def test_a_decision_without_pod_or_node_is_none(missing: str, written: Written) -> None:
    raw = written("kai-2026-03/bindrequest")
    del raw["spec"][missing]
    assert kai.project_bind_request(raw) is None


def test_a_coscheduling_group(written: Written) -> None:
    group = coscheduling.project_group(written("coscheduling-v1alpha1/podgroup"))
    assert (group.system, group.name, group.minimum) == ("coscheduling", "sweep", 4)
    assert group.waiting == Waiting()


def test_a_native_group(written: Written) -> None:
    group = native.project_group(written("kubernetes-v1beta1/podgroup"))
    assert (group.system, group.name, group.minimum) == ("native", "train-workers-0", 8)
    assert group.waiting == Waiting(
        reason="GroupUnschedulable", text="0/3 nodes are available for 8 pods"
    )


def test_a_native_group_with_the_basic_policy_is_no_gang(written: Written) -> None:
    group = native.project_group(written("kubernetes-v1beta1/podgroup-basic"))
    assert (group.minimum, group.waiting) == (None, Waiting())


@pytest.mark.parametrize(
    ("reason", "word"),
    [("SchedulerError", "GroupSchedulerError"), ("Invented", "GroupUnschedulable")],
)
def test_reasons_of_native_groups(reason: str, word: str, written: Written) -> None:
    raw = written("kubernetes-v1beta1/podgroup")
    raw["status"]["conditions"][0]["reason"] = reason
    assert native.project_group(raw).waiting.reason == word


def test_native_workloads_of_both_forms(written: Written) -> None:
    assert native.project_workload(written("kubernetes-v1alpha1/workload")) == GangTemplates(
        uid="3b000000-0000-4000-8000-000000000001",
        namespace="team-a",
        name="train",
        minimums={"workers": 8, "driver": None},
    )
    newer = native.project_workload(written("kubernetes-v1beta1/workload"))
    assert newer.minimums == {"workers": 8}


@pytest.mark.parametrize("bad", [-1, 10**9, "3", 1.5, False, [3]])
def test_a_minimum_that_is_no_number_of_pods_costs_the_object(bad: object) -> None:
    metadata = {"name": "g", "namespace": "a"}
    plain = {"metadata": metadata, "spec": {"minMember": bad}}
    parts = {"metadata": metadata, "spec": {"subGroups": [{"name": "x", "minMember": bad}]}}
    policy = {"gang": {"minCount": bad}}
    grouped = {"metadata": metadata, "spec": {"schedulingPolicy": policy}}
    listed = {"metadata": metadata, "spec": {"podGroups": [{"name": "x", "policy": policy}]}}
    for project, raw in (
        (volcano.project_group, plain),
        (coscheduling.project_group, plain),
        (kai.project_group, plain),
        (kai.project_group, parts),
        (native.project_group, grouped),
        (native.project_workload, listed),
    ):
        with pytest.raises(MalformedError, match="a/g") as caught:
            project(raw)
        assert caught.value.reason == "bad-count"

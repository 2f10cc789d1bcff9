from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.pod_spec import Gang, PodScheduling
from gpuatlas.model.rejections import Rejection
from gpuatlas.sources.placement.messages import read_cause
from gpuatlas.sources.placement.pod import read_scheduling, trim_scheduling

Object = dict[str, Any]
TAINT = "3 node(s) had untolerated taint {nvidia.com/gpu: present}"
TAIL = "preemption: 0/5 nodes are available: 5 No preemption victims found for incoming pod."


def read(
    spec: Object | None = None,
    status: Object | None = None,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
) -> tuple[PodScheduling, tuple[Rejection, ...]]:
    return read_scheduling(
        spec or {}, status or {}, labels or {}, annotations or {}, "pod team-a/app-0"
    )


def gangs(
    labels: Mapping[str, str] | None = None, annotations: Mapping[str, str] | None = None
) -> tuple[Gang, ...]:
    scheduling, refused = read(labels=labels, annotations=annotations)
    assert refused == ()
    return scheduling.gangs


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


def test_spec_and_status_of_a_gated_pod() -> None:
    scheduling, refused = read(
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
    assert read(status=status) == (PodScheduling(), ())


def test_gates_are_bounded() -> None:
    scheduling, _ = read({"schedulingGates": [{"name": f"g{n}" + "x" * 300} for n in range(99)]})
    assert len(scheduling.gates) == 16
    assert all(len(gate) == 200 for gate in scheduling.gates)


GROUPS = (
    '[{"name":"driver","minMember":1,"minResource":{"cpu":"1"}},{"name":"executor","minMember":5}]'
)


@pytest.mark.parametrize(
    ("labels", "annotations", "expected"),
    [
        pytest.param(
            {},
            {
                "gang.scheduling.koordinator.sh/name": "train",
                "gang.scheduling.koordinator.sh/min-available": "4",
                "gang.scheduling.koordinator.sh/total-number": "6",
            },
            Gang(system="koordinator", name="train", minimum=4),
            id="Koordinator",
        ),
        pytest.param(
            {"applicationId": "spark-7"},
            {
                "yunikorn.apache.org/task-group-name": "driver",
                "yunikorn.apache.org/task-groups": GROUPS,
            },
            Gang(system="yunikorn", name="spark-7", minimum=6),
            id="YuniKorn with its old label",
        ),
        pytest.param(
            {"spark-app-selector": "spark-7"},
            {"yunikorn.apache.org/task-groups": GROUPS, "yunikorn.apache.org/app-id": "app-9"},
            Gang(system="yunikorn", name="app-9", minimum=6),
            id="YuniKorn",
        ),
        pytest.param(
            {
                "pod-group.scheduling.sigs.k8s.io/name": "nginx",
                "pod-group.scheduling.sigs.k8s.io/min-available": "3",
            },
            {},
            Gang(system="coscheduling", name="nginx", minimum=3),
            id="coscheduling without an object",
        ),
        pytest.param(
            {"kueue.x-k8s.io/pod-group-name": "sweep"},
            {"kueue.x-k8s.io/pod-group-total-count": "2"},
            Gang(system="kueue", name="sweep", minimum=2),
            id="Kueue",
        ),
        pytest.param(
            {},
            {
                "kueue.x-k8s.io/pod-group-name": "sweep",
                "kueue.x-k8s.io/pod-group-total-count": "2",
            },
            Gang(system="kueue", name="sweep", minimum=2),
            id="Kueue with its name in an annotation",
        ),
        pytest.param(
            {
                "leaderworkerset.sigs.k8s.io/name": "llm",
                "leaderworkerset.sigs.k8s.io/group-index": "1",
                "leaderworkerset.sigs.k8s.io/worker-index": "0",
            },
            {"leaderworkerset.sigs.k8s.io/size": "4"},
            Gang(system="leaderworkerset", name="llm-1", minimum=4),
            id="LeaderWorkerSet",
        ),
    ],
)
def test_gangs_that_pods_declare(
    labels: dict[str, str], annotations: dict[str, str], expected: Gang
) -> None:
    assert gangs(labels, annotations) == (expected,)


@pytest.mark.parametrize(
    ("labels", "annotations"),
    [
        ({}, {"gang.scheduling.koordinator.sh/name": "alone"}),
        ({}, {"gang.scheduling.koordinator.sh/min-available": "4"}),
        (
            {},
            {
                "gang.scheduling.koordinator.sh/name": "one",
                "gang.scheduling.koordinator.sh/min-available": "1",
            },
        ),
        (
            {"kueue.x-k8s.io/pod-group-name": "sweep"},
            {
                "kueue.x-k8s.io/pod-group-total-count": "2",
                "kueue.x-k8s.io/pod-group-fast-admission": "true",
            },
        ),
        ({"leaderworkerset.sigs.k8s.io/name": "llm"}, {"leaderworkerset.sigs.k8s.io/size": "1"}),
        ({"applicationId": "a"}, {"yunikorn.apache.org/task-groups": "[]"}),
        ({"applicationId": "a"}, {"yunikorn.apache.org/task-groups": "[null, 3, {}]"}),
    ],
)
def test_less_than_two_pods_are_no_gang(
    labels: dict[str, str], annotations: dict[str, str]
) -> None:
    assert gangs(labels, annotations) == ()


@pytest.mark.parametrize(
    ("annotations", "reason", "message"),
    [
        (
            {
                "gang.scheduling.koordinator.sh/name": "a",
                "gang.scheduling.koordinator.sh/min-available": "many",
            },
            "bad-count",
            'gang.scheduling.koordinator.sh/min-available is "many", not a number of pods',
        ),
        (
            {"leaderworkerset.sigs.k8s.io/size": "-2"},
            "bad-count",
            'leaderworkerset.sigs.k8s.io/size is "-2", not a number of pods',
        ),
        (
            {"leaderworkerset.sigs.k8s.io/size": "9" * 90},
            "bad-count",
            f'leaderworkerset.sigs.k8s.io/size is "{"9" * 31}…", not a number of pods',
        ),
        (
            {"leaderworkerset.sigs.k8s.io/size": "9999999"},
            "bad-count",
            "leaderworkerset.sigs.k8s.io/size is 9999999, not a number of pods",
        ),
        (
            {"kueue.x-k8s.io/pod-group-total-count": "٣"},
            "bad-count",
            'kueue.x-k8s.io/pod-group-total-count is "٣", not a number of pods',
        ),
        (
            {"yunikorn.apache.org/task-groups": "[{"},
            "bad-json",
            "yunikorn.apache.org/task-groups is no JSON",
        ),
        (
            {"yunikorn.apache.org/task-groups": "[" * 5000},
            "bad-json",
            "yunikorn.apache.org/task-groups is no JSON",
        ),
        (
            {"yunikorn.apache.org/task-groups": '{"name": "a"}'},
            "bad-json",
            "yunikorn.apache.org/task-groups is no JSON list",
        ),
        (
            {"yunikorn.apache.org/task-groups": '[{"minMember": "2"}]'},
            "bad-count",
            "yunikorn.apache.org/task-groups minMember is 2, not a number of pods",
        ),
        (
            {"yunikorn.apache.org/task-groups": '[{"minMember": 900000}, {"minMember": 900000}]'},
            "bad-count",
            "yunikorn.apache.org/task-groups is 1800000, not a number of pods",
        ),
        (
            {"yunikorn.apache.org/task-groups": " " * 40_000},
            "too-large",
            "yunikorn.apache.org/task-groups has more than 32768 characters",
        ),
    ],
)
def test_a_declaration_that_cannot_be_read_is_refused_alone(
    annotations: dict[str, str], reason: str, message: str
) -> None:
    good = {
        "pod-group.scheduling.sigs.k8s.io/name": "nginx",
        "pod-group.scheduling.sigs.k8s.io/min-available": "3",
    }
    scheduling, refused = read(labels=good, annotations=annotations)
    assert scheduling.gangs == (Gang(system="coscheduling", name="nginx", minimum=3),)
    assert refused == (Rejection("kubernetes", reason, "pod team-a/app-0", message),)


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
    scheduling, _ = read(annotations={key: value})
    assert scheduling.placeholder is expected


junk = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                [
                    *("schedulingGates", "name", "schedulingGroup", "podGroupName", "workloadRef"),
                    *("podGroup", "conditions", "type", "status", "message"),
                ]
            ),
            st.one_of(
                inner, st.sampled_from(["PodScheduled", "False", "Insufficient amd.com/gpu"])
            ),
            max_size=5,
        ),
    ),
    max_leaves=25,
)
keys = st.dictionaries(
    st.sampled_from(
        [
            "gang.scheduling.koordinator.sh/name",
            "gang.scheduling.koordinator.sh/min-available",
            "yunikorn.apache.org/task-groups",
            "leaderworkerset.sigs.k8s.io/size",
            "leaderworkerset.sigs.k8s.io/name",
            "kueue.x-k8s.io/pod-group-total-count",
        ]
    ),
    st.one_of(st.text(max_size=8), st.sampled_from(["4", GROUPS, "[1]"])),
)


@settings(deadline=None, max_examples=300)
@given(junk, junk, keys, keys)
def test_whatever_stands_there_gangs_have_two_pods_and_trims_read_the_same(
    spec: object, status: object, labels: dict[str, str], annotations: dict[str, str]
) -> None:
    spec, status = (value if isinstance(value, dict) else {} for value in (spec, status))
    found, refused = read(spec, status, labels, annotations)
    assert all(2 <= gang.minimum <= 1_000_000 and gang.name for gang in found.gangs)
    assert all(len(r.message) <= 200 for r in refused)
    kept_spec, kept_status = trim_scheduling(spec, status)
    assert read(kept_spec, kept_status, labels, annotations) == (found, refused)


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

"""Gangs that a pod's own labels and annotations declare."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.pod_spec import Gang
from gpuatlas.model.rejections import Rejection
from gpuatlas.sources.placement.pod import trim_scheduling
from gpuatlas_harness.declared import read_pod


def gangs(
    labels: Mapping[str, str] | None = None, annotations: Mapping[str, str] | None = None
) -> tuple[Gang, ...]:
    scheduling, refused = read_pod(labels=labels, annotations=annotations)
    assert refused == ()
    return scheduling.gangs


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
    scheduling, refused = read_pod(labels=good, annotations=annotations)
    assert scheduling.gangs == (Gang(system="coscheduling", name="nginx", minimum=3),)
    assert refused == (Rejection("kubernetes", reason, "pod team-a/app-0", message),)


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
    found, refused = read_pod(spec, status, labels, annotations)
    assert all(2 <= gang.minimum <= 1_000_000 and gang.name for gang in found.gangs)
    assert all(len(r.message) <= 200 for r in refused)
    kept_spec, kept_status = trim_scheduling(spec, status)
    assert read_pod(kept_spec, kept_status, labels, annotations) == (found, refused)

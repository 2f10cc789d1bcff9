from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from gpuatlas.model.devices import Promise
from gpuatlas.model.objects import Container, Pod
from gpuatlas.model.rejections import MalformedError, Rejection
from gpuatlas.sources.kubernetes.project import (
    MAX_POD_TEXT,
    project_node,
    project_pod,
)

Object = dict[str, Any]
Recorded = Callable[[str], Object]


def nothing(*_: object) -> tuple[tuple[()], tuple[()]]:
    return (), ()


def the_pod(raw: object) -> Pod:
    pod = project_pod(raw, nothing)
    assert pod is not None
    return pod


def test_a_bad_quantity_costs_that_resource_only(recorded: Recorded) -> None:
    raw = recorded("chat-6d4cf56db6-x7k2p")
    resources = raw["spec"]["containers"][0]["resources"]
    resources["limits"] |= {"nvidia.com/gpumem": "-5", "nvidia.com/gpucores": "many"}
    pod = the_pod(raw)
    assert pod.containers[2].limits == {"nvidia.com/gpu": 1, "rdma/hca": 1000}
    where = "pod team-a/chat-6d4cf56db6-x7k2p container main nvidia.com"
    assert pod.rejections == (
        Rejection(
            "kubernetes",
            "out-of-range",
            f"{where}/gpumem",
            '"-5" is not between 0 and 1000000000000000',
        ),
        Rejection(
            "kubernetes",
            "bad-quantity",
            f"{where}/gpucores",
            '"many" is not a Kubernetes quantity',
        ),
    )


def test_values_from_elsewhere_are_no_environment(recorded: Recorded) -> None:
    raw = recorded("infer-0")
    raw["spec"]["containers"][0]["env"] = [
        {"name": "CUDA_DISABLE_CONTROL", "valueFrom": {"secretKeyRef": {"name": "s"}}},
        {"name": "GPU_CORE_UTILIZATION_POLICY", "value": "disable"},
        {"name": "GPU_CORE_UTILIZATION_POLICY", "value": "force"},
        {"name": "LD_PRELOAD", "value": "x" * 5000},
        {"name": "HF_TOKEN", "value": "secret"},
    ]
    assert the_pod(raw).containers[0].env == {"GPU_CORE_UTILIZATION_POLICY": "force"}


def test_large_label_maps_stay_small_and_say_so(recorded: Recorded) -> None:
    raw = recorded("infer-0")
    raw["metadata"]["labels"] |= {f"example.com/label-{n}": "v" * 60 for n in range(10_000)}
    raw["metadata"]["annotations"] = {f"hami.io/{n:05}": "v" * 100 for n in range(2_000)}
    pod = the_pod(raw)
    assert len(pod.labels) == 2
    assert sum(len(k) + len(v) for k, v in pod.annotations.items()) <= MAX_POD_TEXT
    assert "hami.io/00000" in pod.annotations
    assert len(pod.annotations) == 289  # 113 characters each
    assert pod.rejections == (
        Rejection(
            "kubernetes",
            "too-large",
            "pod team-b/infer-0 annotations",
            "1711 of 2000 are beyond 32768 characters in all and were dropped",
        ),
    )


def test_the_annotation_reader_gets_the_annotations_that_are_too_large_to_keep(
    recorded: Recorded,
) -> None:
    raw = recorded("infer-0")
    raw["metadata"]["annotations"]["hami.io/vgpu-devices-allocated"] = "x" * 100_000
    seen: list[int] = []

    def read(
        _namespace: str, _name: str, annotations: Mapping[str, str], _: Sequence[Container]
    ) -> tuple[tuple[Promise, ...], tuple[Rejection, ...]]:
        seen.append(len(annotations["hami.io/vgpu-devices-allocated"]))
        return (), ()

    pod = project_pod(raw, read)
    assert pod is not None
    assert seen == [100_000]
    assert "hami.io/vgpu-devices-allocated" not in pod.annotations


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(None, id="null"),
        pytest.param([], id="list"),
        pytest.param({}, id="no metadata"),
        pytest.param({"metadata": None}, id="null metadata"),
        pytest.param({"metadata": {"name": ""}}, id="empty name"),
        pytest.param({"metadata": {"name": 7}}, id="a number as name"),
    ],
)
def test_an_object_without_a_name_is_refused(raw: object) -> None:
    for project in (project_node, project_pod):
        with pytest.raises(MalformedError) as caught:
            project(raw)
        assert caught.value.reason == "no-name"


@pytest.mark.parametrize(
    "written",
    ["yesterday", 5, "", "1969-12-31T23:59:59Z", "2026-13-01T00:00:00Z"],
)
def test_an_unreadable_creation_time_is_refused(recorded: Recorded, written: object) -> None:
    raw = recorded("infer-0")
    raw["metadata"]["creationTimestamp"] = written
    with pytest.raises(MalformedError) as caught:
        project_pod(raw, nothing)
    assert caught.value.reason == "bad-time"


def test_hand_written_objects_may_leave_out_identity_and_time(recorded: Recorded) -> None:
    raw = recorded("infer-0")
    del raw["metadata"]["creationTimestamp"], raw["metadata"]["uid"]
    pod = the_pod(raw)
    assert (pod.uid, pod.created_at) == ("team-b/infer-0", 0.0)


def test_nulls_and_wrong_types_count_as_absent(recorded: Recorded) -> None:
    raw = recorded("waiting")
    before = the_pod(raw)
    raw["metadata"] |= {"labels": None, "annotations": ["x"], "ownerReferences": {"a": 1}}
    raw["spec"] |= {"initContainers": None, "hostNetwork": "yes", "nodeName": 3}
    raw["spec"]["containers"] += [None, "text"]
    raw["status"] |= {"podIP": None, "containerStatuses": [None, {"name": 1}]}
    after = the_pod(raw)
    junk = Container(name="", kind="main", image="", limits={}, env={})
    assert after == replace(before, containers=(*before.containers, junk, junk))

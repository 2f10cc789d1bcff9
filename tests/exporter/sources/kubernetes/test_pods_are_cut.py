from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from gpuatlas.model.devices import Promise
from gpuatlas.model.objects import Container, DeviceStatus, Owner, Pod
from gpuatlas.model.pod_spec import Runtime
from gpuatlas.model.rejections import Rejection
from gpuatlas.sources.kubernetes.project import (
    project_pod,
)

Object = dict[str, Any]
Recorded = Callable[[str], Object]

PROMISE = Promise(
    layer="hami",
    vendor="nvidia",
    card="GPU-aaaaaaaa-0000-4000-8000-000000000001",
    container="main",
    memory_bytes=1,
    cores=None,
    source="a key",
)
REFUSED = Rejection("hami-annotations", "not-json", "here", "why")


def read_pod(
    namespace: str, name: str, annotations: Mapping[str, str], containers: Sequence[Container]
) -> tuple[tuple[Promise, ...], tuple[Rejection, ...]]:
    assert (namespace, name) == ("team-b", "infer-0")
    assert "hami.io/vgpu-devices-allocated" in annotations
    assert [c.name for c in containers] == ["main"]
    return (PROMISE,), (REFUSED,)


def nothing(*_: object) -> tuple[tuple[()], tuple[()]]:
    return (), ()


def the_pod(raw: object) -> Pod:
    pod = project_pod(raw, nothing)
    assert pod is not None
    return pod


def test_a_pod_of_a_deployment_with_a_whole_card(recorded: Recorded) -> None:
    assert the_pod(recorded("chat-6d4cf56db6-x7k2p")) == Pod(
        uid="22222222-0000-4000-8000-000000000001",
        namespace="team-a",
        name="chat-6d4cf56db6-x7k2p",
        node="gpu-plain",
        phase="Running",
        reason="",
        scheduler="default-scheduler",
        created_at=1_787_306_400.0,  # 2026-08-21T10:00:00Z
        deleting=False,
        ready=True,
        ip="10.1.0.7",
        host_network=False,
        waiting_reason="",
        labels={"app": "chat", "pod-template-hash": "6d4cf56db6"},
        annotations={},
        controller=Owner(
            api_group="apps",
            kind="ReplicaSet",
            name="chat-6d4cf56db6",
            uid="33333333-0000-4000-8000-000000000001",
        ),
        containers=(
            Container(
                name="fetch", kind="init", image="registry.example/fetch:1", limits={}, env={}
            ),
            Container(
                name="proxy",
                kind="sidecar",
                image="registry.example/proxy:2",
                limits={},
                env={},
                ports=(("", 15000),),
            ),
            Container(
                name="main",
                kind="main",
                image="registry.example/vllm-openai:v0.9",
                limits={"nvidia.com/gpu": 1, "rdma/hca": 1000},
                env={"NVIDIA_VISIBLE_DEVICES": "all"},
                ports=(("http", 8000),),
            ),
        ),
        devices=(
            DeviceStatus(
                container="main",
                resource="nvidia.com/gpu",
                device="GPU-aaaaaaaa-0000-4000-8000-000000000002",
                health="Healthy",
            ),
        ),
        runtime=Runtime(name="vllm", evidence="command vllm serve"),
        restarts=(("proxy", 1), ("main", 2)),
    )


@pytest.mark.parametrize("count", [-1, 2**31, 10**400])
def test_a_restart_count_that_cannot_be_costs_itself_only(recorded: Recorded, count: int) -> None:
    raw = recorded("chat-6d4cf56db6-x7k2p")
    raw["status"]["containerStatuses"][0]["restartCount"] = count
    pod = the_pod(raw)
    assert pod.restarts == (("proxy", 1),)
    assert pod.rejections == (
        Rejection(
            "kubernetes",
            "bad-count",
            "pod team-a/chat-6d4cf56db6-x7k2p container main restartCount",
            "is no int32 above 0",
        ),
    )


@pytest.mark.parametrize("count", [None, "3", 3.0, True, [], {}])
def test_a_restart_count_of_another_type_is_absent(recorded: Recorded, count: object) -> None:
    raw = recorded("chat-6d4cf56db6-x7k2p")
    raw["status"]["containerStatuses"][0]["restartCount"] = count
    pod = the_pod(raw)
    assert (pod.restarts, pod.rejections) == ((("proxy", 1),), ())


def test_a_pod_with_promises(recorded: Recorded) -> None:
    pod = project_pod(recorded("infer-0"), read_pod)
    assert pod is not None
    assert pod.promises == (PROMISE,)
    assert pod.rejections == (REFUSED,)
    assert pod.containers[0].limits == {
        "nvidia.com/gpu": 1,
        "nvidia.com/gpumem": 12_000,
        "nvidia.com/gpucores": 30,
    }
    assert pod.containers[0].env == {"CUDA_TASK_PRIORITY": "0"}
    assert pod.labels == {
        "hami.io/vgpu-node": "gpu-hami",
        "batch.kubernetes.io/job-name": "infer",
    }
    assert (pod.deleting, pod.ready, pod.scheduler) == (True, False, "hami-scheduler")


def test_a_pod_that_waits_asks_by_its_request_and_says_why(recorded: Recorded) -> None:
    pod = the_pod(recorded("waiting"))
    assert pod.containers[0].limits == {"amd.com/gpu": 2}
    assert (pod.node, pod.ip, pod.waiting_reason) == ("", "", "Unschedulable")
    assert not pod.holds


def test_a_static_pod_belongs_to_its_node(recorded: Recorded) -> None:
    pod = the_pod(recorded("watchdog-gpu-plain"))
    assert pod.controller == Owner(
        api_group="", kind="Node", name="gpu-plain", uid="11111111-0000-4000-8000-000000000003"
    )
    assert (pod.host_network, pod.phase, pod.reason) == (
        True,
        "Failed",
        "UnexpectedAdmissionError",
    )
    assert pod.annotations["kubernetes.io/config.mirror"] == "0123456789abcdef"


@pytest.mark.parametrize("name", ["fraction", "claimant", "nvidia-dcgm-exporter-9wz4r"])
def test_pods_without_a_limit_are_kept_for_other_marks(recorded: Recorded, name: str) -> None:
    assert the_pod(recorded(name)).name == name


@pytest.mark.parametrize(
    "key",
    ["hami.io/Ascend910B3-devices-allocated", "volcano.sh/vgpu-ids-new", "gpu-memory"],
)
def test_a_layers_annotation_alone_keeps_a_pod(recorded: Recorded, key: str) -> None:
    raw = recorded("web-0")
    raw["metadata"]["annotations"] = {key: "x"}
    assert the_pod(raw).annotations == {key: "x"}


def test_an_extended_resource_served_by_dra_keeps_a_pod(recorded: Recorded) -> None:
    raw = recorded("web-0")
    raw["status"]["extendedResourceClaimStatus"] = {"resourceClaimName": "web-0-abc"}
    assert the_pod(raw).name == "web-0"


def test_other_pods_are_dropped_opting_out_of_the_webhook_included(recorded: Recorded) -> None:
    assert project_pod(recorded("web-0"), nothing) is None


def test_a_renamed_resource_of_a_known_vendor_keeps_a_pod(recorded: Recorded) -> None:
    raw = recorded("web-0")
    raw["spec"]["containers"][0]["resources"]["limits"] = {"nvidia.com/gpu-a10": "1"}
    assert the_pod(raw).containers[0].limits == {"nvidia.com/gpu-a10": 1}


def test_metax_memory_is_in_gib_with_a_suffix_and_without(recorded: Recorded) -> None:
    raw = recorded("web-0")
    limits = raw["spec"]["containers"][0]["resources"]["limits"]
    limits["metax-tech.com/vmemory"] = "16"
    assert the_pod(raw).containers[0].limits["metax-tech.com/vmemory"] == 16
    limits["metax-tech.com/vmemory"] = "16Gi"
    assert the_pod(raw).containers[0].limits["metax-tech.com/vmemory"] == 16

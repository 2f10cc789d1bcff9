from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.sources.kubernetes.kind import Kind
from gpuatlas.sources.kubernetes.kinds import JOBS, KINDS, NODES, PODS
from gpuatlas_harness.spoilt import junk_of, outcome, spoilt

Object = dict[str, Any]

WORDS = [
    "metadata",
    "spec",
    "status",
    "name",
    "namespace",
    "uid",
    "labels",
    "annotations",
    "ownerReferences",
    "controller",
    "kind",
    "creationTimestamp",
    "deletionTimestamp",
    "apiVersion",
    "conditions",
    "type",
    "reason",
    "capacity",
    "allocatable",
    "nodeInfo",
    "phase",
    "kubeletVersion",
    "containers",
    "initContainers",
    "restartPolicy",
    "resources",
    "limits",
    "requests",
    "env",
    "value",
    "ports",
    "containerPort",
    "containerStatuses",
    "image",
    "allocatedResourcesStatus",
    "resourceID",
    "health",
    "restartCount",
    "generateName",
    "workflows.argoproj.io/workflow-template",
    "podIP",
    "nodeName",
    "resourceClaims",
    "resourceClaimName",
    "resourceClaimStatuses",
    "requestMappings",
    "containerName",
    "resourceName",
    "requestName",
    "request",
    "claims",
    "command",
    "args",
    "message",
    "schedulingGates",
    "schedulingGroup",
    "podGroupName",
    "workloadRef",
    "podGroup",
    "extendedResourceClaimStatus",
    "unschedulable",
    "hostNetwork",
    "hostPID",
    "runtimeClassName",
    "startTime",
    "securityContext",
    "privileged",
    "volumes",
    "volumeMounts",
    "hostPath",
    "path",
    "/",
    "/dev/nvidia0",
    "schedulerName",
    "nvidia.com/gpu",
    "nvidia.com/gpu.present",
    "hami.io/vgpu-node",
    "gpu-fraction",
    "NVIDIA_VISIBLE_DEVICES",
    "XLA_CLIENT_MEM_FRACTION",
    "TF_FORCE_GPU_ALLOW_GROWTH",
    "OLLAMA_HOST",
    "runai-gpu-group",
    "run.ai/reserve_for_gpu_index",
    "--gpu-memory-utilization",
    "0.5",
    "vllm",
]
texts = st.one_of(
    st.sampled_from([*WORDS, "Ready", "True", "False", "PodScheduled", "Always", "apps/v1"]),
    st.sampled_from(["2026-08-21T10:00:00Z", "2026-08-21", "1", "5k", "-1", ""]),
    st.text(max_size=8),
)
junk = junk_of(WORDS, texts, most=70_000)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.id)
def test_every_recorded_object_projects_the_same_after_trimming(
    kind: Kind[object], objects: Sequence[Object]
) -> None:
    for raw in objects:
        assert outcome(kind.project, kind.trim(raw)) == outcome(kind.project, raw)


@settings(deadline=None, max_examples=150)
@given(junk, st.sampled_from(KINDS))
def test_junk_projects_the_same_after_trimming(raw: object, kind: Kind[object]) -> None:
    assert outcome(kind.project, kind.trim(raw)) == outcome(kind.project, raw)


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_spoilt_objects_project_the_same_after_trimming(
    objects: Sequence[Object], data: st.DataObject
) -> None:
    raw: Any = data.draw(st.sampled_from(objects))
    kind = NODES if "podCIDR" in raw.get("spec", {}) or "spec" not in raw else PODS
    raw = spoilt(data.draw, raw, junk, depth=7)
    assert outcome(kind.project, kind.trim(raw)) == outcome(kind.project, raw)


def test_secrets_commands_and_managed_fields_do_not_leave(
    recorded: Callable[[str], Object],
) -> None:
    trimmed = json.dumps(PODS.trim(recorded("chat-6d4cf56db6-x7k2p")))
    for word in ("secret", "model", "args", "managedFields", "4711", "projectcalico", "volumes"):
        assert word not in trimmed
    assert '"command": ["vllm", "serve"]' in trimmed
    assert "NVIDIA_VISIBLE_DEVICES" in trimmed


def test_a_trimmed_object_can_be_read_back_by_its_kind(
    recorded: Callable[[str], Object],
) -> None:
    assert NODES.trim(recorded("plain-cpu")) == {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": "plain-cpu",
            "uid": "11111111-0000-4000-8000-000000000002",
            "labels": {"kubernetes.io/hostname": "plain-cpu"},
            "creationTimestamp": "2026-08-01T08:00:00Z",
        },
        "status": {
            "capacity": {"example.com/fpga": "2"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }
    metadata = {"name": "infer-x7k2p", "generateName": "infer-", "uid": "u", "labels": {"a": "b"}}
    assert JOBS.trim({"metadata": metadata}) == {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "infer-x7k2p", "generateName": "infer-", "uid": "u"},
    }


def test_of_volumes_only_mounted_device_files_are_kept(recorded: Callable[[str], Object]) -> None:
    spec = PODS.trim(recorded("driver-tools-x1"))["spec"]
    assert spec == {
        "nodeName": "gpu-hami",
        "hostPID": True,
        "volumes": [
            {"name": "card", "hostPath": {"path": "/dev/nvidia0"}},
            {"name": "devices", "hostPath": {"path": "/dev"}},
        ],
        "initContainers": [{"name": "prepare", "securityContext": {"privileged": True}}],
        "containers": [{"name": "tools", "volumeMounts": [{"name": "card"}, {"name": "devices"}]}],
    }

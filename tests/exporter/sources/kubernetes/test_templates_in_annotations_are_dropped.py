"""Workflow engines write a step's whole template and its results on the pod: nobody keeps them."""

from __future__ import annotations

import pytest

from gpuatlas.sources.kubernetes.project import project_pod
from gpuatlas.sources.kubernetes.trim import trim_pod


@pytest.mark.parametrize(
    "key",
    [
        "workflows.argoproj.io/template",
        "workflows.argoproj.io/outputs",
        "sparkoperator.k8s.io/arguments",
        "tekton.dev/results",
    ],
)
def test_it_is_neither_held_nor_captured(key: str) -> None:
    written = '{"container": {"args": ["--api-key", "sk-4815"]}, "pin": 162342}'
    label = key.partition("/")[0] + "/name"
    metadata = {
        "name": "step",
        "namespace": "team-a",
        "uid": "1",
        "annotations": {key: written},
        "labels": {label: "train"},
    }
    raw = {"metadata": metadata, "spec": {"containers": [{"name": "main"}]}}
    assert "4815" not in str(trim_pod(raw))
    assert "162342" not in str(trim_pod(raw))
    pod = project_pod({**raw, "spec": {"nodeName": "gpu-a", "containers": [asking()]}})
    assert pod is not None
    assert key not in pod.annotations
    assert pod.labels == {label: "train"}


def asking() -> dict[str, object]:
    return {"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}

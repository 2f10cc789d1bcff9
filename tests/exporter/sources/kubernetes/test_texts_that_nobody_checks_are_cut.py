"""The API server takes owner references and scheduler names as they are; our labels do not."""

from __future__ import annotations

from gpuatlas.sources.kubernetes.project import project_pod

HOSTILE = "x\n\N{RIGHT-TO-LEFT OVERRIDE}" + "y" * 1_000_000


def test_nothing_that_a_tenant_writes_makes_a_long_or_unprintable_label() -> None:
    reference = {
        "apiVersion": f"{HOSTILE}/v1",
        "kind": HOSTILE,
        "name": HOSTILE,
        "uid": HOSTILE,
        "controller": True,
    }
    raw = {
        "metadata": {
            "name": "p",
            "namespace": "team-a",
            "uid": "u",
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "ownerReferences": [reference],
        },
        "spec": {
            "nodeName": "gpu-a",
            "schedulerName": HOSTILE,
            "containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "1"}}}],
        },
        "status": {"phase": "Running", "reason": HOSTILE},
    }
    pod = project_pod(raw)
    assert pod is not None
    owner = pod.controller
    assert owner is not None
    for text in (owner.api_group, owner.kind, owner.name, owner.uid, pod.scheduler, pod.reason):
        assert len(text) == 253
        assert text.isprintable()

"""Deployments, StatefulSets and DaemonSets have the template that people wrote for their pods."""

from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.sizing.patch_paths import PATCH_KINDS
from gpuatlas.sizing.patch_places import find_container
from gpuatlas_harness.wired import Document, Objects, named


def spec_of(objects: Objects, resource: str, name: str) -> Document:
    spec: Document = named(objects, resource, name)["spec"]
    return spec


def asked_of(container: Document) -> dict[str, Any]:
    """Its limits, but for those of the processor and of the node's memory."""
    limits = container["resources"]["limits"]
    return {name: value for name, value in limits.items() if name not in {"cpu", "memory"}}


def test_of_a_deployment_on_hami(objects: Objects) -> None:
    spec = spec_of(objects, "deployments", "chat-7b")

    assert (spec["replicas"], spec["selector"]) == (1, {"matchLabels": {"app": "chat-7b"}})
    assert spec["template"]["metadata"] == {"labels": {"app": "chat-7b", "team": "assistants"}}
    main = spec["template"]["spec"]["containers"][0]
    assert asked_of(main) == {
        "nvidia.com/gpu": "1",
        "nvidia.com/gpumem": "12000",
        "nvidia.com/gpucores": "40",
        "nvidia.com/priority": "0",
    }


def test_what_is_added_to_pods_is_not_in_it(objects: Objects) -> None:
    pod = spec_of(objects, "deployments", "chat-7b")["template"]["spec"]

    assert sorted(pod) == [
        "containers", "dnsPolicy", "initContainers", "restartPolicy", "schedulerName",
        "securityContext", "terminationGracePeriodSeconds",
    ]  # fmt: skip
    assert pod["schedulerName"] == "default-scheduler"
    containers = [*pod["containers"], *pod["initContainers"]]
    assert ["volumeMounts" in container for container in containers] == [False, False]
    names = [entry["name"] for entry in pod["containers"][0].get("env", [])]
    assert "CUDA_TASK_PRIORITY" not in names


@pytest.mark.parametrize(
    ("resource", "name", "queue", "share"),
    [
        ("deployments", "classify", "serving", {"gpu-fraction": "0.25"}),
        ("statefulsets", "local-models", "serving", {"gpu-memory": "16000"}),
    ],
)
def test_of_kai_the_share_and_the_queue_are_marks(
    objects: Objects, resource: str, name: str, queue: str, share: dict[str, str]
) -> None:
    template = spec_of(objects, resource, name)["template"]

    assert template["metadata"]["labels"]["kai.scheduler/queue"] == queue
    assert template["metadata"]["annotations"] == share
    assert template["spec"]["schedulerName"] == "kai-scheduler"


def test_of_dra_the_claim_is_named(objects: Objects) -> None:
    pod = spec_of(objects, "deployments", "embed-code")["template"]["spec"]

    assert pod["resourceClaims"] == [{"name": "gpu", "resourceClaimTemplateName": "embed-code-gpu"}]


def test_each_kind_has_what_its_server_wants(objects: Objects) -> None:
    assert spec_of(objects, "statefulsets", "notebook-ann")["serviceName"] == "notebook-ann"
    assert sorted(spec_of(objects, "daemonsets", "transcode")) == ["selector", "template"]


def test_patches_find_the_container_there(objects: Objects) -> None:
    deployment = named(objects, "deployments", "chat-7b")
    (found,) = find_container(PATCH_KINDS["Deployment"], deployment, "vllm")

    assert found.asked.limits["nvidia.com/gpumem"] == "12000"

"""The objects of the harness' API server, and its life."""

from __future__ import annotations

from pathlib import Path

import pytest
import requests

from gpuatlas_harness.api_objects import node, pod
from gpuatlas_harness.kube import KubeServer
from gpuatlas_harness.kube_api import KubeError, Object

GO_MOD = Path(__file__).with_name("go.mod")


def required_version() -> str:
    lines = GO_MOD.read_text(encoding="utf-8").splitlines()
    return next(line.split()[1] for line in lines if line.strip().startswith("k8s.io/kubernetes v"))


def test_the_server_tells_the_version_it_was_built_from(kube: KubeServer) -> None:
    assert kube.version() == required_version()


def test_an_applied_node_and_its_pod_read_back_with_their_status(kube: KubeServer) -> None:
    applied = kube.apply([node("gpu-1"), pod("job-0", namespace="team-a", on="gpu-1")])

    assert [thing["kind"] for thing in applied] == ["Node", "Pod"]
    read_node = kube.get("Node", "gpu-1")
    assert read_node["status"]["capacity"] == {"cpu": "16", "nvidia.com/gpu": "8"}
    assert read_node["status"]["allocatable"]["nvidia.com/gpu"] == "8"
    read_pod = kube.get("Pod", "job-0", namespace="team-a")
    assert read_pod["spec"]["nodeName"] == "gpu-1"
    assert read_pod["status"]["phase"] == "Running"
    assert read_pod["status"]["podIP"] == "10.1.2.3"
    assert read_pod["spec"]["containers"][0]["resources"] == {
        "limits": {"nvidia.com/gpu": "2"},
        "requests": {"nvidia.com/gpu": "2"},
    }


def test_applying_again_changes_the_object_and_keeps_its_identity(kube: KubeServer) -> None:
    running = kube.apply([node("gpu-1"), pod("job-0", namespace="team-a", on="gpu-1")])[1]

    done = kube.apply([pod("job-0", namespace="team-a", on="gpu-1", phase="Succeeded")])[0]

    assert done["metadata"]["uid"] == running["metadata"]["uid"]
    assert done["status"]["phase"] == "Succeeded"


def test_a_job_can_be_applied_twice_with_its_status(kube: KubeServer) -> None:
    def job(active: int) -> Object:
        template = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "c:1"}]}
        return {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "train", "namespace": "team-a"},
            "spec": {"template": {"spec": template}},
            "status": {"active": active},
        }

    kube.apply([job(1)])
    kube.apply([job(3)])

    read = kube.get("Job", "train", namespace="team-a", api_version="batch/v1")
    assert read["status"]["active"] == 3


def test_a_custom_resource_can_be_applied_right_after_its_definition(kube: KubeServer) -> None:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
    }
    definition: Object = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "queues.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Cluster",
            "names": {"plural": "queues", "kind": "Queue"},
            "versions": [version],
        },
    }
    queue: Object = {
        "apiVersion": "example.com/v1",
        "kind": "Queue",
        "metadata": {"name": "q"},
        "spec": {"weight": 2},
        "status": {"pending": 5},
    }

    kube.apply([definition, queue])

    read = kube.get("Queue", "q", api_version="example.com/v1")
    assert (read["spec"], read["status"]) == ({"weight": 2}, {"pending": 5})


def test_an_unknown_field_is_refused(kube: KubeServer) -> None:
    wrong = node("gpu-1")
    wrong["spec"] = {"noSuchField": 1}

    with pytest.raises(KubeError, match="noSuchField"):
        kube.apply([wrong])


def test_a_deleted_pod_is_gone_at_once(kube: KubeServer) -> None:
    kube.apply([node("gpu-1"), pod("job-0", namespace="team-a", on="gpu-1")])

    kube.delete("Pod", "job-0", namespace="team-a")

    with pytest.raises(KubeError) as refused:
        kube.get("Pod", "job-0", namespace="team-a")
    assert refused.value.code == 404


def test_reset_deletes_what_was_applied(kube: KubeServer) -> None:
    kube.apply([node("gpu-1"), pod("job-0", namespace="team-a", on="gpu-1")])

    kube.reset()

    assert kube.list_objects("Node")["items"] == []
    assert kube.list_objects("Pod")["items"] == []


def test_a_restart_keeps_address_and_data(kube: KubeServer) -> None:
    applied = kube.apply([node("gpu-1")])[0]
    url, pid = kube.url, kube.apiserver.pid

    kube.restart()

    assert kube.apiserver.pid != pid
    assert kube.url == url
    read = kube.get("Node", "gpu-1")
    assert read["metadata"]["uid"] == applied["metadata"]["uid"]
    assert read["status"]["capacity"]["nvidia.com/gpu"] == "8"


def test_while_the_server_is_stopped_nothing_answers(kube: KubeServer) -> None:
    kube.stop_apiserver()
    try:
        with pytest.raises(requests.ConnectionError):
            kube.version()
    finally:
        kube.start_apiserver()

    assert kube.version() == required_version()

"""What a real API server does to its clients: restarts, forgotten history, refusals, changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuatlas_harness.exporting import ServeProcess, run_gpuatlas
from gpuatlas_harness.kube import KubeServer
from gpuatlas_harness.kube_api import Object

UUID = "GPU-00000001-0000-4000-8000-000000000000"
READ = ["list", "watch"]
CORE = {"apiGroups": [""], "resources": ["nodes", "pods"], "verbs": READ}
OWNERS = [
    {"apiGroups": ["apps"], "resources": ["replicasets"], "verbs": READ},
    {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": READ},
]
ALLOCATED = "gpuatlas_card_memory_allocated_bytes"
MIB = 1024 * 1024


def a_node() -> Object:
    register = f"{UUID},10,34542,100,NVIDIA-NVIDIA A10G,0,true,0,hami-core:"
    resources = {"cpu": "8", "memory": "32Gi", "pods": "110", "nvidia.com/gpu": "10"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "gpu-a", "annotations": {"hami.io/node-nvidia-register": register}},
        "status": {
            "capacity": resources,
            "allocatable": resources,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def a_replicaset() -> Object:
    labels = {"app": "chat"}
    containers = [{"name": "main", "image": "registry.example/chat:1"}]
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": "chat-5d8f",
            "namespace": "team-a",
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1",
                    "kind": "Deployment",
                    "name": "chat",
                    "uid": "11111111-1111-4111-8111-111111111111",
                    "controller": True,
                }
            ],
        },
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
        },
    }


def a_pod(name: str, mib: int, owner_uid: str = "22222222-2222-4222-8222-222222222222") -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "team-a",
            "labels": {"pod-template-hash": "5d8f"},
            "annotations": {
                "hami.io/vgpu-node": "gpu-a",
                "hami.io/vgpu-devices-allocated": f"{UUID},NVIDIA,{mib},25:;",
            },
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1",
                    "kind": "ReplicaSet",
                    "name": "chat-5d8f",
                    "uid": owner_uid,
                    "controller": True,
                }
            ],
        },
        "spec": {
            "nodeName": "gpu-a",
            "containers": [
                {
                    "name": "main",
                    "image": "registry.example/chat:1",
                    "resources": {"limits": {"nvidia.com/gpu": "1"}},
                }
            ],
        },
        "status": {"phase": "Running"},
    }


@pytest.fixture
def api(kube: KubeServer) -> KubeServer:
    """One HAMi card with one tenant."""
    (replicaset,) = kube.apply([a_replicaset()])
    kube.apply([a_node(), a_pod("chat-0", 4_000, replicaset["metadata"]["uid"])])
    return kube


def test_pods_come_and_go_by_watch_events(api: KubeServer, tmp_path: Path) -> None:
    with ServeProcess(tmp_path, "--kubeconfig", api.kubeconfig) as exporter:
        exporter.wait_for(ALLOCATED, [4_000 * MIB])
        api.apply([a_pod("chat-1", 3_000)])
        exporter.wait_for(ALLOCATED, [7_000 * MIB])
        finished = a_pod("chat-1", 3_000)
        finished["status"]["phase"] = "Succeeded"
        api.apply([finished])
        exporter.wait_for(ALLOCATED, [4_000 * MIB])
        api.delete("Pod", "chat-0", namespace="team-a")
        page = exporter.wait_for(ALLOCATED, [0])
        assert page.values("gpuatlas_allocation_info") == []


def test_a_restart_and_a_forgotten_history_lose_nothing(api: KubeServer, tmp_path: Path) -> None:
    """The watch breaks, its resource version answers 410, and the list is read again."""
    with ServeProcess(tmp_path, "--kubeconfig", api.kubeconfig) as exporter:
        exporter.wait_for(ALLOCATED, [4_000 * MIB])
        api.stop_apiserver()
        assert exporter.page().values(ALLOCATED) == [4_000 * MIB]
        api.start_apiserver()
        api.apply([a_pod("chat-1", 3_000)])
        exporter.wait_for(ALLOCATED, [7_000 * MIB])
        api.delete("Pod", "chat-1", namespace="team-a")
        api.compact()
        api.apply([a_pod("chat-2", 1_000)])
        page = exporter.wait_for(ALLOCATED, [5_000 * MIB])
        assert page.labels("gpuatlas_allocation_info", pod="chat-1") == []


def test_a_refusal_of_one_resource_costs_that_resource(api: KubeServer, tmp_path: Path) -> None:
    """Without ReplicaSets the Deployment is still named, from the pod's template hash."""
    kubeconfig = api.service_account_kubeconfig("no-owners", [CORE])
    with ServeProcess(tmp_path, "--kubeconfig", kubeconfig) as exporter:
        page = exporter.wait_for(ALLOCATED, [4_000 * MIB])
        up = {
            kind: page.value("gpuatlas_source_up", source=f"kubernetes-{kind}")
            for kind in ("nodes", "pods", "replicasets", "jobs")
        }
        assert up == {"nodes": 1, "pods": 1, "replicasets": 0, "jobs": 0}
        (info,) = page.labels("gpuatlas_workload_info")
        assert (info["workload_kind"], info["workload"]) == ("Deployment", "chat")
        lines = [t for t in exporter.process.log_tail().splitlines() if "replicasets" in t]
        assert len(lines) == 1
        assert "Grant the verb" in lines[0]


def test_a_refusal_of_pods_is_no_empty_cluster(api: KubeServer, tmp_path: Path) -> None:
    """Sums without pods would say that every card is free."""
    rules = [{"apiGroups": [""], "resources": ["nodes"], "verbs": READ}, *OWNERS]
    kubeconfig = api.service_account_kubeconfig("no-pods", rules)
    with ServeProcess(tmp_path, "--kubeconfig", kubeconfig, ready_path="/healthz") as exporter:
        page = exporter.wait_for("gpuatlas_source_up", [0], source="kubernetes-pods")
        assert page.values(ALLOCATED) == []
        assert page.values("gpuatlas_card_state") == []


def test_a_command_says_which_right_is_missing(api: KubeServer) -> None:
    kubeconfig = api.service_account_kubeconfig("nobody", OWNERS)
    done = run_gpuatlas("cards", "--kubeconfig", kubeconfig)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "list" in done.stderr
    assert "nodes" in done.stderr
    assert "Traceback" not in done.stderr

"""Small objects as a real API server takes them."""

from __future__ import annotations

from gpuatlas_harness.kube_api import Object


def node(name: str, *, gpus: int = 8) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"nvidia.com/gpu.product": "NVIDIA-H200"}},
        "status": {
            "capacity": {"cpu": "16", "nvidia.com/gpu": str(gpus)},
            "allocatable": {"cpu": "15", "nvidia.com/gpu": str(gpus)},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def pod(name: str, *, namespace: str, on: str, phase: str = "Running") -> Object:
    container = {
        "name": "train",
        "image": "train:1",
        "resources": {"limits": {"nvidia.com/gpu": "2"}},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"nodeName": on, "containers": [container]},
        "status": {"phase": phase, "podIP": "10.1.2.3", "podIPs": [{"ip": "10.1.2.3"}]},
    }


def config_map(name: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "default"},
        "data": {"key": "value"},
    }

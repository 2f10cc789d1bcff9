"""The doctor with a pod's service account, on a real API server with a stranger's dcgm-exporter."""

from __future__ import annotations

import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from gpuatlas.doctor.examine import examine
from gpuatlas.doctor.results import Area, State, exit_code
from gpuatlas.runtime.doctor import visit
from gpuatlas.runtime.once import ClusterSettings, NoProgress
from gpuatlas.sources.catalogue import load_catalogue
from gpuatlas.sources.kubernetes.rbac import rules
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas_harness.kube import KubeServer
from gpuatlas_harness.kube_accounts import service_account_token

NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "gpu-a"},
    "status": {"capacity": {"nvidia.com/gpu": "1"}, "allocatable": {"nvidia.com/gpu": "1"}},
}


def dcgm_pod(port: int) -> dict[str, object]:
    image = "nvcr.io/nvidia/k8s/dcgm-exporter:4.5.3-4.8.2-ubuntu22.04"
    container = {"name": "exporter", "image": image}
    ports = [{"name": "metrics", "containerPort": port}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "dcgm-x", "labels": {"app": "nvidia-dcgm-exporter"}},
        "spec": {"nodeName": "gpu-a", "containers": [{**container, "ports": ports}]},
        "status": {"phase": "Running", "podIP": "127.0.0.1", "podIPs": [{"ip": "127.0.0.1"}]},
    }


def test_it_uses_the_account_and_asks_exporters_directly(
    kube: KubeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # nobody listens
        kube.apply([NODE, dcgm_pod(silent.getsockname()[1])])
        (tmp_path / "token").write_text(service_account_token(kube, "in-pod", rules()))
        (tmp_path / "ca.crt").write_bytes(kube.ca.read_bytes())
        server = urlsplit(kube.url)
        monkeypatch.delenv("KUBECONFIG", raising=False)
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("KUBERNETES_SERVICE_HOST", str(server.hostname))
        monkeypatch.setenv("KUBERNETES_SERVICE_PORT", str(server.port))
        seen = visit(
            ClusterSettings(kubernetes=KubernetesSettings(service_account=tmp_path)),
            load_catalogue(),
            (),
            clock=lambda: 1_800_000_000.0,
            progress=NoProgress(),
        )
    assert seen.prometheus is None
    access = seen.cluster.access
    assert (access.error, access.in_pod, access.proxied) == ("", True, False)
    results = examine(seen.cluster, None, load_catalogue())

    found = {(result.area, result.word): result for result in results}
    user = "system:serviceaccount:default:in-pod"
    identity = f"you are {user}, the service account of this pod"
    assert found[Area.API_SERVER, "identity"].text == identity
    # No right for the pod proxy is asked for, and none is missing.
    assert [r.state for r in results if r.area is Area.RIGHTS] == [State.OK]
    dcgm = found[Area.SOURCES, "dcgm"]
    assert dcgm.state is State.TODO
    assert dcgm.text.startswith("no dcgm page of gpu-a: ")
    assert "127.0.0.1" in dcgm.text
    assert exit_code(results) == 1

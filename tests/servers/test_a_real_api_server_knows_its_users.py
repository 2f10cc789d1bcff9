"""The accounts that the harness makes on its API server."""

from __future__ import annotations

import base64
from pathlib import Path

import requests
import yaml

from gpuatlas_harness.api_objects import node
from gpuatlas_harness.http import loopback_session
from gpuatlas_harness.kube import KubeServer

READ_NODES = [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["list", "watch"]}]


def access(kubeconfig: Path, path: str, *, kube: KubeServer) -> requests.Response:
    """GET a path with the token or the client certificate of a kubeconfig."""
    config = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
    user = config["users"][0]["user"]
    headers = {"Authorization": f"Bearer {user['token']}"} if "token" in user else {}
    with loopback_session(ca=kube.ca, headers=headers) as session:
        if "client-key-data" in user:
            files = [kubeconfig.with_suffix(suffix) for suffix in (".crt", ".key")]
            for file, key in zip(
                files, ("client-certificate-data", "client-key-data"), strict=True
            ):
                file.write_bytes(base64.b64decode(user[key]))
            session.cert = (str(files[0]), str(files[1]))
        return session.get(config["clusters"][0]["cluster"]["server"] + path, timeout=10)


def test_a_service_account_reads_what_its_rules_allow(kube: KubeServer) -> None:
    kube.apply([node("gpu-1")])
    kubeconfig = kube.service_account_kubeconfig("nodes-only", READ_NODES)

    nodes = access(kubeconfig, "/api/v1/nodes", kube=kube)
    pods = access(kubeconfig, "/api/v1/pods", kube=kube)

    assert nodes.status_code == 200
    assert [item["metadata"]["name"] for item in nodes.json()["items"]] == ["gpu-1"]
    assert pods.status_code == 403
    assert pods.json()["reason"] == "Forbidden"


def test_the_admin_kubeconfig_reads_everything(kube: KubeServer) -> None:
    assert access(kube.kubeconfig, "/api/v1/pods", kube=kube).status_code == 200


def test_a_client_certificate_names_user_and_groups(kube: KubeServer) -> None:
    master = kube.client_certificate_kubeconfig("alice", ["system:masters"])
    nobody = kube.client_certificate_kubeconfig("bob", [])

    assert access(master, "/api/v1/pods", kube=kube).status_code == 200
    refused = access(nobody, "/api/v1/pods", kube=kube)
    assert refused.status_code == 403
    assert 'User "bob" cannot list resource "pods"' in refused.json()["message"]

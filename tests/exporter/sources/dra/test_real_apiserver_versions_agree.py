"""The fixtures in a real API server, which converts each object to every version that it serves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gpuatlas.sources.dra.project import project_claim, project_slice
from gpuatlas.sources.dra.trim import trim_claim, trim_slice
from gpuatlas_harness.binaries import built_binary, required
from gpuatlas_harness.kube import KubeServer

Object = dict[str, Any]

VERSIONS = tuple(f"resource.k8s.io/{version}" for version in ("v1", "v1beta2", "v1beta1"))
KINDS: dict[str, tuple[Callable[[object], object], Callable[[object], object]]] = {
    "ResourceSlice": (project_slice, trim_slice),
    "ResourceClaim": (project_claim, trim_claim),
}


@pytest.fixture(scope="module")
def dra_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeServer]:
    """An API server with the beta versions and with list attributes, which are off by default."""
    server = KubeServer(
        apiserver=required(lambda: built_binary("kube-apiserver")),
        etcd=required(lambda: built_binary("etcd")),
        work_dir=tmp_path_factory.mktemp("kube-dra"),
        extra_arguments=[
            f"--runtime-config={','.join(f'{version}=true' for version in VERSIONS)}",
            "--feature-gates=DRAListTypeAttributes=true",
        ],
    )
    with server:
        server.apply(
            [
                {
                    "apiVersion": "v1",
                    "kind": "Namespace",
                    "metadata": {
                        "name": "monitoring",
                        "labels": {"resource.kubernetes.io/admin-access": "true"},
                    },
                }
            ]
        )
        yield server


def without_identity(raw: Object) -> Object:
    """The object without what only the server gives, and without owners that do not exist."""
    drop = ("uid", "resourceVersion", "creationTimestamp", "generation", "ownerReferences")
    metadata = {k: v for k, v in raw["metadata"].items() if k not in drop}
    return {**raw, "metadata": metadata}


def test_every_object_reads_the_same_in_every_version(
    dra_server: KubeServer, recorded: dict[tuple[str, str], Object]
) -> None:
    for raw in recorded.values():
        project, trim = KINDS[raw["kind"]]
        document = without_identity(raw)
        dra_server.apply([document])
        name, namespace = raw["metadata"]["name"], raw["metadata"].get("namespace")
        expected = project(document)
        for version in VERSIONS:
            served = dra_server.get(raw["kind"], name, namespace=namespace, api_version=version)
            assert project(without_identity(served)) == expected, (version, name)
            assert project(trim(served)) == project(served), (version, name)

"""One simulated evening on a real API server, and the exporter that reads it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuatlas.demo.server import SimulatedCluster
from gpuatlas.sources.kubernetes.rbac import rules
from gpuatlas_harness.binaries import built_binary, required
from gpuatlas_harness.exporting import ServeProcess
from gpuatlas_harness.kube import KubeServer
from gpuatlas_harness.simulated import EVENING, load

# What `gpuatlas serve` asks for, and nothing more.
RULES = rules()


@pytest.fixture(scope="module")
def cluster() -> Iterator[SimulatedCluster]:
    """Its clock stands still, so that every number can be known."""
    with SimulatedCluster(start=EVENING, speed=0) as simulated:
        yield simulated


@pytest.fixture(scope="module")
def loaded(
    cluster: SimulatedCluster, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[KubeServer]:
    """A real API server with the simulated cluster's objects.

    A cluster of its own: the kinds of other systems are defined there for good.
    """
    with KubeServer(
        apiserver=required(lambda: built_binary("kube-apiserver")),
        etcd=required(lambda: built_binary("etcd")),
        work_dir=tmp_path_factory.mktemp("kube-loaded"),
        # Device plugins are.
        extra_arguments=["--allow-privileged=true"],
    ) as running:
        load(cluster, running)
        yield running


@pytest.fixture(scope="module")
def exporter(
    loaded: KubeServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServeProcess]:
    """`gpuatlas serve` with a service account that may do just what it needs."""
    kubeconfig = loaded.service_account_kubeconfig("exporter", RULES)
    folder: Path = tmp_path_factory.mktemp("serve")
    with ServeProcess(folder, "--kubeconfig", kubeconfig) as running:
        yield running

"""One simulated evening on a real API server, and the exporter that reads it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuatlas.demo.server import SimulatedCluster
from gpuatlas_harness.exporting import ServeProcess
from gpuatlas_harness.kube import KubeServer
from gpuatlas_harness.simulated import EVENING, load

READ = ["list", "watch"]
# What `gpuatlas serve` asks for, and nothing more.
RULES = [
    {"apiGroups": [""], "resources": ["nodes", "pods"], "verbs": READ},
    {"apiGroups": ["apps"], "resources": ["replicasets"], "verbs": READ},
    {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": READ},
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[SimulatedCluster]:
    """Its clock stands still, so that every number can be known."""
    with SimulatedCluster(start=EVENING, speed=0) as simulated:
        yield simulated


@pytest.fixture(scope="module")
def loaded(kube_server: KubeServer, cluster: SimulatedCluster) -> Iterator[KubeServer]:
    """The real API server with the simulated cluster's objects."""
    load(cluster, kube_server)
    yield kube_server
    kube_server.reset()


@pytest.fixture(scope="module")
def exporter(
    loaded: KubeServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServeProcess]:
    """`gpuatlas serve` with a service account that may do just what it needs."""
    kubeconfig = loaded.service_account_kubeconfig("exporter", RULES)
    folder: Path = tmp_path_factory.mktemp("serve")
    with ServeProcess(folder, "--kubeconfig", kubeconfig) as running:
        yield running

"""The pytest fixtures; ``gpuatlas_harness.register`` makes them known."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import pytest

from .binaries import built_binary, required, system_binary
from .kube import KubeServer
from .prometheus import PrometheusServer


class PrometheusFactory(Protocol):
    """Starts a Prometheus, see ``PrometheusServer``, that ends with the test."""

    def __call__(
        self,
        scrape_configs: Sequence[Mapping[str, object]],
        *,
        interval_seconds: float = 1.0,
        rule_files: Sequence[Path] = (),
    ) -> PrometheusServer: ...


@pytest.fixture(scope="session")
def kube_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeServer]:
    """One cluster for all tests; ``kube`` gives it to a test and cleans up behind it."""
    etcd = required(lambda: built_binary("etcd"))
    apiserver = required(lambda: built_binary("kube-apiserver"))
    work_dir = tmp_path_factory.mktemp("kube")
    with KubeServer(apiserver=apiserver, etcd=etcd, work_dir=work_dir) as server:
        yield server
    # pytest keeps the last runs' folders; of this one the logs are enough.
    shutil.rmtree(work_dir / "etcd-data", ignore_errors=True)


@pytest.fixture
def kube(kube_server: KubeServer) -> Iterator[KubeServer]:
    """The cluster, from which what the test applied is deleted afterwards."""
    yield kube_server
    kube_server.reset()


@pytest.fixture
def prometheus_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrometheusFactory]:
    """A factory of Prometheus servers."""
    binary = required(lambda: system_binary("prometheus", package="prometheus"))
    with ExitStack() as running:

        def start(
            scrape_configs: Sequence[Mapping[str, object]],
            *,
            interval_seconds: float = 1.0,
            rule_files: Sequence[Path] = (),
        ) -> PrometheusServer:
            server = PrometheusServer(
                scrape_configs,
                work_dir=tmp_path_factory.mktemp("prometheus"),
                interval_seconds=interval_seconds,
                rule_files=rule_files,
                binary=binary,
            )
            return running.enter_context(server)

        yield start

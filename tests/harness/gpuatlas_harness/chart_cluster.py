"""The simulated evening on a real API server, for the chart to be put beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from gpuatlas.demo.server import SimulatedCluster

from .binaries import built_binary, required
from .helm import ROOT, Rendered
from .installed import Account, audited
from .kube import KubeServer
from .simulated import EVENING, load

_CRDS: Final = ROOT / "tests" / "helm" / "operator-crds.yaml"
# Kubernetes' own gangs: behind a switch where they are served at all.
_GANGS: Final = (
    "--runtime-config=scheduling.k8s.io/v1alpha2=true",
    "--feature-gates=GenericWorkload=true",
)


@dataclass(frozen=True)
class Cluster:
    """The simulated evening on a real API server, which writes down what accounts do."""

    kube: KubeServer
    folder: Path

    def account(self, rendered: Rendered) -> Account:
        """The chart's own, once its rights are in force."""
        metadata = rendered.one("ServiceAccount")["metadata"]
        namespace, name = metadata["namespace"], metadata["name"]
        account = Account(self.kube, self.folder, namespace=namespace, name=name)
        account.wait_until_it_may("list", "nodes")
        return account


@contextmanager
def chart_cluster(folder: Path) -> Iterator[Cluster]:
    """Started in an empty folder, with the operator's kinds, and stopped at the end."""
    with (
        SimulatedCluster(start=EVENING, speed=0) as simulated,
        KubeServer(
            apiserver=required(lambda: built_binary("kube-apiserver")),
            etcd=required(lambda: built_binary("etcd")),
            work_dir=folder,
            extra_arguments=[*audited(folder), *_GANGS],
        ) as kube,
    ):
        load(simulated, kube)
        kube.apply([*yaml.safe_load_all(_CRDS.read_text(encoding="utf-8"))])
        kube.resource("monitoring.coreos.com/v1", "Prometheus")
        yield Cluster(kube, folder)

"""A cluster in which the installation guide can be followed to the end.

The API server, Helm and the Prometheus that finds its targets in Kubernetes are real, and so are
the exporter's process and its account. Played are what needs machines: the cards and their
exporters (`gpuatlas.demo`), and the kubelet, which here starts the container of our Deployment as a
process on an address of its own.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from gpuatlas.demo.scenario import Scenario
from gpuatlas.demo.server import SimulatedCluster

from .binaries import built_binary, required
from .document_blocks import blocks, commands
from .exporting import FIRST_SNAPSHOT_SECONDS
from .helm import NAMESPACE, RELEASE, ROOT, Helm
from .installed import Account, audited
from .kube import KubeServer
from .processes import Readiness, ServerProcess
from .prometheus import PrometheusServer
from .simulated import load

Object = dict[str, Any]

MONITORING: Final = "monitoring"  # the namespace of Prometheus and Grafana in the guide
_GUIDE: Final = "install.md"
_SERVED_SECONDS: Final = 1  # between scrapes and between evaluations, where the guide has 30 to 240
# What people have for node_exporter: the guide has no job for it.
_OTHER_JOBS: Final = {"node-exporter": ("app.kubernetes.io/name", "prometheus-node-exporter")}
_SEES_PODS: Final = [
    {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]},
]


@dataclass(frozen=True)
class FirstHour:
    """What is there once the guide was followed."""

    kube: KubeServer
    helm: Helm
    prometheus: PrometheusServer
    account: Account
    arguments: tuple[str, ...]  # of the exporter's container
    exporter: ServerProcess

    def boards(self) -> dict[str, Object]:
        """What Grafana's sidecar would take in: file names and boards."""
        found = self.kube.list_objects("ConfigMap", namespace=MONITORING)["items"]
        return {
            name: yaml.safe_load(text)
            for item in found
            if item["metadata"]["labels"].get("grafana_dashboard") == "1"
            for name, text in item["data"].items()
        }

    def doctor(self) -> tuple[str, ...]:
        """What the pod of `helm test` would run, as this account, against this Prometheus."""
        text = self.helm.run(
            *("get", "hooks", RELEASE, "--namespace", NAMESPACE), kubeconfig=self.kube.kubeconfig
        )
        (pod,) = (item for item in yaml.safe_load_all(text) if item and item["kind"] == "Pod")
        return _reachable(pod["spec"]["containers"][0]["args"], self.prometheus.url)


@contextmanager
def first_hour(
    folder: Path, scenario: Scenario, helm: Helm, values: Sequence[str]
) -> Iterator[FirstHour]:
    """Follow the guide with the blocks of values of these names, for a plain Prometheus."""
    with ExitStack() as running:
        simulated = running.enter_context(SimulatedCluster(scenario))
        kube = running.enter_context(_api_server(folder))
        load(simulated, kube)
        kube.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": MONITORING}}])
        _install(folder, helm, kube, values)
        prometheus = running.enter_context(_prometheus(folder, kube))
        account = Account(kube, folder, namespace=NAMESPACE, name=RELEASE)
        account.wait_until_it_may("list", "nodes")
        deployment = kube.get("Deployment", RELEASE, namespace=NAMESPACE, api_version="apps/v1")
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        arguments = _reachable(container["args"], prometheus.url)
        exporter = _container(folder, arguments, account, address := _address())
        exporter.start()
        running.callback(exporter.stop)
        kube.apply([_pod(deployment, address)])
        yield FirstHour(kube, helm, prometheus, account, arguments, exporter)


def _api_server(folder: Path) -> KubeServer:
    return KubeServer(
        apiserver=required(lambda: built_binary("kube-apiserver")),
        etcd=required(lambda: built_binary("etcd")),
        work_dir=folder,
        extra_arguments=audited(folder),
    )


# Step 2 of the guide: the chart


def _install(folder: Path, helm: Helm, kube: KubeServer, values: Sequence[str]) -> None:
    """The first command of the guide that installs, word for word, with more files of values."""
    first = next(words for words in commands(_GUIDE, "helm") if "--install" in words)
    for block in blocks(_GUIDE, "yaml"):
        (folder / block.name).write_text(block.text, "utf-8")
    more = [word for name in values for word in ("--values", name)]
    words = [str(folder / w) if w.endswith("-values.yaml") else w for w in (*first, *more)]
    words = [str(ROOT / w) if w == "helm/gpuatlas" else w for w in words]
    helm.run(*words, kubeconfig=kube.kubeconfig)


# Step 4: Prometheus


def _prometheus(folder: Path, kube: KubeServer) -> PrometheusServer:
    """One with the guide's job and rule files, in a pod of the cluster as far as it can tell."""
    (block,) = (b for b in blocks(_GUIDE, "yaml") if "rule_files" in b.text)
    configuration = yaml.safe_load(block.text)
    kubeconfig = kube.service_account_kubeconfig("prometheus", _SEES_PODS, namespace=MONITORING)
    jobs = [*configuration["scrape_configs"], *map(_other_job, _OTHER_JOBS)]
    for job in jobs:
        job.pop("scrape_interval", None)
        for discovery in job["kubernetes_sd_configs"]:
            discovery["kubeconfig_file"] = str(kubeconfig)
    return PrometheusServer(
        jobs,
        work_dir=folder,
        interval_seconds=_SERVED_SECONDS,
        rule_files=list(_mounted(folder, kube, configuration["rule_files"])),
        binary=required(lambda: built_binary("prometheus3")),
    )


def _other_job(name: str) -> Object:
    label, value = _OTHER_JOBS[name]
    meta = "__meta_kubernetes_pod_label_" + label.replace(".", "_").replace("/", "_")
    kept = [
        {"source_labels": [meta], "regex": value, "action": "keep"},
        {
            "source_labels": ["__meta_kubernetes_pod_container_port_name"],
            "regex": "metrics",
            "action": "keep",
        },
    ]
    return {"job_name": name, "kubernetes_sd_configs": [{"role": "pod"}], "relabel_configs": kept}


def _mounted(folder: Path, kube: KubeServer, patterns: Sequence[str]) -> Iterator[Path]:
    """The files of each ConfigMap in a folder of its own, as the guide has them mounted."""
    for pattern in patterns:
        place = Path(pattern).parent.name
        name = f"{RELEASE}-{place}"
        (folder / place).mkdir()
        for file, text in kube.get("ConfigMap", name, namespace=MONITORING)["data"].items():
            (folder / place / file).write_text(_quicker(text), "utf-8")
        yield from sorted((folder / place).glob(Path(pattern).name))


def _quicker(rules: str) -> str:
    """The same without intervals of their own: minutes become moments."""
    document = yaml.safe_load(rules)
    for group in document["groups"]:
        group.pop("interval", None)
    return yaml.safe_dump(document)


# The kubelet


def _address() -> str:
    """One of loopback's, so that the container has its own port there."""
    return ".".join(["127", *(str(part) for part in random.sample(range(1, 255), 3))])


def _reachable(arguments: Sequence[str], prometheus: str) -> tuple[str, ...]:
    """With the Prometheus where it is, in place of the name that a cluster's DNS would know."""
    told = "--prometheus-url="
    return tuple(told + prometheus if word.startswith(told) else word for word in arguments)


def _container(
    folder: Path, arguments: Sequence[str], account: Account, address: str
) -> ServerProcess:
    """The exporter, listening where its pod's address is."""
    command, *options = arguments
    where = ("--listen", f"{address}:9836", "--kubeconfig", account.kubeconfig)
    return ServerProcess(
        "gpuatlas",
        [sys.executable, "-m", "gpuatlas", command, *where, *options],
        readiness=Readiness(
            f"http://{address}:9836/readyz", deadline_seconds=FIRST_SNAPSHOT_SECONDS
        ),
        log_dir=folder,
    )


def _pod(deployment: Object, address: str) -> Object:
    """What the Deployment's controllers would make and the kubelet would say of it."""
    template: Mapping[str, Any] = deployment["spec"]["template"]
    name = f"{deployment['metadata']['name']}-0"
    metadata = {**template["metadata"], "name": name, "namespace": NAMESPACE}
    metadata.pop("creationTimestamp", None)
    status = {
        "phase": "Running",
        "podIP": address,
        "podIPs": [{"ip": address}],
        "conditions": [{"type": "Ready", "status": "True"}],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": dict(template["spec"]),
        "status": status,
    }

"""A cluster with the real operator of Prometheus, in which the installation guide was followed.

The guide's block for kube-prometheus-stack is in force, and there are Prometheuses like that
stack's and of other kinds. Played are controllers and kubelet: our EndpointSlice is written here,
with an address of the pod network, and a relabelling in `scrape.endpoint` leads from there to the
exporter's process on loopback.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gpuatlas.demo.server import SimulatedCluster

from .binaries import built_binary, required
from .document_blocks import blocks
from .exporting import ServeProcess
from .helm import CHART, NAMESPACE, OPERATOR, RELEASE, SCENARIOS, Helm, Rendered
from .installed import Account, audited
from .kube import KubeServer
from .operated import (
    API,
    Operator,
    Written,
    definitions,
    prometheus_like_the_stacks,
    wait_until_written,
)
from .simulated import EVENING, load

Object = dict[str, Any]

KINDS: Final = ("ServiceMonitor", "PrometheusRule")
OURS: Final = f"serviceMonitor/{NAMESPACE}/{RELEASE}/0"  # the scrape job
POD: Final = f"{RELEASE}-0"
ADDRESS: Final = "10.244.0.7"
_EXCLUDED: Final = [
    {"group": "monitoring.coreos.com", "resource": kind, "namespace": NAMESPACE}
    for kind in ("servicemonitors", "prometheusrules")
]
# What is said of a Prometheus, over what the stack says of its own.
SERVERS: Final[dict[str, Object]] = {
    "stacks": {},
    "enforcing": {"enforcedNamespaceLabel": "namespace"},
    "excluding": {"enforcedNamespaceLabel": "namespace", "excludedFromEnforcement": _EXCLUDED},
    "overriding": {"overrideHonorLabels": True, "excludedFromEnforcement": _EXCLUDED},
}
TAKES_ALL: Final = "every"  # whatever its labels are
FORGOTTEN, ADDED = "forgotten", "added"  # namespaces without labels and with those of the notes
_BLOCK: Final = "kube-prometheus-stack-values.yaml"


@dataclass(frozen=True)
class Installed:
    """What one installation has for the operator, and the same as the API server stored it."""

    wanted: list[Object]
    stored: list[Object]

    def names(self) -> set[tuple[str, str]]:
        """Kinds and names."""
        return {(item["kind"], item["metadata"]["name"]) for item in self.wanted}


@dataclass(frozen=True)
class Cluster:
    """What is there once the operator has looked."""

    kube: KubeServer
    folder: Path
    operator: Operator
    chart: Rendered  # what the guide's block of values gives
    exporter: ServeProcess  # of that chart; started by those who want it
    added: dict[str, str]  # the values that the notes name to those who set no labels
    others: dict[str, Installed]  # by namespace: FORGOTTEN, ADDED, and the chart's scenarios
    written: dict[str, Written]  # by the name of the Prometheus


@contextmanager
def operated(folder: Path, helm: Helm) -> Iterator[Cluster]:
    """Follow the guide, install the chart in other ways beside it, and start the operator.

    It starts last: its first look, and the first that it writes, is at all of that. One rule of
    another maker is wrong, to see that this is told.
    """
    with ExitStack() as running:
        kube = running.enter_context(_api_server(folder))
        operator = Operator(kube, folder)
        load(running.enter_context(SimulatedCluster(start=EVENING, speed=0)), kube)
        kube.apply(definitions())
        kube.apply([prometheus_like_the_stacks(kube, name, **s) for name, s in SERVERS.items()])
        added = _added_by_the_notes(helm, kube)
        everything: Object = {"serviceMonitorSelector": {}, "ruleSelector": {}}
        kube.apply([prometheus_like_the_stacks(kube, TAKES_ALL, **everything)])
        chart, exporter = _follow(folder, helm, kube)
        chosen: dict[str, Path | Mapping[str, Any]] = {path.stem: path for path in SCENARIOS}
        chosen |= {FORGOTTEN: {}, ADDED: added}
        others = {name: _install(helm, kube, name, values) for name, values in chosen.items()}
        kube.apply([_wrong_rule()])
        running.enter_context(operator)
        written = {
            name: wait_until_written(kube, name, lambda first: OURS in first.jobs())
            for name in (*SERVERS, TAKES_ALL)
        }
        yield Cluster(kube, folder, operator, chart, exporter, added, others, written)


def _api_server(folder: Path) -> KubeServer:
    return KubeServer(
        apiserver=required(lambda: built_binary("kube-apiserver")),
        etcd=required(lambda: built_binary("etcd")),
        work_dir=folder,
        extra_arguments=audited(folder),
    )


def _follow(folder: Path, helm: Helm, kube: KubeServer) -> tuple[Rendered, ServeProcess]:
    """Install with the guide's block; then say, over it, how the exporter is reached here."""
    (block,) = (found for found in blocks("install.md", "yaml") if found.name == _BLOCK)
    values = folder / _BLOCK
    values.write_text(block.text, "utf-8")
    chart = helm.render(values, served=OPERATOR)
    kube.apply(chart.objects)
    exporter = _exporter_of(chart, kube, folder)
    endpoint = {"scrape.endpoint": _leading_to(exporter)}
    kube.apply([helm.render(values, endpoint, served=OPERATOR).one("ServiceMonitor")])
    return chart, exporter


def _exporter_of(chart: Rendered, kube: KubeServer, folder: Path) -> ServeProcess:
    """What the Deployment would start, with the account's token; it is not started."""
    account = Account(kube, folder, namespace=NAMESPACE, name=RELEASE)
    account.wait_until_it_may("list", "nodes")
    command, *options = chart.exporter()["containers"][0]["args"]
    assert command == "serve"
    # Nothing here has the name of the stack's Service, and only Sizing wants it.
    known = [option for option in options if not option.startswith("--prometheus-url=")]
    return ServeProcess(folder, "--kubeconfig", account.kubeconfig, *known)


def _leading_to(exporter: ServeProcess) -> Object:
    """From the address of a pod to the process; `instance` stays the pod's."""
    process = exporter.url.removeprefix("http://")
    return {
        "relabelings": [
            {"sourceLabels": ["__address__"], "targetLabel": "instance"},
            {"targetLabel": "__address__", "replacement": process},
        ]
    }


def _added_by_the_notes(helm: Helm, kube: KubeServer) -> dict[str, str]:
    """The values that are to be added, as the notes say after an installation without labels."""
    text = helm.run(
        *("install", RELEASE, CHART, "--namespace", FORGOTTEN, "--dry-run=server"),
        *("--set", "dashboards.enabled=false"),
        kubeconfig=kube.kubeconfig,
    )
    words = shlex.split(text.partition("selects them. Add: ")[2])
    assert set(words[::2]) == {"--set-string"}
    return dict(word.split("=") for word in words[1::2])


def _install(
    helm: Helm, kube: KubeServer, namespace: str, values: Path | Mapping[str, Any]
) -> Installed:
    """Apply what the operator looks for, and the Secrets that are named there."""
    smaller = {"dashboards.enabled": False}
    rendered = helm.render(values, smaller, served=OPERATOR, namespace=namespace)
    wanted = [item for item in rendered.objects if item["kind"] in KINDS]
    kube.apply(_secrets_for(wanted))
    return Installed(wanted, kube.apply(wanted))


def _wrong_rule() -> Object:
    """One that the operator has to refuse; only the Prometheus that takes all looks at it."""
    group = {"name": "wrong", "rules": [{"record": "wrong:up:sum", "expr": "sum("}]}
    return {
        "apiVersion": API,
        "kind": "PrometheusRule",
        "metadata": {"name": "wrong", "namespace": "wrong"},
        "spec": {"groups": [group]},
    }


# Played


def behind_the_service(chart: Rendered) -> list[Object]:
    """The pod and the EndpointSlice that controllers and a kubelet would make."""
    (port,) = chart.one("Service")["spec"]["ports"]
    deployment = chart.one("Deployment")
    template = deployment["spec"]["template"]
    (container,) = template["spec"]["containers"]
    (number,) = (p["containerPort"] for p in container["ports"] if p["name"] == port["targetPort"])
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**template["metadata"], "name": POD, "namespace": NAMESPACE},
        "spec": template["spec"],
        "status": {"phase": "Running", "podIP": ADDRESS, "podIPs": [{"ip": ADDRESS}]},
    }
    endpoint = {
        "addresses": [ADDRESS],
        "conditions": {"ready": True},
        "targetRef": {"kind": "Pod", "name": POD, "namespace": NAMESPACE},
    }
    labels = {"kubernetes.io/service-name": chart.one("Service")["metadata"]["name"]}
    endpoints = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": f"{RELEASE}-a", "namespace": NAMESPACE, "labels": labels},
        "addressType": "IPv4",
        "ports": [{"name": port["name"], "port": number, "protocol": "TCP"}],
        "endpoints": [endpoint],
    }
    return [pod, endpoints]


def _secrets_for(objects: Iterable[Object]) -> list[Object]:
    """The Secrets that ServiceMonitors name and that the operator wants to be there."""
    keys: dict[tuple[str, str], dict[str, str]] = {}
    for item in objects:
        for reference in _references(item["spec"].get("endpoints", [])):
            where = (item["metadata"]["namespace"], reference["name"])
            keys.setdefault(where, {})[reference["key"]] = "given"
    return [
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"namespace": namespace, "name": name},
            "stringData": data,
        }
        for (namespace, name), data in keys.items()
    ]


def _references(part: Any) -> Iterator[Object]:
    if isinstance(part, dict) and part.keys() == {"name", "key"}:
        yield part
    elif isinstance(part, (dict, list)):
        for inner in part.values() if isinstance(part, dict) else part:
            yield from _references(inner)

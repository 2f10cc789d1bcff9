"""The real operator of Prometheus on a real API server, and what it writes for a Prometheus.

The kinds it watches are defined by its own release, out of Go's module cache: nothing of it is kept
in this repository. There is no kubelet, so its StatefulSets never run: what their pods would mount,
the configuration and the rule files, is read from the API, and a Prometheus of ours can start with
both.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import yaml

from .binaries import BUILD_SCRIPT, BinaryMissingError, built_binary, required
from .http import loopback_session
from .kube import KubeServer
from .kube_accounts import service_account_token
from .kube_api import HTTP_NOT_FOUND, KubeError
from .polling import poll_until
from .processes import LOOPBACK, Readiness, ServerProcess, free_ports
from .prometheus import PrometheusServer

Object = dict[str, Any]

BINARY: Final = "prometheus-operator"
API: Final = "monitoring.coreos.com/v1"
MONITORING: Final = "monitoring"
# What kube-prometheus-stack calls its release where its own guide installs it.
STACK: Final = "kube-prometheus-stack"
_MODULE: Final = "github.com/prometheus-operator/prometheus-operator"
# Without any of these its controller of Prometheuses does not start.
_KINDS: Final = ("prometheuses", "prometheusrules", "servicemonitors", "podmonitors", "probes")
_DOWNLOAD_SECONDS: Final = 120
_SETTLE_SECONDS: Final = 60.0
_ALL_LINES: Final = 1_000_000
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_UID: Final = re.compile(r"-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.yaml$")
# What the reloader beside each Prometheus of a StatefulSet fills in.
_POD_VARIABLES: Final = {"POD_NAME": "prometheus-0", "SHARD": "0"}
# What kube-prometheus-stack lets its Prometheus read.
_READS: Final[Sequence[Object]] = [
    {
        "apiGroups": [""],
        "resources": ["nodes", "services", "endpoints", "pods"],
        "verbs": ["get", "list", "watch"],
    },
    {
        "apiGroups": ["discovery.k8s.io"],
        "resources": ["endpointslices"],
        "verbs": ["get", "list", "watch"],
    },
]


def definitions() -> list[Object]:
    """The CustomResourceDefinitions of the operator's release.

    The test is skipped, or fails in CI, where Go does not have them.
    """
    folder = required(_sources) / "example" / "prometheus-operator-crd"
    return [
        _read((folder / f"monitoring.coreos.com_{kind}.yaml").read_text("utf-8")) for kind in _KINDS
    ]


def _sources() -> Path:
    """The operator's module as Go keeps it; Go fetches what its cache has lost."""
    try:
        answer = subprocess.run(
            ["go", "mod", "download", "-json", _MODULE],
            cwd=BUILD_SCRIPT.parent / "operator",
            env={**os.environ, "GOWORK": "off"},
            capture_output=True,
            text=True,
            timeout=_DOWNLOAD_SECONDS,
            check=False,
        )
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        message = f"no sources of {_MODULE}: {error}"
        raise BinaryMissingError(message) from None
    if answer.returncode != 0:
        message = f"no sources of {_MODULE}: {answer.stderr or answer.stdout}"
        raise BinaryMissingError(message)
    return Path(json.loads(answer.stdout)["Dir"])


def _read(text: str) -> Any:
    return yaml.load(text, _LOADER)  # noqa: S506  # libyaml's safe one


class Operator:
    """``with Operator(kube, folder)`` runs it as the cluster's administrator and stops it."""

    def __init__(self, kube: KubeServer, folder: Path) -> None:
        address = f"{LOOPBACK}:{free_ports(1)[0]}"
        self.process = ServerProcess(
            BINARY,
            [
                required(lambda: built_binary(BINARY)),
                f"--web.listen-address={address}",
                # Of an image that nobody pulls.
                "--prometheus-config-reloader=registry.example/config-reloader:1",
            ],
            readiness=Readiness(f"http://{address}/healthz"),
            log_dir=folder,
            environment={"KUBECONFIG": str(kube.kubeconfig)},
        )

    def __enter__(self) -> Self:
        self.process.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.process.stop()

    def skipped(self) -> list[str]:
        """What its log says of objects that it takes for nobody, for they are wrong."""
        lines = self.process.log_tail(_ALL_LINES).splitlines()
        return [line for line in lines if 'msg="skipping ' in line]


def prometheus_like_the_stacks(kube: KubeServer, name: str, **more: object) -> Object:
    """A Prometheus object with the selectors that kube-prometheus-stack gives its own.

    ``more`` are fields of its ``spec``, over those of the stack. It scrapes and evaluates more
    often than that, finds targets in EndpointSlices, which clusters keep instead of Endpoints, and
    the API server, being outside of the cluster, by ``apiserverConfig``.
    """
    selector = {"matchLabels": {"release": STACK}}
    token = kube.work_dir / "prometheus.token"
    if not token.exists():
        account = f"{STACK}-prometheus"
        token.write_text(
            service_account_token(kube, account, _READS, namespace=MONITORING), "utf-8"
        )
    reach = {
        "host": kube.url,
        "authorization": {"credentialsFile": str(token)},
        "tlsConfig": {"caFile": str(kube.ca)},
    }
    spec = {
        "serviceMonitorSelector": selector,
        "serviceMonitorNamespaceSelector": {},
        "ruleSelector": selector,
        "ruleNamespaceSelector": {},
        "serviceDiscoveryRole": "EndpointSlice",
        "scrapeInterval": "5s",
        "evaluationInterval": "5s",
        "apiserverConfig": reach,
    }
    return {
        "apiVersion": API,
        "kind": "Prometheus",
        "metadata": {"name": name, "namespace": MONITORING},
        "spec": {**spec, **more},
    }


@dataclass(frozen=True)
class Written:
    """What the operator would have a Prometheus start with."""

    configuration: Object
    rule_files: Mapping[str, str]  # name, as ``NAMESPACE-NAME-UID.yaml``, and text

    def jobs(self) -> list[str]:
        """Names of the scrape jobs, as ``serviceMonitor/NAMESPACE/NAME/0``."""
        return [job["job_name"] for job in self.configuration["scrape_configs"]]

    def job(self, name: str) -> Object:
        """The one job of that name."""
        (found,) = (j for j in self.configuration["scrape_configs"] if j["job_name"] == name)
        return dict(found)

    def files_of(self, namespace: str) -> dict[str, str]:
        """Names of the PrometheusRules of a namespace that it took, and the files made of them."""
        prefix = f"{namespace}-"
        return {
            _UID.sub("", file).removeprefix(prefix): text
            for file, text in self.rule_files.items()
            if file.startswith(prefix)
        }

    def taken(self, namespace: str) -> set[tuple[str, str]]:
        """Kinds and names of what it took out of a namespace."""
        monitors = [job.split("/")[2] for job in self.jobs() if job.split("/")[1] == namespace]
        rules = {("PrometheusRule", name) for name in self.files_of(namespace)}
        return rules | {("ServiceMonitor", name) for name in monitors}

    def server(self, folder: Path, *, rules_of: str = "") -> PrometheusServer:
        """A Prometheus with this configuration and the rules of that namespace, not started.

        Groups lose their intervals, so that each is evaluated as often as ``evaluationInterval``
        says: hours become moments. Rules of other namespaces stay away: a second installation's
        would record the same series. Without a namespace it has no rules.
        """
        folder.mkdir()
        server = PrometheusServer(
            [], work_dir=folder, binary=required(lambda: built_binary("prometheus3"))
        )
        rules = folder / "rules"
        rules.mkdir()
        for name, text in self.files_of(rules_of).items():
            document = _read(text)
            for group in document["groups"]:
                group.pop("interval", None)
            (rules / f"{name}.yaml").write_text(json.dumps(document), "utf-8")
        text = json.dumps({**self.configuration, "rule_files": [f"{rules}/*.yaml"]})
        for variable, value in _POD_VARIABLES.items():
            text = text.replace(f"$({variable})", value)
        # In place of what our server would start with.
        (folder / "prometheus.yml").write_text(text, "utf-8")
        return server


def _written(kube: KubeServer, name: str) -> Written | None:
    """What it has written for the Prometheus of that name, None for nothing yet."""
    try:
        secret = kube.get("Secret", f"prometheus-{name}", namespace=MONITORING)
    except KubeError as error:
        if error.code == HTTP_NOT_FOUND:
            return None
        raise
    packed = base64.b64decode(secret["data"]["prometheus.yaml.gz"])
    listed = kube.list_objects(
        "ConfigMap",
        namespace=MONITORING,
        parameters={"labelSelector": f"prometheus-name={name}"},
    )["items"]
    files = {file: text for item in listed for file, text in item.get("data", {}).items()}
    return Written(_read(gzip.decompress(packed).decode()), files)


def wait_until_written(kube: KubeServer, name: str, until: Callable[[Written], bool]) -> Written:
    """What it writes for that Prometheus once that is as ``until`` wants it."""
    found = poll_until(
        lambda: _written(kube, name),
        lambda seen: seen is not None and until(seen),
        deadline_seconds=_SETTLE_SECONDS,
        waiting_for=f"the operator to write {name}",
        showing=lambda seen: seen and (seen.jobs(), sorted(seen.rule_files)),
    )
    assert found is not None
    return found


def rules_of(server: PrometheusServer) -> list[Object]:
    """All rules as Prometheus has them, once each was evaluated."""
    return poll_until(
        lambda: _rules_now(server),
        lambda rules: not _unevaluated(rules),
        deadline_seconds=_SETTLE_SECONDS,
        waiting_for="each rule to be evaluated",
        showing=lambda rules: f"not yet {_unevaluated(rules)}",
    )


def _rules_now(server: PrometheusServer) -> list[Object]:
    with loopback_session() as session:
        answer = session.get(f"{server.url}/api/v1/rules", timeout=10).json()
    return [rule for group in answer["data"]["groups"] for rule in group["rules"]]


def _unevaluated(rules: Sequence[Object]) -> list[str]:
    return [rule["name"] for rule in rules if rule["health"] == "unknown"]

"""The chart through a real Helm: render, lint, package, install."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from .binaries import built_binary, required

Object = dict[str, Any]

ROOT: Final = Path(__file__).parents[3]
CHART: Final = ROOT / "helm" / "gpuatlas"
SCENARIOS: Final = tuple(sorted((CHART / "ci").glob("*-values.yaml")))
MAJORS: Final = (3, 4)
# What a cluster with the operator of Prometheus serves.
OPERATOR: Final = tuple(
    f"monitoring.coreos.com/v1/{kind}"
    for kind in ("Prometheus", "PrometheusRule", "ServiceMonitor")
)
NAMESPACE: Final = "gpu-monitoring"
RELEASE: Final = "gpuatlas"


class HelmError(Exception):
    """Helm refused something; the message is what it printed."""


@dataclass(frozen=True)
class Rendered:
    """The objects of a chart, in Helm's order."""

    objects: tuple[Object, ...]

    def of(self, kind: str) -> list[Object]:
        """All objects of a kind."""
        return [item for item in self.objects if item["kind"] == kind]

    def one(self, kind: str, name: str = "") -> Object:
        """The only object of a kind, or of a kind and a name."""
        found = [item for item in self.of(kind) if name in {"", item["metadata"]["name"]}]
        assert len(found) == 1, f"{len(found)} objects {kind} {name}"
        return found[0]

    def groups(self) -> list[Object]:
        """All groups of rules, whatever they are carried in."""
        carried = [item["spec"] for item in self.of("PrometheusRule")]
        carried += [yaml.safe_load(text) for _, text in self.rule_files()]
        return [group for part in carried for group in part["groups"]]

    def rule_files(self) -> Iterator[tuple[str, str]]:
        """Names and contents of the rule files in ConfigMaps."""
        for item in self.of("ConfigMap"):
            for name, text in item["data"].items():
                if name.endswith(".yaml"):
                    yield name, text

    def exporter(self) -> Object:
        """The pod's specification of the first Deployment."""
        specification: Object = self.of("Deployment")[0]["spec"]["template"]["spec"]
        return specification


@dataclass(frozen=True)
class Helm:
    """One of the programs."""

    major: int
    program: Path
    # Where it keeps what it remembers.
    home: Path

    def run(self, *arguments: str | Path, kubeconfig: Path | None = None) -> str:
        """What it prints. Raises `HelmError`."""
        environment = {
            "HOME": str(self.home),
            "PATH": "/usr/bin:/bin",
            "KUBECONFIG": str(kubeconfig or self.home / "none"),
        }
        answer = subprocess.run(
            [self.program, *map(str, arguments)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if answer.returncode != 0:
            raise HelmError(answer.stderr)
        return answer.stdout

    def render(
        self,
        *values: Path | Mapping[str, Any],
        chart: Path = CHART,
        served: Iterable[str] = (),
        namespace: str = NAMESPACE,
    ) -> Rendered:
        """The objects for these values, later ones over earlier ones. Raises `HelmError`."""
        chosen = [argument for part in values for argument in _values(part)]
        known = [argument for kind in served for argument in ("--api-versions", kind)]
        where = ("--namespace", namespace)
        text = self.run("template", RELEASE, chart, *where, *chosen, *known)
        return Rendered(tuple(item for item in yaml.load_all(text, _LOADER) if item))


# A chart with boards is a megabyte: libyaml where Python has it.
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _values(part: Path | Mapping[str, Any]) -> tuple[str, str]:
    if isinstance(part, Path):
        return "--values", str(part)
    return "--set-json", ",".join(f"{key}={json.dumps(value)}" for key, value in part.items())


def helm(major: int, home: Path) -> Helm:
    """Helm 3 or 4. Without it the test is skipped, and fails in CI."""
    return Helm(major, required(lambda: built_binary(f"helm{major}")), home)


def at(item: Any, path: str) -> Any:
    """What stands under a path such as `spec.ports.0.port`, None where there is nothing.

    A part in quotes may have dots: `metadata.labels."a.b/c"`.
    """
    for part in _parts(path):
        if isinstance(item, list):
            item = item[int(part)] if int(part) < len(item) else None
        elif isinstance(item, dict):
            item = item.get(part)
        else:
            return None
    return item


def _parts(path: str) -> Iterator[str]:
    for index, piece in enumerate(path.split('"')):
        yield from [piece] if index % 2 else [part for part in piece.split(".") if part]

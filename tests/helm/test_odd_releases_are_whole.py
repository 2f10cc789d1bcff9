"""Releases with long or odd names, beside each other, and what their pods are made of."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest
import yaml

from gpuatlas_harness.helm import (
    CHART,
    SCENARIOS,
    Helm,
    Object,
    Rendered,
    at,
)
from gpuatlas_harness.kube import KubeServer

ALL_ON: Final = (
    "dashboards.enabled=false,rules.as=none,scrape.by=ServiceMonitor,networkPolicy.enabled=true,"
    "dcgmCounters.enabled=true,podDisruptionBudget.enabled=true,rbac.getNamespaces={a,a}"
)
# What the API server wants of the names of Services, of other objects, and of the values of labels.
SERVICE: Final = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
OTHER: Final = re.compile(r"[a-z0-9]([-a-z0-9:]*[a-z0-9])?")
LABEL: Final = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
LONG: Final = "x" * 53  # the longest name that Helm takes
RELEASES: Final = ("gpuatlas", "my-gpuatlas-2", "a", "123", "a.b.c", LONG, "x" * 47 + "--y.zz")


def template(program: Helm, release: str, *words: str | Path, chart: Path = CHART) -> Rendered:
    """Without boards and rules, which take time, and with all the rest."""
    text = program.run("template", release, chart, "--set", ALL_ON, *words)
    return Rendered(tuple(item for item in yaml.safe_load_all(text) if item))


def labels_of(item: Object) -> Iterator[Mapping[str, str]]:
    """Those of an object and of the pods that it makes."""
    yield item["metadata"]["labels"]
    if (inner := at(item, "spec.template.metadata.labels")) is not None:
        yield inner


def assert_named_well(rendered: Rendered) -> None:
    for item in rendered.objects:
        name = item["metadata"]["name"]
        form = SERVICE if item["kind"] == "Service" else OTHER
        assert form.fullmatch(name), f"{item['kind']} {name}"
        assert len(name) <= 253, f"{item['kind']} {name}"
        for labels in labels_of(item):
            wrong = [value for value in labels.values() if not LABEL.fullmatch(value)]
            assert wrong == [], f"{item['kind']} {name}"


# Names


@pytest.mark.parametrize("shards", [1, 64])
@pytest.mark.parametrize("release", RELEASES)
def test_every_release_has_names_that_the_api_server_takes(
    release: str, shards: int, helm4: Helm
) -> None:
    assert_named_well(template(helm4, release, "--set", f"shards={shards}"))


def test_the_longest_names_of_ones_own_are_taken(helm4: Helm) -> None:
    for value in ("nameOverride", "fullnameOverride"):
        assert_named_well(template(helm4, LONG, "--set", f"{value}={'y' * 50},shards=64"))


@pytest.mark.parametrize(
    ("release", "name"),
    [
        ("gpuatlas", "gpuatlas"),
        ("my-gpuatlas-2", "my-gpuatlas-2"),
        ("a", "a-gpuatlas"),
        ("123", "gpuatlas-123-gpuatlas"),
        ("a.b", "a-b-gpuatlas"),
        (LONG, "x" * 50),
    ],
)
def test_the_name_of_all_objects(release: str, name: str, helm4: Helm) -> None:
    assert template(helm4, release).one("Service")["metadata"]["name"] == name


def test_the_api_server_takes_odd_releases(kube: KubeServer, helm4: Helm) -> None:
    for at_number, release in enumerate(RELEASES):
        namespace = ("--namespace", f"odd-{at_number}", "--set", "scrape.by=none")
        rendered = template(helm4, release, *namespace)
        assert len(kube.apply(rendered.objects)) == len(rendered.objects)


def test_a_version_of_a_build_in_between_is_a_label(helm4: Helm, tmp_path: Path) -> None:
    copy = tmp_path / "gpuatlas"
    shutil.copytree(CHART, copy, symlinks=False)
    version = f"0.2.0-rc.1+build.{'0123456789abcdef' * 3}.-"
    about = (copy / "Chart.yaml").read_text().replace("0.1.0", version.rstrip(".-"))
    (copy / "Chart.yaml").write_text(about)

    rendered = template(helm4, "gpuatlas", chart=copy)

    assert_named_well(rendered)
    image = rendered.exporter()["containers"][0]["image"]
    assert image.startswith("gpuatlas:0.2.0-rc.1_build.0123")


# Beside each other


@pytest.mark.parametrize("pair", [("a", "b"), ("gpuatlas", "gpuatlas-b"), ("b", "gpuatlas")])
def test_two_releases_in_a_namespace_do_not_meet(pair: tuple[str, str], helm4: Helm) -> None:
    one, other = (template(helm4, name, "--set", "shards=2") for name in pair)

    def named(rendered: Rendered) -> set[tuple[str, str]]:
        # Both write the Role that somebody asked for, each under its own name.
        return {(item["kind"], item["metadata"]["name"]) for item in rendered.objects}

    assert named(one) & named(other) == set()
    pods = [at(item, "spec.template.metadata.labels") for item in other.of("Deployment")]
    for selector in selectors(one):
        assert not [labels for labels in pods if selector.items() <= labels.items()]


def selectors(rendered: Rendered) -> Iterator[Mapping[str, str]]:
    """All by which pods are chosen."""
    for item in rendered.objects:
        match item["kind"]:
            case "Service":
                yield item["spec"]["selector"]
            case "Deployment" | "PodDisruptionBudget":
                yield item["spec"]["selector"]["matchLabels"]
            case "NetworkPolicy":
                yield item["spec"]["podSelector"]["matchLabels"]


@pytest.mark.parametrize("name", ["app.kubernetes.io/component", "app.kubernetes.io/instance"])
def test_labels_of_ones_own_take_no_pod_away(name: str, helm4: Helm) -> None:
    mine = json.dumps({name: "mine"})
    rendered = template(
        helm4, "gpuatlas", "--set-json", f"commonLabels={mine}", "--set-json", f"podLabels={mine}"
    )
    (pod,) = [at(item, "spec.template.metadata.labels") for item in rendered.of("Deployment")]
    assert all(selector.items() <= pod.items() for selector in selectors(rendered))
    # The pod of `helm test` serves nobody.
    doctor = rendered.one("Pod")["metadata"]["labels"]
    assert not rendered.one("Service")["spec"]["selector"].items() <= doctor.items()


# Pods


@pytest.mark.parametrize("values", SCENARIOS, ids=lambda path: path.stem)
def test_pods_ask_for_their_token_and_for_no_variables(values: Path, helm4: Helm) -> None:
    """Whatever their account says; and a Service of our name makes no options of theirs."""
    rendered = template(helm4, "gpuatlas", "--values", values)

    for pod in (rendered.exporter(), rendered.one("Pod")["spec"]):
        assert pod["automountServiceAccountToken"] is True
        assert pod["enableServiceLinks"] is False
    for account in rendered.of("ServiceAccount"):
        assert account["automountServiceAccountToken"] is False


def test_a_drain_is_never_held_up(helm4: Helm) -> None:
    """Neither by the only pod of a shard nor by one that never gets ready."""
    budget = template(helm4, "gpuatlas", "--set", "replicas=1").one("PodDisruptionBudget")
    assert budget["spec"]["maxUnavailable"] == 1
    assert budget["spec"]["unhealthyPodEvictionPolicy"] == "AlwaysAllow"


def test_the_policy_lets_scrapes_in_and_what_is_needed_out(helm4: Helm) -> None:
    """Of the cluster without a way out: API server, DNS, and exporters on the host network."""
    rendered = template(helm4, "gpuatlas", "--values", CHART / "ci" / "air-gapped-values.yaml")

    policy = rendered.one("NetworkPolicy")["spec"]
    assert policy["policyTypes"] == ["Ingress", "Egress"]
    ports = rendered.exporter()["containers"][0]["ports"]
    assert policy["ingress"] == [{"ports": [{"port": port["name"]} for port in ports]}]
    anywhere = [rule for rule in policy["egress"] if "to" not in rule]
    open_ports = {(p["port"], p.get("protocol", "TCP")) for r in anywhere for p in r["ports"]}
    assert open_ports >= {(port, "TCP") for port in (443, 6443, 53, 9400, 9394, 9395)}
    assert (53, "UDP") in open_ports
    chosen = policy["podSelector"]["matchLabels"].items()
    for pod in (rendered.one("Deployment")["spec"]["template"], rendered.one("Pod")):
        assert chosen <= pod["metadata"]["labels"].items()


# Upgraded


def test_deployments_know_their_pods_by_what_no_release_may_change(helm4: Helm) -> None:
    """The API server lets no selector be changed, so that an upgrade would fail."""
    deployment = template(helm4, "gpuatlas").one("Deployment")

    assert deployment["spec"]["selector"]["matchLabels"] == {
        "app.kubernetes.io/name": "gpuatlas",
        "app.kubernetes.io/instance": "gpuatlas",
        "gpuatlas.dev/shard": "0",
    }

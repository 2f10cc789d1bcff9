"""What the chart gives to `gpuatlas serve`: options, the files that they name, and rights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
import pytest

from gpuatlas.cli.serve import serve
from gpuatlas.cli.serve_settings import read_settings
from gpuatlas.runtime.settings import Settings
from gpuatlas.sources.kubernetes.rbac import rules
from gpuatlas_harness.chart_rights import PATH, text
from gpuatlas_harness.helm import SCENARIOS, Helm, Object, Rendered, at

# Of a pod in a cluster nobody can say these.
NOT_IN_A_POD: Final = {
    "--kubeconfig": "the service account is what it has",
    "--context": "of a kubeconfig",
    "--from": "a capture, no cluster",
    "--listen": "the Service and the probes know the port, so it is refused",
    "--revision": "the image says it",
}
ALL_OPTIONS: Final = {
    "exporterNamespaces": ["a"],
    "excludedNamespaces": ["b"],
    "licences": ["a/b/c"],
    "shards": 2,
    "web.secret": "web",
    "prometheus.url": "https://prometheus",
    "prometheus.bearerToken.secret": "token",
    "prometheus.ca.configMap": "ca",
    "prometheus.insecureSkipVerify": True,
    "prometheus.headers": {"a": "b"},
    "prometheus.matchers": {"a": "b"},
}
# Instead of the token.
BY_PASSWORD: Final = {
    **ALL_OPTIONS,
    "prometheus.bearerToken.secret": "",
    "prometheus.basicAuth.secret": "user",
}
QUIET: Final = {"rules.as": "none", "dashboards.enabled": False}


def arguments(rendered: Rendered) -> list[str]:
    found: list[str] = rendered.exporter()["containers"][0]["args"]
    return found


def settings(args: list[str]) -> tuple[Settings | None, tuple[str, ...]]:
    """What `gpuatlas serve` makes of them, and what it finds wrong."""
    assert args[0] == "serve"
    with serve.make_context("serve", args[1:]) as context:
        return read_settings(context.params)


def test_every_option_can_be_set(helm3: Helm) -> None:
    given = {
        part.partition("=")[0]
        for values in (ALL_OPTIONS, BY_PASSWORD)
        for part in arguments(helm3.render(QUIET, values))
    }

    options = {
        name
        for option in serve.params
        if isinstance(option, click.Option)
        for name in option.opts[:1]
    }
    assert options - given == set(NOT_IN_A_POD)


@pytest.mark.parametrize(("values", "count"), [(ALL_OPTIONS, 3), (BY_PASSWORD, 4)])
def test_every_file_that_an_option_names_is_mounted(
    values: dict[str, Any], count: int, helm3: Helm
) -> None:
    pod = helm3.render(QUIET, values).exporter()

    (container,) = pod["containers"]
    volumes = {volume["name"] for volume in pod["volumes"]}
    folders = {mount["mountPath"] for mount in container["volumeMounts"]}
    assert {mount["name"] for mount in container["volumeMounts"]} == volumes
    files = [part.partition("=")[2] for part in container["args"] if "=/" in part]
    assert len(files) == count
    assert {str(Path(file).parent) for file in files} | {"/tmp"} == folders


@pytest.mark.parametrize("values", SCENARIOS, ids=lambda path: path.stem)
def test_it_understands_its_options(values: Path, helm4: Helm) -> None:
    """Whatever is wrong with them is that files of the pod are not here."""
    args = arguments(helm4.render(values, QUIET))

    _, problems = settings(args)
    files = [part.partition("=")[2] for part in args if "=/" in part]
    assert len(problems) == len(files)
    assert all(any(file in problem for file in files) for problem in problems)


def test_without_values_it_has_its_own_defaults(helm4: Helm) -> None:
    """The chart repeats some of them; they must not drift apart."""
    chosen, problems = settings(arguments(helm4.render(QUIET)))

    assert problems == ()
    assert chosen == settings(["serve"])[0]


def test_the_pod_of_helm_test_asks_for_the_same_of_a_node(helm4: Helm) -> None:
    """A ResourceQuota of the namespace refuses pods that ask for nothing."""
    values = {"resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}
    rendered = helm4.render(QUIET, values)
    (doctor,) = rendered.one("Pod")["spec"]["containers"]
    (exporter,) = rendered.exporter()["containers"]
    assert doctor["resources"] == exporter["resources"] == values["resources"]


def test_shards_are_all_of_n(helm4: Helm) -> None:
    deployments = helm4.render({**QUIET, "shards": 3}).of("Deployment")

    shards = [settings(at(each, "spec.template.spec.containers.0.args")) for each in deployments]
    assert [str(found.shard) for found, _ in shards if found is not None] == ["0/3", "1/3", "2/3"]


# Rights


def granted(roles: list[Object]) -> set[tuple[str, str, str]]:
    return set(_grants([rule for role in roles for rule in role["rules"]]))


def _grants(listed: list[Any]) -> Iterator[tuple[str, str, str]]:
    for rule in listed:
        assert set(rule) == {"apiGroups", "resources", "verbs"}
        for group in rule["apiGroups"]:
            for resource in rule["resources"]:
                for verb in rule["verbs"]:
                    yield group, resource, verb


def test_the_rights_are_what_the_sources_declare(helm3: Helm) -> None:
    rendered = helm3.render(QUIET)

    assert rendered.one("ClusterRole")["rules"] == rules()
    assert rendered.of("Role") == []


def test_the_file_of_rights_is_what_the_sources_declare() -> None:
    """`make docs` writes it again."""
    assert PATH.read_text(encoding="utf-8") == text()


def test_the_rights_only_read_and_never_secrets(helm3: Helm) -> None:
    found = granted(helm3.render(QUIET).of("ClusterRole"))

    assert {verb for _, _, verb in found} == {"get", "list", "watch"}
    resources = {resource for _, resource, _ in found}
    assert not resources & {"secrets", "*", "pods/exec", "pods/log", "pods/proxy", "nodes/proxy"}


def test_reading_by_name_can_be_kept_to_namespaces(helm3: Helm) -> None:
    rendered = helm3.render({**QUIET, "rbac.getNamespaces": ["hami-system", "licences"]})

    named = granted(rendered.of("Role")[:1])
    assert named == {("coordination.k8s.io", "leases", "get"), ("", "configmaps", "get")}
    assert granted(rendered.of("ClusterRole")) | named == set(_grants(rules()))
    assert not granted(rendered.of("ClusterRole")) & named
    places = [item["metadata"]["namespace"] for item in rendered.of("RoleBinding")]
    assert places == ["hami-system", "licences"]


@pytest.mark.parametrize("values", SCENARIOS, ids=lambda path: path.stem)
def test_each_binding_names_a_role_and_an_account_of_ours(values: Path, helm4: Helm) -> None:
    rendered = helm4.render(values, QUIET)

    (account, *_) = rendered.of("ServiceAccount") or [{"metadata": {}}]
    for binding in (*rendered.of("ClusterRoleBinding"), *rendered.of("RoleBinding")):
        assert rendered.one(binding["roleRef"]["kind"], binding["roleRef"]["name"])
        (subject,) = binding["subjects"]
        assert subject == {
            "kind": "ServiceAccount",
            "name": account["metadata"]["name"],
            "namespace": account["metadata"]["namespace"],
        }
        assert rendered.exporter()["serviceAccountName"] == subject["name"]

"""The chart in a real cluster: applied, installed, the exporter with the rights that it gives."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from gpuatlas_harness.chart_cluster import Cluster, chart_cluster
from gpuatlas_harness.evening import GOLDEN
from gpuatlas_harness.exporting import ServeProcess, run_gpuatlas
from gpuatlas_harness.helm import (
    CHART,
    MAJORS,
    OPERATOR,
    RELEASE,
    SCENARIOS,
    Helm,
    Rendered,
    helm,
)
from gpuatlas_harness.installed import Account, pod_of, release_bytes, restricted
from gpuatlas_harness.installed_doctor import doctor, told
from gpuatlas_harness.kube_api import KubeError
from gpuatlas_harness.polling import poll_until

SECRET_BYTES: Final = 1_048_576  # what the API server takes in a Secret
HAMI: Final = CHART / "ci" / "hami-values.yaml"
# Where the evening has sharing layers.
LAYERS: Final = ["hami-system", "hami-legacy", "volcano-system"]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with chart_cluster(tmp_path_factory.mktemp("kube-chart")) as running:
        yield running


# Applied


@pytest.mark.parametrize("values", SCENARIOS, ids=lambda path: path.stem)
def test_the_api_server_takes_every_object(values: Path, cluster: Cluster, helm4: Helm) -> None:
    """Server-side and strict: a field that no schema knows is refused."""
    rendered = helm4.render(values, served=OPERATOR, namespace=f"take-{values.stem}"[:40])

    stored = cluster.kube.apply(rendered.objects)

    assert [(item["kind"], item["metadata"]["name"]) for item in stored] == [
        (item["kind"], item["metadata"]["name"]) for item in rendered.objects
    ]


@pytest.mark.parametrize("values", SCENARIOS, ids=lambda path: path.stem)
def test_its_pods_meet_the_restricted_standard(values: Path, cluster: Cluster, helm4: Helm) -> None:
    namespace = restricted(cluster.kube, values.stem)
    rendered = helm4.render(values, {"dashboards.enabled": False}, namespace=namespace)

    pods = [*map(pod_of, rendered.of("Deployment")), *rendered.of("Pod")]
    assert len(pods) == len(rendered.of("Deployment")) + 1
    assert len(cluster.kube.apply(pods)) == len(pods)


def test_the_standard_is_in_force(cluster: Cluster, helm4: Helm) -> None:
    namespace = restricted(cluster.kube, "loose")
    loose = {"dashboards.enabled": False, "securityContext.allowPrivilegeEscalation": True}
    rendered = helm4.render(loose, namespace=namespace)

    with pytest.raises(KubeError, match=r"403.*allowPrivilegeEscalation"):
        cluster.kube.apply([pod_of(rendered.one("Deployment"))])


# The exporter


@pytest.fixture(scope="module")
def default(cluster: Cluster, helm4: Helm) -> Rendered:
    """The chart as it comes."""
    rendered = helm4.render()
    cluster.kube.apply(rendered.objects)
    return rendered


@pytest.fixture(scope="module")
def account(cluster: Cluster, default: Rendered) -> Account:
    return cluster.account(default)


@pytest.fixture(scope="module")
def exporter(
    default: Rendered, account: Account, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServeProcess]:
    """What the Deployment would start, with the account's token."""
    folder = tmp_path_factory.mktemp("serve")
    with ServeProcess(folder, *arguments(default, account)) as running:
        yield running


def arguments(rendered: Rendered, account: Account) -> list[str | Path]:
    command, *options = rendered.exporter()["containers"][0]["args"]
    assert command == "serve"
    return ["--kubeconfig", account.kubeconfig, *options]


def test_it_fills_its_families(exporter: ServeProcess) -> None:
    """All that the reference page of the same evening has."""
    expected = {re.split(r"[{ ]", line)[0] for line in GOLDEN.read_text().splitlines()}

    assert expected - exporter.page().names() == set()


def test_it_uses_each_right_that_it_has_and_asks_for_no_other(
    exporter: ServeProcess, default: Rendered, account: Account
) -> None:
    given = {
        (group, resource, verb)
        for rule in default.one("ClusterRole")["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }

    with contextlib.suppress(TimeoutError):  # the comparison says more
        poll_until(
            account.did,
            lambda did: given <= did,
            deadline_seconds=30,
            waiting_for="the exporter to use all of its rights",
        )
    assert account.did() == given


def test_it_is_refused_nothing(exporter: ServeProcess, account: Account) -> None:
    page = exporter.page()

    assert account.denials() == []
    log = exporter.process.log_tail(1000)
    assert not re.search(r"\(40[13]\)|denied|not allow", log), log
    sources = page.labels("gpuatlas_source_up")
    assert len(sources) > 20
    assert [row for row in sources if page.value("gpuatlas_source_up", **row) == 0] == []


def test_the_notes_command_shows_the_cards(account: Account, exporter: ServeProcess) -> None:
    """`kubectl exec … gpuatlas cards --direct` runs with the exporter's own rights."""
    answer = run_gpuatlas("cards", "--direct", "--kubeconfig", account.kubeconfig)

    assert answer.returncode == 0
    assert "a10g-1" in answer.stdout
    # One of the evening's exporters is broken; nothing is refused.
    assert re.findall(r"warning: (.*?):", answer.stderr) == ["dcgm"]


def test_with_rights_by_namespace_it_reads_the_layer_there(
    cluster: Cluster, helm4: Helm, tmp_path: Path
) -> None:
    values = {"rbac.getNamespaces": LAYERS}
    rendered = helm4.render(HAMI, values, namespace="by-namespace")
    cluster.kube.apply(rendered.objects)
    account = cluster.account(rendered)
    account.wait_until_it_may("get", "configmaps", namespace="hami-legacy")

    with ServeProcess(tmp_path, *arguments(rendered, account)) as running:
        poll_until(
            account.did,
            lambda did: ("", "configmaps", "get") in did,
            deadline_seconds=30,
            waiting_for="the settings of the layer to be read",
        )
        assert account.denials() == []
        assert running.page().values("gpuatlas_allocation_info") != []
        namespaces = {row["namespace"] for row in running.page().labels("gpuatlas_workload_info")}
        assert "kube-system" not in namespaces


# The doctor


def test_the_doctor_finds_what_is_broken_and_lacks_no_right(cluster: Cluster, helm4: Helm) -> None:
    rendered = helm4.render(namespace="doctor")
    cluster.kube.apply(rendered.objects)
    account = cluster.account(rendered)

    document = doctor(rendered, account)

    (who,) = [text for text, _ in told(document, "API server", "ok") if "you are" in text]
    assert who == "you are system:serviceaccount:doctor:gpuatlas, by the kubeconfig"
    ((granted, _),) = told(document, "Rights", "ok")
    number, _, total = granted.split(" ")[:3]
    assert number == total
    assert [r["state"] for r in document["results"] if r["area"] == "Rights"] == ["ok"]
    assert account.denials() == []
    # One of the evening's exporters is broken.
    assert document["exit_code"] == 1
    ((broken, remedy),) = told(document, "Sources", "todo")
    assert broken.startswith("no dcgm page of ")
    assert remedy == "kubectl get pods -A -o wide | grep dcgm-exporter"


def test_the_doctor_names_the_role_line_that_is_missing(cluster: Cluster, helm4: Helm) -> None:
    values = {"rbac.getNamespaces": ["hami-system"]}
    rendered = helm4.render(HAMI, values, namespace="doctor-lacks")
    cluster.kube.apply(rendered.objects)
    account = cluster.account(rendered)
    account.wait_until_it_may("get", "configmaps", namespace="hami-system")

    document = doctor(rendered, account)

    missing = told(document, "Rights", "optional")
    line = '- {apiGroups: [""], resources: [configmaps], verbs: [get]}'
    cost = (
        "who leads and what the layer is set to are unknown; add a rule to the Role in hami-legacy"
    )
    assert (f"may not get configmaps in namespace hami-legacy: {cost}", line) in missing
    assert told(document, "Rights", "todo") == []


# Installed


@pytest.mark.parametrize("major", MAJORS)
def test_helm_installs_upgrades_and_removes_it(
    major: int, cluster: Cluster, tmp_path: Path
) -> None:
    kube, namespace = cluster.kube, f"helm{major}"
    program = helm(major, tmp_path)
    kube.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}])

    def run(*words: str) -> str:
        return program.run(*words, "--namespace", namespace, kubeconfig=kube.kubeconfig)

    def deployments() -> list[str]:
        listed = kube.list_objects("Deployment", namespace=namespace, api_version="apps/v1")
        return [item["metadata"]["name"] for item in listed["items"]]

    notes = run("install", RELEASE, str(CHART))
    assert deployments() == ["gpuatlas"]
    assert "Scraped by a ServiceMonitor" in notes
    assert f"kubectl -n {namespace} exec deployment/gpuatlas -- gpuatlas cards --direct" in notes
    assert "!! The image gpuatlas:0.1.0 has no registry." in notes
    assert f"- Boards are ConfigMaps of namespace {namespace} that" in notes
    assert release_bytes(kube, namespace) < 0.9 * SECRET_BYTES

    changed = (
        *("shards=3", "dashboards.language=ja", "image.registry=registry.example"),
        *("rules.as=ConfigMap", "rules.namespace=default"),
    )
    notes = run("upgrade", RELEASE, str(CHART), "--set", ",".join(changed))
    assert "has no registry" not in notes
    assert "gpuatlas-alerts-sharing of namespace default: mount them" in notes
    assert deployments() == ["gpuatlas-0", "gpuatlas-1", "gpuatlas-2"]
    assert "exec deployment/gpuatlas-0 -- gpuatlas cards" in notes
    assert release_bytes(kube, namespace) < 0.9 * SECRET_BYTES

    run("uninstall", RELEASE)
    assert deployments() == []
    assert kube.list_objects("Secret", namespace=namespace)["items"] == []


@pytest.mark.parametrize(
    ("labels", "hint"),
    [
        pytest.param(
            {},
            "--set-string 'scrape.labels.release=kps' --set-string 'rules.labels.release=kps'",
            id="none takes it",
        ),
        pytest.param({"release": "kps"}, "", id="one takes it"),
    ],
)
def test_the_notes_say_which_labels_the_operators_prometheus_wants(
    labels: dict[str, str], hint: str, cluster: Cluster, helm3: Helm
) -> None:
    wanted: Any = {"matchLabels": {"release": "kps"}}
    server = {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "Prometheus",
        "metadata": {"name": "kps", "namespace": "monitoring"},
        "spec": {"serviceMonitorSelector": wanted, "ruleSelector": wanted},
    }
    cluster.kube.apply([server])

    text = helm3.run(
        *("install", RELEASE, str(CHART), "--namespace", "notes", "--dry-run=server"),
        *("--set", "dashboards.enabled=false"),
        *("--set-json", f"scrape.labels={json.dumps(labels)},rules.labels={json.dumps(labels)}"),
        kubeconfig=cluster.kube.kubeconfig,
    )

    notes = text[text.index("NOTES:") :]
    assert ("!! No Prometheus" in notes) == bool(hint)
    assert re.sub(r"\s+", " ", hint) in re.sub(r"\s+", " ", notes)

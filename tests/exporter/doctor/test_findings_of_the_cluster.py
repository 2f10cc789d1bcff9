"""One change to a healthy cluster, one finding: its state, its text, what to do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gpuatlas.doctor.results import Act, Area, Remedy, State
from gpuatlas.model.checks import MissingInput
from gpuatlas.model.doctor import ClusterFacts
from gpuatlas.model.status import SourceStatus
from gpuatlas.model.targets import DCGM, HAMI_MONITOR, HAMI_SCHEDULER
from gpuatlas_harness.doctored import controller, healthy_cluster
from gpuatlas_harness.examined import found, healthy_seen, observed_with, seen_with, the_one

NODE = "a10g-1"


# Versions


@pytest.mark.parametrize(
    ("version", "state", "text"),
    [
        ("v1.26.1", State.TODO, "Kubernetes is too old: v1.26.1; supported are 1.27 to 1.37"),
        (
            "v1.38.0",
            State.UNKNOWN,
            "Kubernetes is newer than what was tried: v1.38.0; supported are 1.27 to 1.37",
        ),
        (
            "",
            State.UNKNOWN,
            "Kubernetes: no release can be told from ?; supported are 1.27 to 1.37",
        ),
    ],
)
def test_kubernetes(version: str, state: State, text: str) -> None:
    access = replace(healthy_cluster().access, version=version)
    remedy = "Kubernetes 1.27 to 1.37" if state is State.TODO else ""
    results = found(replace(healthy_cluster(), access=access))
    assert the_one(results) == (Area.VERSIONS, state, text, remedy)


@pytest.mark.parametrize(
    ("tag", "state", "what"),
    [
        ("v2.3.13", State.TODO, "HAMi is too old"),
        ("v2.11.0", State.UNKNOWN, "HAMi is newer than what was tried"),
        ("latest", State.UNKNOWN, "HAMi: no release can be told from"),
    ],
)
def test_hami(tag: str, state: State, what: str) -> None:
    layer = healthy_seen().observations.layer
    plugin = controller("DaemonSet", "hami-device-plugin", tag)
    _, said, text, _ = the_one(found(observed_with(layer=replace(layer, controllers=(plugin,)))))
    assert said is state
    assert text.startswith(what)
    assert f"DaemonSet/hami-system/hami-device-plugin docker.io/projecthami/hami:{tag}" in text


def test_hami_that_could_not_be_looked_for_is_unknown() -> None:
    layer = replace(
        healthy_seen().observations.layer, controllers=(), unread={"daemonsets.apps": "403"}
    )
    results = found(observed_with(layer=layer, monitors=(), schedulers=()))
    (version,) = [result for result in results if result.area is Area.VERSIONS]
    assert (version.state, version.text) == (State.UNKNOWN, "whether HAMi runs here: 403")


def test_a_node_that_tells_no_driver() -> None:
    snapshot = healthy_seen().snapshot
    nodes = {name: replace(n, driver_version="") for name, n in snapshot.nodes.items()}
    assert the_one(found(seen_with(snapshot=replace(snapshot, nodes=nodes)))) == (
        Area.VERSIONS,
        State.UNKNOWN,
        f"driver of {NODE}: neither a label of the node nor a page of dcgm-exporter tells it",
        "",
    )


# Sources and fields


def test_a_page_that_failed_says_why() -> None:
    cluster = observed_with(silent={(DCGM, NODE): "HTTP 500 from 10.1.0.9:9400"})
    assert the_one(found(cluster)) == (
        Area.SOURCES,
        State.TODO,
        f"no dcgm page of {NODE}: HTTP 500 from 10.1.0.9:9400",
        "kubectl get pods -A -o wide | grep dcgm-exporter",
    )


def test_nvidias_cards_without_an_exporter() -> None:
    before = healthy_seen()
    pods = {
        uid: pod
        for uid, pod in before.observations.pods.items()
        if not any("dcgm" in container.image for container in pod.containers)
    }
    statuses = tuple(status for status in before.statuses if status.source != DCGM)
    cluster = seen_with(
        observations=replace(before.observations, dcgm=(), pods=pods), statuses=statuses
    )
    results = {(result.area, result.state): result for result in found(cluster)}
    assert results[Area.SOURCES, State.TODO].text == (
        "1 node with NVIDIA's cards and no dcgm-exporter: memory and compute in use are unknown, "
        "and H01-H12 cannot look"
    )
    assert results[Area.FIELDS, State.UNKNOWN].text == "no page of dcgm-exporter was read"
    assert results[Area.VERSIONS, State.NOT_APPLICABLE].text == "no dcgm-exporter here"


def test_a_node_without_series_in_the_prometheus_is_seen_by_the_hosts_of_the_others() -> None:
    assert the_one(found(seen_in_a_prometheus(host=NODE))) == (
        Area.SOURCES,
        State.TODO,
        "no series of dcgm-exporter on a10g-9 in http://prometheus:9090: it does not run there, or "
        "cannot be scraped (up == 0)",
        "kubectl get pods -A -o wide | grep dcgm-exporter",
    )


def test_hosts_that_are_pods_tell_nothing_of_nodes() -> None:
    assert found(seen_in_a_prometheus(host="nvidia-dcgm-exporter-x7k2p")) == []


def seen_in_a_prometheus(host: str) -> ClusterFacts:
    """Pages without a node whose cards name this host, and a second node that has none."""
    before = healthy_seen().observations
    pages = tuple(
        replace(page, node="", cards={c: replace(r, host=host) for c, r in page.cards.items()})
        for page in before.dcgm
    )
    nodes = {**before.nodes, "a10g-9": replace(before.nodes[NODE], name="a10g-9")}
    seen = observed_with(dcgm=pages, nodes=nodes).seen
    assert seen is not None
    return seen_with(observations=seen.observations, pages_from="http://prometheus:9090")


@pytest.mark.parametrize(
    ("silent", "named", "home"),
    [
        ((DCGM,), ["hami-system"], "gpu-operator"),
        ((HAMI_MONITOR, HAMI_SCHEDULER), ["gpu-operator", "kube-system"], "hami-system"),
    ],
)
def test_exporters_outside_of_the_named_namespaces_are_not_missing(
    silent: tuple[str, ...], named: list[str], home: str
) -> None:
    before = healthy_seen()
    pages = {DCGM: "dcgm", HAMI_MONITOR: "monitors", HAMI_SCHEDULER: "schedulers"}
    statuses = tuple(
        replace(status, up=None, targets={}, error="") if status.source in silent else status
        for status in before.statuses
    )
    unread: dict[str, Any] = {pages[source]: () for source in silent}
    cluster = seen_with(
        observations=replace(before.observations, **unread),
        statuses=statuses,
        pages_from="",
        exporter_namespaces=tuple(named),
    )

    results = [result for result in found(cluster) if result.state is State.TODO]

    assert [(result.text, result.remedy) for result in results] == [
        (
            f"no {source} page: what serves it runs in {home}, and only pods of "
            f"{', '.join(named)} are taken for exporters",
            Remedy(
                Act.SET,
                f"{home} among exporterNamespaces in our chart (--exporter-namespace {home})",
            ),
        )
        for source in silent
    ]
    # Where a Prometheus stands for the pages, namespaces limit nothing.
    assert cluster.seen is not None
    elsewhere = replace(cluster, seen=replace(cluster.seen, pages_from="http://prometheus:9090"))
    assert not any("taken for exporters" in result.text for result in found(elsewhere))


def test_a_cluster_without_cards() -> None:
    before = healthy_seen()
    cluster = seen_with(
        observations=replace(before.observations, nodes={}, pods={}, dcgm=(), silent={}),
        snapshot=replace(before.snapshot, nodes={}),
        statuses=(),
    )
    results = [result for result in found(cluster) if result.area is Area.SOURCES]
    assert [(r.word, r.state) for r in results] == [
        ("cards", State.TODO),
        ("layers", State.NOT_APPLICABLE),
        ("dcgm", State.NOT_APPLICABLE),
    ]
    assert results[0].text.startswith("no node offers cards: no device plugin or DRA driver runs")


def failing(source: str, error: str) -> SourceStatus:
    return SourceStatus(
        source=source,
        up=False,
        last_success_at=None,
        read_seconds=None,
        error=error,
        targets={},
        rejected={},
    )


def test_a_prometheus_of_several_clusters_wants_a_matcher() -> None:
    others = tuple(s for s in healthy_seen().statuses if s.source != DCGM)
    error = "http://prometheus:9090 holds several clusters (a, b …)"
    area, state, text, remedy = the_one(found(seen_with(statuses=(*others, failing(DCGM, error)))))
    assert (area, state, text) == (Area.SOURCES, State.TODO, f"no dcgm pages: {error}")
    assert remedy == "--prometheus-matcher cluster=NAME (in the chart: prometheus.matchers)"


def test_objects_that_failed_for_another_reason_than_a_right() -> None:
    statuses = (*healthy_seen().statuses, failing("kubernetes-discovery", "HTTP 503"))
    assert the_one(found(seen_with(statuses=statuses))) == (
        Area.SOURCES,
        State.UNKNOWN,
        "kubernetes-discovery: HTTP 503",
        "",
    )


def test_fields_that_no_page_has_name_their_checks() -> None:
    missing = (
        MissingInput(check="H10", input="DCGM_FI_DEV_PCIE_LINK_WIDTH", reason="off"),
        MissingInput(check="H03", input="DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", reason="off"),
    )
    # By the pages, where the rules say nothing.
    area, state, text, remedy = the_one(
        [r for r in found(seen_with(missing=missing), recorded=frozenset()) if r.word == "fields"]
    )
    assert (area, state) == (Area.FIELDS, State.OPTIONAL)
    assert text.endswith(
        ": H03 lacks DCGM_FI_DEV_ECC_DBE_VOL_TOTAL, H10 lacks DCGM_FI_DEV_PCIE_LINK_WIDTH"
    )
    assert remedy.startswith("dcgmCounters.enabled=true in our chart")
    assert "alerts/dcgm-counters.csv" in remedy


def test_fields_that_the_rules_miss_come_first() -> None:
    _, state, text, _ = the_one(found(blind=(("H02", "DCGM_EXP_XID_ERRORS_COUNT"), ("S08", "x"))))
    assert state is State.OPTIONAL
    assert text.endswith(": H02 lacks DCGM_EXP_XID_ERRORS_COUNT")


def test_fields_that_the_rules_could_not_be_asked_for_are_told_by_the_pages() -> None:
    lack = MissingInput(check="H10", input="DCGM_FI_DEV_PCIE_LINK_WIDTH", reason="off")
    results = found(seen_with(missing=(lack,)), blind=None, unread={"blind": "HTTP 500"})
    assert [(r.word, r.state) for r in results] == [("fields", State.OPTIONAL)]
    assert results[0].text.endswith(": H10 lacks DCGM_FI_DEV_PCIE_LINK_WIDTH")

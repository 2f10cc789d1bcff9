"""States, alerts, findings and missing inputs as a Prometheus with our rules has them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.checks import CheckState, Finding, MissingInput
from gpuatlas.model.ruled import RuledAlert, RuledChecks, RuledCluster
from gpuatlas.sources.errors import BadAnswerError, ForbiddenError
from gpuatlas.sources.promapi.client import ActiveAlert, Point, PrometheusClient
from gpuatlas.sources.promapi.ruled import (
    ALERTS,
    BLIND,
    FINDING,
    MISSING,
    MISSING_INFO,
    NODE_STATE,
    SINCE,
    STATE,
    read_ruled,
    ruled_clusters,
)
from gpuatlas.sources.promapi.settings import PrometheusSettings

PRESENT = 1_800_000_000.5
NAMES = (STATE, NODE_STATE, BLIND, MISSING, MISSING_INFO, FINDING, ALERTS, SINCE)
LOST = {
    "alertname": "GpuLostOrNeedsRecovery",
    "check": "H12",
    "layer": "hardware",
    "severity": "critical",
    "signal": "recovery",
    "node": "gpu-a",
    "card": "GPU-1",
}


class Fake(Protocol):
    url: str
    queries: list[str]
    asked: list[dict[str, str]]
    headers: list[dict[str, str]]
    paths: set[str]
    warnings: list[str]
    present: list[tuple[dict[str, str], float]]
    alerts: list[object] | None
    broken: Callable[[str], tuple[int, bytes] | None]


def read(prometheus: Fake, **changes: object) -> RuledChecks:
    return read_ruled(PrometheusSettings(url=prometheus.url, **changes))  # type: ignore[arg-type]


def say(prometheus: Fake, name: str, value: float = 1.0, /, **labels: str) -> None:
    prometheus.present.append(({"__name__": name, **labels}, value))


def only(checks: RuledChecks) -> RuledCluster:
    (cluster,) = checks.clusters
    return cluster


def test_the_state_that_is_1_counts(prometheus: Fake) -> None:
    for state in CheckState:
        say(prometheus, STATE, float(state is CheckState.UNKNOWN), check="S07", state=state)
    say(prometheus, NODE_STATE, check="S06", node="gpu-a", state="ok", layer="sharing")
    say(prometheus, BLIND, check="S07")

    checks = read(prometheus)
    assert checks.at == PRESENT
    assert only(checks) == RuledCluster(
        name="",
        states={"S07": CheckState.UNKNOWN},
        nodes={("S06", "gpu-a"): CheckState.OK},
        blind=frozenset({"S07"}),
    )


def test_an_alert_has_its_beginning_and_its_own_words(prometheus: Fake) -> None:
    say(prometheus, ALERTS, **LOST, alertstate="firing")
    say(prometheus, SINCE, PRESENT - 60, **LOST)
    prometheus.alerts = [
        {"labels": LOST, "annotations": {"description": "lost", "pods": "a/b"}, "state": "firing"},
        {"labels": {"alertname": "Other"}, "annotations": {}},
        {"labels": 5},
        "nothing",
    ]

    (alert,) = only(read(prometheus)).alerts
    assert alert == RuledAlert(
        labels=LOST,
        firing=True,
        since=PRESENT - 60,
        texts={"description": "lost", "pods": "a/b"},
    )
    assert list(alert.labels) == sorted(LOST)


def test_a_server_without_rules_of_its_own_has_no_words(prometheus: Fake) -> None:
    say(prometheus, ALERTS, **LOST, alertstate="pending")

    (alert,) = only(read(prometheus)).alerts
    assert (alert.firing, alert.since, alert.texts) == (False, None, {})


def test_without_alerts_nobody_asks_for_their_words(prometheus: Fake) -> None:
    say(prometheus, STATE, check="H01", state="ok")
    read(prometheus)
    assert prometheus.paths == {"/api/v1/query"}


def test_an_alert_in_both_states_fires(prometheus: Fake) -> None:
    for state in ("pending", "firing", "pending", "inactive"):
        say(prometheus, ALERTS, **LOST, alertstate=state)
    assert [alert.firing for alert in only(read(prometheus)).alerts] == [True]


def test_a_label_that_came_out_empty_is_no_label(prometheus: Fake) -> None:
    """Prometheus then shows the rule's template in ALERTS, and so do recordings of it."""
    labels = {**LOST, "node": "{{ $labels.node }}", "card": "{{ $labels.UUID }}"}
    say(prometheus, ALERTS, **labels, alertstate="firing")
    say(prometheus, SINCE, 5.0, **labels)
    say(prometheus, NODE_STATE, check="H12", node="{{ $labels.node }}", state="firing")
    bare = {name: text for name, text in LOST.items() if name not in {"node", "card"}}
    prometheus.alerts = [{"labels": bare, "annotations": {"description": "x"}}]

    cluster = only(read(prometheus))
    assert cluster.alerts == (
        RuledAlert(labels=bare, firing=True, since=5.0, texts={"description": "x"}),
    )
    assert cluster.nodes == {}


def test_a_finding_is_read_once_however_many_exporters_tell_it(prometheus: Fake) -> None:
    say(prometheus, STATE, check="S01", state="firing")
    for instance in ("a", "b"):
        say(
            prometheus,
            FINDING,
            instance=instance,
            check="S01",
            signal="disable-control",
            node="gpu-a",
            card="GPU-1",
            namespace="lab",
            pod="note-0",
            object="StatefulSet/lab/note",
            source="env of container note",
            record="CUDA_DISABLE_CONTROL=true",
        )
    assert only(read(prometheus)).findings == (
        Finding(
            check="S01",
            signal="disable-control",
            node="gpu-a",
            card="GPU-1",
            namespace="lab",
            pod="note-0",
            object="StatefulSet/lab/note",
            source="env of container note",
            record="CUDA_DISABLE_CONTROL=true",
        ),
    )


def test_missing_inputs_have_the_reason_that_the_exporter_gives(prometheus: Fake) -> None:
    say(prometheus, STATE, check="S07", state="unknown")
    say(prometheus, MISSING, check="S07", input="certificate", layer="sharing")
    say(prometheus, MISSING_INFO, check="S07", input="certificate", reason="403", node="")
    say(prometheus, MISSING, check="H02", input="DCGM_EXP_XID_ERRORS_COUNT", layer="hardware")
    assert only(read(prometheus)).missing == (
        MissingInput(check="S07", input="certificate", reason="403"),
        MissingInput(check="H02", input="DCGM_EXP_XID_ERRORS_COUNT", reason=""),
    )


def test_clusters_are_told_apart(prometheus: Fake) -> None:
    for cluster, state in (("west", "ok"), ("east", "firing"), ("", "unknown")):
        labels = {"cluster": cluster} if cluster else {}
        say(prometheus, STATE, check="H01", state=state, **labels)
    found = {cluster.name: cluster.states["H01"] for cluster in read(prometheus).clusters}
    assert list(found.items()) == [("", "unknown"), ("east", "firing"), ("west", "ok")]


def test_a_cluster_of_which_only_findings_are_known_is_not_judged(prometheus: Fake) -> None:
    """The exporter's series are there, our rules are not."""
    say(prometheus, FINDING, check="S01", signal="x")
    say(prometheus, MISSING_INFO, check="S01", input="x")
    assert read(prometheus).clusters == ()


def test_an_alert_alone_makes_a_cluster_known(prometheus: Fake) -> None:
    labels = {"alertname": "GpuAtlasExporterDown", "check": "exporter-down", "layer": "meta"}
    say(prometheus, ALERTS, cluster="east", **labels, alertstate="firing")
    (cluster,) = read(prometheus).clusters
    assert (cluster.name, cluster.states) == ("east", {})
    assert cluster.alerts[0].labels["cluster"] == "east"


def test_what_is_asked(prometheus: Fake) -> None:
    read(prometheus, matchers={"cluster": "prod"}, headers={"X-Scope-OrgID": "gpu"})
    recorded, alerts = prometheus.queries
    assert recorded.startswith('{__name__=~"check:gpuatlas_check_state:max|')
    assert recorded.endswith('gpuatlas_finding_info",cluster="prod"}')
    assert alerts == (
        '{__name__=~"ALERTS|ALERTS_FOR_STATE",cluster="prod",'
        'layer=~"hardware|sharing|operations|meta"}'
    )
    assert {headers["X-Scope-OrgID"] for headers in prometheus.headers} == {"gpu"}


def test_warnings_of_the_server_are_told_once(prometheus: Fake) -> None:
    prometheus.warnings = ["a store is away"]
    assert read(prometheus).warnings == ("a store is away",)


def test_a_server_that_refuses_is_an_error(prometheus: Fake) -> None:
    prometheus.broken = lambda _query: (403, b"no")
    with pytest.raises(ForbiddenError, match=r"HTTP 403 from .*: no"):
        read(prometheus)


def test_alerts_may_have_no_annotations(prometheus: Fake) -> None:
    client = PrometheusClient(PrometheusSettings(url=prometheus.url))
    prometheus.alerts = []
    assert client.active_alerts() == []
    prometheus.alerts = [{"labels": {"a": "b"}}]
    assert client.active_alerts() == [ActiveAlert({"a": "b"}, {})]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b'{"status":"success","data":{"resultType":"matrix","result":[]}}',
        b'{"status":"success","data":{"resultType":"vector"}}',
    ],
)
def test_an_answer_of_something_else(prometheus: Fake, body: bytes) -> None:
    prometheus.broken = lambda _query: (200, body)
    with pytest.raises(BadAnswerError, match=prometheus.url):
        read(prometheus)


@pytest.mark.parametrize(
    "entry",
    [
        5,
        {"metric": {"__name__": "up"}},
        {"metric": {"__name__": "up"}, "value": [1]},
        {"metric": {"__name__": "up"}, "value": [1, "x"]},
        {"metric": {"__name__": "up", "a": 5}, "value": [1, "1"]},
        {"metric": "up", "value": [1, "1"]},
        {"metric": {"__name__": "up"}, "histogram": [1, {}]},
    ],
)
def test_an_entry_of_another_shape_costs_itself(prometheus: Fake, entry: object) -> None:
    good = {"metric": {"__name__": "up"}, "value": [1.5, "2"]}
    data = {"resultType": "vector", "result": [entry, good]}
    prometheus.broken = lambda _query: (200, json.dumps({"data": data}).encode())
    client = PrometheusClient(PrometheusSettings(url=prometheus.url))
    assert client.instant(("up",)) == ([Point({"__name__": "up"}, 2.0, 1.5)], ())


LABELS = st.dictionaries(
    st.sampled_from(["check", "state", "node", "alertstate", "input", "record", "cluster"]),
    st.text(max_size=8) | st.sampled_from(["ok", "firing", "H01", "{{ x }}"]),
    max_size=6,
)


@settings(deadline=None, max_examples=150)
@given(st.lists(st.tuples(st.sampled_from(NAMES), LABELS, st.floats()), max_size=12))
def test_any_series_are_survived(found: list[tuple[str, dict[str, str], float]]) -> None:
    points = [Point({"__name__": n, **labels}, value, PRESENT) for n, labels, value in found]
    for cluster in ruled_clusters(points, {}):
        assert cluster.states or cluster.alerts
        assert "" not in cluster.states

"""What a Prometheus with our rules says, as the command shows it."""

from __future__ import annotations

from dataclasses import replace

from gpuatlas.cli.judged import Evidence, JudgedCheck, Verdict, narrowed
from gpuatlas.cli.ruled_checks import judge_ruled
from gpuatlas.cli.selection import Selection
from gpuatlas.model.catalogue import Severity
from gpuatlas.model.checks import CheckState, Finding, MissingInput
from gpuatlas.model.ruled import RuledAlert, RuledChecks, RuledCluster
from gpuatlas.sources.catalogue import load_catalogue

ADDRESS = "http://prometheus:9090"
NOW = 1_800_000_000.0
IDS = [f"H{n:02}" for n in range(1, 13)] + [f"S{n:02}" for n in range(1, 18)]
STATES = dict.fromkeys(IDS, CheckState.OK)


def a_cluster(**changes: object) -> RuledCluster:
    values: dict[str, object] = {"name": "", "states": STATES}
    return RuledCluster(**(values | changes))  # type: ignore[arg-type]


def judged(*clusters: RuledCluster) -> Verdict:
    ruled = RuledChecks(at=NOW, clusters=clusters)
    return judge_ruled(ruled, load_catalogue(), ADDRESS)


def the_check(verdict: Verdict, name: str) -> JudgedCheck:
    (found,) = (c for cluster in verdict.clusters for c in cluster.checks if c.entry.id == name)
    return found


def an_alert(
    check: str, signal: str = "", /, *, pending: bool = False, **labels: str
) -> RuledAlert:
    entry = load_catalogue().check(check)
    values = {
        "alertname": entry.alert if entry is not None else "Other",
        "check": check,
        "severity": "warning",
        **({"signal": signal} if signal else {}),
        **labels,
    }
    return RuledAlert(labels=values, firing=not pending, since=NOW - 60)


def test_without_alerts_the_29_have_their_recorded_states() -> None:
    states = {**STATES, "H02": CheckState.UNKNOWN, "S01": CheckState.NOT_APPLICABLE}
    verdict = judged(a_cluster(states=states))
    (cluster,) = verdict.clusters
    assert (verdict.at, verdict.address, verdict.is_critical) == (NOW, ADDRESS, False)
    assert {check.entry.id: check.state for check in cluster.checks} == states
    assert cluster.severities == {}


def test_a_check_of_which_nothing_is_recorded_is_unknown() -> None:
    assert the_check(judged(a_cluster(states={})), "S07").state is CheckState.UNKNOWN


def test_an_alert_with_its_finding() -> None:
    finding = Finding(
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
    alert = an_alert(
        "S01",
        "disable-control",
        severity="critical",
        node="gpu-a",
        card="GPU-1",
        namespace="lab",
        object="StatefulSet/lab/note",
    )
    others = (
        replace(finding, signal="limit-off"),
        replace(finding, card="GPU-2"),
        replace(finding, object="Deployment/lab/other"),
    )
    check = the_check(judged(a_cluster(alerts=(alert,), findings=(finding, *others))), "S01")
    assert (check.state, check.severity, check.since) == ("firing", "critical", NOW - 60)
    (found,) = check.occurrences
    assert found.evidence == (Evidence("env of container note", "CUDA_DISABLE_CONTROL=true"),)
    assert (found.node, found.card, found.object) == ("gpu-a", "GPU-1", "StatefulSet/lab/note")
    assert found.action == (
        "Take the variable out of the pod template: kubectl -n lab edit StatefulSet/note"
    )


def test_an_alert_on_series_has_a_finding_if_what_both_name_is_the_same() -> None:
    """S13's lock alert names the node, its finding also who holds the lock."""
    alert = an_alert("S13", "lock", node="gpu-a", owner_namespace="lab", owner_pod="x")
    finding = Finding(
        check="S13",
        signal="lock",
        node="gpu-a",
        namespace="lab",
        pod="x",
        object="Node/gpu-a",
        source="node annotation hami.io/mutex.lock",
        record="2027-01-15T07:55:00Z,lab,x",
    )
    other = replace(finding, node="gpu-b", record="another node's")
    check = the_check(judged(a_cluster(alerts=(alert,), findings=(other, finding))), "S13")
    assert [e.record for o in check.occurrences for e in o.evidence] == [finding.record]


def test_a_licence_is_named_by_the_source_of_its_alert() -> None:
    def finding(name: str) -> Finding:
        return Finding(
            check="S17",
            signal="ends",
            object=f"ConfigMap/lic/{name}",
            source=f"licence {name}",
            record=name,
        )

    alert = an_alert("S17", "ends", licence="b", source="ConfigMap/lic/b")
    verdict = judged(a_cluster(alerts=(alert,), findings=(finding("a"), finding("b"))))
    (found,) = the_check(verdict, "S17").occurrences
    assert (found.object, [e.record for e in found.evidence]) == ("ConfigMap/lic/b", ["b"])
    assert found.action == "Renew the licence with its vendor and replace it at ConfigMap/lic/b."


def test_an_alert_of_the_hardware_tells_what_the_server_measured() -> None:
    labels = {"gpu": "3", "node": "gpu-a", "card": "GPU-1", "severity": "critical", "xid": "79"}
    texts = {
        "description": "Card GPU-1 reported XID 79.",
        "pods": "lab/a, lab/b",
        "action": "Drain it.",
        "cause": "XID 79.",
    }
    bare = an_alert("H01", "xid")
    alert = replace(bare, labels={**bare.labels, **labels}, texts=texts)
    (found,) = the_check(judged(a_cluster(alerts=(alert,))), "H01").occurrences
    assert found.evidence == (Evidence("alert GpuXidHardware", "Card GPU-1 reported XID 79."),)
    assert (found.pods, found.index) == (("lab/a", "lab/b"), "3")
    assert (found.cause, found.action) == ("XID 79.", "Drain it.")
    assert found.description == "Card GPU-1 reported XID 79."


def test_without_its_words_an_alert_is_quoted_by_its_labels() -> None:
    labels = {"Hostname": "gpu-a", "UUID": "GPU-1", "severity": "critical", "xid": "79"}
    bare = an_alert("H01", "xid", node="gpu-a", card="GPU-1")
    alert = replace(bare, labels={**bare.labels, **labels})
    (found,) = the_check(judged(a_cluster(alerts=(alert,))), "H01").occurrences
    quote = 'GpuXidHardware{signal="xid",xid="79"}'
    assert found.evidence == (Evidence("alert GpuXidHardware", quote),)
    # The catalogue's words, with the labels of the alert.
    assert found.cause == "XID 79: GPU has fallen off the bus."
    assert found.action.startswith("NVIDIA's action: RESTART_BM.")


def test_sentences_are_no_pods() -> None:
    alert = replace(an_alert("H01", "xid"), texts={"pods": "none that DCGM names"})
    (found,) = the_check(judged(a_cluster(alerts=(alert,))), "H01").occurrences
    assert found.pods == ()


def test_of_two_severities_the_graver_is_shown() -> None:
    alerts = (
        an_alert("H05", "margin", card="GPU-1"),
        an_alert("H05", "margin", card="GPU-1", severity="critical"),
        an_alert("H05", "margin", card="GPU-2"),
        an_alert("H05", "margin", card="GPU-2", severity="critical", pending=True),
    )
    check = the_check(judged(a_cluster(alerts=alerts)), "H05")
    found = [(o.card, o.severity, o.pending) for o in check.occurrences]
    assert found == [("GPU-1", "critical", False), ("GPU-2", "warning", False)]


def test_a_pending_alert_does_not_fire() -> None:
    alert = an_alert("H05", "margin", severity="critical", pending=True)
    verdict = judged(a_cluster(alerts=(alert,)))
    check = the_check(verdict, "H05")
    assert (check.state, check.severity, check.count, check.since) == ("ok", None, 1, NOW - 60)
    assert not verdict.is_critical


def test_a_check_that_fires_may_be_half_blind() -> None:
    alert = an_alert("S01", "limit-off")
    states = {**STATES, "S01": CheckState.FIRING, "S02": CheckState.FIRING}
    missing = (MissingInput(check="S01", input="page", reason="silent", node="gpu-b"),)
    verdict = judged(
        a_cluster(states=states, alerts=(alert,), missing=missing, blind=frozenset({"S01"}))
    )
    check = the_check(verdict, "S01")
    assert (check.state, check.sight, check.missing) == ("firing", "unknown", missing)
    # Recorded a moment before: its alert has just ended.
    assert the_check(verdict, "S02").state is CheckState.OK


def test_alerts_beside_the_checks_are_there_where_they_say_something() -> None:
    alerts = (
        an_alert(
            "gang-waiting", namespace="lab", workload_kind="Job", workload="train", severity="info"
        ),
        an_alert("exporter-down", severity="critical"),
    )
    verdict = judged(a_cluster(alerts=alerts))
    (cluster,) = verdict.clusters
    assert [check.entry.id for check in cluster.checks][29:] == ["gang-waiting", "exporter-down"]
    assert the_check(verdict, "gang-waiting").occurrences[0].object == "Job/lab/train"
    assert cluster.severities == {Severity.CRITICAL: 1, Severity.INFO: 1}
    assert sum(cluster.states.values()) == 29
    assert verdict.is_critical


def test_an_alert_that_the_catalogue_does_not_know_is_shown_by_its_name() -> None:
    alert = RuledAlert(
        labels={"alertname": "OurOwn", "check": "own", "severity": "page", "layer": "meta"},
        firing=True,
    )
    check = the_check(judged(a_cluster(alerts=(alert,))), "own")
    assert (check.entry.title, check.severity, check.state) == ("OurOwn", "warning", "firing")


def test_what_is_missing_says_what_to_do() -> None:
    missing = (
        MissingInput(check="H02", input="DCGM_EXP_XID_ERRORS_COUNT", reason=""),
        MissingInput(check="H01", input="dcgm-exporter", reason=""),
        MissingInput(check="S01", input="gpuatlas exporter", reason=""),
        MissingInput(check="S07", input="certificate", reason="403"),
    )
    verdict = judged(a_cluster(missing=missing))

    def reason(check: str) -> str:
        (lack,) = the_check(verdict, check).missing
        return lack.reason

    assert reason("H02").startswith("not among the counters of dcgm-exporter")
    assert reason("H01") == "run it on the nodes with cards and let this Prometheus scrape it"
    assert reason("S01").startswith("run `gpuatlas serve` in the cluster")
    assert reason("S07") == "403"


def test_clusters_are_judged_each_by_itself() -> None:
    east = a_cluster(name="east", alerts=(an_alert("H04", "remap-failed", severity="critical"),))
    verdict = judged(east, a_cluster(name="west"))
    assert [(c.name, dict(c.severities)) for c in verdict.clusters] == [
        ("east", {"critical": 1}),
        ("west", {}),
    ]


def test_nodes_narrow_what_is_shown() -> None:
    alerts = (
        an_alert("H04", "remap-failed", node="gpu-a"),
        an_alert("S07", "absent", object="Deployment/hami/s"),
    )
    nodes = {
        ("H04", "gpu-a"): CheckState.FIRING,
        ("H04", "gpu-b"): CheckState.OK,
        ("H05", "gpu-b"): CheckState.UNKNOWN,
        ("S10", "gpu-a"): CheckState.OK,
    }
    verdict = judged(a_cluster(alerts=alerts, nodes=nodes))
    assert verdict.nodes == {"gpu-a", "gpu-b"}
    narrow = narrowed(verdict, Selection(nodes=("gpu-b",)), ())
    found = {c.entry.id: c.state for c in narrow.clusters[0].checks}
    assert (found["H04"], found["H05"], found["S10"]) == ("ok", "unknown", "not_applicable")
    # The webhook is no node's matter.
    assert found["S07"] is CheckState.OK


def test_ids_narrow_what_is_shown() -> None:
    alerts = (an_alert("exporter-down", severity="critical"),)
    verdict = narrowed(judged(a_cluster(alerts=alerts)), Selection(), ("H01", "S02"))
    assert [check.entry.id for check in verdict.clusters[0].checks] == ["H01", "S02"]
    assert not verdict.is_critical


def test_namespaces_narrow_what_is_shown() -> None:
    alerts = (
        an_alert("S01", "limit-off", namespace="lab", object="Job/lab/a"),
        an_alert("S01", "limit-off", namespace="team", object="Job/team/a"),
        replace(an_alert("H04", "remap-failed", card="GPU-1"), texts={"pods": "lab/x, team/y"}),
        replace(an_alert("H04", "remap-failed", card="GPU-2"), texts={"pods": "team/y"}),
    )
    narrow = narrowed(judged(a_cluster(alerts=alerts)), Selection(namespaces=("lab",)), ())
    assert [o.object for o in the_check(narrow, "S01").occurrences] == ["Job/lab/a"]
    assert [o.card for o in the_check(narrow, "H04").occurrences] == ["GPU-1"]

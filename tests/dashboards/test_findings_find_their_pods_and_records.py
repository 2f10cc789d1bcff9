"""The joins of the board Checks, on series made up for them and evaluated by promtool."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from gpuatlas_dashboards.boards import checks_findings_queries as queries
from gpuatlas_dashboards.boards.checks_queries import missing_inputs
from gpuatlas_dashboards.signals import check
from gpuatlas_dashboards.signals.check_sentences import ALL_TENANTS, NEW_PODS, WAYS
from gpuatlas_harness.alert_rules import alert_rules
from gpuatlas_harness.binaries import required, system_binary
from gpuatlas_harness.boards import filled
from gpuatlas_harness.prometheus import promtool

Answer = Mapping[str, str] | tuple[Mapping[str, str], float]
Ask = Callable[[str, Sequence[Answer]], None]

# What the annotation `pods` of an alert asks, and what the key `who` is then.
_OF_CARD: Final = re.compile(r"allocation_info\{cluster=%q, (?:node=%q, )?card=%q\}|UUID=%q")
_OF_NODE: Final = re.compile(r"allocation_(?:info|priority)\{cluster=%q, node=%q\}")
_OF_POD: Final = re.compile(r"allocation_info\{.*pod=%q\}")
_OF_LOCK: Final = re.compile(r'signal="lock"')
_OF_RECORD: Final = re.compile(r"finding_info\{cluster=%q, check=%q, signal=%q.*object=%q")


def who(what: str) -> str:
    """The key, as the chain of label_replace makes it."""
    found = ""
    for by, pattern in queries.WHO:
        match = re.fullmatch(pattern, what)
        if match:
            found = match.expand(re.sub(r"\$(\d)", r"\\g<\1>", by))
    return found


def expected(pods: str, what: Mapping[str, str]) -> str:
    """The key by what the annotation asks; the first that fits."""
    cluster, node, card = what["cluster"], what["node"], what["card"]
    of_pod = f"{cluster}|{what['namespace']}/{what['pod']}"
    keys = (
        ("every new pod" in pods, NEW_PODS),
        ("all tenants" in pods, ALL_TENANTS),
        (_OF_POD.search(pods), of_pod),
        (_OF_LOCK.search(pods), f"S13|lock|{cluster}|{node}"),
        (_OF_RECORD.search(pods), "|".join(list(what.values())[:-1])),
        (_OF_CARD.search(pods) and card, f"{cluster}|{card}"),
        (_OF_NODE.search(pods) or "exported_pod" in pods, f"{cluster}|{node}"),
    )
    return next((key for holds, key in keys if holds), "nobody")


@pytest.mark.parametrize(
    "rule",
    [rule for layer in ("hardware", "sharing") for rule in alert_rules(layer)],
    ids=lambda rule: f"{rule.check}-{rule.labels['signal']}-{rule.labels['severity']}",
)
def test_a_finding_hits_the_pods_that_its_alert_names(rule: Any) -> None:
    pods = re.sub(r"\s+", " ", rule.annotations["pods"])
    names_card = _OF_CARD.search(pods) is not None
    what = {
        "check": rule.check,
        "signal": rule.labels["signal"],
        "cluster": "c",
        "node": "" if pods.startswith(("every", "after")) or "all tenants" in pods else "n1",
        "card": "GPU-1" if names_card or _OF_RECORD.search(pods) else "",
        "namespace": "lab",
        "object": "" if rule.check in {"S02", "S03", "S05"} else "Deployment/lab/web",
        "pod": "web-1" if rule.check in {"S02", "S03", "S05"} else "",
    }

    assert who("|".join(what.values())) == expected(pods, what)


def alert(value: float = 60, /, **labels: str) -> dict[str, str]:
    """Both series of a firing alert that began at a second."""
    both = {"layer": "sharing", "severity": "critical", "remedy": "none", "cluster": "c", **labels}
    firing = {**both, "alertstate": "firing"}
    return {series("ALERTS", firing): "1x10", series("ALERTS_FOR_STATE", both): f"{value:g}x10"}


def series(name: str, labels: Mapping[str, str]) -> str:
    return f"{name}{{{', '.join(f'{key}={json.dumps(label)}' for key, label in labels.items())}}}"


CARD: Final = {"cluster": "c", "node": "n1", "card": "GPU-1"}
SERIES: Final = {
    **alert(check="H07", signal="hw-time", layer="hardware", node="n1", card="GPU-1"),
    # The warning beside a critical finding is no finding of its own.
    **alert(
        check="H07", signal="hw-time", layer="hardware", node="n1", card="GPU-1", severity="warning"
    ),
    **alert(check="H01", signal="xid", layer="hardware", node="n1", card="GPU-1", xid="79"),
    **alert(
        check="S01",
        signal="limit-off",
        node="n1",
        card="GPU-1",
        namespace="lab",
        object="Deployment/lab/web",
    ),
    # Prometheus leaves the template of a label that comes out empty.
    **alert(check="S06", signal="silent", node="n1", card="{{ $labels.card }}"),
    **alert(
        check="S08",
        signal="ends",
        node="{{ $labels.node }}",
        card="{{ $labels.card }}",
        configuration="hook",
        object="MutatingWebhookConfiguration/hook",
    ),
    series("gpuatlas_card_info", {**CARD, "index": "3"}): "1x10",
    series("gpuatlas_allocation_info", {**CARD, "namespace": "lab", "pod": "web-1"}): "1x10",
    series(
        "gpuatlas_allocation_info",
        {**CARD, "card": "GPU-2", "namespace": "search", "pod": "embed-1"},
    ): "1x10",
    series(
        "gpuatlas_finding_info",
        {
            **CARD,
            "check": "S01",
            "signal": "limit-off",
            "namespace": "lab",
            "pod": "web-1",
            "object": "Deployment/lab/web",
            "source": "monitor",
            "record": "limit 0",
        },
    ): "1x10",
    series(
        "check:gpuatlas_missing_input:group",
        {"cluster": "c", "check": "H11", "layer": "hardware", "input": "DCGM_FI_DEV_X"},
    ): "1x10",
    series(
        "gpuatlas_check_missing_input_info",
        {"cluster": "c", "check": "S01", "node": "n2", "input": "page", "reason": "no answer"},
    ): "1x10",
}
_AT_CARD: Final = "c|GPU-1"
_S01: Final = "S01|limit-off|c|n1|GPU-1|lab|Deployment/lab/web"


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """Whether an expression gives these labels, with the value 1 or their own, on `SERIES`."""
    required(lambda: system_binary("promtool", package="prometheus"))

    def compare(expr: str, answers: Sequence[Answer]) -> None:
        samples = [
            {"labels": series("", labels), "value": value}
            for labels, value in (a if isinstance(a, tuple) else (a, 1) for a in answers)
        ]
        asked = {"expr": filled(expr), "eval_time": "5m", "exp_samples": samples}
        test = {
            "interval": "1m",
            "input_series": [{"series": name, "values": each} for name, each in SERIES.items()],
            "promql_expr_test": [asked],
        }
        file = tmp_path / "test.yaml"
        # JSON is YAML.
        file.write_text(json.dumps({"evaluation_interval": "1m", "tests": [test]}), "utf-8")
        answer = promtool(["test", "rules", file])
        assert answer.returncode == 0, answer.stdout + answer.stderr

    return compare


def test_pods_are_found_by_card_by_node_and_by_record(ask: Ask) -> None:
    ask(
        queries.pods(),
        [
            {"who": _AT_CARD, "owner": "lab/web-1"},
            {"who": "c|n1", "owner": "lab/web-1"},
            {"who": "c|n1", "owner": "search/embed-1"},
            {"who": _S01, "owner": "lab/web-1"},
            {"who": NEW_PODS, "owner": NEW_PODS},
        ],
    )


def test_records_are_found_by_what_failed(ask: Ask) -> None:
    ask(
        queries.records(),
        [
            {"what": f"{_S01}|", "quote": "monitor: limit 0"},
            {"what": "H01|xid|c|n1|GPU-1|||", "quote": "XID 79"},
        ],
    )


def test_each_finding_has_its_place_its_grade_and_its_keys(ask: Ask) -> None:
    ask(
        f"group by (name, where, grade, who, cause) ({queries.findings()})",
        [
            {
                "name": "H07|hw-time",
                "where": "c · n1 / 3",
                "grade": "0",
                "who": _AT_CARD,
                "cause": "H07",
            },
            {
                "name": "H01|xid",
                "where": "c · n1 / 3",
                "grade": "0",
                "who": _AT_CARD,
                "cause": "H01|79",
            },
            {
                "name": "S01|limit-off",
                "where": "c · n1 / 3, Deployment/lab/web",
                "grade": "0",
                "who": _S01,
                "cause": "S01|limit-off",
            },
            {"name": "S06|silent", "where": "c · n1", "grade": "0", "who": "c|n1", "cause": "S06"},
            {
                "name": "S08|ends",
                "where": "c · MutatingWebhookConfiguration/hook",
                "grade": "0",
                "who": NEW_PODS,
                "cause": "S08|ends",
            },
        ],
    )


def test_a_finding_began_when_its_alert_became_active(ask: Ask) -> None:
    ask(f"min({queries.findings()})", [({}, 60_000)])
    ask(f"max({queries.findings()})", [({}, 60_000)])


def test_only_cards_and_nodes_with_names_count_as_hit(ask: Ask) -> None:
    ask(check.CARDS_HIT.within('cluster=~".*"'), [({}, 1)])
    ask(check.NODES_HIT.within('cluster=~".*"'), [({}, 1)])


def test_a_missing_input_says_how_to_get_it(ask: Ask) -> None:
    ask(
        missing_inputs(),
        [
            {
                "cluster": "c",
                "check": "H11",
                "name": "H11",
                "input": "DCGM_FI_DEV_X",
                "reason": WAYS["DCGM_.*"],
            },
            {
                "cluster": "c",
                "check": "S01",
                "name": "S01",
                "input": "page",
                "node": "n2",
                "reason": "no answer",
            },
        ],
    )


def test_advice_is_asked_for_each_signal_and_each_missing_input(ask: Ask) -> None:
    keys = queries.advice_keys('cluster=~".*", check=~"H07|H11|S01"')

    ask(
        f'sum by (advice) (label_replace({keys}, "advice", "$1", "advice", "(.*?)[|]nnnn.*"))',
        [
            ({"advice": "H07"}, 2),
            ({"advice": "S01|limit-off"}, 2),
            ({"advice": "lacks|DCGM_FI_DEV_X|"}, 1),
            ({"advice": "lacks|page|no answer"}, 1),
        ],
    )

"""Rules and alerts in the chart: those of this repository, but for what values change."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from gpuatlas_harness.alert_cases import PROMTOOLS
from gpuatlas_harness.alert_rules import alert_rules
from gpuatlas_harness.binaries import required
from gpuatlas_harness.helm import ROOT, Helm, Object, Rendered

FILES: Final = sorted(
    [*(ROOT / "recording_rules").glob("*.yaml"), *(ROOT / "alerts").glob("*.yaml")]
)
# kubectl apply and Argo CD keep the whole object in an annotation, which takes 256 KiB.
ANNOTATION_BYTES: Final = 262_144
CARRIERS: Final = ("PrometheusRule", "ConfigMap")
CHECKS: Final = sorted({rule.labels["check"] for rule in alert_rules()})
BARE: Final = {"dashboards.enabled": False}


def written() -> dict[str, Object]:
    """The groups of this repository by name."""
    documents = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in FILES]
    return {group["name"]: group for item in documents for group in item.get("groups", ())}


def alerts(groups: list[Object]) -> Iterator[Object]:
    yield from (rule for group in groups for rule in group["rules"] if "alert" in rule)


def key(alert: Object) -> tuple[str, str, str, str]:
    labels = alert["labels"]
    known = tuple(labels.get(name, "") for name in ("check", "severity", "signal"))
    return (alert["alert"], *known)


def promtool(major: int, *arguments: str | Path) -> str:
    """What promtool says against it, "" for nothing."""
    command = [str(required(PROMTOOLS[major])), *map(str, arguments)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if answer.returncode == 0 else answer.stdout + answer.stderr


def saved(rendered: Rendered, folder: Path) -> list[Path]:
    """The rule files that Prometheus gets, by the operator or mounted."""
    files = [(f"{item['metadata']['name']}.yaml", yaml.safe_dump(item["spec"]))
             for item in rendered.of("PrometheusRule")]  # fmt: skip
    paths = []
    for name, text in [*files, *rendered.rule_files()]:
        paths.append(folder / name)
        paths[-1].write_text(text, encoding="utf-8")
    return paths


@pytest.mark.parametrize("carrier", CARRIERS)
def test_without_values_they_are_what_this_repository_has(carrier: str, helm3: Helm) -> None:
    """To the last brace: what Prometheus fills in is nothing that Helm may fill in."""
    rendered = helm3.render({**BARE, "rules.as": carrier})

    assert {group["name"]: group for group in rendered.groups()} == written()


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("major", PROMTOOLS)
def test_promtool_finds_no_fault(major: int, carrier: str, helm4: Helm, tmp_path: Path) -> None:
    values = {
        **BARE,
        "rules.as": carrier,
        "rules.alertLabels": {"team": "gpu"},
        "documentsUrl": "https://docs.example/",
        "rules.checks": dict.fromkeys(CHECKS[::2], False),
    }
    files = saved(helm4.render(values), tmp_path)

    assert len(files) > 15
    assert promtool(major, "check", "rules", *files) == ""


@pytest.mark.parametrize("carrier", CARRIERS)
def test_each_object_fits_into_an_annotation(carrier: str, helm3: Helm) -> None:
    rendered = helm3.render({**BARE, "rules.as": carrier})

    sizes = {item["metadata"]["name"]: len(str(item)) for item in rendered.of(carrier)}
    assert max(sizes.values()) < ANNOTATION_BYTES


@pytest.mark.parametrize("off", [CHECKS[::2], CHECKS[1::2]], ids=["every other", "the others"])
def test_a_check_that_is_off_has_no_alert(off: list[str], helm3: Helm) -> None:
    rendered = helm3.render({**BARE, "rules.checks": dict.fromkeys(off, False)})

    left = {alert["labels"]["check"] for alert in alerts(rendered.groups())}
    assert left == set(CHECKS) - set(off)
    records = {
        rule["record"] for group in rendered.groups() for rule in group["rules"] if "record" in rule
    }
    # Other checks and the boards may read what a check records.
    assert records == {
        rule["record"]
        for group in written().values()
        for rule in group["rules"]
        if "record" in rule
    }


# One card whose exporter sends little, and a layer of which two checks lack an input.
SENT: Final = (
    'DCGM_FI_DEV_GPU_TEMP{cluster="c", UUID="GPU-1", gpu="0", Hostname="n"}',
    'gpuatlas_card_info{cluster="c", node="n", card="GPU-1", index="0"}',
    'gpuatlas_build_info{cluster="c"}',
    *(
        f'{name}{{cluster="c", check="{check}", {rest}}}'
        for check in ("S05", "S06")
        for name, rest in (
            ("gpuatlas_check_inputs", 'state="missing"'),
            ("gpuatlas_node_check_inputs", 'node="n", state="missing"'),
            ("gpuatlas_check_missing_input_info", 'input="i"'),
        )
    ),
)


def states(shown: Mapping[str, list[str]]) -> Object:
    """A test: which checks stand in a series, of two that are off and their neighbours."""
    expected = [
        {
            "expr": f'group by (check) ({series}{{check=~"H07|H08|S05|S06"}})',
            "eval_time": "15m",
            "exp_samples": [{"labels": f'{{check="{name}"}}', "value": 1} for name in checks],
        }
        for series, checks in shown.items()
    ]
    sent = [{"series": series, "values": "50x20"} for series in SENT]
    test = {"interval": "1m", "input_series": sent, "promql_expr_test": expected}
    return {"evaluation_interval": "1m", "tests": [test]}


SERIES: Final = (
    "check:gpuatlas_check_state:max",
    "node:gpuatlas_check_state:max",
    "check:gpuatlas_missing_input:group",
)


@pytest.mark.parametrize("major", PROMTOOLS)
@pytest.mark.parametrize(
    ("off", "left"),
    [
        pytest.param([], ["H07", "H08", "S05", "S06"], id="all are on"),
        pytest.param(["H08", "S05"], ["H07", "S06"], id="two are off"),
    ],
)
def test_a_check_that_is_off_has_no_state(
    off: list[str], left: list[str], major: int, helm3: Helm, tmp_path: Path
) -> None:
    """Without its alerts it would be called ok although nobody looks."""
    rendered = helm3.render({**BARE, "rules.checks": dict.fromkeys(off, False)})
    case = states(dict.fromkeys(SERIES, left))
    case["rule_files"] = list(map(str, saved(rendered, tmp_path)))
    file = tmp_path / "states.test"
    file.write_text(yaml.safe_dump(case), encoding="utf-8")

    assert promtool(major, "test", "rules", file) == ""


# value, what it is set to, and in which alerts which words of condition and text come of it
THRESHOLDS: Final[dict[str, tuple[float, list[tuple[str, str]], str, str]]] = {
    "heldIdlePercent": (5, [("card-held-idle", "info")], "< 0.05", "the limit is 5%"),
    "overcommitMemoryPercent": (
        90,
        [("overcommit-memory", "warning")],
        ">= 0.9",
        "the limit is 90%",
    ),
    "slowedPercent": (
        12.5,
        [("slowed-by-neighbour", "info"), ("slowed-by-neighbour", "warning")],
        "> 0.125",
        "the limit is 12.5%",
    ),
    "gangWaitingMinutes": (60, [("gang-waiting", "warning")], "> 3600", "the limit is 60m"),
    "waitingBesideFreeCardsMinutes": (
        90,
        [("waiting-beside-free-cards", "info")],
        "> 5400",
        "the limit is 90m",
    ),
    "certificateDays": (
        14,
        [("S08", "warning"), ("S08", "warning")],
        "< 14 * 86400",
        "the limit is 14 days",
    ),
    "licenceDays": (60, [("S17", "warning")], "< 60 * 86400", "the limit is 60d"),
}


@pytest.fixture(scope="module")
def adjusted(helm3: Helm) -> list[Object]:
    """The alerts that differ once every threshold is another."""
    values = {f"rules.thresholds.{value}": to for value, (to, *_) in THRESHOLDS.items()}
    rendered = helm3.render({**BARE, **values})
    before = {key(alert): alert for alert in alerts([*written().values()])}
    return [alert for alert in alerts(rendered.groups()) if alert != before[key(alert)]]


@pytest.mark.parametrize("value", THRESHOLDS)
def test_a_threshold_changes_condition_and_text_of_its_alerts(
    value: str, adjusted: list[Object]
) -> None:
    _, expected, condition, text = THRESHOLDS[value]

    found = [
        (alert["labels"]["check"], alert["labels"]["severity"])
        for alert in adjusted
        if condition in alert["expr"] and text in alert["annotations"]["description"]
    ]
    assert found == expected


def test_thresholds_change_no_other_alert(adjusted: list[Object]) -> None:
    meant = [alert for _, expected, _, _ in THRESHOLDS.values() for alert in expected]

    changed = [(alert["labels"]["check"], alert["labels"]["severity"]) for alert in adjusted]
    assert sorted(changed) == sorted(meant)


def test_every_threshold_and_every_check_is_tested() -> None:
    values: dict[str, Any] = yaml.safe_load(
        (ROOT / "helm" / "gpuatlas" / "values.yaml").read_text(encoding="utf-8")
    )["rules"]

    assert set(values["thresholds"]) == set(THRESHOLDS)
    assert values["checks"] == dict.fromkeys(CHECKS, True)


def test_a_comment_says_what_each_check_finds() -> None:
    text = (ROOT / "helm" / "gpuatlas" / "values.yaml").read_text(encoding="utf-8")
    for check in CHECKS:
        summary = next(r for r in alert_rules() if r.labels["check"] == check).annotations[
            "summary"
        ]
        assert f"    # {summary.strip()}.\n    {check}: true\n" in text

"""The alerts as their tests see them: the catalogue in `alerts/*.yaml`, its runbooks, its form.

What is asked of every alert stands here once, so that each layer's tests ask the same. Each check
of form yields the faults in words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import promql_parser

from gpuatlas_harness.promql import Group, Rule, metric_names, read_groups

ROOT: Final = Path(__file__).parents[3]
ALERTS: Final = ROOT / "alerts"
RUNBOOKS: Final = ROOT / "docs" / "runbooks"
# The order of the catalogue; a file's name begins with its layer.
LAYERS: Final = ("hardware", "sharing", "operations", "meta")
HEADINGS: Final = (
    "What it means",
    "How we know",
    "What to do first",
    "If that fails",
    "When it is noise",
)
SEVERITIES: Final = ("critical", "warning", "info")
REMEDIES: Final = ("none", "auto", "approval")

_ID: Final = {"check", "layer", "severity", "remedy"}
_TEXTS: Final = {"summary", "description", "cause", "action", "runbook_url"}
# Node and card come with the series. A template that comes out empty would stand as it is written
# in ALERTS, so there is one only where the label has another name in the expression.
_LABELS: Final[Mapping[str, set[str]]] = {
    "hardware": {*_ID, "signal"},
    "sharing": {*_ID, "signal"},
    "operations": _ID,
    "meta": _ID,
}
# Annotations that ask the server, beside the texts.
_QUERIED: Final[Mapping[str, set[str]]] = {
    "hardware": {"pods"},
    "sharing": {"pods", "evidence"},
    "operations": set(),
    "meta": set(),
}
# Descriptions without a template for the value.
VALUE_IN_WORDS: Final[Mapping[tuple[str, str], str]] = {
    ("H01", "xid"): "the value is the label xid",
    ("H12", "no-cards"): "the value is always 0",
}
# A recorded name with its matchers and its range, if it has them.
_RECORDED: Final = re.compile(r"(?P<name>\w+:\w+:\w+)(?:\{[^}]*\})?(?:\[(?P<range>\w+)\])?")
_VALUE: Final = re.compile(r"\$value\b|\bquery\b")


@cache
def alert_groups() -> tuple[Group, ...]:
    """Every group of every file of alerts, in the order of the layers."""
    files = [file for file in ALERTS.glob("*.yaml") if _holds_groups(file)]
    return tuple(group for file in sorted(files, key=_order) for group in read_groups(file))


def _holds_groups(file: Path) -> bool:
    return re.search(r"^groups:", file.read_text(encoding="utf-8"), re.MULTILINE) is not None


def _order(file: Path) -> tuple[int, str]:
    layer = file.stem.partition("-")[0]
    return (LAYERS.index(layer) if layer in LAYERS else len(LAYERS), file.stem)


def alert_rules(layer: str = "") -> tuple[Rule, ...]:
    """Every alerting rule, or those of one layer, in the order of the catalogue."""
    return tuple(
        rule
        for group in alert_groups()
        for rule in group.rules
        if rule.is_alert and layer in {"", rule.labels.get("layer")}
    )


def by_check(rules: Iterable[Rule]) -> dict[str, list[Rule]]:
    """The rules of each check."""
    checks: defaultdict[str, list[Rule]] = defaultdict(list)
    for rule in rules:
        checks[rule.check].append(rule)
    return dict(checks)


@cache
def helper_rules() -> Mapping[str, Rule]:
    """The recording rules beside the alerts, by name: parts that an alert reads over time."""
    found = [rule for group in alert_groups() for rule in group.rules if not rule.is_alert]
    return {rule.name: rule for rule in found}


def whole_expression(rule: Rule) -> str:
    """The expression in one line, with what helper rules record in the place of their names."""
    helpers = helper_rules()

    def put_in(match: re.Match[str]) -> str:
        helper = helpers.get(match["name"])
        if helper is None:
            return match[0]
        inside = f"({whole_expression(helper)})"
        return inside if match["range"] is None else f"{inside}[{match['range']}:1m]"

    return _RECORDED.sub(put_in, " ".join(rule.expression.split()))


def metrics_read(rule: Rule) -> list[str]:
    """The metrics that the alert reads, itself or through helper rules, sorted."""
    return sorted(metric_names(promql_parser.parse(whole_expression(rule))))


def dcgm_counters() -> dict[str, tuple[str, str]]:
    """Type and help text of every line of the list for dcgm-exporter."""
    lines = (ALERTS / "dcgm-counters.csv").read_text(encoding="utf-8").splitlines()
    rows = [line.split(", ") for line in lines if line and not line.startswith("#")]
    return {name: (kind, text) for name, kind, text in rows}


def runbook(check: str) -> Path:
    """Where the page of a check is."""
    return RUNBOOKS / f"{check.lower()}.md"


def label_faults(rule: Rule) -> Iterator[str]:
    """What is wrong with the labels of an alert."""
    layer = rule.labels.get("layer", "")
    if not rule.file.stem.startswith(layer) or layer not in LAYERS:
        yield f"layer {layer!r} in {rule.file.name}"
    if missing := _LABELS.get(layer, _ID) - set(rule.labels):
        yield f"no label {sorted(missing)}"
    if rule.labels.get("severity") not in SEVERITIES:
        yield f"severity {rule.labels.get('severity')!r}"
    if rule.labels.get("remedy") not in REMEDIES:
        yield f"remedy {rule.labels.get('remedy')!r}"
    for name, value in rule.labels.items():
        if _VALUE.search(str(value)):
            yield f"the label {name} holds a value, so each one is another alert"


def annotation_faults(rule: Rule) -> Iterator[str]:
    """What is wrong with the annotations of an alert."""
    texts = rule.annotations
    queried = _QUERIED.get(rule.labels.get("layer", ""), set())
    if missing := (_TEXTS | queried) - set(texts):
        yield f"no annotation {sorted(missing)}"
    if "{{" in texts.get("summary", ""):
        yield "the summary is not static"
    if texts.get("runbook_url") != f"docs/runbooks/{rule.check.lower()}.md":
        yield f"runbook_url {texts.get('runbook_url')!r}"
    for name in queried & set(texts):
        if "| query |" not in texts[name]:
            yield f"{name} asks nothing"
    yield from _description_faults(rule)


def _description_faults(rule: Rule) -> Iterator[str]:
    text = rule.annotations.get("description", "")
    if "$labels." not in text:
        yield "the description names no object"
    if "limit" not in text and "must" not in text:
        yield "the description names no limit"
    in_words = (rule.check, rule.labels.get("signal", "")) in VALUE_IN_WORDS
    if _VALUE.search(text) is None and not in_words:
        yield "the description shows no value"


def form_faults(rule: Rule) -> list[str]:
    """What is wrong with the form of an alert."""
    return [*label_faults(rule), *annotation_faults(rule)]


def runbook_faults(check: str, alert: str) -> list[str]:
    """What is wrong with the page of a check, its table apart."""
    page = runbook(check)
    return list(_page_faults(page, f"# {check} {alert}\n")) if page.exists() else ["no page"]


def _page_faults(page: Path, title: str) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    if not text.startswith(title):
        yield f"the page does not begin with {title!r}"
    if tuple(re.findall(r"^## (.+)$", text, re.MULTILINE)) != HEADINGS:
        yield "the five headings are not there in their order"
    yield from _query_faults(text)


def _query_faults(text: str) -> Iterator[str]:
    blocks = re.findall(r"```promql\n(.*?)```", text, re.DOTALL)
    if not blocks:
        yield "no query"
    for line in "".join(blocks).splitlines():
        try:
            promql_parser.parse(line)
        except ValueError as error:
            yield f"{line}: {error}"

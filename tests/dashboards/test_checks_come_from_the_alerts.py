"""Names, causes and first steps of the board Checks are those of `alerts/*.yaml`."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from gpuatlas_dashboards.boards.checks_fillers import TOGETHER, length
from gpuatlas_dashboards.boards.checks_findings_queries import PLACES
from gpuatlas_dashboards.boards.checks_words import words_of
from gpuatlas_dashboards.catalogue import LANGUAGES
from gpuatlas_dashboards.check_catalogue import BY_XID, LAYERS, checks, plain, said
from gpuatlas_dashboards.panels.check_mappings import with_places
from gpuatlas_harness.alert_rules import ROOT, alert_rules, by_check
from gpuatlas_harness.promql import read_groups

RULES: Final = tuple(rule for layer in LAYERS for rule in alert_rules(layer))
# Of each entry that was translated, what the English was.
TRANSLATED: Final = Path(__file__).with_name("translated_check_texts.json")


def test_every_check_is_there_once_and_in_order() -> None:
    assert [check.id for check in checks()] == list(by_check(RULES))
    assert len(checks()) == 29


@pytest.mark.parametrize("check", checks(), ids=lambda check: check.id)
def test_a_check_has_its_runbook_and_all_its_signals(check: Any) -> None:
    rules = by_check(RULES)[check.id]
    signals = {rule.labels["signal"] for rule in rules}

    assert (ROOT / check.runbook).is_file()
    assert check.id == BY_XID or set(check.advice) == signals
    assert check.alert == rules[0].name


@pytest.mark.parametrize(
    ("alert", "name"),
    [
        ("H03", "ECC uncorrectable"),
        ("H05", "Temperature near slowdown"),
        ("H10", "PCIe link degraded"),
        ("H11", "NVLink errors"),
        ("S07", "Webhook down"),
    ],
)
def test_the_alert_names_the_check(alert: str, name: str) -> None:
    assert {check.id: check.name for check in checks()}[alert] == name


@pytest.mark.parametrize("check", checks(), ids=lambda check: check.id)
def test_a_check_knows_how_often_it_is_judged(check: Any) -> None:
    """The board counts samples of its alerts to say for how long they fired."""
    intervals = {
        group.interval
        for layer in LAYERS
        for group in read_groups(ROOT / "alerts" / f"{layer}.yaml")
        for rule in group.rules
        if rule.labels.get("check") == check.id
    }

    assert intervals == {timedelta(seconds=check.interval)}


def test_each_xid_says_what_it_is() -> None:
    advice = said("hardware")["H01|79"]

    assert advice.cause == "XID 79: GPU has fallen off the bus."
    assert advice.action.startswith("NVIDIA's action: RESTART_BM. First step: drain the node")


@pytest.mark.parametrize(
    ("template", "sentence"),
    [
        ("delete pod {{ $labels.pod }}", "delete pod <pod>"),
        ('edit {{ $labels.object | reReplaceAll "/.*/" "/" }}', "edit <kind>/<name>"),
        ("get pods{{ with $labels.node }} of {{ . }}{{ end }}", "get pods of <node>"),
        (
            "get leases{{ with $labels.namespace }} -n {{ . }}{{ else }} -A{{ end }}",
            "get leases -n <namespace>",
        ),
        (
            "label {{- range printf `m{a=%q}` $labels.node | query }} {{ .Labels.label }}"
            "{{- else }} <key>=<value> {{- end }}",
            "label <key>=<value>",
        ),
        ("{{- /* a comment */ -}}\n  two   words", "two words"),
    ],
)
def test_a_template_becomes_a_sentence(template: str, sentence: str) -> None:
    assert plain(template) == sentence


def test_a_template_that_nobody_described_is_refused() -> None:
    with pytest.raises(ValueError, match="no plain form"):
        plain("{{ humanize $value }}")


def shown(mappings: list[dict[str, Any]], value: str) -> str:
    """What Grafana makes of a value by regular expressions, the first that fits."""
    for mapping in mappings:
        pattern = mapping["options"]["pattern"].removeprefix("/").removesuffix("/")
        if found := re.search(pattern, value):
            return _filled(mapping["options"]["result"]["text"], found)
    return value


def _filled(text: str, found: re.Match[str]) -> str:
    """As JavaScript's replace: $1 is a group, $$ a dollar."""
    return re.sub(r"\$(\$|\d)", lambda m: "$" if m[1] == "$" else found[int(m[1])], text)


@pytest.mark.parametrize(
    ("places", "text"),
    [
        ("a10g-1|lab|Deployment/lab/web||||", "edit: kubectl -n lab edit Deployment/web on a10g-1"),
        ("a10g-1|lab|Node/a10g-1||||", "edit: kubectl -n lab edit Node/a10g-1 on a10g-1"),
        # One name is missing, so all stay as they are.
        (
            "|lab|Deployment/lab/web||||",
            "edit: kubectl -n <namespace> edit <kind>/<name> on <node>",
        ),
    ],
)
def test_names_of_the_finding_are_filled_in(places: str, text: str) -> None:
    words = {"S01|limit-off": "edit: kubectl -n <namespace> edit <kind>/<name> on <node>"}

    assert shown(with_places(words, PLACES), f"S01|limit-off|{places}|nnnn nnnn") == text


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_every_firing_rule_is_explained(language: Any) -> None:
    mappings = with_places(words_of(language).advice, PLACES)
    nowhere = "|" * len(PLACES)
    for layer in LAYERS:
        for key in said(layer):
            text = shown(mappings, f"{key}{nowhere}|nnnn")
            assert " ▸ " in text
            assert "nnnn" not in text


def test_texts_with_dollars_stay_whole() -> None:
    assert shown(with_places({"H05": "costs $5"}, ()), "H05|nnnn") == "costs $5"


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_a_row_is_high_enough_for_every_text(language: Any) -> None:
    for key, text in words_of(language).advice.items():
        assert length(text) - len(" ▸ ") <= TOGETHER[key]


def english() -> dict[str, str]:
    texts = {check.id + " title": f"{check.name}: {check.summary}" for check in checks()}
    for layer in LAYERS:
        texts |= {key: f"{advice.cause} {advice.action}" for key, advice in said(layer).items()}
    return {
        key: hashlib.sha256(text.encode()).hexdigest()[:8]
        for key, text in texts.items()
        # XIDs are translated by their parts, where a new one stops the rendering.
        if not key.startswith(f"{BY_XID}|")
    }


def test_no_translation_is_older_than_its_english() -> None:
    """Read the Japanese of the entries named here again, then set their new fingerprints."""
    known = json.loads(TRANSLATED.read_text(encoding="utf-8"))
    changed = {key: print_ for key, print_ in english().items() if known.get(key) != print_}

    assert changed == {}
    assert known.keys() == english().keys()


@pytest.mark.parametrize("layer", LAYERS)
def test_a_translation_names_the_same_places(layer: str) -> None:
    english_words, japanese_words = (words_of(language).advice for language in LANGUAGES)
    for key in said(layer):
        marks = [
            sorted(re.findall(r"<[\w/]+>", words[key])) for words in (english_words, japanese_words)
        ]
        assert marks[0] == marks[1], key

"""The example for Alertmanager: who is told of what, and whether its inhibitions fit our rules."""

from __future__ import annotations

import itertools
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from gpuatlas_harness.alert_rules import SEVERITIES, alert_rules
from gpuatlas_harness.alertmanager import EXAMPLE
from gpuatlas_harness.binaries import required, system_binary
from gpuatlas_harness.promql import Rule
from gpuatlas_harness.rule_lint import LABELS

CONFIG: Final[dict[str, Any]] = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))

# Where a card's rule has its card from; these tell nothing apart that `card` does not.
DESCRIBES_A_CARD: Final = {
    "UUID", "gpu", "device", "pci_bus_id", "modelName", "Hostname", "hostname",
}  # fmt: skip
# Labels that differ between a warning and its critical and need not be equal, and why.
MAY_DIFFER: Final[Mapping[str, str]] = {
    "xid": "a lesser XID beside a critical one of the same card is no other fault",
    "configuration": "it stands in object",
}


def amtool(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    binary = required(lambda: system_binary("amtool", package="prometheus-alertmanager"))
    return subprocess.run(
        [str(binary), *map(str, arguments)], capture_output=True, text=True, check=False
    )


def test_amtool_finds_no_fault() -> None:
    answer = amtool("check-config", EXAMPLE)
    assert answer.returncode == 0, answer.stderr
    assert "1 templates" in answer.stdout


HARDWARE: Final = "hardware-chat"
PLATFORM: Final = "platform-chat"


@pytest.mark.parametrize(
    ("layer", "severity", "receivers"),
    [
        ("hardware", "critical", f"on-call,{HARDWARE}"),
        ("hardware", "warning", HARDWARE),
        ("hardware", "info", "platform-mail"),
        ("sharing", "critical", f"on-call,{PLATFORM}"),
        ("sharing", "warning", PLATFORM),
        ("sharing", "info", "platform-mail"),
        ("operations", "critical", f"on-call,{PLATFORM}"),
        ("operations", "warning", PLATFORM),
        ("operations", "info", "platform-mail"),
        ("meta", "critical", f"on-call,{PLATFORM}"),
        ("meta", "warning", PLATFORM),
        ("meta", "info", "platform-mail"),
    ],
)
def test_an_alert_goes_to(layer: str, severity: str, receivers: str) -> None:
    labels = [f"layer={layer}", f"severity={severity}", "check=X"]
    answer = amtool("config", "routes", "test", f"--config.file={EXAMPLE}", *labels)
    assert answer.stdout.strip() == receivers


def test_an_alert_of_somebody_else_goes_where_it_went() -> None:
    labels = ["layer=sharing", "severity=critical", "alertname=CakeIsGone"]
    answer = amtool("config", "routes", "test", f"--config.file={EXAMPLE}", *labels)
    assert answer.stdout.strip() == CONFIG["route"]["receiver"]


FROM_SERIES = {"node", "card", "namespace", "object", "source"}


@dataclass(frozen=True, kw_only=True)
class Matchers:
    """One side of an inhibition; values of a rule's own labels decide."""

    texts: list[str]

    def take(self, rule: Rule) -> bool:
        return all(self._takes(rule, text) for text in self.texts)

    @staticmethod
    def _takes(rule: Rule, text: str) -> bool:
        found = re.fullmatch(r'(\w+)(=~|!~|!=|=)"(.*)"', text)
        assert found is not None, text
        name, operator, pattern = found.groups()
        value = rule.labels.get(name, "")
        if "{{" in value or (not value and name in FROM_SERIES):
            return True  # a value that the series gives
        if operator in {"=", "!="}:
            return (value == pattern) is (operator == "=")
        return (re.fullmatch(pattern, value) is not None) is (operator == "=~")


def silenced_pairs() -> Iterator[tuple[Rule, Rule, set[str]]]:
    """Pairs of rules, the first of which can silence the second, and what must be equal then."""
    for inhibition in CONFIG["inhibit_rules"]:
        sources = Matchers(texts=inhibition["source_matchers"])
        targets = Matchers(texts=inhibition["target_matchers"])
        for source, target in itertools.product(alert_rules(), repeat=2):
            if sources.take(source) and targets.take(target):
                yield source, target, set(inhibition["equal"])


def test_every_inhibition_is_about_some_rules() -> None:
    for inhibition in CONFIG["inhibit_rules"]:
        for side in ("source_matchers", "target_matchers"):
            matchers = Matchers(texts=inhibition[side])
            assert [rule for rule in alert_rules() if matchers.take(rule)] != [], inhibition[side]


def test_nothing_is_silenced_by_what_is_less_severe() -> None:
    """Else nobody would be called: the source goes to a chat, the target to nobody."""
    order = {severity: place for place, severity in enumerate(SEVERITIES)}
    wrong = {
        f"{source} silences {target}"
        for source, target, _ in silenced_pairs()
        if order[source.labels["severity"]] > order[target.labels["severity"]]
    }
    assert wrong == set()


def telling_apart(rule: Rule) -> set[str]:
    """The labels by which the expression of an alert tells its objects apart."""
    return {*(LABELS.of(rule.tree) or ())} - set(rule.labels) - DESCRIBES_A_CARD


def labels_that_may_differ() -> set[str]:
    """Of a finding and the same one in another severity, beyond what the example wants equal."""
    return {
        label
        for source, target, equal in silenced_pairs()
        if "signal" in equal
        and (source.check, source.labels["signal"]) == (target.check, target.labels["signal"])
        for label in (telling_apart(source) | telling_apart(target)) - equal
    }


def test_a_finding_is_silenced_only_by_the_same_one_of_the_same_object() -> None:
    assert labels_that_may_differ() == set(MAY_DIFFER)

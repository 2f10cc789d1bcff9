"""The header table of each runbook, written from the rules so that nobody types a check twice.

`docs/runbooks/<check>.md` keeps it between two markers; the prose is by hand. Run as a module to
write the tables; a test compares.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from gpuatlas_harness.xid_text import ALERTS

RUNBOOKS: Final = ALERTS.parent / "docs" / "runbooks"
_HEADER: Final = re.compile(r"(<!-- generated:start -->\n).*?(<!-- generated:end -->)", re.DOTALL)
_METRIC: Final = re.compile(r"\bDCGM_\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of an alert: its labels and annotations as they are written."""

    alert: str
    expr: str
    hold: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]

    @property
    def check(self) -> str:
        return self.labels["check"]

    @property
    def metrics(self) -> frozenset[str]:
        """The DCGM metrics that the expression reads."""
        return frozenset(_METRIC.findall(self.expr))


def hardware_rules() -> tuple[Rule, ...]:
    """Every rule of `alerts/hardware.yaml`, in its order."""
    document: dict[str, Any] = yaml.safe_load(
        (ALERTS / "hardware.yaml").read_text(encoding="utf-8")
    )
    return tuple(
        Rule(
            alert=rule["alert"],
            expr=rule["expr"],
            hold=rule["for"],
            labels=rule["labels"],
            annotations=rule["annotations"],
        )
        for group in document["groups"]
        for rule in group["rules"]
    )


def by_check(rules: Iterable[Rule]) -> dict[str, list[Rule]]:
    """The rules of each check."""
    checks: defaultdict[str, list[Rule]] = defaultdict(list)
    for rule in rules:
        checks[rule.check].append(rule)
    return dict(checks)


def with_header(page: str, rules: Iterable[Rule]) -> str:
    """The page of a runbook with its table written again."""
    lines = ["| signal | severity | for | reads |", "| --- | --- | --- | --- |"]
    for rule in rules:
        reads = ", ".join(f"`{name}`" for name in sorted(rule.metrics)) or "`up`"
        lines.append(
            f"| {rule.labels['signal']} | {rule.labels['severity']} | {rule.hold} | {reads} |"
        )
    table = "\n".join(lines)
    return _HEADER.sub(lambda marks: f"{marks[1]}{table}\n{marks[2]}", page)


def runbook(check: str) -> Path:
    """Where the page of a check is."""
    return RUNBOOKS / f"{check.lower()}.md"


if __name__ == "__main__":
    for name, rules in by_check(hardware_rules()).items():
        path = runbook(name)
        path.write_text(with_header(path.read_text(encoding="utf-8"), rules), encoding="utf-8")

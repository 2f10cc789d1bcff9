"""The header table of each runbook, written from the rules so that nobody types a check twice.

`docs/runbooks/<check>.md` keeps it between two markers; the prose is by hand. Run as a module to
write the tables; a test compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from gpuatlas_harness.alert_rules import alert_rules, by_check, metrics_read, runbook
from gpuatlas_harness.promql import Rule

_HEADER: Final = re.compile(r"(<!-- generated:start -->\n).*?(<!-- generated:end -->)", re.DOTALL)


def with_header(page: str, rules: Iterable[Rule]) -> str:
    """The page of a runbook with its table written again."""
    lines = ["| signal | severity | for | reads |", "| --- | --- | --- | --- |"]
    for rule in rules:
        reads = ", ".join(f"`{name}`" for name in metrics_read(rule))
        signal = rule.labels.get("signal", "–")
        lines.append(f"| {signal} | {rule.labels['severity']} | {rule.hold} | {reads} |")
    table = "\n".join(lines)
    return _HEADER.sub(lambda marks: f"{marks[1]}{table}\n{marks[2]}", page)


if __name__ == "__main__":
    for name, rules in by_check(alert_rules()).items():
        path = runbook(name)
        if path.exists():  # a test says which page is missing
            path.write_text(with_header(path.read_text(encoding="utf-8"), rules), encoding="utf-8")

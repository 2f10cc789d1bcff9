"""`docs/checks.md`: the checks and the alerts beside them, as `alerts/*.yaml` has them.

`make docs` writes the document, a test compares it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from gpuatlas_harness.alert_rules import (
    REMEDIES,
    ROOT,
    SEVERITIES,
    alert_rules,
    by_check,
    metrics_read,
)
from gpuatlas_harness.promql import Rule

DOCUMENT: Final = ROOT / "docs" / "checks.md"
_HEAD: Final = """# Checks and alerts

Made by `make docs` from `alerts/*.yaml`: do not edit. An alert has one rule for each **signal** and
severity; the label `signal` says which one fired. **Needs** are the metrics that its rules read;
a signal works where its own are there. **Remedy**: `none` is a person's work, `approval` can be
prepared and waits for a decision, `auto` may be applied by itself where the administrator switched
that on. Conditions, thresholds and what is noise stand in the runbooks.
"""
_SECTIONS: Final = (
    (
        "hardware",
        "Hardware checks",
        "On dcgm-exporter's series alone (`alerts/dcgm-counters.csv` lists the fields).",
    ),
    (
        "sharing",
        "Checks of the sharing layer",
        "On what the exporter publishes. Where a check reads `gpuatlas_finding_info` the exporter "
        "decides\nand quotes the record; `gpuatlas_check_missing_input_info` names what it could "
        "not look at.",
    ),
    ("operations", "Operations", "How the cards are used."),
    ("meta", "GPU Atlas itself", "Whether it sees what it should."),
)
_COLUMNS: Final = (
    "id",
    "alert",
    "what it finds",
    "severities",
    "signals",
    "needs",
    "remedy",
    "runbook",
)


def checks_document() -> str:
    """The whole document."""
    return "\n".join((_HEAD, *(line for section in _SECTIONS for line in _section(*section))))


def _section(layer: str, title: str, text: str) -> Iterator[str]:
    yield f"## {title}\n\n{text}\n"
    yield f"| {' | '.join(_COLUMNS)} |"
    yield f"|{'---|' * len(_COLUMNS)}"
    for check, rules in by_check(alert_rules(layer)).items():
        yield _row(check, rules)
    yield ""


def _row(check: str, rules: Sequence[Rule]) -> str:
    summaries = dict.fromkeys(rule.annotations["summary"] for rule in rules)
    signals = dict.fromkeys(rule.labels.get("signal", "") for rule in rules)
    page = Path(rules[0].annotations["runbook_url"])
    cells = [
        check,
        rules[0].name,
        "; ".join(summaries),
        _known((rule.labels["severity"] for rule in rules), SEVERITIES),
        _code(signals) or "–",
        _code(sorted({name for rule in rules for name in metrics_read(rule)})),
        _known((rule.labels["remedy"] for rule in rules), REMEDIES),
        f"[{page.stem}]({page.relative_to(DOCUMENT.parent.relative_to(ROOT))})",
    ]
    return f"| {' | '.join(cells)} |"


def _known(found: Iterable[str], order: Sequence[str]) -> str:
    """The words that occur, in the order of what is allowed."""
    words = set(found)
    return ", ".join(word for word in order if word in words)


def _code(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words if word)


def main() -> None:
    """Write the document again (`make docs`)."""
    DOCUMENT.write_text(checks_document(), encoding="utf-8")
    sys.stdout.write(f"{DOCUMENT.name}\n")


if __name__ == "__main__":
    main()

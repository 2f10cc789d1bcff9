"""English words of the signals of a check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas_dashboards.texts.shapes.words import Words

_NO_ALERT: Final = "No check fires"

WORDS: Final[Mapping[str, Words]] = {
    "check.state": Words(
        title="State",
        description="Worst state of the check over the chosen clusters: 1 not applicable, 2 ok,"
        " 3 unknown, 4 firing. Unknown is no fault: the check could not look everywhere.",
        empty="No check is known: load recording_rules/check.yaml, scrape dcgm-exporter or"
        " gpuatlas",
    ),
    "check.severity": Words(
        title="Severity",
        description="Highest severity of its findings: 1 info, 2 warning, 3 critical.",
        empty=_NO_ALERT,
    ),
    "check.since": Words(
        title="Since",
        description="When the oldest finding that still stands began, not when somebody was told."
        " A date.",
        empty=_NO_ALERT,
    ),
    "check.findings": Words(
        title="Findings",
        description="Objects that fail the check now: cards, nodes, pods or parts of the sharing"
        " layer. Not how often it fired.",
        empty=_NO_ALERT,
    ),
    "check.cards_hit": Words(
        title="Cards with findings",
        short="cards",
        description="Cards that at least one finding names. Cards, not findings.",
        empty="unknown: no check is known",
    ),
    "check.nodes_hit": Words(
        title="Nodes with findings",
        short="nodes",
        description="Nodes that at least one finding names. Nodes, not findings.",
        empty="unknown: no check is known",
    ),
}

"""The checks as one look at a cluster or a capture shows them. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gpuatlas.checks.evaluate import evaluate
from gpuatlas.checks.hardware import judge_hardware, visible_signals
from gpuatlas.cli.alert_text import filled_in
from gpuatlas.cli.judged import (
    CHECK_LAYERS,
    Evidence,
    JudgedCheck,
    JudgedCluster,
    Occurrence,
    Verdict,
)
from gpuatlas.model.catalogue import Catalogue, CheckEntry, Layer, Severity
from gpuatlas.model.checks import CheckResult, CheckState, Finding, InputState
from gpuatlas.model.observations import Observations
from gpuatlas.model.snapshot import Card, Snapshot

_SIGHT: Final[Mapping[InputState, CheckState]] = {
    InputState.OK: CheckState.OK,
    InputState.MISSING: CheckState.UNKNOWN,
    InputState.NOT_APPLICABLE: CheckState.NOT_APPLICABLE,
}


def judge_look(observations: Observations, snapshot: Snapshot, catalogue: Catalogue) -> Verdict:
    """The 29 at the instant of the observations.

    A check that the catalogue names and nothing here judges is unknown.
    """
    report = evaluate(observations, snapshot)
    hardware = judge_hardware(observations, snapshot, catalogue.xids)
    results = {result.check: result for result in (*hardware, *report.results)}
    places = _places(snapshot)
    checks = tuple(
        places.judged(entry, results.get(entry.id)) for entry in catalogue.of_layer(*CHECK_LAYERS)
    )
    return Verdict(
        at=snapshot.at,
        clusters=(JudgedCluster(name="", checks=checks),),
        nodes=frozenset(snapshot.nodes),
    )


@dataclass(frozen=True, slots=True)
class _Places:
    """What findings are said to be at: cards, and who holds them as "namespace/name"."""

    cards: Mapping[tuple[str, str], Card]
    tenants: Mapping[tuple[str, str], Sequence[str]]

    def judged(self, entry: CheckEntry, result: CheckResult | None) -> JudgedCheck:
        if result is None:
            return JudgedCheck(entry=entry, sight=CheckState.UNKNOWN)
        seen = visible_signals(entry.id)
        hidden = entry.layer is Layer.HARDWARE
        return JudgedCheck(
            entry=entry,
            sight=_SIGHT[result.state],
            occurrences=tuple(self._occurrence(entry, found) for found in result.findings),
            missing=result.missing,
            nodes=tuple((node, _SIGHT[state]) for node, state in result.nodes),
            unseen=tuple(s.signal for s in entry.signals if hidden and s.signal not in seen),
        )

    def _occurrence(self, entry: CheckEntry, finding: Finding) -> Occurrence:
        signal = entry.signal(finding.signal)
        labels = _labels(finding)
        place = (finding.node, finding.card)
        card = self.cards.get(place)
        return Occurrence(
            signal=finding.signal,
            severity=_severity(entry, finding),
            node=finding.node,
            card=finding.card,
            index=card.index if card is not None else "",
            namespace=finding.namespace,
            pod=finding.pod,
            object=finding.object,
            pods=() if finding.pod else tuple(self.tenants.get(place, ())),
            evidence=(Evidence(finding.source, finding.record),),
            cause=filled_in(signal.cause, labels) if signal is not None else "",
            action=filled_in(signal.action, labels) if signal is not None else "",
            count=finding.count,
        )


def _places(snapshot: Snapshot) -> _Places:
    tenants: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for held in snapshot.allocations():
        if held.card:
            tenants[held.node, held.card][f"{held.namespace}/{held.pod}"] = None
    return _Places(
        {(card.node, card.id): card for card in snapshot.cards()},
        {place: sorted(pods) for place, pods in tenants.items()},
    )


def _severity(entry: CheckEntry, finding: Finding) -> Severity:
    """The evaluator's word; else the only one that the catalogue has for the signal."""
    if finding.severity:
        return Severity(finding.severity)
    signal = entry.signal(finding.signal)
    return signal.severities[0] if signal is not None else Severity.WARNING


def _labels(finding: Finding) -> dict[str, str]:
    """What the alert of the same signal has for labels, as far as the texts use them.

    `configuration` (S08) and `source` (S17) are how these alerts name the object.
    """
    return {
        "node": finding.node,
        "card": finding.card,
        "namespace": finding.namespace,
        "pod": finding.pod,
        "object": finding.object,
        "source": finding.object,
        "configuration": finding.object.rpartition("/")[2],
        **dict(finding.labels),
    }

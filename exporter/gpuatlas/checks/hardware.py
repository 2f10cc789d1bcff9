"""H01-H12 as one instant of the DCGM pages shows them. Pure.

Prometheus judges them by rules, over time; this is for a look without one. What a check cannot see
in an instant it says; it is never ok by that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.checks.driver_cards import DCGM_PAGE
from gpuatlas.checks.hardware_card import (
    METRIC_PREFIX,
    HardwareCheck,
    HardwareSignal,
    SeenCard,
    Sighting,
)
from gpuatlas.checks.hardware_signals import CHECKS
from gpuatlas.checks.page_index import Listed, listed_cards
from gpuatlas.checks.quote import sample
from gpuatlas.model.catalogue import XidEntry
from gpuatlas.model.checks import MAX_RECORD, CheckResult, Finding, InputState, MissingInput
from gpuatlas.model.observations import Observations
from gpuatlas.model.snapshot import Snapshot
from gpuatlas.model.targets import DCGM
from gpuatlas.model.units import clean_text

HISTORY: Final = "history"
_TWO_LOOKS: Final = "needs two looks: --prometheus-url"
HOW_TO_EXPORT: Final = (
    "not among the counters of dcgm-exporter: alerts/dcgm-counters.csv has the lines to add"
)
_NO_EXPORTER: Final = "no dcgm-exporter serves the node: run it there"
_NOWHERE: Final = "no dcgm-exporter was found"
_NVIDIA: Final = "nvidia"
_WIDTH: Final = "DEV_PCIE_LINK_WIDTH"


def judge_hardware(
    observations: Observations, snapshot: Snapshot, xids: Mapping[int, XidEntry]
) -> tuple[CheckResult, ...]:
    """The verdict of H01-H12 at the instant of the observations, in the order of their ids.

    Nodes with NVIDIA's cards are expected to have a page. Which fields an exporter gives is its
    setting, and cards lack fields by their kind: a check looks as soon as one card has its fields.
    """
    homes = {card.id: card.node for card in snapshot.cards()}
    pages = listed_cards(observations.dcgm, homes)
    fleet = _Fleet(
        cards=tuple(_seen(pages, xids)),
        nodes=tuple(sorted({*pages, *_expected(observations, snapshot)})),
        silent=observations.silent,
    )
    return tuple(fleet.judge(check) for check in CHECKS)


def visible_signals(check: str) -> frozenset[str]:
    """The signals of a hardware check that an instant can show; empty for other checks."""
    return frozenset(
        signal.name for known in CHECKS if known.id == check for signal in known.signals
    )


def _expected(observations: Observations, snapshot: Snapshot) -> Iterator[str]:
    yield from (card.node for card in snapshot.cards() if card.vendor == _NVIDIA)
    for name, node in observations.nodes.items():
        if any(r.startswith("nvidia.com/") and n > 0 for r, n in node.capacity.items()):
            yield name
    yield from (node for source, node in observations.silent if source == DCGM and node)


def _seen(
    pages: Mapping[str, Mapping[str, Listed]], xids: Mapping[int, XidEntry]
) -> Iterator[SeenCard]:
    usual = _usual_models(pages)
    for node in sorted(pages):
        for reading, _ in pages[node].values():
            yield SeenCard(
                node=node, reading=reading, xids=xids, width_is_usual=reading.model in usual
            )


def _usual_models(pages: Mapping[str, Mapping[str, Listed]]) -> frozenset[str]:
    """Models of which two or more cards are seen and all have one width: so is it made there."""
    widths: dict[str, list[float]] = defaultdict(list)
    for cards in pages.values():
        for reading, _ in cards.values():
            if width := reading.fields.get(_WIDTH):
                widths[reading.model].append(width)
    return frozenset(m for m, found in widths.items() if len(found) > 1 and len(set(found)) == 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fleet:
    """All cards on pages, and all nodes that have or should have one."""

    cards: tuple[SeenCard, ...]
    nodes: tuple[str, ...]
    silent: Mapping[tuple[str, str], str]

    def judge(self, check: HardwareCheck) -> CheckResult:
        everywhere = tuple(self._lacked_everywhere(check))
        pageless = tuple(self._pageless(check))
        blind = {lack.node for lack in pageless}
        missing = (*everywhere, *pageless)
        return CheckResult(
            check=check.id,
            state=InputState.MISSING if missing else InputState.OK,
            findings=tuple(self._findings(check)),
            missing=missing,
            nodes=tuple(
                (node, InputState.MISSING if everywhere or node in blind else InputState.OK)
                for node in self.nodes
            ),
        )

    def _findings(self, check: HardwareCheck) -> Iterator[Finding]:
        for card in self.cards:
            for signal in check.signals:
                sighting = signal.look(card)
                if sighting is not None:
                    yield _finding(check, signal, card, sighting)

    def _pageless(self, check: HardwareCheck) -> Iterator[MissingInput]:
        told = {card.node for card in self.cards}
        why = self.silent.get((DCGM, ""))
        for node in self.nodes:
            if node not in told:
                reason = self.silent.get((DCGM, node)) or why or _NO_EXPORTER
                yield MissingInput(check=check.id, input=DCGM_PAGE, reason=reason, node=node)
        if not self.nodes:
            yield MissingInput(check=check.id, input=DCGM_PAGE, reason=why or _NOWHERE)

    def _lacked_everywhere(self, check: HardwareCheck) -> Iterator[MissingInput]:
        """What no page has; where there is no page at all, that says enough."""
        if check.needs_history:
            yield MissingInput(check=check.id, input=HISTORY, reason=_TWO_LOOKS)
        if not self.cards:
            return
        there = {name for card in self.cards for name in _fields_of(card)}
        if check.needs_history or not any(there.issuperset(way) for way in check.needs):
            for name in check.inputs:
                if name not in there:
                    metric = f"{METRIC_PREFIX}{name}"
                    yield MissingInput(check=check.id, input=metric, reason=HOW_TO_EXPORT)


def _fields_of(card: SeenCard) -> Iterator[str]:
    yield from card.reading.fields
    for instance in card.reading.instances:
        yield from instance.fields


def _finding(
    check: HardwareCheck, signal: HardwareSignal, card: SeenCard, sighting: Sighting
) -> Finding:
    name = card.reading.card
    lines = [
        sample(f"{METRIC_PREFIX}{field}", {"UUID": name}, value).record
        for field in sighting.fields
        if (value := card.value(field)) is not None
    ]
    record = "; ".join(lines) + (f" ({sighting.remark})" if sighting.remark else "")
    return Finding(
        check=check.id,
        signal=signal.name,
        object=f"Node/{card.node}",
        source=f"metric {METRIC_PREFIX}{sighting.fields[0]}",
        record=clean_text(record, limit=MAX_RECORD),
        node=card.node,
        card=name,
        severity=sighting.severity,
        labels=sighting.labels,
    )

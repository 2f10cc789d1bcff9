"""The words of the board Checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpuatlas_dashboards.texts.shapes.words import Words
from gpuatlas_dashboards.tokens import CheckState


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecksTexts:
    """One entry for each panel, in the order of the board."""

    title: str
    description: str
    # The line on top.
    states: Words
    findings_by_severity: Words
    hit: Words
    pods_hit: str
    # The two groups, and the legend below them.
    layers: Mapping[str, Words]  # hardware, sharing
    number: str
    name: str
    findings_short: str
    choose: str
    legend: Words
    state_meanings: Mapping[CheckState, str]
    # The chosen check.
    chosen: Words
    finds: Words
    open_runbook: str
    advice: Words
    places: Words
    lacks: Mapping[str, str]  # pattern of "lacks|INPUT|REASON" → text
    pods: str
    nobody_named: Mapping[str, str]  # whom a finding hits without naming pods
    # Everything that fires.
    findings: Words
    where: str
    index: str
    object: str
    record: str
    cause_and_action: str
    open_card: str
    open_node: str
    # What happened.
    history: str
    timeline: Words
    no_check: str
    fired: Words
    fired_for: str
    last: str
    # What nobody sees.
    blind: Words
    input: str
    reason: str
    nodes: str
    whole_cluster: str
    ways: Mapping[str, str]  # by the values of `check_sentences.WAYS`

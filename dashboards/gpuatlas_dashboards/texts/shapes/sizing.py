"""The words of the board Sizing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpuatlas_dashboards.texts.shapes.words import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class SizingTexts:
    """One entry for each panel, in the order of the board."""

    title: str
    description: str
    # The line on top.
    held: Words
    reserved: str
    used: str
    unused: str
    covered: str
    proposals: Words
    outcome: Words
    fitting: str
    smaller: str
    larger: str
    cannot: str
    given_back: str
    cards_given_back: str
    asked_for: str
    more: str
    # Containers.
    memory: Words
    show_workload: str
    verdict: str
    verdicts: Mapping[str, str]  # of the label `verdict`
    why: str
    reasons: Mapping[str, str]  # of the label `reason`
    at_limit: str  # why more is proposed
    compute: Words
    cards: Words
    asked_as: str
    same_resource: str
    # Time.
    course: Words
    physical: str
    missing: Words
    missing_input: str
    in_cluster: str
    # Nodes.
    nodes_section: str
    nodes: Words
    open_node: str
    fits: Words
    fit: str
    advice: Words
    pool: str
    no_pool: str
    strategies: Mapping[str, str]
    advised: Mapping[str, str]  # verdict → word, with its mark
    advice_reasons: Mapping[str, str]
    # What sharing costs.
    contention_section: str
    speed: Words
    priority: Words
    as_victim: str
    as_suspect: str
    priority_now: str
    priority_proposed: str

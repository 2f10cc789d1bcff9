"""The words of the board Overview."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpuatlas_dashboards.texts.shapes.words import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewTexts:
    """One entry for each panel, in the order of the board, then columns, values and links.

    Attributes:
        verdicts: What the share of held cards with room says: little, some, much.
        sources: What there may be to read: dcgm, exporter, sharing.
        absent: What is said of a source that is not there.
        questions: The question that each board answers, by its file name.
    """

    title: str
    description: str

    worth: Words
    known: Words
    memory: Words
    compute: Words
    next: Words
    states: Words
    checks: Words
    waiting_now: Words
    nodes: Words
    namespaces: Words
    waiting: Words
    firing: Words
    missing: Words

    verdict: str
    verdicts: Mapping[str, str]
    sources: Mapping[str, str]
    present: str
    absent: Mapping[str, str]
    questions: Mapping[str, str]
    columns: Mapping[str, str]
    waiting_count: str
    longest: str
    free: str
    none: str
    needs_a_day: str
    show_state: str
    show_node: str
    show_namespace: str
    show_workload: str
    show_waiting: str

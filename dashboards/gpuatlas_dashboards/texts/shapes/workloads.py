"""The words of the board Workloads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpuatlas_dashboards.texts.shapes.words import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadsTexts:
    """One entry for each panel, in the order of the board, then columns, values and links.

    Attributes:
        columns: Titles of columns that only this board has.
        grades: What is said of a suspect, by grade 0 to 4.
        evidence: How the card of a container is known, by the value of the label.
    """

    title: str
    description: str

    states: Words
    totals: Words
    table: Words
    legend: Words

    pairs_section: str
    pairs: Words
    chosen_section: str
    chosen: Words
    now: Words
    identity: Words
    waits: Words
    requested: Words
    shares: Words
    neighbours: Words
    suspects: Words
    memory_over_time: Words
    compute_over_time: Words
    memory_by_pod: Words
    slowed_over_time: Words
    states_over_time: Words
    alerts: Words
    findings: Words

    columns: Mapping[str, str]
    grades: Mapping[str, str]
    evidence: Mapping[str, str]
    isolated: Mapping[str, str]
    not_measured_yet: str
    nobody: str
    no_workload: str
    no_pod: str
    no_record: str
    no_neighbour: str
    no_suspect: str
    its_state: str
    show_workload: str
    open_card: str
    open_check: str
    only_state: str

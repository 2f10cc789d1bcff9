"""The words of the board Cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpuatlas_dashboards.texts.shapes.words import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsTexts:
    """One entry for each panel, in the order of the board, then columns and links.

    Attributes:
        bars: Names of the bars: promised, physical, used, resident.
        columns: Titles of columns that only this board has.
    """

    title: str
    description: str

    states: Words
    memory: Words
    map: Words
    legend: Words
    chain: Words
    chosen: Words
    checks: Words
    identity: Words
    promises: Words
    promised_now: Words
    used_now: Words
    compute_now: Words
    sensors_now: Words

    history: str
    no_record: str
    nobody: str
    not_looked_at: str
    states_over_time: Words
    memory_over_time: Words
    compute_over_time: Words
    temperature_over_time: Words
    power_over_time: Words
    clock_over_time: Words

    list_section: str
    list: Words
    unplaced: Words

    bars: Mapping[str, str]
    columns: Mapping[str, str]
    open_check: str
    open_card: str
    open_workload: str
    only_node: str
    only_state: str

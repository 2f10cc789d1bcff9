"""The state of a workload in texts and colours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpuatlas_dashboards.panels.fields import texts_of_values
from gpuatlas_dashboards.tokens import (
    WORKLOAD_STATE_CODES,
    WORKLOAD_STATE_COLOURS,
    WORKLOAD_STATE_MARKS,
    WorkloadState,
)

Json = dict[str, Any]


def workload_state_text(state: WorkloadState, words: Mapping[WorkloadState, str]) -> str:
    """Mark and word, as in "▶ working"."""
    return f"{WORKLOAD_STATE_MARKS[state]} {words[state]}"


def workload_state_codes(words: Mapping[WorkloadState, str]) -> Json:
    """For values of workload:gpuatlas_workload_state:with_checks, 0 to 6."""
    return texts_of_values(
        {
            str(WORKLOAD_STATE_CODES[state]): (
                workload_state_text(state, words),
                WORKLOAD_STATE_COLOURS[state],
            )
            for state in WorkloadState
        }
    )

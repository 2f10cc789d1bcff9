"""`gpuatlas doctor --output json`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from gpuatlas.cli.documents.values import API_VERSION, timestamp
from gpuatlas.doctor.results import Result, State


def doctor_document(results: Sequence[Result], code: int, *, at: float) -> dict[str, Any]:
    """The whole document."""
    counted = Counter(result.state for result in results)
    return {
        "apiVersion": API_VERSION,
        "kind": "Doctor",
        "at": timestamp(at),
        "exit_code": code,
        "summary": {"states": {str(state): counted[state] for state in State}},
        "results": [_result(result) for result in results],
    }


def _result(result: Result) -> dict[str, Any]:
    remedy = result.remedy
    return {
        "area": result.area,
        "word": result.word,
        "state": result.state,
        "text": result.text,
        "act": "" if remedy is None else remedy.act,
        "remedy": "" if remedy is None else remedy.text,
    }

"""`gpuatlas report --output json`."""

from __future__ import annotations

from typing import Any

from gpuatlas.cli.documents.values import API_VERSION, timestamp
from gpuatlas.report.effect import Difference, EffectReport, Row
from gpuatlas.report.measures import NEEDED_COVERAGE, NEEDED_SAMPLES, Measure
from gpuatlas.report.windows import Window


def report_document(report: EffectReport, address: str) -> dict[str, Any]:
    """The whole document; `address` is the Prometheus."""
    return {
        "apiVersion": API_VERSION,
        "kind": "Effect",
        "at": timestamp(report.at),
        "basis": {
            "kind": "prometheus",
            "address": address,
            "step_seconds": report.step,
            "needed_coverage": NEEDED_COVERAGE,
            "needed_samples": NEEDED_SAMPLES,
        },
        "scope": report.scope,
        "windows": [_window(window) for window in report.windows],
        "quantities": [_row(row) for row in report.rows],
        "notes": list(report.notes),
    }


def _window(window: Window) -> dict[str, Any]:
    return {
        "name": window.name,
        "start": timestamp(window.start),
        "end": timestamp(window.end),
        "seconds": window.seconds,
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "key": row.quantity.key,
        "title": row.quantity.title,
        "service": row.service,
        "unit": str(row.quantity.unit),
        "needs": row.quantity.needs,
        "values": [_measure(measure) for measure in row.measures],
        "differences": [_difference(each) for each in row.differences],
    }


def _measure(measure: Measure) -> dict[str, Any]:
    return {
        "value": measure.value,
        "samples": measure.samples,
        "coverage": measure.coverage,
        "standard_error": measure.error,
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "verdict": str(difference.verdict),
        "change": difference.change,
        "reason": difference.reason,
    }

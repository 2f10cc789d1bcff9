"""Readings as JSON: the value or null, and beside it the reasons of all nulls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.status import SourceStatus

API_VERSION: Final = "gpuatlas.dev/v1"


def measured(readings: Mapping[str, Reading[Any]]) -> dict[str, Any]:
    """Dotted paths to nested values, with an `unknown` map from path to reason."""
    shaped: dict[str, Any] = {}
    unknown: dict[str, str] = {}
    for path, reading in readings.items():
        *parents, leaf = path.split(".")
        place = shaped
        for parent in parents:
            place = place.setdefault(parent, {})
        place[leaf] = reading.value if isinstance(reading, Known) else None
        if isinstance(reading, Unknown):
            unknown[path] = reading.reason
    return {**shaped, "unknown": unknown}


def timestamp(at: float | None) -> str | None:
    """Unix seconds as RFC 3339 in UTC."""
    if at is None:
        return None
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def sources(statuses: Sequence[SourceStatus]) -> list[dict[str, Any]]:
    """How the sources fared: `up` is null for one that has nothing to read in this cluster."""
    return [
        {
            "name": status.source,
            "up": status.up,
            "error": status.error,
            "last_success": timestamp(status.last_success_at),
            "targets": dict(status.targets),
            "rejected": dict(status.rejected),
        }
        for status in statuses
    ]

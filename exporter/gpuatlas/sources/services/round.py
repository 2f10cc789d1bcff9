"""What one round over the inference servers brought. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from gpuatlas.model.services import ServiceReading
from gpuatlas.model.status import SourceStatus
from gpuatlas.sources.services.parse import SOURCE

UP: Final = "up"
DOWN: Final = "down"
LEFT_OUT: Final = "left-out"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceRound:
    """The newest reading of each server that answered, and how the source fares."""

    readings: tuple[ServiceReading, ...] = ()
    status: SourceStatus = field(
        default_factory=lambda: service_status(up=None, targets={}, rejected={})
    )


def service_status(
    *,
    up: bool | None,
    targets: Mapping[str, int],
    rejected: Mapping[str, int],
    last_success_at: float | None = None,
    read_seconds: float | None = None,
    error: str = "",
) -> SourceStatus:
    """The status of the source.

    Whether tenants serve metrics is theirs to decide: that none answers is no failure (`up` None).
    """
    return SourceStatus(
        source=SOURCE,
        up=up,
        last_success_at=last_success_at,
        read_seconds=read_seconds,
        error=error,
        targets=targets,
        rejected=rejected,
    )

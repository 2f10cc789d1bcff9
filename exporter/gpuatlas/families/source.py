"""Metrics of the sources that GPU Atlas reads.

A source that has nothing to read here (`up` is None) has no series but its counters: absent and
broken differ, and a counter that vanished and came back would look like a reset.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from gpuatlas.families.spec import Family, Kind, Series
from gpuatlas.model.status import SourceStatus


def _of_each(
    pick: Callable[[SourceStatus], float | None],
) -> Callable[[SourceStatus], Iterator[Series]]:
    def samples(status: SourceStatus) -> Iterator[Series]:
        number = pick(status)
        if status.up is not None and number is not None:
            yield (status.source,), number

    return samples


def _rejected(status: SourceStatus) -> Iterator[Series]:
    for reason, count in sorted(status.rejected.items()):
        yield (status.source, reason), count


def _targets(status: SourceStatus) -> Iterator[Series]:
    if status.up is not None:
        for state, count in sorted(status.targets.items()):
            yield (status.source, state), count


FAMILIES: Final[tuple[Family[SourceStatus], ...]] = (
    Family(
        name="gpuatlas_source_up",
        kind=Kind.GAUGE,
        help="1 if the last read of the source succeeded, else 0; "
        "absent where there is nothing to read.",
        labels=("source",),
        samples=_of_each(lambda status: None if status.up is None else int(status.up)),
    ),
    Family(
        name="gpuatlas_source_last_success_timestamp_seconds",
        kind=Kind.GAUGE,
        help="When the source was last read without a failure, in seconds since 1970; "
        "absent before the first success.",
        labels=("source",),
        unit="seconds",
        samples=_of_each(lambda status: status.last_success_at),
    ),
    Family(
        name="gpuatlas_source_read_duration_seconds",
        kind=Kind.GAUGE,
        help="Seconds that the last read of the source took, over all its targets.",
        labels=("source",),
        unit="seconds",
        samples=_of_each(lambda status: status.read_seconds),
    ),
    Family(
        name="gpuatlas_source_rejected_samples_total",
        kind=Kind.COUNTER,
        help="Records of the source that were refused since the start, by reason; "
        "each cost itself only.",
        labels=("source", "reason"),
        samples=_rejected,
    ),
    Family(
        name="gpuatlas_source_targets",
        kind=Kind.GAUGE,
        help="Endpoints of the source by state, where a stale one serves its last good page.",
        labels=("source", "state"),
        samples=_targets,
    ),
)

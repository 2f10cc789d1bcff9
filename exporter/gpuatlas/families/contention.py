"""Counters of contention: time that cards were contended and workloads slowed (DESIGN 8).

They start over with the process. A card or a workload of which nobody could tell has no series; one
that was judged and never slowed has a 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpuatlas.families.labels import CARD, WORKLOAD, workload_labels
from gpuatlas.families.spec import Family, Kind, Series
from gpuatlas.model.contention import ContentionCounts, SlowedBy

_NOBODY: Final = ("", "", "")


def _contended(counts: ContentionCounts) -> Iterator[Series]:
    yield from sorted(counts.cards.items())


def _slowed(counts: ContentionCounts) -> Iterator[Series]:
    yield from sorted((_labels(pair), seconds) for pair, seconds in counts.slowed.items())


def _labels(pair: SlowedBy) -> tuple[str, ...]:
    suspect = _NOBODY if pair.suspect is None else workload_labels(pair.suspect)
    return (*workload_labels(pair.victim), *suspect, str(int(pair.grade)))


FAMILIES: Final[tuple[Family[ContentionCounts], ...]] = (
    Family(
        name="gpuatlas_card_contended_seconds_total",
        kind=Kind.COUNTER,
        help="Seconds in which at least two tenants worked and the compute, the memory bandwidth "
        "or the PCIe link of the card was saturated; absent where nobody can tell.",
        labels=CARD,
        unit="seconds",
        samples=_contended,
    ),
    Family(
        name="gpuatlas_workload_slowed_seconds_total",
        kind=Kind.COUNTER,
        help="Seconds in which the workload was slowed, by suspect and how well the suspicion is "
        "supported (1 shared the card, 2 the card was saturated, 3 suspect, 4 supported by "
        "episodes); grade 0 without a suspect where the cause cannot be attributed. "
        "A second counts once for each suspect, so they do not add up.",
        labels=(*WORKLOAD, "suspect_namespace", "suspect_kind", "suspect", "grade"),
        unit="seconds",
        samples=_slowed,
    ),
)

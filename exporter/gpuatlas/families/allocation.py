"""Metrics of an allocation: what one container has been promised on one card, and what it uses.

`gpuatlas_allocation_held` needs the node agent, so it is not declared here: a family that nothing
can fill would promise a number that never comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from gpuatlas.families.labels import ALLOCATION, allocation_labels
from gpuatlas.families.spec import Family, Kind, Series, Stability
from gpuatlas.model.readings import Known, Reading
from gpuatlas.model.snapshot import Allocation, NodeSnapshot


def _of_each(
    pick: Callable[[Allocation], Reading[float]],
) -> Callable[[NodeSnapshot], Iterator[Series]]:
    """One series for each allocation whose reading is known."""

    def samples(node: NodeSnapshot) -> Iterator[Series]:
        for held in node.allocations:
            reading = pick(held)
            if isinstance(reading, Known):
                yield allocation_labels(held), reading.value

    return samples


def _info(node: NodeSnapshot) -> Iterator[Series]:
    for held in node.allocations:
        yield (*allocation_labels(held), held.partition, held.evidence), 1


def _conflicts(node: NodeSnapshot) -> Iterator[Series]:
    for held in node.allocations:
        for other in held.conflicts:
            yield (*allocation_labels(held), held.evidence, other.card, other.evidence), 1


def _isolated(node: NodeSnapshot) -> Iterator[Series]:
    for held in node.allocations:
        for resource, in_force in held.isolated:
            yield (*allocation_labels(held), resource), int(in_force)


FAMILIES: Final[tuple[Family[NodeSnapshot], ...]] = (
    Family(
        name="gpuatlas_allocation_info",
        kind=Kind.INFO,
        help="A share of a card promised to a container, and how we know the card; "
        "the card label is empty where nobody can know it.",
        labels=(*ALLOCATION, "partition", "evidence"),
        samples=_info,
    ),
    Family(
        name="gpuatlas_allocation_evidence_conflict_info",
        kind=Kind.INFO,
        help="Another source names another card for the container, and the more trusted one, "
        "which stands in evidence, was believed; absent where all agree.",
        labels=(*ALLOCATION, "evidence", "other_card", "other_evidence"),
        samples=_conflicts,
        stability=Stability.EXPERIMENTAL,
    ),
    Family(
        name="gpuatlas_allocation_memory_reserved_bytes",
        kind=Kind.GAUGE,
        help="Memory in bytes promised to the container on this card, not memory in use.",
        labels=ALLOCATION,
        unit="bytes",
        samples=_of_each(lambda held: held.memory_reserved),
    ),
    Family(
        name="gpuatlas_allocation_memory_limit_bytes",
        kind=Kind.GAUGE,
        help="Memory limit in bytes that is in force for the container on this card as the "
        "monitor of the sharing layer publishes it, where 0 means that none is.",
        labels=ALLOCATION,
        unit="bytes",
        samples=_of_each(lambda held: held.memory_limit),
        stability=Stability.EXPERIMENTAL,
    ),
    Family(
        name="gpuatlas_allocation_memory_resident_bytes",
        kind=Kind.GAUGE,
        help="Memory in bytes that the container has on the card as the driver reports it; "
        "absent where the driver cannot tell containers apart.",
        labels=ALLOCATION,
        unit="bytes",
        samples=_of_each(lambda held: held.memory_resident),
    ),
    Family(
        name="gpuatlas_allocation_memory_counted_bytes",
        kind=Kind.GAUGE,
        help="Memory in bytes that the container uses as the sharing layer counts it, "
        "which may be more than it has on the card.",
        labels=ALLOCATION,
        unit="bytes",
        samples=_of_each(lambda held: held.memory_counted),
    ),
    Family(
        name="gpuatlas_allocation_compute_reserved_ratio",
        kind=Kind.GAUGE,
        help="Compute promised to the container, where 1 is the whole card; "
        "absent where no limit was promised.",
        labels=ALLOCATION,
        unit="ratio",
        samples=_of_each(lambda held: held.compute_reserved),
    ),
    Family(
        name="gpuatlas_allocation_compute_utilization_ratio",
        kind=Kind.GAUGE,
        help="Compute that the container uses, where 1 is the whole card and not its own share; "
        "absent unless it is really measured for each container.",
        labels=ALLOCATION,
        unit="ratio",
        samples=_of_each(lambda held: held.compute_utilization),
    ),
    Family(
        name="gpuatlas_allocation_priority",
        kind=Kind.GAUGE,
        help="Priority of the container on the card, where 0 is high; not the priority of the pod.",
        labels=ALLOCATION,
        samples=_of_each(lambda held: held.priority),
    ),
    Family(
        name="gpuatlas_allocation_idle_seconds",
        kind=Kind.GAUGE,
        help="Seconds since the last kernel of the container.",
        labels=ALLOCATION,
        unit="seconds",
        samples=_of_each(lambda held: held.idle_seconds),
    ),
    Family(
        name="gpuatlas_allocation_isolated",
        kind=Kind.GAUGE,
        help="Whether a limit of the resource, memory or compute, is in force for the container: "
        "1 or 0; absent where nobody can know.",
        labels=(*ALLOCATION, "resource"),
        samples=_isolated,
    ),
)

"""Metrics of how far the memory of a node can be promised, with the inputs (DESIGN 8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from gpuatlas.families.labels import WORKLOAD
from gpuatlas.families.spec import Family, Kind, Series, Stability
from gpuatlas.model.readings import Known, Reading
from gpuatlas.model.sizing import NodeRatio, SizingReport

DAY: Final = 86_400.0

Samples = Callable[[SizingReport], Iterator[Series]]


def sizing_family(
    name: str, text: str, labels: tuple[str, ...], samples: Samples, unit: str = ""
) -> Family[SizingReport]:
    """A row of the tables of sizing, which have much in common."""
    return Family(
        name=name,
        kind=Kind.INFO if name.endswith("_info") else Kind.GAUGE,
        help=text,
        labels=labels,
        samples=samples,
        unit=unit,
        stability=Stability.EXPERIMENTAL,
    )


def _node(pick: Callable[[NodeRatio], Reading[float]]) -> Samples:
    """One series for each node of which it is known."""

    def samples(report: SizingReport) -> Iterator[Series]:
        for ratio in report.nodes:
            reading = pick(ratio)
            if isinstance(reading, Known):
                yield (ratio.demand.node,), reading.value

    return samples


def _measured(report: SizingReport) -> Iterator[Series]:
    return (((ratio.demand.node,), ratio.demand.days * DAY) for ratio in report.nodes)


def _room_allocations(report: SizingReport) -> Iterator[Series]:
    for ratio in report.nodes:
        if ratio.fits:
            yield (ratio.demand.node,), min(ratio.fits.values())


def _fits(report: SizingReport) -> Iterator[Series]:
    for ratio in report.nodes:
        for workload, number in sorted(ratio.fits.items()):
            yield (ratio.demand.node, *workload), number


FAMILIES: Final[tuple[Family[SizingReport], ...]] = (
    sizing_family(
        "gpuatlas_sizing_node_overcommit_present_ratio",
        "Memory promised on the node over the memory of its cards, "
        "where a sharing layer promises it.",
        ("node",),
        _node(lambda ratio: ratio.present),
        "ratio",
    ),
    sizing_family(
        "gpuatlas_sizing_node_overcommit_safe_ratio",
        "How far the memory of the node can be promised, by what was needed at one time in the "
        "window and by the host memory that was left; absent while that is not known.",
        ("node",),
        _node(lambda ratio: ratio.safe),
        "ratio",
    ),
    sizing_family(
        "gpuatlas_sizing_node_allocated_bytes",
        "Memory in bytes that is promised on the node now (A of the safe ratio).",
        ("node",),
        _node(lambda ratio: ratio.demand.allocated),
        "bytes",
    ),
    sizing_family(
        "gpuatlas_sizing_node_demand_bytes",
        "The most memory in bytes that the node's tenants used at one time in the window "
        "(D of the safe ratio).",
        ("node",),
        _node(lambda ratio: ratio.demand.demand),
        "bytes",
    ),
    sizing_family(
        "gpuatlas_sizing_node_physical_bytes",
        "Memory in bytes of the node's cards (P of the safe ratio).",
        ("node",),
        _node(lambda ratio: ratio.demand.physical),
        "bytes",
    ),
    sizing_family(
        "gpuatlas_sizing_node_host_available_bytes",
        "The least host memory in bytes that was available on the node in the window.",
        ("node",),
        _node(lambda ratio: ratio.demand.host_available),
        "bytes",
    ),
    sizing_family(
        "gpuatlas_sizing_node_measured_seconds",
        "Seconds of the window in which the node's demand is known.",
        ("node",),
        _measured,
        "seconds",
    ),
    sizing_family(
        "gpuatlas_sizing_node_room_bytes",
        "Memory in bytes that can still be promised on the node at the safe ratio.",
        ("node",),
        _node(lambda ratio: ratio.room),
        "bytes",
    ),
    sizing_family(
        "gpuatlas_sizing_node_room_allocations",
        "How many more promises fit on the node at the safe ratio, each as large as the largest "
        "that is there now.",
        ("node",),
        _room_allocations,
    ),
    sizing_family(
        "gpuatlas_sizing_node_fits",
        "How many more promises like those of the workload fit on the node at the safe ratio.",
        ("node", *WORKLOAD),
        _fits,
    ),
)

"""Metrics of what the analysis of days says of containers and workloads.

Values of a container are of one of them on one card, unless they say that they are of all. Runs
with generated names stand under what their names share, with a `*`. The words of the verdicts and
reasons are those of `model.sizing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from gpuatlas.families import sizing_nodes
from gpuatlas.families.labels import WORKLOAD
from gpuatlas.families.sizing_nodes import DAY, Samples, sizing_family
from gpuatlas.families.spec import Family, Series
from gpuatlas.model.sizing import Proposal, Resource, SizedContainer, SizingReport
from gpuatlas.model.units import clean_text

CONTAINER: Final = (*WORKLOAD, "container")
_MINUTE: Final = 60.0


def _container(of: SizedContainer) -> tuple[str, ...]:
    return (of.namespace, of.kind, of.name, of.container)


def _verdicts(report: SizingReport) -> Iterator[Series]:
    for said in report.proposals:
        what = (str(said.resource), str(said.verdict), str(said.reason or ""))
        yield (*_container(said.of), *what), 1


def _value(resource: Resource, pick: Callable[[Proposal], float | None]) -> Samples:
    """A value of one resource, bytes as whole ones; none where nobody knows it."""

    def samples(report: SizingReport) -> Iterator[Series]:
        for said in report.proposals:
            number = pick(said) if said.resource is resource else None
            if number is not None:
                whole = resource is Resource.MEMORY
                yield _container(said.of), int(number) if whole else float(number)

    return samples


def _cards(report: SizingReport) -> Iterator[Series]:
    for said in report.proposals:
        if said.resource is Resource.CARDS and said.proposed is not None:
            yield (*_container(said.of), said.target), said.proposed


def _of_window(pick: Callable[[Proposal], float | None]) -> Samples:
    """One series a container: the first resource that has the value says it for all."""

    def samples(report: SizingReport) -> Iterator[Series]:
        seen: set[tuple[str, ...]] = set()
        for said in report.proposals:
            labels, number = _container(said.of), pick(said)
            if number is not None and labels not in seen:
                seen.add(labels)
                yield labels, number

    return samples


def _contended(report: SizingReport) -> Iterator[Series]:
    for found in report.contended:
        of = (found.namespace, found.kind, found.name)
        for role, minutes in (("victim", found.victim_minutes), ("suspect", found.suspect_minutes)):
            if minutes > 0:
                yield (*of, role), minutes * _MINUTE


def _priorities(report: SizingReport) -> Iterator[Series]:
    for said in report.priorities:
        yield (said.of.namespace, said.of.kind, said.of.name), said.proposed


def _missing(report: SizingReport) -> Iterator[Series]:
    for text in report.missing:
        name, _, what = text.partition(": ")
        # It is of this cluster alone, whose name the scrape tells.
        if name.startswith("cluster ") and ": " in what:
            name, _, what = what.partition(": ")
        yield (clean_text(name), clean_text(what)), 1


FAMILIES: Final[tuple[Family[SizingReport], ...]] = (
    sizing_family(
        "gpuatlas_sizing_verdict_info",
        "What sizing says of one resource of a container: that it fits, should be smaller or "
        "larger, or cannot be sized, and then for which reason.",
        (*CONTAINER, "resource", "verdict", "reason"),
        _verdicts,
    ),
    sizing_family(
        "gpuatlas_sizing_memory_present_bytes",
        "Memory in bytes that the container is promised now.",
        CONTAINER,
        _value(Resource.MEMORY, lambda said: said.present),
        "bytes",
    ),
    sizing_family(
        "gpuatlas_sizing_memory_peak_bytes",
        "The most memory in bytes that a container of it used in the window, "
        "in the larger of the two views.",
        CONTAINER,
        _value(Resource.MEMORY, lambda said: said.peak),
        "bytes",
    ),
    sizing_family(
        "gpuatlas_sizing_memory_proposed_bytes",
        "Memory in bytes to promise the container instead; absent unless the verdict is smaller "
        "or larger.",
        CONTAINER,
        _value(Resource.MEMORY, lambda said: said.proposed),
        "bytes",
    ),
    sizing_family(
        "gpuatlas_sizing_memory_saving_bytes",
        "Memory in bytes that the proposal frees over all containers, below 0 where it takes more.",
        CONTAINER,
        _value(Resource.MEMORY, lambda said: said.saving),
        "bytes",
    ),
    sizing_family(
        "gpuatlas_sizing_compute_present_ratio",
        "Share of a card that the container is promised now.",
        CONTAINER,
        _value(Resource.COMPUTE, lambda said: said.present),
        "ratio",
    ),
    sizing_family(
        "gpuatlas_sizing_compute_peak_ratio",
        "Share of a card that the container used on its busiest day, "
        "the 95th percentile of five minutes.",
        CONTAINER,
        _value(Resource.COMPUTE, lambda said: said.peak),
        "ratio",
    ),
    sizing_family(
        "gpuatlas_sizing_compute_proposed_ratio",
        "Share of a card to promise the container instead; absent unless the verdict is smaller "
        "or larger.",
        CONTAINER,
        _value(Resource.COMPUTE, lambda said: said.proposed),
        "ratio",
    ),
    sizing_family(
        "gpuatlas_sizing_cards_proposed",
        "Cards or instances to ask for instead, with the resource or MIG profile that they are "
        "asked for by; the resource is empty where it stays the same.",
        (*CONTAINER, "resource"),
        _cards,
    ),
    sizing_family(
        "gpuatlas_sizing_cards_saving",
        "Cards that the proposal frees over all containers.",
        CONTAINER,
        _value(Resource.CARDS, lambda said: said.saving),
    ),
    sizing_family(
        "gpuatlas_sizing_window_seconds",
        "Seconds of the past that the verdict on the container rests on.",
        CONTAINER,
        _of_window(lambda said: said.window_days * DAY),
        "seconds",
    ),
    sizing_family(
        "gpuatlas_sizing_coverage_ratio",
        "Share of that time in which the container was measured.",
        CONTAINER,
        _of_window(lambda said: said.coverage),
        "ratio",
    ),
    *sizing_nodes.FAMILIES,
    sizing_family(
        "gpuatlas_sizing_contended_seconds",
        "Seconds of the window that the workload was slowed (victim) or was suspected of slowing "
        "others, at grade 3 or above (suspect).",
        (*WORKLOAD, "role"),
        _contended,
        "seconds",
    ),
    sizing_family(
        "gpuatlas_sizing_priority_proposed",
        "Priority to give the workload instead, 0 high and 1 low, by the seconds above.",
        WORKLOAD,
        _priorities,
    ),
    sizing_family(
        "gpuatlas_sizing_missing_info",
        "A recording that the analysis lacks, and what to do about it.",
        ("input", "reason"),
        _missing,
    ),
)

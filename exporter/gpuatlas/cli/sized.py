"""What sizing says, as far as it was asked for, and what it adds up to. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from gpuatlas.cli.screens.wording import natural
from gpuatlas.cli.selection import Selection
from gpuatlas.model.sizing import (
    CannotReason,
    Contended,
    Proposal,
    Resource,
    SizedContainer,
    SizingReport,
    Verdict,
)

CHANGES: Final = frozenset({Verdict.SMALLER, Verdict.LARGER})
_RESOURCES: Final = tuple(Resource)


class Sized(NamedTuple):
    """One container and all that is said of it, a resource at a time."""

    of: SizedContainer
    proposals: tuple[Proposal, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SizingSelection:
    """Patterns as the shell has them; an empty tuple selects all.

    `workloads` are matched with "name", "Kind/name" and "namespace/Kind/name".
    """

    places: Selection
    workloads: tuple[str, ...] = ()

    def takes(self, namespace: str, kind: str, name: str) -> bool:
        """Whether the workload is asked for, wherever it is."""
        if not self.places.takes_namespace(namespace):
            return False
        names = (name, f"{kind}/{name}", f"{namespace}/{kind}/{name}")
        return not self.workloads or any(
            fnmatchcase(each, pattern) for pattern in self.workloads for each in names
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Sums over all containers. Bytes of memory, cards' worth of compute, cards.

    `given_back` and `added` are never below 0. `cannot` counts containers that have a resource of
    which nothing can be said, by the first reason; `verdicts` counts containers by their gravest.
    """

    containers: int
    given_back: Mapping[Resource, float]
    added: Mapping[Resource, float]
    verdicts: Mapping[Verdict, int]
    cannot: Mapping[CannotReason, int]


def narrowed(report: SizingReport, selection: SizingSelection) -> SizingReport:
    """The part that is asked for. With nodes: containers that hold something there now."""
    nodes = {of: reserved.node_names for of, reserved in report.reservations.items()}

    def takes(of: SizedContainer) -> bool:
        if not selection.takes(of.namespace, of.kind, of.name):
            return False
        places = selection.places
        return not places.nodes or any(map(places.takes_node, nodes.get(of, ())))

    taken = {(p.of.namespace, p.of.kind, p.of.name) for p in report.proposals if takes(p.of)}

    def is_there(one: Contended) -> bool:
        if selection.places.nodes:
            return (one.namespace, one.kind, one.name) in taken
        return selection.takes(one.namespace, one.kind, one.name)

    return replace(
        report,
        proposals=tuple(p for p in report.proposals if takes(p.of)),
        nodes=tuple(n for n in report.nodes if selection.places.takes_node(n.demand.node)),
        priorities=tuple(p for p in report.priorities if is_there(p.of)),
        contended=tuple(c for c in report.contended if is_there(c)),
        reservations={of: r for of, r in report.reservations.items() if takes(of)},
    )


def known_nodes(report: SizingReport) -> frozenset[str]:
    """The nodes that it speaks of."""
    held = {name for reserved in report.reservations.values() for name in reserved.node_names}
    return frozenset(held | {node.demand.node for node in report.nodes})


def by_container(proposals: Iterable[Proposal]) -> list[Sized]:
    """By cluster, namespace, kind and name; of each container memory first."""
    found: dict[SizedContainer, list[Proposal]] = {}
    for proposal in proposals:
        found.setdefault(proposal.of, []).append(proposal)
    return [
        Sized(of, tuple(sorted(found[of], key=lambda p: _RESOURCES.index(p.resource))))
        for of in sorted(found, key=_order)
    ]


def _order(of: SizedContainer) -> tuple[object, ...]:
    return (of.cluster, natural(of.namespace), of.kind, natural(of.name), natural(of.container))


def totals(sized: Sequence[Sized]) -> Totals:
    """What all of it adds up to; what is unknown is in no sum."""
    every = [proposal for each in sized for proposal in each.proposals]
    changes = [p for p in every if p.verdict in CHANGES and p.saving is not None]
    reasons = [_reason(each) for each in sized]
    return Totals(
        containers=len(sized),
        given_back=_sums(changes, 1),
        added=_sums(changes, -1),
        verdicts=Counter(gravest(each.proposals) for each in sized),
        cannot=Counter(reason for reason in reasons if reason is not None),
    )


def gravest(proposals: Iterable[Proposal]) -> Verdict:
    """What is said of a container as a whole: a value that is too small comes first."""
    found = {proposal.verdict for proposal in proposals}
    order = (Verdict.LARGER, Verdict.SMALLER, Verdict.CANNOT)
    return next((verdict for verdict in order if verdict in found), Verdict.FITS)


def _reason(each: Sized) -> CannotReason | None:
    return next((p.reason for p in each.proposals if p.verdict is Verdict.CANNOT), None)


def _sums(changes: Sequence[Proposal], sign: int) -> dict[Resource, float]:
    sums: dict[Resource, float] = {}
    for proposal in changes:
        amount = sign * (proposal.saving or 0.0)
        if amount > 0:
            sums[proposal.resource] = sums.get(proposal.resource, 0.0) + amount
    return sums

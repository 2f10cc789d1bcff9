"""The checks as the command `checks` shows them, whoever judged them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from gpuatlas.cli.selection import Selection
from gpuatlas.model.catalogue import CheckEntry, Layer, Severity
from gpuatlas.model.checks import CheckState, MissingInput

# What the screen and the document have a line for in any case; of the other layers alerts alone.
CHECK_LAYERS: Final = frozenset({Layer.HARDWARE, Layer.SHARING})


class Evidence(NamedTuple):
    """A record of the original, and where it stands."""

    source: str
    record: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """One thing that fails a check.

    `object` is as in `model.checks.Finding`; `index` is the card's on its node; `pods` are
    "namespace/name" of who else is hit, such as a card's tenants. `count` is how many like it stand
    behind this one. `pending` alerts do not fire yet. `since` is Unix seconds, None where nobody
    remembers; `description` is "" but for alerts of a server that tells it.
    """

    signal: str
    severity: Severity
    node: str = ""
    card: str = ""
    index: str = ""
    namespace: str = ""
    pod: str = ""
    object: str = ""
    pods: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    cause: str = ""
    action: str = ""
    description: str = ""
    since: float | None = None
    pending: bool = False
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCheck:
    """One check of one cluster.

    `sight` is its state apart from what fails it: whether it could look. `nodes` has the state of
    the nodes that it is about. `unseen` are its signals that an instant does not show.
    """

    entry: CheckEntry
    sight: CheckState
    occurrences: tuple[Occurrence, ...] = ()
    missing: tuple[MissingInput, ...] = ()
    nodes: tuple[tuple[str, CheckState], ...] = ()
    unseen: tuple[str, ...] = ()

    @property
    def firing(self) -> tuple[Occurrence, ...]:
        """What fails it now."""
        return tuple(each for each in self.occurrences if not each.pending)

    @property
    def state(self) -> CheckState:
        """The state to show."""
        return CheckState.FIRING if self.firing else self.sight

    @property
    def severity(self) -> Severity | None:
        """The gravest that fires; None where nothing does."""
        found = {each.severity for each in self.firing}
        return next((severity for severity in Severity if severity in found), None)

    @property
    def count(self) -> int:
        """How much fails it; of a check that does not fire, how much is about to."""
        return sum(each.count for each in self.firing or self.occurrences)

    @property
    def since(self) -> float | None:
        """When the first of it began; None where nobody remembers."""
        known = [each.since for each in self.firing or self.occurrences if each.since is not None]
        return min(known, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCluster:
    """The checks of one cluster, in the order of the catalogue. `name` is "" for the only one."""

    name: str
    checks: tuple[JudgedCheck, ...]

    @property
    def states(self) -> Counter[CheckState]:
        """How many of the 29 are in which state."""
        return Counter(c.state for c in self.checks if c.entry.layer in CHECK_LAYERS)

    @property
    def severities(self) -> Counter[Severity]:
        """How many checks of any layer fire, by the gravest that each fires with."""
        return Counter(check.severity for check in self.checks if check.severity is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """All that the command shows.

    `nodes` are those that are known to be there. `address` is the Prometheus that judged, "" for a
    look.
    """

    at: float
    clusters: tuple[JudgedCluster, ...]
    nodes: frozenset[str]
    address: str = ""

    @property
    def is_critical(self) -> bool:
        """Whether something critical fires."""
        return any(cluster.severities[Severity.CRITICAL] for cluster in self.clusters)


def narrowed(verdict: Verdict, selection: Selection, checks: Sequence[str]) -> Verdict:
    """The part that is asked for; `checks` are ids, none for all."""
    clusters = tuple(
        replace(cluster, checks=tuple(_narrowed(cluster.checks, selection, checks)))
        for cluster in verdict.clusters
    )
    return replace(verdict, clusters=clusters)


def _narrowed(
    checks: Iterable[JudgedCheck], selection: Selection, ids: Sequence[str]
) -> Iterable[JudgedCheck]:
    for check in checks:
        if ids and check.entry.id not in ids:
            continue
        narrow = _selected(check, selection)
        if narrow.occurrences or narrow.entry.layer in CHECK_LAYERS:
            yield narrow


def _selected(check: JudgedCheck, selection: Selection) -> JudgedCheck:
    """The check as far as the selected nodes and namespaces go."""
    nodes = tuple((name, state) for name, state in check.nodes if selection.takes_node(name))
    sight = check.sight
    if selection.nodes and check.nodes and sight is not CheckState.NOT_APPLICABLE:
        sight = _sight_of({state for _, state in nodes})
    return replace(
        check,
        sight=sight,
        occurrences=tuple(each for each in check.occurrences if _takes(selection, each)),
        missing=tuple(m for m in check.missing if not m.node or selection.takes_node(m.node)),
        nodes=nodes,
    )


def _sight_of(states: set[CheckState]) -> CheckState:
    if not states:
        return CheckState.NOT_APPLICABLE
    return CheckState.UNKNOWN if CheckState.UNKNOWN in states else CheckState.OK


def _takes(selection: Selection, each: Occurrence) -> bool:
    if not selection.takes_node(each.node):
        return False
    hit = {each.namespace, *(pod.partition("/")[0] for pod in each.pods)}
    return any(map(selection.takes_namespace, hit))

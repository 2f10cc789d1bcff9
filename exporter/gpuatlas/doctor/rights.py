"""Whether we may read what the sources declare that they read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from gpuatlas.doctor.results import Act, Area, Remedy, Result, State
from gpuatlas.model.doctor import ClusterFacts, Purpose, Right

# As in docs/commands.md, "Rights".
_COST: Final[Mapping[Purpose, str]] = {
    Purpose.CARDS: "nothing can be shown without it",
    Purpose.OWNERS: "workloads are told by the labels of their pods",
    Purpose.CLAIMS: "the cards of DRA drivers and who holds them are unknown",
    Purpose.PLACEMENT: "queues, gangs and reasons to wait are what the pods themselves say",
    Purpose.LAYER: "checks of the sharing layer that need it are unknown",
    Purpose.NAMED: "who leads and what the layer is set to are unknown",
    Purpose.PAGES: "no pages of dcgm-exporter and HAMi: memory and compute in use are unknown",
}
_WATCH: Final = "watch"
_SHOWN: Final = 4
_ONLY_SERVE: Final = "only gpuatlas serve needs it, to follow changes"
_FOLLOWS: Final = "gpuatlas serve cannot follow changes without it"


def examine_rights(cluster: ClusterFacts) -> Iterator[Result]:
    """One result for the rights that are there, and one for each role line that is missing."""
    granted = sum(right.allowed is True for right in cluster.rights)
    if granted:
        text = f"{granted} of {len(cluster.rights)} rights to read what this cluster serves"
        yield _result("granted", State.OK, text)
    found: dict[tuple[object, ...], list[Right]] = defaultdict(list)
    for right in cluster.rights:
        if right.allowed is False:
            found[_alike(cluster, right)].append(right)
    missing = [_missing(cluster, rights) for rights in found.values()]
    yield from sorted(missing, key=lambda result: result.state is not State.TODO)
    yield from _unsaid(cluster.rights)


def _alike(cluster: ClusterFacts, right: Right) -> tuple[object, ...]:
    verbs = _verbs(_same_place(cluster, right))
    return (right.group, verbs, right.purpose, right.namespace, right.required)


def _same_place(cluster: ClusterFacts, right: Right) -> Iterable[Right]:
    place = (right.group, right.resource, right.namespace)
    for other in cluster.rights:
        if other.allowed is False and (other.group, other.resource, other.namespace) == place:
            yield other


def _verbs(rights: Iterable[Right]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(right.verb for right in rights))


def _missing(cluster: ClusterFacts, rights: list[Right]) -> Result:
    first, verbs = rights[0], _verbs(rights)
    names = list(dict.fromkeys(right.resource for right in rights))
    group = f" ({first.group})" if first.group else ""
    where = f" in namespace {first.namespace}" if first.namespace else ""
    watching = verbs == (_WATCH,)
    needed = first.required and (cluster.access.in_pod or not watching)
    needed = needed or first.purpose is Purpose.PAGES
    cost = _COST[first.purpose]
    if watching:
        cost = _FOLLOWS if cluster.access.in_pod else _ONLY_SERVE
    role = f"the Role in {first.namespace}" if first.namespace else "the ClusterRole"
    return _result(
        "missing",
        State.TODO if needed else State.OPTIONAL,
        f"may not {' and '.join(verbs)} {', '.join(names)}{group}{where}: {cost}; add a rule to "
        f"{role}",
        Remedy(Act.ADD, _line(first, names, verbs)),
    )


def _line(right: Right, names: list[str], verbs: tuple[str, ...]) -> str:
    """The rule of the role, as it stands in the chart's."""
    group = right.group or '""'
    resources = ", ".join(names)
    return f"- {{apiGroups: [{group}], resources: [{resources}], verbs: [{', '.join(verbs)}]}}"


def _unsaid(rights: Iterable[Right]) -> Iterator[Result]:
    """Rights of which the server did not say whether they are there, by its reason."""
    reasons: dict[str, list[str]] = defaultdict(list)
    for right in rights:
        if right.allowed is None:
            reasons[right.reason].append(f"{right.verb} {right.resource}")
    for reason, names in reasons.items():
        shown = list(dict.fromkeys(names))
        more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
        text = f"whether you may {', '.join(shown[:_SHOWN])}{more}: {reason}"
        yield _result("unsaid", State.UNKNOWN, text)


def _result(word: str, state: State, text: str, remedy: Remedy | None = None) -> Result:
    return Result(area=Area.RIGHTS, word=word, state=state, text=text, remedy=remedy)

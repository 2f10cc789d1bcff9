"""The rights that reading needs, for documents and charts. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from gpuatlas.sources.kubernetes.kind import Kind
from gpuatlas.sources.kubernetes.kinds import KINDS
from gpuatlas.sources.layer.asks import ASKS, Ask


def rules(
    kinds: Iterable[Kind[object]] | None = None, asks: Iterable[Ask] | None = None
) -> list[dict[str, list[str]]]:
    """The rules of a ClusterRole: each resource once, those of a group with equal verbs together.

    Without arguments everything that is read; with `kinds` these alone, and `asks` if given.
    Kinds that a cluster does not serve may be granted all the same, and kinds that are not granted
    cost what they would have told. What is served is read with the rights of the ClusterRole
    system:discovery, which Kubernetes binds to all who have logged in.
    """
    if asks is None:
        asks = ASKS if kinds is None else ()
    verbs: dict[tuple[str, str], list[str]] = defaultdict(list)
    for place, verb in _wanted(KINDS if kinds is None else kinds, asks):
        if verb not in verbs[place]:
            verbs[place].append(verb)
    resources: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for (group, resource), needed in verbs.items():
        resources[group, tuple(needed)].append(resource)
    return [
        {"apiGroups": [group], "resources": names, "verbs": list(needed)}
        for (group, needed), names in resources.items()
    ]


def _wanted(
    kinds: Iterable[Kind[object]], asks: Iterable[Ask]
) -> Iterator[tuple[tuple[str, str], str]]:
    for kind in kinds:
        for verb in kind.verbs:
            yield (kind.api_group, kind.name), verb
    for ask in asks:
        yield (ask.api_group, ask.resource), ask.verb

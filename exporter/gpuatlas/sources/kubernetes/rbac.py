"""The rights that reading needs, for documents and charts. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from gpuatlas.sources.kubernetes.kind import Kind
from gpuatlas.sources.kubernetes.kinds import KINDS


def rules(kinds: Iterable[Kind[object]] = KINDS) -> list[dict[str, list[str]]]:
    """The rules of a ClusterRole, one for each API group, in the order of the kinds.

    Kinds that a cluster does not serve may be granted all the same, and kinds that are not granted
    cost what they would have told. What is served is read with the rights of the ClusterRole
    system:discovery, which Kubernetes binds to all who have logged in.
    """
    resources: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for kind in kinds:
        resources[kind.api_group, kind.verbs].append(kind.name)
    return [
        {"apiGroups": [group], "resources": names, "verbs": list(verbs)}
        for (group, verbs), names in resources.items()
    ]

"""Asks the API server what it serves. Two answers at best, a dozen for servers before 1.27."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from gpuatlas.sources.errors import BadAnswerError, NotFoundError, SourceError
from gpuatlas.sources.kubernetes.kind import Kind
from gpuatlas.sources.kubernetes.pages import Lists
from gpuatlas.sources.kubernetes.served import (
    AGGREGATED,
    GROUPS,
    GroupVersion,
    Served,
    groups_of,
    read_aggregated,
    read_groups,
    read_resources,
)
from gpuatlas.sources.kubernetes.shape import text

PATH: Final = "/apis"
SOURCE: Final = "kubernetes-discovery"
_ACCEPT: Final = ",".join(
    (
        f"application/json;g=apidiscovery.k8s.io;v=v2;as={AGGREGATED}",
        f"application/json;g=apidiscovery.k8s.io;v=v2beta1;as={AGGREGATED}",
        "application/json",
    )
)


def survey(connection: Lists, kinds: Collection[Kind[object]]) -> Served:
    """What is served of these kinds.

    Raises:
        SourceError: the server does not say, or not to us (its right is that of the ClusterRole
            system:discovery). That one group cannot be looked at is in the answer.
    """
    answer = connection.get(PATH, accept=_ACCEPT)
    form = text(answer.get("kind"))
    if form == AGGREGATED:
        return read_aggregated(answer)
    if form == GROUPS:
        return _by_group(connection, answer, groups_of(kinds))
    message = f"{connection.address}{PATH}: the answer is no list of API groups"
    raise BadAnswerError(message)


def _by_group(connection: Lists, answer: Mapping[str, object], wanted: Collection[str]) -> Served:
    found: list[tuple[GroupVersion, Mapping[str, object]]] = []
    unsure: set[str] = set()
    for group, version in read_groups(answer):
        if group not in wanted:
            continue
        try:
            found.append(((group, version), connection.get(f"{PATH}/{group}/{version}")))
        except NotFoundError:
            continue  # gone since the first answer
        except SourceError:
            unsure.add(group)
    return read_resources(found, unsure)

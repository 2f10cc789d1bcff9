"""What the API server says that it serves, and which of our kinds that makes readable. Pure.

Two forms: one aggregated document (Kubernetes 1.27 and newer), or a list of groups and, for each
version of a group, a list of its resources.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from gpuatlas.sources.kubernetes.kind import Kind
from gpuatlas.sources.kubernetes.shape import fields, items, text

T = TypeVar("T")

AGGREGATED: Final = "APIGroupDiscoveryList"
GROUPS: Final = "APIGroupList"
_STALE: Final = "Stale"

GroupVersion = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What can be listed and watched: "plural.group" → versions, the server's favourite first.

    `unsure` are groups of which the server could not say what is in them just now.
    """

    versions: Mapping[str, tuple[str, ...]]
    unsure: frozenset[str] = frozenset()

    def readable(self, kind: Kind[T]) -> Kind[T] | None:
        """The kind in the best version that is served, None where none is that we can read."""
        if kind.beside and not kind.beside & self.versions.keys():
            return None
        served = self.versions.get(kind.qualified, ())
        fitting = [version for version in kind.versions if version in served]
        if not fitting and kind.metadata_only:
            fitting = list(served)
        return kind.at(fitting[0]) if fitting else None


def read_aggregated(answer: Mapping[str, object]) -> Served:
    """From an `APIGroupDiscoveryList` of apidiscovery.k8s.io."""
    found: dict[str, tuple[str, ...]] = {}
    unsure: set[str] = set()
    for group in map(fields, items(answer.get("items"))):
        name = text(fields(group.get("metadata")).get("name"))
        for version in map(fields, items(group.get("versions"))):
            # The server behind an APIService does not answer; what it serves may be old or absent.
            if version.get("freshness") == _STALE:
                unsure.add(name)
            resources = (fields(item) for item in items(version.get("resources")))
            _add(found, name, text(version.get("version")), resources, "resource")
    return Served(versions=found, unsure=frozenset(unsure))


def read_groups(answer: Mapping[str, object]) -> Iterator[GroupVersion]:
    """The versions of each group in an `APIGroupList`, the server's favourite of a group first."""
    for group in map(fields, items(answer.get("groups"))):
        name = text(group.get("name"))
        preferred = text(fields(group.get("preferredVersion")).get("version"))
        versions = [text(fields(item).get("version")) for item in items(group.get("versions"))]
        yield from ((name, v) for v in dict.fromkeys([preferred, *versions]) if v)


def read_resources(
    answers: Iterable[tuple[GroupVersion, Mapping[str, object]]], unsure: Iterable[str] = ()
) -> Served:
    """From one `APIResourceList` for each version of the groups that matter."""
    found: dict[str, tuple[str, ...]] = {}
    for (group, version), answer in answers:
        _add(found, group, version, map(fields, items(answer.get("resources"))), "name")
    return Served(versions=found, unsure=frozenset(unsure))


def groups_of(kinds: Iterable[Kind[object]]) -> frozenset[str]:
    """The groups whose contents decide which of these kinds are read."""
    named = (name for kind in kinds for name in (kind.qualified, *kind.beside))
    return frozenset(name.partition(".")[2] for name in named)


def _add(
    found: dict[str, tuple[str, ...]],
    group: str,
    version: str,
    resources: Iterable[Mapping[str, object]],
    name: str,
) -> None:
    for resource in resources:
        plural = text(resource.get(name))
        if version and plural and {"list", "watch"} <= set(map(text, items(resource.get("verbs")))):
            key = f"{plural}.{group}"
            found[key] = (*found.get(key, ()), version)

"""One kind of object: where it is served, how it is cut, what reading it needs. Pure.

The kinds themselves are the table in `kinds`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Generic, Self, TypeVar

from gpuatlas.sources.kubernetes.metadata import api_group, read_key

T_co = TypeVar("T_co", covariant=True)

_METADATA_LIST: Final = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
_METADATA_ITEM: Final = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
_WHOLE: Final = "application/json"


class Part(StrEnum):
    """To which mapping of `model.observations` the objects of a kind belong."""

    NODES = "nodes"
    PODS = "pods"
    OWNERS = "owners"
    SLICES = "slices"
    CLAIMS = "claims"
    # Of Observations.placement:
    WORKLOADS = "workloads"
    QUEUES = "queues"
    GROUPS = "groups"
    TEMPLATES = "templates"
    BINDS = "binds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[T_co]):
    """One kind: where it is served, how an object of it is cut, and how it is keyed.

    `project` maps a raw object to the model's value, None when it has no use, and raises nothing
    but `MalformedError`. `required` kinds are needed for any answer at all; without the others the
    answer is poorer. `by_name`: keyed by name, else by uid (as `model.observations` has it).

    `api_version` is the version that is wanted most; `older` are the others that `project` reads,
    the newest first. Of a `metadata_only` kind any version will do: metadata has one form in all.

    `discovered` kinds may be missing in a cluster: they are asked for where the server says that it
    serves them, and only there. `beside` names kinds ("plural.group") without which this one tells
    nothing: it is read where one of them is served.
    """

    name: str  # plural, as in URLs and in RBAC
    kind: str
    api_version: str
    part: Part
    project: Callable[[object], T_co | None]
    trim_object: Callable[[object], dict[str, object]]
    older: tuple[str, ...] = ()
    metadata_only: bool = False
    required: bool = True
    namespaced: bool = True
    discovered: bool = False
    beside: frozenset[str] = frozenset()
    by_name: bool = False
    verbs: tuple[str, ...] = ("list", "watch")

    @property
    def api_group(self) -> str:
        """The API group, "" for core objects."""
        return api_group(self.api_version)

    @property
    def path(self) -> str:
        """Where the server lists all objects of all namespaces."""
        root = "/apis" if self.api_group else "/api"
        return f"{root}/{self.api_version}/{self.name}"

    @property
    def list_kind(self) -> str:
        """The `kind` of a list of them."""
        return f"{self.kind}List"

    @property
    def list_accept(self) -> str:
        """Accept header of a list. A server that cannot cut to metadata sends whole objects."""
        return f"{_METADATA_LIST},{_WHOLE}" if self.metadata_only else _WHOLE

    @property
    def watch_accept(self) -> str:
        """Accept header of a watch."""
        return f"{_METADATA_ITEM},{_WHOLE}" if self.metadata_only else _WHOLE

    @property
    def qualified(self) -> str:
        """How RBAC messages name it: "pods", "replicasets.apps"."""
        return f"{self.name}.{self.api_group}" if self.api_group else self.name

    @property
    def id(self) -> str:
        """What tells it from all other kinds: its plural, with its group if it is discovered.

        Several groups have a Workload, a PodGroup and a Queue.
        """
        return self.qualified if self.discovered else self.name

    @property
    def source(self) -> str:
        """Its name in `gpuatlas_source_*`."""
        return f"kubernetes-{self.id}"

    @property
    def versions(self) -> tuple[str, ...]:
        """The versions that can be read, the one that is wanted most first."""
        return (self.api_version.rpartition("/")[2], *self.older)

    def at(self, version: str) -> Self:
        """The same kind, read in another version."""
        group = self.api_group
        return replace(self, api_version=f"{group}/{version}" if group else version)

    def key(self, raw: object) -> str:
        """The key of a raw object in its store, "" when it has none."""
        return read_key(raw, by_name=self.by_name)

    def trim(self, raw: object) -> dict[str, object]:
        """A whole object of this kind with only the fields that `project` reads."""
        return {"apiVersion": self.api_version, "kind": self.kind, **self.trim_object(raw)}

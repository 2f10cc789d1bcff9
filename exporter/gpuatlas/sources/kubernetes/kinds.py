"""The kinds of objects that are read: one row each. Adding a kind is adding a row.

Pure: a table. What the rows need in RBAC is `Kind.verbs` on `Kind.api_group` and `Kind.name`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Generic, TypeVar

from gpuatlas.model.objects import Node, OwnerLink, Pod
from gpuatlas.sources.kubernetes.metadata import api_group, read_key
from gpuatlas.sources.kubernetes.project import project_node, project_owner, project_pod
from gpuatlas.sources.kubernetes.trim import trim_node, trim_owner, trim_pod

T_co = TypeVar("T_co", covariant=True)

_METADATA_LIST: Final = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
_METADATA_ITEM: Final = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
_WHOLE: Final = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[T_co]):
    """One kind: where it is served, how an object of it is cut, and how it is keyed.

    `project` maps a raw object to the model's value, None when it has no use, and raises nothing
    but `MalformedError`. `required` kinds are needed for any answer at all; without the others the
    answer is poorer. `by_name`: keyed by name, else by uid (as `model.observations` has it).
    """

    name: str  # plural, as in URLs and in RBAC
    kind: str
    api_version: str
    project: Callable[[object], T_co | None]
    trim_object: Callable[[object], dict[str, object]]
    metadata_only: bool = False
    required: bool = True
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

    def key(self, raw: object) -> str:
        """The key of a raw object in its store, "" when it has none."""
        return read_key(raw, by_name=self.by_name)

    def trim(self, raw: object) -> dict[str, object]:
        """A whole object of this kind with only the fields that `project` reads."""
        return {"apiVersion": self.api_version, "kind": self.kind, **self.trim_object(raw)}


def owner_kind(name: str, kind: str, api_version: str) -> Kind[OwnerLink]:
    """A row for a kind that only stands between pods and their workload."""
    project = partial(project_owner, api_group=api_group(api_version), kind=kind)
    return Kind(
        name=name,
        kind=kind,
        api_version=api_version,
        project=project,
        trim_object=trim_owner,
        metadata_only=True,
        required=False,
    )


NODES: Final[Kind[Node]] = Kind(
    name="nodes",
    kind="Node",
    api_version="v1",
    project=project_node,
    trim_object=trim_node,
    by_name=True,
)
PODS: Final[Kind[Pod]] = Kind(
    name="pods", kind="Pod", api_version="v1", project=project_pod, trim_object=trim_pod
)
REPLICASETS: Final = owner_kind("replicasets", "ReplicaSet", "apps/v1")
JOBS: Final = owner_kind("jobs", "Job", "batch/v1")

OWNER_KINDS: Final[tuple[Kind[OwnerLink], ...]] = (REPLICASETS, JOBS)
KINDS: Final[tuple[Kind[object], ...]] = (NODES, PODS, *OWNER_KINDS)

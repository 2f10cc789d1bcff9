"""What a patch needs to know of a kind of workload: where its containers are. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

EACH: Final = "*"
"""In a path: every entry of a list or of a map."""
Path = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Part of an object that has containers.

    At `path` lies a pod's spec with its lists of containers, or with `block` something that has
    resources itself, under that key; `containers` are then the names that its container can have,
    none for any. `annotations` is where the annotations of its pods lie, empty where nowhere.
    """

    path: Path
    annotations: Path = ()
    block: str = ""
    containers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchKind:
    """One kind.

    `versions` are those that have the places, the newest first. The lists of `built_in` kinds are
    merged by name on the server, those of others are replaced as a whole. `effect` says what
    happens to pods when the object is changed; `fixed` why an object that exists cannot be changed.
    """

    group: str
    kind: str
    plural: str
    versions: tuple[str, ...]
    places: tuple[Place, ...]
    built_in: bool = False
    effect: str = ""
    fixed: str = ""

    @property
    def resource(self) -> str:
        """As kubectl takes it: "deployments.apps"."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def api_version(self, version: str) -> str:
        """The apiVersion of a version."""
        return f"{self.group}/{version}" if self.group else version

    def url_paths(self, namespace: str, name: str) -> tuple[str, ...]:
        """Where the API server has an object, in each of the versions."""
        root = "/apis" if self.group else "/api"
        return tuple(
            f"{root}/{self.api_version(version)}/namespaces/{namespace}/{self.plural}/{name}"
            for version in self.versions
        )


def pod_template(*path: str) -> Place:
    """A pod template, or a pod: metadata and spec."""
    return Place(path=(*path, "spec"), annotations=(*path, "metadata", "annotations"))


def keeps_template(kind: str) -> str:
    """Why a kind that runs once cannot be changed: its pod template is fixed."""
    return f"a {kind} that exists keeps its pod template: put this into its manifest, for the next"


def keeps_pods(kind: str) -> str:
    """Why a change of a kind that runs once would change nothing: its pods are there."""
    return f"a {kind} that exists keeps the pods it has: put this into its manifest, for the next"

"""What an operator makes of one pod of a workload: its name, its owners, what is written on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuatlas.demo.randomness import name_suffix, uuid
from gpuatlas.demo.scenario import WorkloadSpec

Labels = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One object above a pod. `generate_name` is set where the server made its name from that."""

    api_version: str
    kind: str
    name: str
    uid: str
    generate_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One pod of a workload: number `ordinal` of `count`, in the workload's life `generation`.

    `life` is the generation where each life is a new object of the same name, else 0.
    """

    workload: WorkloadSpec
    seed: int
    ordinal: int
    generation: int
    count: int
    life: int = 0

    @property
    def name(self) -> str:
        """The workload's."""
        return self.workload.name

    def link(self, api_version: str, kind: str, name: str = "") -> Link:
        """An object of this workload; without a name it is the workload itself."""
        name = name or self.name
        namespace = self.workload.namespace
        group = api_version.split("/", maxsplit=1)[0]
        uid = uuid(kind, self.seed, group, namespace, name, self.life)
        return Link(api_version=api_version, kind=kind, name=name, uid=uid)

    def pod_link(self, name: str, ordinal: int) -> Link:
        """Another pod of this workload, which this one belongs to."""
        uid = uuid("pod", self.seed, self.workload.key, ordinal, self.generation)
        return Link(api_version="v1", kind="Pod", name=name, uid=uid)

    def suffix(self, length: int, *key: str | int) -> str:
        """Letters that stay the same for the same key."""
        return name_suffix(length, self.seed, self.workload.key, *key)

    def pod_suffix(self) -> str:
        """The tail of this pod's name."""
        return self.suffix(5, "pod", self.ordinal, self.generation)

    def deployed(self, name: str, *above: Link) -> tuple[str, tuple[Link, ...]]:
        """A pod of a Deployment of that name under `above`: its name and all its owners."""
        deployment = self.link("apps/v1", "Deployment", name)
        replicas = self.link("apps/v1", "ReplicaSet", f"{name}-{self.template_hash()}")
        return f"{replicas.name}-{self.pod_suffix()}", (replicas, deployment, *above)

    def template_hash(self) -> str:
        """Of the Deployment's pod template."""
        return self.suffix(10, "template")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A pod as its operator made it. `owners` begin with its controller and end on top.

    `container` is the one that works on the cards, "" for the runtime's usual name.
    """

    pod: str
    owners: tuple[Link, ...]
    labels: Labels = field(default_factory=dict)
    annotations: Labels = field(default_factory=dict)
    container: str = ""

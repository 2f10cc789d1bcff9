"""What a scenario file says, as data: cards, nodes, workloads and faults.

Reading the file is in `scenario_file`, checking that its parts fit together in `scenario_rules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from gpuatlas.demo.installed import HamiRelease, LicenceSpec
from gpuatlas.demo.serving import Cache, Traffic


class ScenarioError(ValueError):
    """The file cannot be used. The text names the file, the place in it and what to write."""


class Sharing(StrEnum):
    """How the cards of a node are shared."""

    PLAIN = "plain"
    HAMI = "hami"
    MIG = "mig"
    TIME_SLICING = "time-slicing"
    KAI = "kai"
    VOLCANO = "volcano"
    DRA = "dra"


class QueueSystem(StrEnum):
    """Who lets workloads out of a queue."""

    KUEUE = "kueue"
    KAI = "kai"
    VOLCANO = "volcano"


# What a place on a DRA node may say of its claim, besides the name of one of `claims`.
FROM_TEMPLATE: Final = "template"
EXTENDED: Final = "extended"
ADMIN: Final = "admin"


@dataclass(frozen=True, slots=True, kw_only=True)
class TemperatureLimits:
    """Degrees Celsius at which the driver acts, for models whose driver tells them."""

    max_operating: int
    slowdown: int
    shutdown: int
    memory_max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CardModel:
    """One model of card. Figures of vendors other than NVIDIA stop at memory and cores."""

    key: str
    vendor: str  # "nvidia" or "ascend"
    model: str
    memory_mib: int
    family: str = ""
    compute_capability: str = ""
    reserved_mib: int = 0
    power_watts: int = 0
    idle_watts: int = 0
    sm_clock_mhz: int = 0
    memory_clock_mhz: int = 0
    pcie_generation: int = 0
    hbm: bool = False
    sleeps: bool = False
    margin: bool = False
    limits: TemperatureLimits | None = None
    mig: Mapping[str, int] = field(default_factory=dict)  # profile → MiB of one instance
    cores: int = 100  # compute units as the sharing layer counts them
    templates: Mapping[str, int] = field(default_factory=dict)  # Ascend: name → MiB


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSpec:
    """One node with `count` cards of one model, shared in one way."""

    name: str
    pool: str
    machine: str
    card: CardModel
    count: int
    driver: str
    cuda: str
    dcgm_exporter: str  # version, "" for none
    sharing: Sharing
    hami: HamiRelease | None = None
    host_mib: int = 786_432  # memory of the machine itself
    memory_scaling: float = 1.0
    slots: int = 1  # HAMi and Volcano: tenants that a card takes; time slicing: replicas
    mig: Mapping[int, tuple[str, ...]] = field(default_factory=dict)  # card → its instances

    @property
    def schedulable_mib(self) -> int:
        """What the sharing layer hands out of one card."""
        return int(self.card.memory_mib * self.memory_scaling)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where one pod of a workload runs. `slot` is a MIG instance or a time slice."""

    node: str
    cards: tuple[int, ...]
    slot: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """The promise on a shared card. `cores` 0 is "no limit", as in HAMi.

    `share` is KAI's: a part of the card's memory, in place of `memory_mib`, which is 0 then.
    """

    memory_mib: int = 0
    cores: int = 0
    priority: int | None = None
    share: float = 0.0

    def part_of(self, card: CardModel) -> float:
        """The part of the card's memory that is promised."""
        return self.share or self.memory_mib / card.memory_mib


@dataclass(frozen=True, slots=True, kw_only=True)
class Uses:
    """What a pod takes of each of its cards, when quiet and at its busiest."""

    memory_mib: tuple[int, int] = (0, 0)
    compute: tuple[float, float] = (0.0, 0.0)
    managed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewed:
    """A pod that is always there and is replaced by a new one every so many days.

    With `rolled_out_days` its Deployment gets a new pod template that often, and new pods with it.
    """

    days: float
    rolled_out_days: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingHours:
    """A pod that exists only between two hours (UTC) of working days."""

    start: float
    end: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """One run after the other; every `fails_every`-th fails (0: none does)."""

    every_minutes: float
    takes_minutes: float
    fails_every: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """Pods that no node takes; after so many hours they are withdrawn and asked for again."""

    hours: float
    pods: int = 1


Lifetime = Renewed | WorkingHours | Runs | Waits


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadSpec:
    """One workload: who it is, where its pods run, what they ask and what they use."""

    name: str
    namespace: str
    kind: str
    runtime: str
    busy: str
    places: tuple[Place, ...]
    lives: Lifetime
    uses: Uses
    ask: Ask | None = None
    requests: Mapping[str, int] = field(default_factory=dict)  # of pods that wait
    queue: str = ""
    claim: str = ""  # DRA: how it came to its cards, "" elsewhere
    cache: Cache | None = None
    traffic: Traffic | None = None  # None: what is usual for its runtime

    @property
    def watches(self) -> bool:
        """Whether it only looks at its cards, with a claim for administrators."""
        return self.claim == ADMIN

    @property
    def key(self) -> str:
        """How messages and seeds name it: namespace and name."""
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueSpec:
    """One queue. With a `namespace` it is Kueue's LocalQueue. `cards` is its quota, 0 for none."""

    system: QueueSystem
    name: str
    parent: str = ""
    namespace: str = ""
    cards: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSpec:
    """A DRA claim that somebody made by hand, for one card or MIG instance.

    Workloads name it to use the card together; where none does, it holds the card idle.
    """

    name: str
    namespace: str
    node: str
    card: int
    slot: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultSpec:
    """One fault that is switched on. `card` is None for faults that are not about a card.

    A fault of a HAMi installation names one of its nodes, one of the whole cluster names none.
    `since` is Unix seconds: counters that the fault moves start to move there. None means as long
    as the cluster exists. From `until` on it is over; what was lost by it stays lost.
    """

    name: str
    node: str = ""
    card: int | None = None
    options: Mapping[str, str | int | float] = field(default_factory=dict)
    since: float | None = None
    until: float | None = None

    @property
    def target(self) -> tuple[str, str, int | None]:
        """What it is and where: a second one of the same takes its place."""
        return (self.name, self.node, self.card)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A whole simulated cluster."""

    since: float
    kubernetes: str
    hami: tuple[HamiRelease, ...]
    nodes: tuple[NodeSpec, ...]
    workloads: tuple[WorkloadSpec, ...]
    faults: tuple[FaultSpec, ...]
    queues: tuple[QueueSpec, ...] = ()
    claims: tuple[ClaimSpec, ...] = ()
    licence: LicenceSpec | None = None

    def queue_of(self, workload: WorkloadSpec) -> QueueSpec | None:
        """The queue that a workload names; a LocalQueue is looked for in its own namespace."""
        for queue in self.queues:
            if queue.name == workload.queue and queue.namespace in {"", workload.namespace}:
                return queue
        return None

    def node(self, name: str) -> NodeSpec:
        """The node of that name; KeyError when there is none."""
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)

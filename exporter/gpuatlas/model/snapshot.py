"""Everything known at one instant, joined: what the metric families and the screens read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from gpuatlas.model.readings import Reading, Unknown
from gpuatlas.model.rejections import Rejection


class Sharing(StrEnum):
    """How a card is shared; the `sharing` label."""

    PLAIN = "plain"
    MIG = "mig"
    TIME_SLICING = "time-slicing"
    MPS = "mps"
    HAMI = "hami"
    VOLCANO = "volcano"
    KAI = "kai"
    DRA = "dra"
    UNKNOWN = ""  # shared, and nothing says how


class CardState(StrEnum):
    """States of a card, least severe first."""

    FREE = "free"
    WORKING = "working"
    IDLE = "idle"
    UNKNOWN = "unknown"
    SLOWED = "slowed"
    FAILED = "failed"


class PartitionKind(StrEnum):
    """What a card is divided into."""

    WHOLE = "whole"
    MIG = "mig"
    VGPU = "vgpu"
    SLICE = "slice"
    MPS = "mps"
    FRACTION = "fraction"
    DRA = "dra"
    UNKNOWN = ""  # a card that is shared in an unknown way has no parts to show


class Evidence(StrEnum):
    """How we know which card a container holds, most trusted first."""

    ANNOTATION = "annotation"
    CLAIM = "claim"
    POD_STATUS = "pod-status"
    RESERVATION = "reservation"
    AGENT = "agent"
    DCGM = "dcgm"
    ONLY_CARD = "only-card"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class EvidenceConflict:
    """Another source's word on which card a container holds; the allocation's own stands."""

    card: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class IdleClaim:
    """A ResourceClaim that holds a card although no pod uses it."""

    namespace: str
    claim: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardMemory:
    """Memory of one card in bytes (DESIGN 2 says what each word means)."""

    physical: Reading[int]
    schedulable: Reading[int]
    allocated: Reading[int]
    overcommitted: Reading[int]
    resident: Reading[int]
    counted: Reading[int]
    offloaded: Reading[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """A part of a card. `id` is the kind's word ("whole", "vgpu") for parts without an identity."""

    id: str
    kind: PartitionKind
    profile: str
    memory_physical: Reading[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One physical accelerator. Ratios: 1 is the whole card."""

    node: str
    id: str
    index: str
    vendor: str
    model: str
    sharing: Sharing
    pci_bus_id: str
    memory: CardMemory
    compute_allocated: Reading[float]
    compute_utilization: Reading[float]
    tenants: Reading[int]
    tenants_limit: Reading[int]
    state: CardState
    state_reason: str
    partitions: tuple[Partition, ...]
    idle_claims: tuple[IdleClaim, ...] = ()


_NO_LIMIT: Final = Unknown("no source publishes a memory limit of it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """What one container has been promised on one card; `card` is "" when nobody can know which.

    `memory_limit` is the limit in force in bytes as the layer's monitor publishes it, 0 where none
    is. `isolated` says of "memory" and "compute" whether a limit is in force; what nobody can know
    is left out.
    """

    node: str
    card: str
    index: str
    namespace: str
    pod: str
    container: str
    partition: str
    evidence: Evidence
    reason: str  # why the card is unknown; "" otherwise
    memory_reserved: Reading[int]
    memory_resident: Reading[int]
    memory_counted: Reading[int]
    compute_reserved: Reading[float]
    compute_utilization: Reading[float]
    priority: Reading[int]
    idle_seconds: Reading[float]
    conflicts: tuple[EvidenceConflict, ...] = ()
    memory_limit: Reading[int] = _NO_LIMIT
    isolated: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSnapshot:
    """One node with cards, its cards and who holds them.

    `sharing` are the cards' strategies, sorted and joined by ",", or what the labels say where no
    card is named; "" where nobody can know. `mig_instances` is their number by profile where the
    device plugin tells it for certain, else empty.
    """

    name: str
    pool: str
    platform: str
    driver_version: str
    cuda_version: str
    sharing: str
    sharing_ready: Reading[bool]
    card_count: Reading[int]
    cards: tuple[Card, ...]
    allocations: tuple[Allocation, ...]
    mig_instances: Mapping[str, int] = field(default_factory=dict)
    rejections: tuple[Rejection, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadId:
    """The top-level object that owns a pod. `api_group` is "" for core objects."""

    namespace: str
    api_group: str
    kind: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PodWorkload:
    """Which workload a pod belongs to, for joins."""

    namespace: str
    pod: str
    node: str
    workload: WorkloadId


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """One workload that asks for accelerators.

    `source` says how its pods are known to be its own: "owner", or "label" where the objects
    between could not be read for all of them. `runtime` and `memory_ahead` are as in
    `model.pod_spec.Runtime`. `queue` is the one that admits; `local_queue` is Kueue's before it.
    `gang` has the largest minimum of its `gangs`; `gang_system` sees to it. `held_pods` are pods
    that a queue does not let into being, `placeholders` those that hold cards for others to come.

    `revisions` are the pod templates that its unfinished pods were made from, at most four.
    `restarts` is how often the containers of those pods that ask for cards were started again, None
    where there are no such pods. `run_group` is what the runs of one kind with generated names
    share, "" for workloads that go on and where nothing tells it.
    """

    id: WorkloadId
    runtime: str
    scheduler: str
    queue: str
    queue_kind: str
    gang: str
    pods: Mapping[str, int]  # phase → number
    cards_requested: Mapping[
        str, int
    ]  # resource → number asked by pods that are not finished, and by those that are held
    waiting: Mapping[str, float]  # reason → seconds of the pod that waits longest
    waiting_texts: Mapping[str, str] = field(default_factory=dict)
    """Reason → what the system says; also reasons of which nobody knows since when."""
    gang_min_members: int | None = None
    pod_names: tuple[str, ...] = ()
    source: str = "owner"
    local_queue: str = ""
    gang_system: str = ""
    gangs: int = 0
    held_pods: int = 0
    placeholders: int = 0
    runtime_evidence: str = ""
    memory_ahead: float | None = None
    memory_ahead_setting: str = ""
    revisions: tuple[str, ...] = ()
    restarts: int | None = None
    run_group: str = ""

    @property
    def reasons(self) -> tuple[str, ...]:
        """All reasons why a part of it waits, by name."""
        return tuple(sorted({*self.waiting, *self.waiting_texts}))


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceSnapshot:
    """The workloads of one namespace."""

    name: str
    workloads: tuple[Workload, ...]
    pods: tuple[PodWorkload, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One instant. Parts that did not change are the same objects as in the snapshot before."""

    at: float
    nodes: Mapping[str, NodeSnapshot]
    namespaces: Mapping[str, NamespaceSnapshot]
    rejections: tuple[Rejection, ...] = field(default=())

    def cards(self) -> Iterator[Card]:
        """All cards, by node and index."""
        for name in sorted(self.nodes):
            yield from self.nodes[name].cards

    def allocations(self) -> Iterator[Allocation]:
        """All allocations, by node."""
        for name in sorted(self.nodes):
            yield from self.nodes[name].allocations

    def workloads(self) -> Iterator[Workload]:
        """All workloads, by namespace and name."""
        for name in sorted(self.namespaces):
            yield from self.namespaces[name].workloads

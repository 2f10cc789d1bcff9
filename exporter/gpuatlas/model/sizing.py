"""What a workload used over days, and what follows from it: the words of DESIGN 7.

A history is that of one container of one workload, over all its pods and the cards that each of
them holds: memory and compute are of the fullest of them on one card. Whoever reads histories fills
in what is known and leaves None where nobody measured; nothing here is a default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gpuatlas.model.readings import Reading
from gpuatlas.model.snapshot import Sharing


class Resource(StrEnum):
    """What is sized."""

    MEMORY = "memory"
    COMPUTE = "compute"
    CARDS = "cards"


class Verdict(StrEnum):
    """What sizing says of one resource of one container."""

    FITS = "fits"
    SMALLER = "smaller"
    LARGER = "larger"
    CANNOT = "cannot"


class CannotReason(StrEnum):
    """Why a container cannot be sized, the reason that is told first where several hold first."""

    NOT_MEASURED = "not-measured"  # nobody measures it per container
    MEMORY_TAKEN_AHEAD = "memory-taken-ahead"  # the runtime fills what it is given
    SHORT_WINDOW = "short-window"  # fewer than 7 days, or than 3 completed runs
    COVERAGE = "coverage"  # less than 95 % of the window was measured
    REPLICAS = "replicas"  # not all replicas were measured
    ROLLOUT = "rollout"  # its pod template changed inside the window
    NOT_PROMISED = "not-promised"  # it has no promise that could be another one


@dataclass(frozen=True, slots=True, kw_only=True)
class SizedContainer:
    """Whose history it is. `container` is "" where only the pod is known.

    `group` is what runs with generated names share ("CronJob/nightly", "nightly-*"), "" for
    workloads that go on; the histories of a group are one.
    """

    cluster: str
    namespace: str
    kind: str
    name: str
    container: str
    group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """24 hours of one container, up to `ends_at` (Unix seconds).

    `memory_peak` is in bytes, the larger of the driver's and the counted view; `compute_p95` is the
    95th percentile of its 5-minute means, 1 a whole card. `kv_cache_peak` is the largest share of
    the runtime's cache in use. `present` is the share of the day in which it existed, `watched` the
    share in which anybody watched the cluster, `measured` the share of its containers' minutes that
    were measured. `replicas` is the largest number of its promises at one time. `limit_hit` says
    that a container reached 98 % of its limit; `restarts` is their number, None where nobody counts
    them. `runs` are the workloads of a group that ended on that day. `cards_used` is the largest
    number of cards (or instances) that one pod used at any time of it, None where nobody can tell.
    """

    ends_at: float
    memory_peak: int | None
    compute_p95: float | None
    present: float
    watched: float
    measured: float
    replicas: int
    kv_cache_peak: float | None = None
    limit_hit: bool = False
    restarts: int | None = None
    revisions: frozenset[str] = frozenset()
    runs: frozenset[str] = frozenset()
    cards_used: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """What each of its containers is promised now, on each of its cards.

    `memory` in bytes, `compute` 1 a whole card; None where there is no promise of it. `sharing` is
    how its cards are shared, `profile` the MIG profile of its instances ("" for others), `cards`
    the number of cards (or instances) of one pod, `containers` the number of all its promises, over
    all pods. `card_memory` and `card_model` are those of its cards, None and "" where they differ
    or nobody knows. `resources` are the names that it asks for and how much each ("nvidia.com/gpu":
    1, "nvidia.com/gpumem": 12000), empty where the objects were not read.
    """

    sharing: Sharing
    memory: int | None
    compute: float | None
    cards: int
    containers: int
    card_memory: int | None = None
    card_model: str = ""
    profile: str = ""
    node_names: tuple[str, ...] = ()
    resources: Mapping[str, int] | None = None
    limited: bool | None = None  # whether the memory limit is in force; None: nobody can tell


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenAhead:
    """How its runtime takes memory at start.

    `share` is the setting's value (of the card's memory), None where it is not known. `pool_bytes`
    is the size of the cache that it made of that memory on each card, where the runtime itself
    tells it or it can be computed for certain; `source` says from what.
    """

    runtime: str
    setting: str = ""
    share: float | None = None
    pool_bytes: int | None = None
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """All that sizing knows of one container, the oldest day first; days may be missing."""

    of: SizedContainer
    reservation: Reservation
    days: tuple[Day, ...]
    runtime: str = "unknown"
    taken_ahead: TakenAhead | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What is said of one resource of one container.

    `present`, `peak` and `proposed` are of one container on one card: bytes of memory, share of a
    card, or a number of cards; `proposed` is None unless the verdict is smaller or larger.
    `saving` is over all its containers, in the same unit, below 0 where more is proposed. `target`
    is the resource or MIG profile to ask for instead, "" where it stays the same. `text` says why
    in a sentence, `window_days` and `coverage` on how much it rests. `reason` is set for CANNOT.
    """

    of: SizedContainer
    resource: Resource
    verdict: Verdict
    text: str
    reason: CannotReason | None = None
    present: float | None = None
    peak: float | None = None
    proposed: float | None = None
    saving: float | None = None
    target: str = ""
    window_days: float = 0.0
    coverage: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDemand:
    """Memory of one node in bytes, the inputs of its safe overcommit ratio (DESIGN 8).

    `allocated` is promised now (A), `demand` the highest demand at one time in the window (D),
    `physical` its cards' memory (P), `host_available` the least host memory that was free in the
    window. `days` is how much of the window was measured, `cards` the physical and the promised
    memory of each card, empty where that of one is not known. `moves_idle` says whether the layer
    moves idle tenants' memory to the host, so that D is that of active tenants alone.
    """

    node: str
    sharing: str
    allocated: Reading[int]
    demand: Reading[int]
    physical: Reading[int]
    host_available: Reading[int]
    days: float
    moves_idle: bool = False
    cluster: str = ""
    cards: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRatio:
    """How far a node's memory may be promised, beside how far it is (1 = its physical memory).

    `room` is memory in bytes that could still be promised; `fits` how many more promises like those
    that each workload has on the node, by (namespace, kind, name).
    """

    demand: NodeDemand
    present: Reading[float]
    safe: Reading[float]
    room: Reading[int]
    fits: Mapping[tuple[str, str, str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contended:
    """Minutes of the window that a workload was slowed, and that it was suspected (grade ≥ 3)."""

    cluster: str
    namespace: str
    kind: str
    name: str
    victim_minutes: float
    suspect_minutes: float
    serves: bool | None = None  # its runtime answers requests; None: unknown
    priority: int | None = None  # now, 0 high


@dataclass(frozen=True, slots=True, kw_only=True)
class PrioritySuggestion:
    """0 is high, 1 low, as gpuatlas_allocation_priority; `text` gives the minutes behind it."""

    of: Contended
    proposed: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SizingReport:
    """One look of the analysis; `at` in Unix seconds. `missing` says what could not be read.

    `reservations` are those of the histories that were judged: a patch and a filter by node need
    them.
    """

    at: float
    window_days: float
    proposals: tuple[Proposal, ...] = ()
    nodes: tuple[NodeRatio, ...] = ()
    priorities: tuple[PrioritySuggestion, ...] = ()
    contended: tuple[Contended, ...] = ()
    missing: tuple[str, ...] = ()
    reservations: Mapping[SizedContainer, Reservation] = field(default_factory=dict)

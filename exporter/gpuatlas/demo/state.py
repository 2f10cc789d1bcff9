"""The cluster at one instant, as plain data: what the wire documents are written from.

Memory is in MiB as the drivers report it, compute a share of the card (or of the MIG instance).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from gpuatlas.demo.deviations import NONE, Deviations
from gpuatlas.demo.members import Shape
from gpuatlas.demo.runtimes import RUNTIMES
from gpuatlas.demo.scenario import FaultSpec, NodeSpec, Place, Scenario, WorkloadSpec
from gpuatlas.demo.state_layer import HamiState, LicenceState, NodeConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class JobState:
    """One Job object. `cron_job` is the name of the CronJob that made it, or "".

    `generate_name` is what its user called it, where the API server put letters of its own behind.
    """

    namespace: str
    name: str
    uid: str
    cron_job: str
    created_at: float
    finished_at: float | None
    failed: bool
    pods: int
    generate_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PodState:
    """One pod of a workload. `place` is None for a pod that no node takes.

    `shape` is what an operator made of it, None for the built-in kinds. `revision` counts the pod
    templates that its Deployment has had before this one.
    """

    workload: WorkloadSpec
    name: str
    uid: str
    ordinal: int
    place: Place | None
    phase: str  # Pending, Running, Succeeded or Failed
    created_at: float
    ready: bool = False
    finished_at: float | None = None
    job: JobState | None = None
    shape: Shape | None = None
    revision: int = 0
    deviations: Deviations = NONE

    @property
    def container(self) -> str:
        """The container that works on the cards."""
        return (self.shape.container if self.shape else "") or RUNTIMES[
            self.workload.runtime
        ].container

    @property
    def holds(self) -> bool:
        """Whether it holds its cards: placed, not finished, and no onlooker."""
        return self.place is not None and self.finished_at is None and not self.workload.watches

    @property
    def promised_mib(self) -> int:
        """The memory of each of its cards as its layer wrote it down; 0 where it wrote nothing."""
        ask = self.workload.ask
        if ask is None or not self.deviations.promised:
            return 0
        written = self.deviations.promised_mib
        return ask.memory_mib if written is None else written

    @property
    def limit_mib(self) -> int:
        """The limit of memory in force."""
        limit = self.deviations.limit_mib
        return self.promised_mib if limit is None else limit

    def deviating(self, **changes: Any) -> PodState:
        """The same pod with these fields of its `Deviations`."""
        return replace(self, deviations=replace(self.deviations, **changes))


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantState:
    """One pod on one card. `position` is the card's position in the pod's own list.

    `counted_mib` is what a sharing layer inside the pod counts, `resident_mib` what lies on the
    card itself. `compute` is the share of the card that it gets, `wanted` what it would take with
    nothing in its way.
    """

    pod: PodState
    position: int
    counted_mib: int
    resident_mib: int
    compute: float
    wanted: float
    idle_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceState:
    """One MIG instance. `number` is its GPU instance id."""

    number: int
    uuid: str
    profile: str
    memory_mib: int
    used_mib: int
    compute: float
    tenants: tuple[TenantState, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensors:
    """What the driver tells of the hardware of one card. Counters never go back."""

    temperature: int
    memory_temperature: int
    power_watts: float
    sm_clock_mhz: int
    memory_clock_mhz: int
    performance_state: int
    event_reasons: int  # bits of facts/dcgm.md 1.6
    energy_mj: int
    pcie_generation: int
    pcie_width: int
    pcie_replays: int
    thermal_violation_ns: int
    xid: int = 0
    xid_count: int = 1  # of that XID, within the exporter's window
    ecc_uncorrectable: int = 0
    row_remap_pending: int = 0
    recovery_action: int = 0
    nvlink_replays: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CardState:
    """One card. `present` is False when it fell off the bus: no exporter sees it then."""

    node: NodeSpec
    index: int
    uuid: str
    pci_bus_id: str
    tenants: tuple[TenantState, ...]
    instances: tuple[InstanceState, ...]
    used_mib: int
    compute: float
    sensors: Sensors
    sm_share: float = 0.9  # of its load: kernels rarely fill all SMs
    registered_healthy: bool = True
    registered: bool = True  # the layer's plugin has told of it
    present: bool = True
    booked_too_much_mib: int = 0  # HAMi's scheduler counts on it beyond the promises of its pods
    reservation_told: bool = True  # KAI: the reservation pod has named the card


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeState:
    """One node with its cards.

    `plugin` is the state of the device plugin's pod: "ready", "failing" (its container restarts) or
    "missing"; `plugin_version` the tag of its image where that is not its DaemonSet's. `handshake`
    is "kept", "deleted" or "stopped" (since `handshake_at`). `lock` is the text of HAMi's node
    lock. `stale_cards` are registered and no longer there. `config` is what HAMi's configuration
    says of the node, None where it says what the node runs.
    """

    spec: NodeSpec
    uid: str
    cards: tuple[CardState, ...]
    ready: bool = True
    sharing_label: bool = True  # the label that keeps HAMi's plugin on the node
    registered: bool = True  # HAMi's register annotation is there
    plugin: str = "ready"
    plugin_version: str = ""
    handshake: str = "kept"
    handshake_at: float = 0.0
    lock: str = ""
    stale_cards: tuple[CardState, ...] = ()
    config: NodeConfig | None = None

    @property
    def registered_cards(self) -> tuple[CardState, ...]:
        """The cards that the layer's plugin has told of."""
        return (*(card for card in self.cards if card.registered), *self.stale_cards)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointState:
    """One exporter's endpoint, which is also its pod.

    `kind` is "dcgm", "hami-monitor", "hami-scheduler", "node-exporter" or "service"; `subject` the
    node or the HAMi release that its page is about, or one pod of a workload (`service_subject`),
    whichever that is at the time. `behaviour` is "ok", "http-500", "hangs", "refuses" (the pod
    runs, and nothing listens) or "gone" (the pod does not run).
    """

    kind: str
    subject: str
    behaviour: str = "ok"

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from the others."""
        return (self.kind, self.subject)


def service_subject(workload: WorkloadSpec, ordinal: int) -> str:
    """How the endpoint of one pod of a service is named."""
    return f"{workload.key}/{ordinal}"


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The whole cluster at the instant `at` (Unix seconds).

    `faults` are those that there are and those that there were, as far as they are known.
    """

    scenario: Scenario
    seed: int
    at: float
    nodes: tuple[NodeState, ...]
    pods: tuple[PodState, ...]
    jobs: tuple[JobState, ...]
    endpoints: tuple[EndpointState, ...]
    hami: tuple[HamiState, ...] = ()
    licence: LicenceState | None = None
    faults: tuple[FaultSpec, ...] = ()

    def node(self, name: str) -> NodeState:
        """The node of that name; KeyError when there is none."""
        for node in self.nodes:
            if node.spec.name == name:
                return node
        raise KeyError(name)

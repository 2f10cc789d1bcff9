"""What is there now: who is promised what on which card, and what the cards are. Pure.

`PresentSource`s say what to ask for, in this order: which workload a pod belongs to comes first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeVar

from gpuatlas.sources.history import labels as of
from gpuatlas.sources.history import names, numbers
from gpuatlas.sources.history.labels import (
    CardKey,
    ContainerKey,
    Labels,
    NodeKey,
    PodKey,
    WorkloadKey,
)
from gpuatlas.sources.history.vllm import CacheConfig, cache_config_of
from gpuatlas.sources.promapi.client import Point

K = TypeVar("K")
V = TypeVar("V", int, float)

_FINISHED: Final = frozenset({"Succeeded", "Failed"})


class Held(NamedTuple):
    """One promise of a container: its pod, the card, and the parts of it (joined by ",")."""

    pod: PodKey
    card: CardKey
    partition: str


class CardFacts(NamedTuple):
    """`sharing` is the label's word."""

    sharing: str
    model: str


@dataclass(slots=True, kw_only=True)
class Present:
    """Filled a metric at a time. `refused` counts values that cannot be."""

    pods: dict[PodKey, WorkloadKey] = field(default_factory=dict)
    held: dict[ContainerKey, list[Held]] = field(default_factory=dict)
    reserved: dict[ContainerKey, int] = field(default_factory=dict)
    compute: dict[ContainerKey, float] = field(default_factory=dict)
    promises: dict[ContainerKey, int] = field(default_factory=dict)
    isolated: dict[ContainerKey, bool] = field(default_factory=dict)
    priorities: dict[WorkloadKey, set[int]] = field(default_factory=dict)
    cards: dict[CardKey, CardFacts] = field(default_factory=dict)
    node_cards: dict[NodeKey, set[CardKey]] = field(default_factory=dict)
    card_memory: dict[CardKey, int] = field(default_factory=dict)
    profiles: dict[tuple[CardKey, str], str] = field(default_factory=dict)
    node_sharing: dict[NodeKey, str] = field(default_factory=dict)
    card_allocated: dict[CardKey, int] = field(default_factory=dict)
    runtimes: dict[WorkloadKey, str] = field(default_factory=dict)
    unfinished: dict[WorkloadKey, dict[str, int]] = field(default_factory=dict)
    requested: dict[WorkloadKey, dict[str, int]] = field(default_factory=dict)
    ahead: dict[WorkloadKey, float] = field(default_factory=dict)
    cache_pool: dict[WorkloadKey, int] = field(default_factory=dict)
    cache_config: dict[WorkloadKey, CacheConfig] = field(default_factory=dict)
    past_cards: dict[WorkloadKey, set[CardKey]] = field(default_factory=dict)
    succeeded: set[WorkloadKey] = field(default_factory=set)
    renamed: bool = False
    refused: int = 0

    def containers(self) -> frozenset[ContainerKey]:
        """All that hold something."""
        return frozenset(self.held) | frozenset(self.promises)

    def add_past(self, past: Present) -> None:
        """Take over what `past` knows of runs that are not there any more."""
        self.reserved = past.reserved | self.reserved
        self.compute = past.compute | self.compute
        self.promises = past.promises | self.promises
        self.runtimes = past.runtimes | self.runtimes
        self.past_cards |= past.past_cards
        self.succeeded |= past.succeeded
        self.refused += past.refused

    def keep(
        self,
        into: dict[K, V],
        points: Iterable[Point],
        key: Callable[[Labels], K | None],
        number: Callable[[float], V | None],
    ) -> None:
        """Keep the values; of two of one thing the larger."""
        for point in points:
            whose = key(point.labels)
            if whose is None:
                continue
            found = number(point.value)
            if found is None:
                self.refused += 1
            else:
                into[whose] = max(into[whose], found) if whose in into else found

    def take_pods(self, points: Iterable[Point]) -> None:
        """Which workload each pod belongs to."""
        for point in points:
            pod, workload = of.pod_of(point.labels), of.workload_of(point.labels)
            if pod is not None and workload is not None:
                self.pods[pod] = workload

    def take_allocations(self, points: Iterable[Point]) -> None:
        """The promises of pods whose workload is known; a promise may be told several times."""
        found: defaultdict[ContainerKey, dict[Held, None]] = defaultdict(dict)
        for point in points:
            pod, container = self._container(point.labels)
            if pod is not None and container is not None:
                part = of.text(point.labels, "partition")
                found[container][Held(pod, of.card_of(point.labels), part)] = None
        self.held |= {container: list(parts) for container, parts in found.items()}

    def take_isolation(self, points: Iterable[Point]) -> None:
        """Whether the memory limit is in force: in all its pods, or not."""
        for point in points:
            _, container = self._container(point.labels)
            if container is not None:
                self.isolated[container] = self.isolated.get(container, True) and point.value == 1

    def take_priorities(self, points: Iterable[Point]) -> None:
        """The priorities that the containers of a workload have."""
        for point in points:
            _, container = self._container(point.labels)
            found = numbers.count(point.value)
            if container is not None and found is not None:
                self.priorities.setdefault(container.workload, set()).add(found)

    def take_cards(self, points: Iterable[Point]) -> None:
        """What each card is."""
        for point in points:
            facts = CardFacts(of.text(point.labels, "sharing"), of.text(point.labels, "model"))
            card = of.card_of(point.labels)
            self.cards[card] = facts
            self.node_cards.setdefault(NodeKey(card.cluster, card.node), set()).add(card)

    def take_partitions(self, points: Iterable[Point]) -> None:
        """The profiles of MIG instances."""
        for point in points:
            part = of.card_of(point.labels), of.text(point.labels, "partition")
            self.profiles[part] = of.text(point.labels, "profile")

    def take_nodes(self, points: Iterable[Point]) -> None:
        """How the nodes share; also which of them anybody tells of."""
        for point in points:
            self.renamed = self.renamed or not of.is_ours(point.labels)
            node = of.node_of(point.labels)
            if node is not None and of.is_ours(point.labels):
                self.node_sharing[node] = of.text(point.labels, "sharing")

    def take_workloads(self, points: Iterable[Point]) -> None:
        """The runtimes."""
        for point in points:
            workload = of.workload_of(point.labels)
            if workload is not None:
                self.runtimes[workload] = of.text(point.labels, "runtime") or "unknown"

    def take_phases(self, points: Iterable[Point]) -> None:
        """How many pods go on, by phase."""
        unfinished = (p for p in points if p.labels.get("phase") not in _FINISHED)
        self._by_word(self.unfinished, unfinished, "phase")

    def take_successes(self, points: Iterable[Point]) -> None:
        """Runs of which a pod was seen to succeed."""
        for point in points:
            workload = of.workload_of(point.labels)
            if workload is not None and point.value > 0:
                self.succeeded.add(workload)

    def take_requests(self, points: Iterable[Point]) -> None:
        """What all pods of a workload ask for together."""
        self._by_word(self.requested, points, "resource")

    def take_past_cards(self, points: Iterable[Point]) -> None:
        """The cards that runs held, those that have ended included."""
        for point in points:
            workload, card = of.workload_of(point.labels), of.card_of(point.labels)
            if workload is not None and card.card:
                self.past_cards.setdefault(workload, set()).add(card)

    def take_cache_configs(self, points: Iterable[Point]) -> None:
        """What vLLM says of its cache; of several pods the smallest of each."""
        for point in points:
            workload = self._server_of(point.labels)
            if workload is not None:
                known = self.cache_config.get(workload)
                self.cache_config[workload] = cache_config_of(point.labels).or_smaller(known)

    def _server_of(self, labels: Labels) -> WorkloadKey | None:
        """The workload that a page is of: the pod that was scraped, if it is one of ours."""
        own, behind = of.pod_of(labels), of.behind_pod_of(labels)
        if own is not None and own in self.pods:
            return self.pods[own]
        return self.pods.get(behind) if behind is not None else None

    def _by_word(
        self, into: dict[WorkloadKey, dict[str, int]], points: Iterable[Point], label: str
    ) -> None:
        found: dict[tuple[WorkloadKey, str], int] = {}

        def key(labels: Labels) -> tuple[WorkloadKey, str] | None:
            workload = of.workload_of(labels)
            return None if workload is None else (workload, of.text(labels, label))

        self.keep(found, points, key, numbers.count)
        for (workload, word), number in found.items():
            into.setdefault(workload, {})[word] = number

    def _container(self, labels: Labels) -> tuple[PodKey | None, ContainerKey | None]:
        pod = of.pod_of(labels) if of.is_ours(labels) else None
        workload = self.pods.get(pod) if pod is not None else None
        if workload is None:
            return pod, None
        return pod, ContainerKey(workload, of.text(labels, "container"))


@dataclass(frozen=True, slots=True, kw_only=True)
class PresentSource:
    """Metrics, which of their series to ask for, and what takes them.

    `within` is the time in seconds in which a series may have ended.
    """

    names: tuple[str, ...]
    take: Callable[[Present, Iterable[Point]], None]
    patterns: Mapping[str, str] = field(default_factory=dict)
    within: float | None = None


def _numbers(
    name: str,
    into: Callable[[Present], dict[K, V]],
    key: Callable[[Labels], K | None],
    number: Callable[[float], V | None],
) -> PresentSource:
    def take(present: Present, points: Iterable[Point]) -> None:
        present.keep(into(present), points, key, number)

    late = _LATE if ":" in name else None
    return PresentSource(names=(name,), take=take, within=late)


# Rules are evaluated every four minutes, and remote storage has what they gave a little later.
_LATE: Final = 600.0
_RUNTIMES: Final = PresentSource(names=(names.WORKLOAD_INFO,), take=Present.take_workloads)
_PROMISED: Final = (
    _numbers(names.RESERVED, lambda p: p.reserved, of.container_of, numbers.card_bytes),
    _numbers(names.COMPUTE_RESERVED, lambda p: p.compute, of.container_of, numbers.compute),
    _numbers(names.PROMISES, lambda p: p.promises, of.container_of, numbers.count),
)

SOURCES: Final = (
    PresentSource(names=(names.NODE_INFO,), take=Present.take_nodes),
    PresentSource(names=(names.POD_WORKLOAD,), take=Present.take_pods, within=_LATE),
    PresentSource(names=(names.ALLOCATION_INFO,), take=Present.take_allocations),
    PresentSource(
        names=(names.ISOLATED,), take=Present.take_isolation, patterns={"resource": "memory"}
    ),
    PresentSource(names=(names.PRIORITY,), take=Present.take_priorities),
    *_PROMISED,
    PresentSource(names=(names.CARD_INFO,), take=Present.take_cards),
    _numbers(names.CARD_MEMORY, lambda p: p.card_memory, of.card_of, numbers.card_bytes),
    _numbers(names.CARD_ALLOCATED, lambda p: p.card_allocated, of.card_of, numbers.card_bytes),
    PresentSource(
        names=(names.PARTITION_INFO,), take=Present.take_partitions, patterns={"kind": "mig"}
    ),
    _RUNTIMES,
    PresentSource(names=(names.WORKLOAD_PODS,), take=Present.take_phases),
    PresentSource(names=(names.CARDS_REQUESTED,), take=Present.take_requests),
    _numbers(names.MEMORY_AHEAD, lambda p: p.ahead, of.workload_of, numbers.share),
    _numbers(names.CACHE_POOL, lambda p: p.cache_pool, of.workload_of, numbers.card_bytes),
    PresentSource(names=names.VLLM_CACHE, take=Present.take_cache_configs),
)
# Of runs that have ended, with their last values.
PAST_SOURCES: Final = (
    *_PROMISED,
    _RUNTIMES,
    PresentSource(names=(names.WORKLOAD_CARD,), take=Present.take_past_cards),
    PresentSource(
        names=(names.WORKLOAD_PODS,), take=Present.take_successes, patterns={"phase": "Succeeded"}
    ),
)

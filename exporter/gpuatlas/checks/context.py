"""What all evaluators look at: the observations, the snapshot, and a few indexes over both.

Made once for each evaluation. Everything here is derived; nothing is judged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from gpuatlas.checks.infrastructure import home_namespaces
from gpuatlas.checks.page_index import Listed, listed_cards
from gpuatlas.checks.plugin_index import PluginIndex, index_plugins
from gpuatlas.checks.readings import MonitorReadings, index_readings
from gpuatlas.join.layer_pods import layer_namespace
from gpuatlas.join.owners import identify
from gpuatlas.model.device_plugins import DEVICE_PLUGINS
from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.observations import Observations
from gpuatlas.model.snapshot import Allocation, Card, Sharing, Snapshot, WorkloadId

HAMI: Final = "hami"
# The component label of HAMi's schedulers (facts/hami.md 6.1).
HAMI_SCHEDULER: Final = "hami-scheduler"
_LAYERS: Final = frozenset(
    {Sharing.HAMI, Sharing.VOLCANO, Sharing.KAI, Sharing.MIG, Sharing.TIME_SLICING, Sharing.MPS}
)


@dataclass(frozen=True, kw_only=True)
class CheckContext:
    """One instant, ready to be judged. `now` is Unix seconds."""

    observations: Observations
    snapshot: Snapshot

    @property
    def now(self) -> float:
        """The instant of the observations."""
        return self.observations.now

    @property
    def layer(self) -> LayerObjects:
        """The sharing layers' own objects."""
        return self.observations.layer

    @property
    def nodes(self) -> Mapping[str, Node]:
        """Nodes with cards, by name."""
        return self.observations.nodes

    @cached_property
    def home(self) -> str:
        """The namespace of HAMi, "" where it does not run."""
        return layer_namespace(self.observations.pods.values())

    @cached_property
    def homes(self) -> frozenset[str]:
        """Namespaces of the layers' own pods, of exporters and of NVIDIA's operator."""
        return home_namespaces(self.observations.pods.values())

    @cached_property
    def layers(self) -> Mapping[str, frozenset[str]]:
        """Node → the sharing layers on it, as words of `Sharing`; nodes without one are left out.

        A node belongs to a layer by its cards' sharing, by a registration, or by the layer's own
        plugin pod: a node whose registration is gone is still the layer's. What HAMi would make of
        a node's capacity is no registration: the same capacity stands where HAMi does not run.
        """
        found: dict[str, set[str]] = defaultdict(set)
        for name, node in self.snapshot.nodes.items():
            found[name] |= {str(card.sharing) for card in node.cards} & _LAYERS
            found[name] |= set(node.sharing.split(",")) & _LAYERS
        for name, seen in self.nodes.items():
            found[name] |= {r.layer for r in seen.registrations if r.source not in seen.capacity}
        for plugin in DEVICE_PLUGINS:
            for name in self.nodes:
                if plugin.layer and (name, plugin.name) in self.plugins.pods:
                    found[name].add(plugin.layer)
        return {name: frozenset(layers) for name, layers in found.items() if layers}

    @cached_property
    def hami_nodes(self) -> tuple[str, ...]:
        """Names of the nodes that HAMi shares, sorted."""
        return tuple(sorted(name for name, layers in self.layers.items() if HAMI in layers))

    @cached_property
    def hami_homes(self) -> frozenset[str]:
        """The namespaces of HAMi's installations: an old one may stand beside a new one.

        Those of its schedulers, and `home`, which speaks where no scheduler can be read.
        """
        homes = {c.namespace for c in self.layer.controllers if c.component == HAMI_SCHEDULER}
        return frozenset(homes | ({self.home} if self.home else set()))

    @cached_property
    def plugins(self) -> PluginIndex:
        """The device plugins' pods."""
        return index_plugins(self.observations.pods.values(), self.hami_homes)

    @cached_property
    def node_of_card(self) -> Mapping[str, str]:
        """Card id → the node on which the join found it."""
        return {card: node for node, card in self.cards}

    @cached_property
    def listed(self) -> Mapping[str, Mapping[str, Listed]]:
        """Node → card → how a DCGM page lists it."""
        return listed_cards(self.observations.dcgm, self.node_of_card)

    @cached_property
    def monitors(self) -> MonitorReadings:
        """What the layers' monitors say."""
        return index_readings(self.observations, self.cards)

    @cached_property
    def pods_by_node(self) -> Mapping[str, tuple[Pod, ...]]:
        """Pods that a node has taken, by its name; by namespace and name."""
        found: dict[str, list[Pod]] = defaultdict(list)
        for pod in sorted(self.observations.pods.values(), key=lambda pod: pod.key):
            if pod.node:
                found[pod.node].append(pod)
        return {name: tuple(pods) for name, pods in found.items()}

    @cached_property
    def pods_by_key(self) -> Mapping[tuple[str, str], Pod]:
        """(namespace, name) → pod; of a name that comes twice the newest."""
        pods = sorted(self.observations.pods.values(), key=lambda pod: pod.created_at)
        return {pod.key: pod for pod in pods}

    @cached_property
    def cards(self) -> Mapping[tuple[str, str], Card]:
        """(node, card id) → card."""
        return {(card.node, card.id): card for card in self.snapshot.cards()}

    @cached_property
    def allocations_by_card(self) -> Mapping[tuple[str, str], tuple[Allocation, ...]]:
        """(node, card id) → who holds it."""
        found: dict[tuple[str, str], list[Allocation]] = defaultdict(list)
        for allocation in self.snapshot.allocations():
            found[allocation.node, allocation.card].append(allocation)
        return {key: tuple(held) for key, held in found.items()}

    @cached_property
    def workloads(self) -> Mapping[tuple[str, str], WorkloadId]:
        """(namespace, pod) → the workload that owns it."""
        return {
            (pod.namespace, pod.pod): pod.workload
            for namespace in self.snapshot.namespaces.values()
            for pod in namespace.pods
        }

    def owner(self, pod: Pod) -> str:
        """How findings name what owns a pod: "Deployment/team-a/llm", or the pod itself.

        Pods that ended, and those that ask for no card, are in no workload of the snapshot.
        """
        workload = self.workloads.get(pod.key)
        if workload is None:
            seen = self.observations
            workload = identify(pod, seen.owners, seen.pods).workload
        return f"{workload.kind}/{workload.namespace}/{workload.name}"

"""What all evaluators look at: the observations, the snapshot, and a few indexes over both.

Made once for each evaluation. Everything here is derived; nothing is judged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from gpuatlas.checks.infrastructure import SYSTEM, home_namespaces
from gpuatlas.checks.page_index import Listed, listed_cards
from gpuatlas.checks.plugin_index import PluginIndex, index_plugins
from gpuatlas.checks.readings import MonitorReadings, index_readings
from gpuatlas.join.layer_pods import layer_namespace
from gpuatlas.join.owners import identify
from gpuatlas.join.routing import PODS
from gpuatlas.model.device_plugins import DEVICE_PLUGINS, HAMI_PLUGIN
from gpuatlas.model.layer import LayerConfig, LayerController, LayerObjects
from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.observations import Observations
from gpuatlas.model.snapshot import Allocation, Card, Sharing, Snapshot, WorkloadId

HAMI: Final = "hami"
# The component label of HAMi's schedulers (facts/hami.md 6.1).
HAMI_SCHEDULER: Final = "hami-scheduler"
_COMPONENT: Final = "app.kubernetes.io/component"
_CONTROLLERS: Final = frozenset({"daemonsets.apps", "deployments.apps"})
_LAYERS: Final = frozenset(
    {Sharing.HAMI, Sharing.VOLCANO, Sharing.KAI, Sharing.MIG, Sharing.TIME_SLICING, Sharing.MPS}
)


def _is_hamis(found: LayerController | LayerConfig) -> bool:
    return found.component in HAMI_PLUGIN.components | {HAMI_SCHEDULER}


@dataclass(frozen=True, kw_only=True)
class CheckContext:
    """One instant, ready to be judged. `now` is Unix seconds."""

    observations: Observations
    snapshot: Snapshot

    @property
    def now(self) -> float:
        """The instant of the observations."""
        return self.observations.now

    @cached_property
    def layer(self) -> LayerObjects:
        """The sharing layers' own objects, without those that tenants labelled as HAMi's."""
        read = self.observations.layer
        return replace(
            read,
            controllers=tuple(c for c in read.controllers if self._is_own(c)),
            leases=tuple(lease for lease in read.leases if lease.namespace in self.hami_homes),
            configs=tuple(c for c in read.configs if self._is_own(c)),
        )

    def _is_own(self, found: LayerController | LayerConfig) -> bool:
        return not _is_hamis(found) or found.namespace in self.hami_homes

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
    def gone(self) -> frozenset[str]:
        """Layers of which only registrations are left, which nobody deletes when one is removed.

        Nothing of the layer runs or is to run anywhere, and no pod holds a share of it.
        """
        read = self.layer
        if read.read_at is None or _CONTROLLERS & read.unread.keys():
            return frozenset()
        if (PODS, "") in self.observations.silent or read.webhooks:
            return frozenset()
        parts = {part for p in DEVICE_PLUGINS if p.layer for part in p.components}
        if any(c.component in parts | {HAMI_SCHEDULER} for c in read.controllers):
            return frozenset()
        running = {plugin for _, plugin in self.plugins.pods}
        present = {p.layer for p in DEVICE_PLUGINS if p.name in running}
        for pod in self.observations.pods.values():
            present |= {promise.layer for promise in pod.promises if pod.holds}
            present |= {HAMI} if pod.labels.get(_COMPONENT) == HAMI_SCHEDULER else set()
        return frozenset({p.layer for p in DEVICE_PLUGINS} - present - {""})

    @cached_property
    def hami_nodes(self) -> tuple[str, ...]:
        """Names of the nodes that HAMi shares, sorted."""
        return tuple(sorted(name for name, layers in self.layers.items() if HAMI in layers))

    @cached_property
    def hami_homes(self) -> frozenset[str]:
        """The namespaces of HAMi's installations: an old one may stand beside a new one.

        Of those where a scheduler or plugin is labelled as HAMi's, which any tenant can do, these
        are proven: the system's, where a webhook leads (no tenant makes one), and where a plugin
        serves nodes with cards. Where none is, `home` speaks; where no pods are seen, all do.
        """
        named = {c.namespace for c in self.observations.layer.controllers if _is_hamis(c)}
        if not self.home:
            return frozenset(named)
        led = {hook.service[0] for hook in self.observations.layer.webhooks if hook.service}
        labelled = (pod for pod in self.observations.pods.values() if pod.node in self.nodes)
        served = index_plugins(labelled, frozenset({self.home, *named})).pods
        serving = {
            pod.namespace
            for (_, plugin), pods in served.items()
            if plugin == HAMI_PLUGIN.name
            for pod in pods
        }
        proven = (named | {self.home}) & (led | serving | {SYSTEM})
        return frozenset(proven or {self.home})

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

"""Observations → Snapshot, remembering the parts whose inputs did not change.

The result depends on the observations alone; the memory only saves work. A part whose inputs are
the very same objects as last time is the very same object in the new snapshot, which is how the
pages know what to render again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeVar

from gpuatlas.join.inventory import NodeInputs
from gpuatlas.join.nodes import join_node
from gpuatlas.join.routing import route
from gpuatlas.join.workloads import asks_for_cards, is_waiting, join_namespace
from gpuatlas.model.objects import OwnerLink, Pod
from gpuatlas.model.observations import Observations
from gpuatlas.model.snapshot import NamespaceSnapshot, NodeSnapshot, Snapshot

K = TypeVar("K")
V = TypeVar("V")


def _same_mapping(old: Mapping[K, V], new: Mapping[K, V]) -> bool:
    if len(old) != len(new):
        return False
    return all(key in old and old[key] is value for key, value in new.items())


def _same_inputs(old: NodeInputs, new: NodeInputs) -> bool:
    """Object identity, not equality: cheap, and never wrong the unsafe way."""
    return (
        old.node is new.node
        and old.readings_at == new.readings_at
        and old.monitor_at == new.monitor_at
        and old.dcgm_silent == new.dcgm_silent
        and old.monitor_silent == new.monitor_silent
        and old.pods_silent == new.pods_silent
        and len(old.pods) == len(new.pods)
        and all(a is b for a, b in zip(old.pods, new.pods, strict=True))
        and _same_mapping(old.readings, new.readings)
        and _same_mapping(old.hosts, new.hosts)
        and _same_mapping(old.containers, new.containers)
        and _same_mapping(old.books, new.books)
    )


class Joiner:
    """Builds snapshots one after the other. Not for use from several threads at once."""

    def __init__(self) -> None:
        self._nodes: dict[str, tuple[NodeInputs, NodeSnapshot]] = {}
        self._namespaces: dict[str, tuple[tuple[Pod, ...], NamespaceSnapshot]] = {}
        self._owners: Mapping[str, OwnerLink] = {}

    def build(self, observations: Observations) -> Snapshot:
        """The snapshot of one instant."""
        return Snapshot(
            at=observations.now,
            nodes=self._join_nodes(observations),
            namespaces=self._join_namespaces(observations),
        )

    def _join_nodes(self, observations: Observations) -> dict[str, NodeSnapshot]:
        joined: dict[str, tuple[NodeInputs, NodeSnapshot]] = {}
        for name, inputs in route(observations).items():
            before = self._nodes.get(name)
            if before is not None and _same_inputs(before[0], inputs):
                joined[name] = before
            else:
                joined[name] = (inputs, join_node(inputs))
        self._nodes = joined
        return {name: snapshot for name, (_, snapshot) in joined.items()}

    def _join_namespaces(self, observations: Observations) -> dict[str, NamespaceSnapshot]:
        grouped: dict[str, list[Pod]] = defaultdict(list)
        for pod in observations.pods.values():
            if asks_for_cards(pod):
                grouped[pod.namespace].append(pod)
        same_owners = observations.owners is self._owners
        joined: dict[str, tuple[tuple[Pod, ...], NamespaceSnapshot]] = {}
        for name in sorted(grouped):
            pods = tuple(sorted(grouped[name], key=lambda pod: pod.name))
            before = self._namespaces.get(name)
            if before is not None and same_owners and _same_pods(before[0], pods):
                joined[name] = before
            else:
                snapshot = join_namespace(name, pods, observations.owners, observations.now)
                joined[name] = (pods, snapshot)
        self._namespaces, self._owners = joined, observations.owners
        return {name: snapshot for name, (_, snapshot) in joined.items()}


def _same_pods(old: Sequence[Pod], new: Sequence[Pod]) -> bool:
    return (
        len(old) == len(new)
        and all(a is b for a, b in zip(old, new, strict=True))
        and not any(is_waiting(pod) for pod in new)
    )

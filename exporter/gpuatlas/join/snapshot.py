"""Observations → Snapshot, remembering the parts whose inputs did not change.

The result depends on the observations alone; the memory only saves work. A part whose inputs are
the very same objects as last time is the very same object in the new snapshot, which is how the
pages know what to render again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gpuatlas.join.asking import AskingPods
from gpuatlas.join.by_namespace import same_mapping
from gpuatlas.join.dra_nodes import DraMemory
from gpuatlas.join.inventory import NodeInputs
from gpuatlas.join.namespaces import NamespaceMemory, queue_rejections
from gpuatlas.join.nodes import join_node
from gpuatlas.join.routing import route
from gpuatlas.model.observations import Observations
from gpuatlas.model.snapshot import NodeSnapshot, Snapshot


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
        and same_mapping(old.readings, new.readings)
        and same_mapping(old.hosts, new.hosts)
        and same_mapping(old.containers, new.containers)
        and same_mapping(old.books, new.books)
        and old.dra is new.dra
        and old.claims_silent == new.claims_silent
        and old.slices_silent == new.slices_silent
        and len(old.claims) == len(new.claims)
        and all(a is b for a, b in zip(old.claims, new.claims, strict=True))
        and same_mapping(old.groups, new.groups)
        and old.foreign == new.foreign
        and old.layer_namespace == new.layer_namespace
    )


class Joiner:
    """Builds snapshots one after the other. Not for use from several threads at once."""

    def __init__(self) -> None:
        self._asking = AskingPods()
        self._dra = DraMemory()
        self._nodes: dict[str, tuple[NodeInputs, NodeSnapshot]] = {}
        self._namespaces = NamespaceMemory()

    def build(self, observations: Observations) -> Snapshot:
        """The snapshot of one instant."""
        observations = replace(observations, pods=self._asking.of(observations.pods))
        dra = self._dra.index(observations.slices, observations.claims, observations.pods)
        routed = route(observations, dra)
        return Snapshot(
            at=observations.now,
            nodes=self._join_nodes(routed.nodes),
            namespaces=self._namespaces.join(observations),
            rejections=(*routed.rejections, *queue_rejections(observations.placement)),
        )

    def _join_nodes(self, routed: Mapping[str, NodeInputs]) -> dict[str, NodeSnapshot]:
        joined: dict[str, tuple[NodeInputs, NodeSnapshot]] = {}
        for name, inputs in routed.items():
            before = self._nodes.get(name)
            if before is not None and _same_inputs(before[0], inputs):
                joined[name] = before
            else:
                joined[name] = (inputs, join_node(inputs))
        self._nodes = joined
        return {name: snapshot for name, (_, snapshot) in joined.items()}

"""Some nodes of the built-in simulated cluster, with what runs on them: a cluster of one kind."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from gpuatlas.demo.scenario import QueueSystem, Scenario, WorkloadSpec
from gpuatlas.demo.scenario_file import load_scenario

# No sharing layer: whole cards, MIG and time slicing.
PLAIN_NODES: Final = frozenset({"a100-1", "a100-2", "h100-1", "l40s-1", "t4-1"})
# Cards that one HAMi shares, and a node that it leaves alone.
HAMI_NODES: Final = frozenset({"a10g-1", "ascend-1", "a100-2"})


def part_of_demo(nodes: Collection[str]) -> Scenario:
    """The nodes of these names, the HAMi that they have, and the workloads that fit in whole."""
    whole = load_scenario()
    kept = tuple(node for node in whole.nodes if node.name in nodes)
    releases = {node.hami.release for node in kept if node.hami is not None}
    part = replace(
        whole,
        nodes=kept,
        hami=tuple(hami for hami in whole.hami if hami.release in releases),
        faults=tuple(fault for fault in whole.faults if fault.node in nodes),
        queues=tuple(queue for queue in whole.queues if queue.system is QueueSystem.KUEUE),
        claims=(),
        licence=None,
    )
    workloads = tuple(one for one in whole.workloads if _fits(one, part, nodes))
    return replace(part, workloads=workloads)


def _fits(workload: WorkloadSpec, part: Scenario, nodes: Collection[str]) -> bool:
    """Workloads without a place wait for cards, where their queue is there too."""
    queued = not workload.queue or part.queue_of(workload) is not None
    return queued and all(place.node in nodes for place in workload.places)

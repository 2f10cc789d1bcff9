"""Two cards that a DRA driver publishes on one node, and the node as it is joined."""

from __future__ import annotations

from typing import Any

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Pod
from gpuatlas.model.pages import CardReading
from gpuatlas.model.snapshot import Evidence, NodeSnapshot
from gpuatlas_harness.claimed import a_dra_device, a_mig_device
from gpuatlas_harness.observed import a_dcgm_page, a_node, observations

GPU = a_dra_device(1)
OTHER = a_dra_device(2)


def joined_node(*pods: Pod, readings: tuple[CardReading, ...] = (), **more: Any) -> NodeSnapshot:
    pages = (a_dcgm_page(*readings),) if readings else ()
    cluster = observations([a_node(capacity={})], pods, dcgm=pages, **more)
    return Joiner().build(cluster).nodes["gpu-a"]


def places(node: NodeSnapshot) -> list[tuple[str, str, str, str, Evidence]]:
    return [(a.pod, a.container, a.card, a.partition, a.evidence) for a in node.allocations]


MIG_A, MIG_B = a_mig_device("gpu-0-mig-19-0"), a_mig_device("gpu-0-mig-19-1")

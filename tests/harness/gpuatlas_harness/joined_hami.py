"""A node that HAMi shares, as it is joined."""

from __future__ import annotations

from typing import Any

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.snapshot import NodeSnapshot
from gpuatlas_harness.observed import a_device, a_node, a_registration, observations


def joined_node(node: Node, *pods: Pod, **pages: Any) -> NodeSnapshot:
    return Joiner().build(observations([node], pods, **pages)).nodes[node.name]


def a_hami_node(*numbers: int, name: str = "gpu-a") -> Node:
    devices = [a_device(n) for n in numbers or (1,)]
    return a_node(name, a_registration(*devices), capacity={"nvidia.com/gpu": 10 * len(devices)})

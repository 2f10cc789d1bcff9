"""All faults that can be switched on, and whether one of them fits a cluster.

To add a fault, add a row to the table of what it is about.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

from gpuatlas.demo.fault_kind import FaultKind
from gpuatlas.demo.faults_hardware import HARDWARE
from gpuatlas.demo.faults_installation import ENDPOINTS, INSTALLATION
from gpuatlas.demo.faults_nodes import NODES
from gpuatlas.demo.faults_pods import PODS
from gpuatlas.demo.faults_tenants import TENANTS
from gpuatlas.demo.fields import suggest
from gpuatlas.demo.scenario import FaultSpec, NodeSpec, Scenario

FAULTS: Final[tuple[FaultKind, ...]] = (*HARDWARE, *TENANTS, *PODS, *NODES, *INSTALLATION)
BY_NAME: Final[Mapping[str, FaultKind]] = {kind.name: kind for kind in FAULTS}


def complaint(fault: FaultSpec, scenario: Scenario) -> str:
    """Why this fault cannot be switched on in this cluster, or ""."""
    kind = BY_NAME.get(fault.name)
    if kind is None:
        return f"there is no fault '{fault.name}'{suggest(fault.name, BY_NAME)}"
    found = next(_of_the_cluster(kind, fault, scenario), "") or _bad_option(kind, fault)
    return f"{fault.name}: {found}" if found else ""


def _of_the_cluster(kind: FaultKind, fault: FaultSpec, scenario: Scenario) -> Iterator[str]:
    if not kind.about_the_cluster:
        yield from _of_a_node(kind, fault, scenario)
    elif fault.node:
        yield "it is about the cluster: name no node"
    elif scenario.licence is None:
        yield "this cluster has no licence"


def _of_a_node(kind: FaultKind, fault: FaultSpec, scenario: Scenario) -> Iterator[str]:
    nodes = {node.name: node for node in scenario.nodes}
    if not fault.node:
        yield "name the node"
        return
    if fault.node not in nodes:
        yield f"there is no node '{fault.node}'{suggest(fault.node, nodes)}"
        return
    node = nodes[fault.node]
    yield from _of_a_card(kind, fault, node)
    if kind.sharing and node.sharing not in kind.sharing:
        yield f"{node.name} is not shared by {' or '.join(sorted(kind.sharing))}"
    elif kind.unfit:
        yield kind.unfit(node)


def _of_a_card(kind: FaultKind, fault: FaultSpec, node: NodeSpec) -> Iterator[str]:
    if (fault.card is not None) != kind.about_a_card:
        yield "name the card" if kind.about_a_card else "it is not about one card"
    elif fault.card is not None and fault.card not in range(node.count):
        yield f"{node.name} has cards 0 to {node.count - 1}, not {fault.card}"


def _bad_option(kind: FaultKind, fault: FaultSpec) -> str:
    for option, value in fault.options.items():
        if option not in kind.options:
            return f"takes no '{option}'; it takes: {', '.join(kind.options) or '-'}"
        if option == "endpoint" and value not in ENDPOINTS:
            return f"endpoint '{value}' is not one of {', '.join(ENDPOINTS)}"
        if isinstance(kind.options[option], str):
            if not isinstance(value, str) or not value:
                return f"{option} must be a text, not {value!r}"
        elif isinstance(value, str) or not 0 <= value < math.inf:
            return f"{option} must be a number from 0 up, not {value!r}"
    return ""

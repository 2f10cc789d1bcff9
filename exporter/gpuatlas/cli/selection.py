"""Which part of a snapshot the user asked for: nodes and namespaces by name or by pattern. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from gpuatlas.cli.screens.wording import natural
from gpuatlas.model.snapshot import Allocation, Card, NodeSnapshot, Snapshot, Workload

_NAMED_NODES: Final = 5


@dataclass(frozen=True, slots=True)
class Selection:
    """Patterns as the shell has them (`a10g-*`); an empty tuple selects all."""

    nodes: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()

    def takes_node(self, name: str) -> bool:
        """Whether the node is asked for."""
        return _matches(name, self.nodes)

    def takes_namespace(self, name: str) -> bool:
        """Whether the namespace is asked for."""
        return _matches(name, self.namespaces)


@dataclass(frozen=True, slots=True)
class HeldCard:
    """A card and the allocations on it that are asked for."""

    card: Card
    allocations: tuple[Allocation, ...]


@dataclass(frozen=True, slots=True)
class NodeView:
    """A node, its cards that are asked for, and the allocations whose card nobody knows."""

    node: NodeSnapshot
    cards: tuple[HeldCard, ...]
    homeless: tuple[Allocation, ...]


@dataclass(frozen=True, slots=True)
class WorkloadView:
    """A workload and what its pods hold."""

    workload: Workload
    allocations: tuple[Allocation, ...]


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)


def strange_nodes(nodes: Iterable[str], patterns: Iterable[str]) -> str:
    """What to tell of the first pattern that no node answers to; "" where each has one."""
    known = sorted(nodes, key=natural)
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in known):
            named = ", ".join(known[:_NAMED_NODES]) or "none"
            more = len(known) - _NAMED_NODES
            named += f" and {more} more" if more > 0 else ""
            return f"no node with cards is called {pattern!r}; nodes with cards: {named}"
    return ""


def select_cards(snapshot: Snapshot, selection: Selection) -> tuple[NodeView, ...]:
    """Nodes with cards, by name. With namespaces: only cards that these namespaces hold."""
    views = [
        _node_view(snapshot.nodes[name], selection)
        for name in sorted(snapshot.nodes, key=natural)
        if selection.takes_node(name)
    ]
    if selection.namespaces:
        return tuple(view for view in views if view.cards or view.homeless)
    return tuple(views)


def _node_view(node: NodeSnapshot, selection: Selection) -> NodeView:
    by_card: dict[str, list[Allocation]] = defaultdict(list)
    for allocation in node.allocations:
        if selection.takes_namespace(allocation.namespace):
            by_card[allocation.card].append(allocation)
    held = tuple(HeldCard(card, tuple(by_card[card.id])) for card in node.cards)
    if selection.namespaces:
        held = tuple(each for each in held if each.allocations)
    return NodeView(node, held, tuple(by_card[""]))


def select_workloads(snapshot: Snapshot, selection: Selection) -> tuple[WorkloadView, ...]:
    """Workloads by namespace, kind and name. With nodes: only those with a pod on these nodes."""
    allocations = _by_pod(snapshot.allocations())
    views = []
    for name in sorted(snapshot.namespaces, key=natural):
        if not selection.takes_namespace(name):
            continue
        namespace = snapshot.namespaces[name]
        pods: dict[object, list[tuple[str, str]]] = defaultdict(list)
        for member in namespace.pods:
            pods[member.workload].append((member.pod, member.node))
        for workload in namespace.workloads:
            members = pods[workload.id]
            if selection.nodes and not any(n and selection.takes_node(n) for _, n in members):
                continue
            held = tuple(a for pod, _ in members for a in allocations[name, pod])
            views.append(WorkloadView(workload, held))
    return tuple(views)


def _by_pod(allocations: Iterable[Allocation]) -> dict[tuple[str, str], list[Allocation]]:
    found: dict[tuple[str, str], list[Allocation]] = defaultdict(list)
    for allocation in allocations:
        found[allocation.namespace, allocation.pod].append(allocation)
    return found

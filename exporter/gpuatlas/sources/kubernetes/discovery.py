"""Which pods serve pages that we read, and at which port. Pure.

A pod is known by its labels (`components`), and tenants can label pods of their own. So each place
takes one target, and where several pods claim it, the one wins from the namespace in which the
suite is on most of the nodes: a DaemonSet's, with a pod on every node. A namespace on few of them
is no installation: its pods count nowhere, not even on a node without a program of its own, since a
page can name any card. `namespaces` closes the door.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.targets import DCGM, HAMI_MONITOR, HAMI_SCHEDULER, Target
from gpuatlas.sources.kubernetes.components import Component, component_of

_SOURCES: Final = (DCGM, HAMI_MONITOR, HAMI_SCHEDULER)
_ROLE: Final = "hami.io/scheduler-role"
_NO_NODES: Final[Mapping[str, Node]] = {}


# A suite in a namespace.
_Home: TypeAlias = tuple[str, str]


class _Claim(NamedTuple):
    component: Component
    pod: Pod
    port: int


def find_targets(
    pods: Iterable[Pod],
    nodes: Mapping[str, Node] = _NO_NODES,
    *,
    namespaces: Collection[str] | None = None,
) -> tuple[Target, ...]:
    """The targets, by source, node and pod; of the schedulers the leader comes first.

    `nodes` (by name) is needed for programs that serve pages on some nodes only. With `namespaces`
    only pods of these count.
    """
    allowed = [pod for pod in pods if namespaces is None or pod.namespace in namespaces]
    usual = _coverage(allowed, nodes)
    claims = [
        claim
        for pod in allowed
        if (claim := _claim(pod, nodes)) is not None and _is_installed(claim, usual)
    ]
    return tuple(map(_target, sorted(_settled(claims, usual), key=_order)))


def _coverage(pods: Iterable[Pod], nodes: Mapping[str, Node]) -> Counter[_Home]:
    """On how many nodes each namespace has each suite, running or not.

    Nodes and not pods, and of `nodes` where these are known: many pods are easily made, nodes with
    cards are not.
    """
    found: dict[_Home, set[str]] = {}
    for pod in pods:
        component = component_of(pod.labels)
        if component is not None:
            home = found.setdefault((component.suite, pod.namespace), set())
            if pod.node and (pod.node in nodes or not nodes):
                home.add(pod.node)
    return Counter({home: len(names) for home, names in found.items()})


def _is_installed(claim: _Claim, usual: Mapping[_Home, int]) -> bool:
    """Whether the claim's namespace has the suite on nearly as many nodes as any other has."""
    suite = claim.component.suite
    most = max(count for (name, _), count in usual.items() if name == suite)
    return not claim.component.per_node or 2 * usual[suite, claim.pod.namespace] >= most


def _settled(claims: list[_Claim], usual: Mapping[_Home, int]) -> Iterable[_Claim]:
    """One claim for each place: one per program and node, or all schedulers of one namespace."""

    def rank(claim: _Claim) -> tuple[int, float, tuple[str, str]]:
        # The oldest of equals, so that a newcomer cannot take a place.
        suite = (claim.component.suite, claim.pod.namespace)
        return (-usual[suite], claim.pod.created_at, claim.pod.key)

    chosen: dict[tuple[str, ...], _Claim] = {}
    homes: dict[str, str] = {}
    for claim in sorted(claims, key=rank):
        home = homes.setdefault(claim.component.suite, claim.pod.namespace)
        if claim.component.per_node:
            chosen.setdefault((claim.component.name, claim.pod.node), claim)
        elif claim.pod.namespace == home:
            chosen[claim.component.name, *claim.pod.key] = claim
    return chosen.values()


def _claim(pod: Pod, nodes: Mapping[str, Node]) -> _Claim | None:
    component = component_of(pod.labels)
    if component is None or pod.phase != "Running" or pod.deleting or not pod.ip or not pod.node:
        return None
    if component.node_annotation is not None:
        key, value = component.node_annotation
        node = nodes.get(pod.node)
        if node is None or node.annotations.get(key) != value:
            return None
    port = _port(pod, component)
    return None if port is None else _Claim(component, pod, port)


def _port(pod: Pod, component: Component) -> int | None:
    """The port of the page, None where the container that serves it is not in the pod."""
    serving = [
        container
        for container in pod.containers
        if container.kind != "init"
        and (not component.containers or container.name in component.containers)
    ]
    if not serving:
        return None
    named = {name: number for container in reversed(serving) for name, number in container.ports}
    return next((named[name] for name in component.ports if name in named), component.default_port)


def _order(claim: _Claim) -> tuple[int, bool, str, str, str]:
    pod = claim.pod
    follower = pod.labels.get(_ROLE) != "leader"
    node = pod.node if claim.component.per_node else ""
    return (_SOURCES.index(claim.component.source), follower, node, pod.namespace, pod.name)


def _target(claim: _Claim) -> Target:
    component, pod, port = claim
    return Target(
        source=component.source,
        namespace=pod.namespace,
        pod=pod.name,
        node=pod.node if component.per_node else "",
        host=pod.ip,
        port=port,
    )

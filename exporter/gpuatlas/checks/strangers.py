"""Pods that reach cards of a shared node without asking for any. Pure.

Sources: facts/hami.md 6.3 I5, facts/k8s.md 1.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from gpuatlas.checks.asking import asks_for_cards
from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.infrastructure import is_infrastructure
from gpuatlas.checks.quote import Quote, env_line
from gpuatlas.checks.soft import running
from gpuatlas.model.objects import Pod
from gpuatlas.model.vendors import vendor_of_count

# Variables by which container runtimes show cards, and whose (facts/hami.md 6.3 I5).
VISIBLE_DEVICES: Final = (
    ("NVIDIA_VISIBLE_DEVICES", "nvidia"),
    ("ASCEND_VISIBLE_DEVICES", "ascend"),
)
# Values with which they show none.
NO_DEVICES: Final = frozenset({"", "none", "void"})
CARD_FILES: Final = ("/dev/nvidia", "/dev/davinci")
ALL_FILES: Final = frozenset({"/", "/dev"})
# NVIDIA's operator also makes the classes nvidia-cdi and nvidia-legacy.
NVIDIA_RUNTIME: Final = "nvidia"


class Access(NamedTuple):
    """One way by which a pod reaches cards; `signal` is the check's word for it."""

    signal: str
    quote: Quote


def strangers(context: CheckContext, node: str) -> tuple[tuple[Pod, tuple[Access, ...]], ...]:
    """The running pods of a node that reach its cards and ask for none, with how they do."""
    vendors = _vendors(context, node)
    found = []
    for pod in context.pods_by_node.get(node, ()):
        if pod.phase == "Running" and not asks_for_cards(pod):
            ways = tuple(_accesses(pod, vendors))
            if ways and not is_infrastructure(pod, context.homes):
                found.append((pod, ways))
    return tuple(found)


def _accesses(pod: Pod, vendors: frozenset[str]) -> Iterator[Access]:
    for container in running(pod).values():
        for name, vendor in VISIBLE_DEVICES:
            value = container.env.get(name, "")
            if vendor in vendors and value not in NO_DEVICES:
                yield Access("visible-devices", env_line(container.name, name, value))
    for path in pod.access.host_devices:
        if _shows_cards(path, pod):
            yield Access("host-device", Quote("pod spec.volumes", f"hostPath: {path}"))
    if pod.access.runtime_class.startswith(NVIDIA_RUNTIME):
        for name in pod.access.privileged:
            if name in running(pod):
                record = f"privileged: true, runtimeClassName: {pod.access.runtime_class}"
                source = f"securityContext of container {name}"
                yield Access("privileged", Quote(source, record))


def _shows_cards(path: str, pod: Pod) -> bool:
    """Whether a volume gives the pod the device files of cards.

    All of /dev, or of the node, opens nothing to a container that is not privileged. Agents for
    storage, logs and security (DaemonSets) mount it on every node: those are no tenants.
    """
    if path.startswith(CARD_FILES):
        return True
    daemon = pod.controller is not None and pod.controller.kind == "DaemonSet"
    privileged = any(name in running(pod) for name in pod.access.privileged)
    return path in ALL_FILES and privileged and not daemon


def _vendors(context: CheckContext, node: str) -> frozenset[str]:
    """Whose cards the node has. Images carry the variables everywhere, also where no card is."""
    joined, known = context.snapshot.nodes.get(node), context.nodes.get(node)
    cards = joined.cards if joined is not None else ()
    offered = known.capacity if known is not None else {}
    rows = [row.name for resource in offered if (row := vendor_of_count(resource)) is not None]
    return frozenset({*rows, *(card.vendor for card in cards)})

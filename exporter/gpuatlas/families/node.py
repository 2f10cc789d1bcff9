"""Metrics of a node that has cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpuatlas.families.spec import Family, Kind, Series, Stability
from gpuatlas.model.readings import Known
from gpuatlas.model.snapshot import NodeSnapshot


def _info(node: NodeSnapshot) -> Iterator[Series]:
    versions = (node.driver_version, node.cuda_version)
    yield (node.name, node.pool, node.platform, *versions, node.sharing), 1


def _sharing_ready(node: NodeSnapshot) -> Iterator[Series]:
    if isinstance(node.sharing_ready, Known):
        yield (node.name,), int(node.sharing_ready.value)


def _cards(node: NodeSnapshot) -> Iterator[Series]:
    if isinstance(node.card_count, Known):
        yield (node.name,), node.card_count.value


def _mig_instances(node: NodeSnapshot) -> Iterator[Series]:
    for profile, count in node.mig_instances.items():
        yield (node.name, profile), count


FAMILIES: Final[tuple[Family[NodeSnapshot], ...]] = (
    Family(
        name="gpuatlas_node_info",
        kind=Kind.INFO,
        help="A node with cards, its pool and platform, its driver, and how its cards are shared.",
        labels=("node", "pool", "platform", "driver_version", "cuda_version", "sharing"),
        samples=_info,
    ),
    Family(
        name="gpuatlas_node_sharing_ready",
        kind=Kind.GAUGE,
        help="1 if the sharing layer is registered and schedulable on this node, else 0; "
        "absent where no sharing layer runs.",
        labels=("node",),
        samples=_sharing_ready,
    ),
    Family(
        name="gpuatlas_node_cards",
        kind=Kind.GAUGE,
        help="Physical cards of the node, not the shares that a sharing layer advertises.",
        labels=("node",),
        samples=_cards,
        stability=Stability.EXPERIMENTAL,
    ),
    Family(
        name="gpuatlas_node_mig_instances",
        kind=Kind.GAUGE,
        help="MIG instances of the node by profile as its labels and capacity prove them, "
        "not the shares that time slicing makes of them; absent where nobody can know.",
        labels=("node", "profile"),
        samples=_mig_instances,
        stability=Stability.EXPERIMENTAL,
    ),
)

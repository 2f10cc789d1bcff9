"""Label sets that several tables share (DESIGN 5), and how entities fill them.

`node`, `namespace`, `pod` and `container` are spelt as kube-state-metrics spells them, so that
joins with its series need no relabelling. A label that does not apply is the empty string.
"""

from __future__ import annotations

from typing import Final

from gpuatlas.model.snapshot import Allocation, Card, WorkloadId
from gpuatlas.model.workload_kinds import kind_name

CARD: Final = ("node", "card", "index")
ALLOCATION: Final = (*CARD, "namespace", "pod", "container")
WORKLOAD: Final = ("namespace", "workload_kind", "workload")


def card_labels(card: Card) -> tuple[str, ...]:
    """Values of CARD."""
    return (card.node, card.id, card.index)


def allocation_labels(held: Allocation) -> tuple[str, ...]:
    """Values of ALLOCATION."""
    return (held.node, held.card, held.index, held.namespace, held.pod, held.container)


def workload_labels(workload: WorkloadId) -> tuple[str, ...]:
    """Values of WORKLOAD. The kind carries its group where it needs to, so no two share them."""
    return (workload.namespace, kind_name(workload.api_group, workload.kind), workload.name)

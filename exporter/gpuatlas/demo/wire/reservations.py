"""KAI's groups of fractions, and the pods with which it holds their cards (facts/k8s.md 1.9).

A group is one card as long as fractions are on it. The device plugin knows the reservation pod
alone, so exporters give it the whole card's values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gpuatlas.demo.randomness import name_suffix, uuid
from gpuatlas.demo.scenario import Sharing
from gpuatlas.demo.state import CardState, World
from gpuatlas.demo.wire.addresses import node_ip, pod_ip
from gpuatlas.demo.wire.objects import Document, condition, metadata, timestamp

NAMESPACE: Final = "kai-resource-reservation"
GROUP_LABEL: Final = "runai-gpu-group"
_CONTAINER: Final = "resource-reservation"
_IMAGE: Final = "ghcr.io/nvidia/kai-scheduler/resource-reservation:v0.13.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """One card that is held for a group. `told`: the pod has said which card it got."""

    card: CardState
    group: str
    pod: str
    told: bool = True

    @property
    def labels(self) -> dict[str, str]:
        """How dcgm-exporter names the holder of the card."""
        return {"container": _CONTAINER, "namespace": NAMESPACE, "pod": self.pod}


def group_of(card: CardState) -> str:
    """The name of the group that the card's fractions make."""
    return uuid("gpu group", card.uuid)


def reservation_of(card: CardState) -> Reservation | None:
    """The reservation of a card; None where no fraction is on it."""
    fractions = any(tenant.pod.workload.ask for tenant in card.tenants)
    if card.node.sharing is not Sharing.KAI or not fractions:
        return None
    pod = f"gpu-reservation-{card.node.name}-{name_suffix(5, 'reservation', card.uuid)}"
    return Reservation(card=card, group=group_of(card), pod=pod, told=card.reservation_told)


def reservation_documents(world: World) -> list[Document]:
    """The reservation pods of all nodes."""
    found = (reservation_of(card) for node in world.nodes for card in node.cards)
    return [_document(reservation, world) for reservation in found if reservation]


def _document(reservation: Reservation, world: World) -> Document:
    node, uid = reservation.card.node.name, uuid("reservation", reservation.card.uuid)
    since = min(tenant.pod.created_at for tenant in reservation.card.tenants)
    annotations = {"karpenter.sh/do-not-disrupt": "true"}
    if reservation.told:
        # The key says index, and what KAI writes is the UUID.
        annotations["run.ai/reserve_for_gpu_index"] = reservation.card.uuid
    one = {"nvidia.com/gpu": "1"}
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": metadata(
            reservation.pod,
            uid,
            since,
            namespace=NAMESPACE,
            labels={"app": "kai-resource-reservation", GROUP_LABEL: reservation.group},
            annotations=annotations,
            manager="binder",
        ),
        "spec": {
            "nodeName": node,
            "containers": [
                {"name": _CONTAINER, "image": _IMAGE, "resources": {"limits": one, "requests": one}}
            ],
            "restartPolicy": "Always",
            "schedulerName": "default-scheduler",
            "serviceAccountName": "resource-reservation",
        },
        "status": {
            "phase": "Running",
            "conditions": [
                condition("Ready", holds=True, at=since),
                condition("PodScheduled", holds=True, at=since),
            ],
            "hostIP": node_ip(world, node),
            "podIP": pod_ip(world, node, uid),
            "startTime": timestamp(since),
            "qosClass": "BestEffort",
            "containerStatuses": [
                {
                    "name": _CONTAINER,
                    "state": {"running": {"startedAt": timestamp(since)}},
                    "ready": True,
                    "restartCount": 0,
                    "image": _IMAGE,
                    "started": True,
                }
            ],
        },
    }

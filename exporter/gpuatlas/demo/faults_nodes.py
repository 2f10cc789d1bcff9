"""Faults of the layer on one node: its plugin, registration, lock and settings. One row each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from gpuatlas.demo.fault_kind import HAMI, Fault, FaultKind, NodeEffect
from gpuatlas.demo.randomness import uuid
from gpuatlas.demo.scenario import NodeSpec, Sharing
from gpuatlas.demo.state import CardState, NodeState
from gpuatlas.demo.state_layer import NodeConfig
from gpuatlas.demo.wire.objects import timestamp

_MINUTE: Final = 60
_LONG_AGO_SECONDS: Final = 600.0  # far beyond any heartbeat (facts/hami.md 2.4)
_LOCK_OWNER: Final = "lab,never-started"  # namespace and name of a pod that there is not
_REPORTED_BEFORE: Final = (2, 8)


def _unhealthy(card: CardState, fault: Fault) -> CardState:
    del fault
    return replace(card, registered_healthy=False)


def _not_registered(card: CardState, fault: Fault) -> CardState:
    del fault
    return replace(card, registered=False)


def _silent_reservation(card: CardState, fault: Fault) -> CardState:
    del fault
    return replace(card, reservation_told=False)


def _one_field(**changes: Any) -> NodeEffect:
    def effect(node: NodeState, fault: Fault) -> NodeState:
        del fault
        return replace(node, **changes)

    return effect


def _other_version(node: NodeState, fault: Fault) -> NodeState:
    return replace(node, plugin_version=fault.text("version"))


def _handshake(state: str) -> NodeEffect:
    def effect(node: NodeState, fault: Fault) -> NodeState:
        return replace(node, handshake=state, handshake_at=fault.began - _LONG_AGO_SECONDS)

    return effect


def _locked(node: NodeState, fault: Fault) -> NodeState:
    since = fault.began - fault.number("minutes") * _MINUTE
    return replace(node, lock=f"{timestamp(since)},{_LOCK_OWNER}")


def _stale_card(node: NodeState, fault: Fault) -> NodeState:
    """A card like the first one, with an id that no driver tells."""
    del fault
    stale = replace(
        node.cards[0],
        index=len(node.cards),
        uuid=f"GPU-{uuid('stale card', node.cards[0].uuid)}",
        tenants=(),
        registered=True,
        registered_healthy=True,
        booked_too_much_mib=0,
    )
    return replace(node, stale_cards=(stale,))


def _configured(make: Callable[[Fault], NodeConfig]) -> NodeEffect:
    def effect(node: NodeState, fault: Fault) -> NodeState:
        return replace(node, config=make(fault))

    return effect


def _without_heartbeat(node: NodeSpec) -> str:
    """Only plugins up to v2.7, and Ascend's, still report (facts/hami.md 2.4)."""
    old = node.hami is not None and node.hami.numbers < _REPORTED_BEFORE
    reports = old or node.card.vendor == "ascend"
    return "" if reports else f"the device plugin of {node.name} reports nothing"


def _without_plugin(node: NodeSpec) -> str:
    return f"{node.name} has a DRA driver" if node.sharing is Sharing.DRA else ""


def _without_hami_plugin(node: NodeSpec) -> str:
    return "" if node.card.vendor == "nvidia" else f"{node.name} has a plugin of another project"


NODES: Final[tuple[FaultKind, ...]] = (
    FaultKind(
        name="node-not-ready",
        description="the kubelet of the node stopped reporting",
        on_node=_one_field(ready=False),
    ),
    FaultKind(
        name="device-plugin-not-ready",
        description="the container of the node's device plugin restarts again and again",
        unfit=_without_plugin,
        on_node=_one_field(plugin="failing"),
    ),
    FaultKind(
        name="device-plugin-missing",
        description="no pod of the device plugin is on the node; HAMi's monitor, which is in the "
        "same pod, goes with it",
        unfit=_without_plugin,
        on_node=_one_field(plugin="missing"),
    ),
    FaultKind(
        name="device-plugin-version",
        description="the node's device plugin runs an image that is not its DaemonSet's",
        options={"version": "v2.8.0"},
        unfit=_without_plugin,
        on_node=_other_version,
    ),
    FaultKind(
        name="sharing-label-lost",
        description="the node lost the label that keeps HAMi's device plugin on it; the plugin's "
        "pod is still there",
        sharing=HAMI,
        on_node=_one_field(sharing_label=False),
    ),
    FaultKind(
        name="registration-missing",
        description="HAMi's register annotation is gone from the node, and its scheduler has "
        "dropped the cards",
        sharing=HAMI,
        on_node=_one_field(registered=False),
    ),
    FaultKind(
        name="handshake-deleted",
        description="HAMi's scheduler has dropped the node and says so in its handshake",
        sharing=HAMI,
        on_node=_handshake("deleted"),
    ),
    FaultKind(
        name="heartbeat-stopped",
        description="a device plugin that reports every half minute has stopped to",
        sharing=HAMI,
        unfit=_without_heartbeat,
        on_node=_handshake("stopped"),
    ),
    FaultKind(
        name="registered-unhealthy",
        description="HAMi's device plugin registered the card as unhealthy",
        sharing=HAMI,
        on_card=_unhealthy,
    ),
    FaultKind(
        name="card-not-registered",
        description="HAMi's device plugin did not register a card that the driver has; tenants "
        "that were promised it make S14 fire beside S12",
        sharing=HAMI,
        on_card=_not_registered,
    ),
    FaultKind(
        name="registered-card-unknown",
        description="HAMi's device plugin has registered a card that the driver does not have",
        sharing=HAMI,
        unfit=_without_hami_plugin,
        on_node=_stale_card,
    ),
    FaultKind(
        name="node-locked",
        description="HAMi's lock of the node is held by a pod that does not exist",
        options={"minutes": 15},
        sharing=HAMI,
        on_node=_locked,
    ),
    FaultKind(
        name="config-split-count",
        description="HAMi's configuration wants another number of tenants a card than the node has "
        "registered",
        options={"count": 20},
        sharing=HAMI,
        unfit=_without_hami_plugin,
        on_node=_configured(lambda fault: NodeConfig(split_count=int(fault.number("count")))),
    ),
    FaultKind(
        name="config-memory-scaling",
        description="HAMi's configuration wants another scaling of memory than the node has "
        "registered",
        options={"scaling": 1.2},
        sharing=HAMI,
        unfit=_without_hami_plugin,
        on_node=_configured(lambda fault: NodeConfig(memory_scaling=fault.number("scaling"))),
    ),
    FaultKind(
        name="config-mode",
        description="HAMi's configuration wants another mode than the node has registered",
        options={"mode": "mig"},
        sharing=HAMI,
        unfit=_without_hami_plugin,
        on_node=_configured(lambda fault: NodeConfig(mode=fault.text("mode"))),
    ),
    FaultKind(
        name="reservation-silent",
        description="KAI's reservation pod has not said which card it got",
        sharing=frozenset({Sharing.KAI}),
        on_card=_silent_reservation,
    ),
)

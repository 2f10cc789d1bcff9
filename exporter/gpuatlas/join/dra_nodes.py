"""Which DRA devices and claims belong to which node. Pure, but for remembering what it built.

A device whose slice serves more nodes than one is on none of them for certain.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gpuatlas.join.dra_pools import PoolKey, build_pools, index_devices, physical_cards
from gpuatlas.join.holding import users_of
from gpuatlas.model.claims import (
    Claim,
    DeviceKey,
    DevicePool,
    DraDevice,
    PhysicalCard,
    ResourceSlice,
)
from gpuatlas.model.objects import Node, Pod, bare_node
from gpuatlas.model.rejections import Rejection


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDevices:
    """What DRA drivers publish of one node.

    `incomplete` says which pool is not all there: devices that are missing are then unknown.
    `bare` stands in for the node where its object says nothing of accelerators: the kubelet lists
    no capacity for DRA devices, and not every cluster labels such nodes.
    """

    bare: Node

    pools: tuple[DevicePool, ...] = ()
    devices: Mapping[DeviceKey, DraDevice] = field(default_factory=dict)
    cards: Mapping[str, PhysicalCard] = field(default_factory=dict)  # by card
    card_of: Mapping[DeviceKey, str] = field(default_factory=dict)
    incomplete: str = ""


NO_DEVICES: Final = NodeDevices(bare=bare_node("", source="resourceslice"))


@dataclass(frozen=True, slots=True, kw_only=True)
class DraIndex:
    """Everything that DRA says, by node; claims of a node by namespace and name."""

    nodes: Mapping[str, NodeDevices] = field(default_factory=dict)
    claims: Mapping[str, tuple[Claim, ...]] = field(default_factory=dict)
    rejections: tuple[Rejection, ...] = ()


class DraMemory:
    """Builds the index, keeping each part whose objects are the same as last time."""

    def __init__(self) -> None:
        self._slices: Mapping[str, ResourceSlice] = {}
        self._claims: Mapping[str, Claim] = {}
        self._pools: dict[PoolKey, tuple[tuple[ResourceSlice, ...], DevicePool]] = {}
        self._nodes: dict[str, NodeDevices] = {}
        self._devices: dict[DeviceKey, DraDevice] = {}
        self._placed: _PlacedClaims | None = None

    def index(
        self,
        slices: Mapping[str, ResourceSlice],
        claims: Mapping[str, Claim],
        pods: Mapping[str, Pod],
    ) -> DraIndex:
        """The index of these objects, each mapping by uid."""
        same = slices is self._slices
        if not same:
            self._slices = slices
            self._read_slices(slices.values())
        if self._placed is None or not same or claims is not self._claims:
            self._claims = claims
            self._placed = _place(claims.values(), self._devices)
        return DraIndex(
            nodes=self._nodes,
            claims=_with_lost(self._placed, pods),
            rejections=(
                *(r for _, pool in self._pools.values() for r in pool.rejections),
                *self._placed.rejections,
            ),
        )

    def _read_slices(self, slices: Iterable[ResourceSlice]) -> None:
        self._pools = _pools(slices, self._pools)
        pools = {key: pool for key, (_, pool) in self._pools.items()}
        self._devices = index_devices(pools)
        by_node: dict[str, dict[PoolKey, DevicePool]] = defaultdict(dict)
        for key, pool in pools.items():
            for device in pool.devices.values():
                if device.node:
                    by_node[device.node][key] = pool
        self._nodes = {
            name: _node_devices(name, tuple(found.values()), self._nodes.get(name))
            for name, found in by_node.items()
        }


def _pools(
    slices: Iterable[ResourceSlice],
    before: Mapping[PoolKey, tuple[tuple[ResourceSlice, ...], DevicePool]],
) -> dict[PoolKey, tuple[tuple[ResourceSlice, ...], DevicePool]]:
    grouped: dict[PoolKey, list[ResourceSlice]] = defaultdict(list)
    for found in slices:
        grouped[found.driver, found.pool].append(found)
    pools = {}
    for key in sorted(grouped):
        parts = tuple(sorted(grouped[key], key=lambda found: found.uid))
        known = before.get(key)
        if known is not None and _same(known[0], parts):
            pools[key] = known
        else:
            pools[key] = (parts, build_pools(parts)[key])
    return pools


def _same(old: Sequence[object], new: Sequence[object]) -> bool:
    return len(old) == len(new) and all(a is b for a, b in zip(old, new, strict=True))


def _node_devices(
    name: str, pools: tuple[DevicePool, ...], before: NodeDevices | None
) -> NodeDevices:
    if before is not None and _same(before.pools, pools):
        return before
    devices = {
        device.key: device
        for pool in pools
        for device in pool.devices.values()
        if device.node == name
    }
    cards = physical_cards(devices.values())
    missing = next((pool for pool in pools if not pool.complete), None)
    return NodeDevices(
        bare=before.bare if before is not None else bare_node(name, source="resourceslice"),
        pools=pools,
        devices=devices,
        cards={card.id: card for card in cards},
        card_of={
            device.key: card.id
            for card in cards
            for device in (card.whole, *card.others)
            if device is not None
        },
        incomplete=""
        if missing is None
        else f"pool {missing.driver}/{missing.name} lacks slices of its newest generation",
    )


@dataclass(frozen=True, slots=True)
class _PlacedClaims:
    """Claims by node. `lost` hold devices that no node is known for."""

    by_node: Mapping[str, tuple[Claim, ...]]
    lost: tuple[Claim, ...]
    rejections: tuple[Rejection, ...]


def _place(claims: Iterable[Claim], devices: Mapping[DeviceKey, DraDevice]) -> _PlacedClaims:
    by_node: dict[str, list[Claim]] = defaultdict(list)
    lost = []
    rejections: list[Rejection] = []
    for claim in sorted(claims, key=lambda claim: (claim.namespace, claim.name, claim.uid)):
        rejections += claim.rejections
        held = [devices.get(result.key) for result in claim.results if not result.admin]
        nodes = {device.node for device in held if device is not None and device.node}
        for node in nodes:
            by_node[node].append(claim)
        if any(device is None or not device.node for device in held):
            lost.append(claim)
    placed = {node: tuple(found) for node, found in by_node.items()}
    return _PlacedClaims(placed, tuple(lost), tuple(rejections))


def _with_lost(placed: _PlacedClaims, pods: Mapping[str, Pod]) -> Mapping[str, tuple[Claim, ...]]:
    """Claims by node, those on devices without a node at the nodes of the pods that use them."""
    if not placed.lost:
        return placed.by_node
    found = {node: list(claims) for node, claims in placed.by_node.items()}
    for claim in placed.lost:
        for node in sorted({pod.node for pod in users_of(claim, pods) if pod.node}):
            there = found.setdefault(node, [])
            if not any(other is claim for other in there):
                there.append(claim)
    return {node: tuple(sorted(claims, key=_by_name)) for node, claims in found.items()}


def _by_name(claim: Claim) -> tuple[str, str, str]:
    return (claim.namespace, claim.name, claim.uid)

"""ResourceSlices of NVIDIA's DRA driver: whole cards and static MIG instances.

Facts: facts/k8s.md 1.11; the form of driver v25.8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from gpuatlas.demo.randomness import name_suffix, uuid
from gpuatlas.demo.scenario import Sharing
from gpuatlas.demo.state import CardState, InstanceState, NodeState, World
from gpuatlas.demo.wire.objects import Document, metadata, plain_owner

DRIVER: Final = "gpu.nvidia.com"
# Profile ids and memory slices of MIG by compute slices (facts/dcgm.md 5, facts/k8s.md 1.11).
_PROFILE_IDS: Final[Mapping[str, int]] = {"1": 19, "2": 14, "3": 9, "4": 5, "7": 0}
_MEMORY_SLICES: Final[Mapping[str, int]] = {"1": 1, "2": 2, "3": 4, "4": 4, "7": 8}


def slice_documents(world: World) -> list[Document]:
    """One per DRA node: its pool is named after the node."""
    return [_slice(node, world) for node in world.nodes if node.spec.sharing is Sharing.DRA]


def device_name(card: CardState, slot: int | None = None) -> str:
    """By the card's minor number; of an instance with profile, profile id and placement."""
    if slot is None or not card.instances:
        return f"gpu-{card.index}"
    profile = card.instances[slot].profile
    before = (instance.profile[0] for instance in card.instances[:slot])
    start = sum(_MEMORY_SLICES[slices] for slices in before)
    name = profile.replace(".", "")
    return f"gpu-{card.index}-mig-{name}-{_PROFILE_IDS[profile[0]]}-{start}"


def _slice(node: NodeState, world: World) -> Document:
    name = node.spec.name
    return {
        "kind": "ResourceSlice",
        "apiVersion": "resource.k8s.io/v1",
        "metadata": metadata(
            f"{name}-{DRIVER}-{name_suffix(5, 'slice', world.seed, name)}",
            uuid("slice", world.seed, name),
            world.scenario.since,
            controller=plain_owner("v1", "Node", name, node.uid) | {"controller": True},
            manager="gpu-kubelet-plugin",
        ),
        "spec": {
            "driver": DRIVER,
            "nodeName": name,
            "pool": {"name": name, "generation": 1, "resourceSliceCount": 1},
            "devices": [device for card in node.cards for device in _devices(card)],
        },
    }


def _devices(card: CardState) -> Iterator[Document]:
    """A cut card is published as its instances alone."""
    if not card.present:
        return
    if not card.instances:
        memory = {"memory": {"value": f"{card.node.card.memory_mib}Mi"}}
        attributes = _attributes(card) | {"type": _text("gpu"), "uuid": _text(card.uuid)}
        yield {"name": device_name(card), "attributes": attributes, "capacity": memory}
    for slot, instance in enumerate(card.instances):
        yield _instance(card, slot, instance)


def _instance(card: CardState, slot: int, instance: InstanceState) -> Document:
    own = {
        "type": _text("mig"),
        "uuid": _text(instance.uuid),
        "parentUUID": _text(card.uuid),
        "profile": _text(instance.profile),
    }
    start = int(device_name(card, slot).rsplit("-", 1)[1])
    slices = range(start, start + _MEMORY_SLICES[instance.profile[0]])
    memory = {"memory": {"value": f"{instance.memory_mib}Mi"}}
    return {
        "name": device_name(card, slot),
        "attributes": _attributes(card) | own,
        "capacity": memory | {f"memorySlice{number}": {"value": "1"} for number in slices},
    }


def _attributes(card: CardState) -> Document:
    spec = card.node
    return {
        "architecture": _text(spec.card.family.title()),
        "brand": _text("Nvidia"),
        "cudaComputeCapability": _version(spec.card.compute_capability),
        "cudaDriverVersion": _version(spec.cuda),
        "driverVersion": _version(spec.driver),
        "pcieBusID": _text(card.pci_bus_id.lower().removeprefix("0000")),
        "productName": _text(spec.card.model),
        "resource.kubernetes.io/pcieRoot": _text(f"pci0000:{0x0F + 0x0B * card.index:02x}"),
    }


def _text(value: str) -> Document:
    return {"string": value}


def _version(value: str) -> Document:
    """Semantic versions have three numbers without zeros in front."""
    numbers = [str(int(part)) for part in value.split(".")]
    return {"version": ".".join([*numbers, "0", "0"][:3])}

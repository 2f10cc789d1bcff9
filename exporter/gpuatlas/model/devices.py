"""What a sharing layer says of cards: registrations on nodes and promises to containers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredDevice:
    """One card as the sharing layer registered it on its node.

    `memory_bytes` is what the layer hands out (after its scaling), never the physical memory.
    `cores` is in the vendor's own unit (NVIDIA: percent of a card); None where the vendor publishes
    a placeholder. `slots` is the most containers that the card takes.
    """

    card: str
    index: int
    slots: int | None
    memory_bytes: int | None
    cores: int | None
    model: str
    healthy: bool
    mode: str = ""
    numa: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Handshake:
    """Last word of the conversation between a layer's scheduler and its device plugin.

    `state` is "reported", "requesting", "deleted" or "unknown". `at` is Unix seconds, None where
    the text held no readable time. `zoned` says that the text names its time zone. Most do not: UTC
    is assumed then, which is wrong by the writer's offset (facts/hami.md 2.4).
    """

    state: str
    at: float | None
    zoned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """All cards of one vendor that one layer registered on one node."""

    layer: str  # "hami" or "volcano"
    vendor: str  # key of model.vendors
    family: str  # the layer's own word for it: "NVIDIA", "Ascend910B3", "MR-V100" …
    source: str  # the annotation key, or the capacity resource, that said so
    devices: tuple[RegisteredDevice, ...]
    handshake: Handshake | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """One card's share promised to one container by a pod annotation.

    `container` is "" where the record could not be matched with a container for certain; the pod's
    sums are right all the same. `memory_bytes` and `cores` are None where the layer promises none
    (no limit). `cores` is in the vendor's own unit.
    """

    layer: str
    vendor: str
    card: str
    container: str
    memory_bytes: int | None
    cores: int | None
    source: str  # the annotation key
    partition: str = ""  # a hard partition's id (MIG slot or UUID), "" for a soft share

"""Claims on cards that are objects or marks of their own: DRA's slices and claims, KAI's fractions.

Sizes are bytes. `cores` are in the device's own unit, whose total is the device's `cores`: a share
of compute is the one divided by the other. Sources: facts/k8s.md 1.9 and 1.11, facts/hami.md 8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from gpuatlas.model.rejections import Rejection


class DeviceKind(StrEnum):
    """What a DRA device is of a card."""

    GPU = "gpu"  # a whole card of any vendor
    HAMI_GPU = "hami-gpu"  # a whole card that its driver hands out in shares
    MIG = "mig"
    PARTITION = "partition"  # another vendor's hard part of a card
    VFIO = "vfio"  # a whole card as it is passed through to virtual machines
    OTHER = "other"


class DeviceKey(NamedTuple):
    """What identifies a device in a cluster: never its name alone."""

    driver: str
    pool: str
    device: str

    def __str__(self) -> str:
        return "/".join(self)


class DeviceTaint(NamedTuple):
    """Why a device is set apart. `effect` is None, NoSchedule or NoExecute, as written."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DraDevice:
    """One device of a ResourceSlice.

    `node` is "" where the slice serves more nodes than one. `uuid` and `parent_uuid` are the
    vendor's own ids ("" where it gives none; AMD's are 64-bit numbers as text). `vendor` is a key
    of model.vendors. `memory_bytes` is what the driver reports as the device's own size; None where
    it says nothing or a placeholder. `slots` is the most claims that may share the device.
    """

    driver: str
    pool: str
    name: str
    node: str
    kind: DeviceKind
    vendor: str
    uuid: str = ""
    parent_uuid: str = ""
    profile: str = ""
    model: str = ""
    memory_bytes: int | None = None
    cores: int | None = None
    slots: int | None = None
    driver_version: str = ""
    cuda_version: str = ""
    pci_bus_id: str = ""
    allows_multiple: bool = False
    taints: tuple[DeviceTaint, ...] = ()

    @property
    def key(self) -> DeviceKey:
        """The device's identity, as claims name it."""
        return DeviceKey(self.driver, self.pool, self.name)

    @property
    def is_whole(self) -> bool:
        """Whether the device stands for all of a card."""
        return self.kind in {DeviceKind.GPU, DeviceKind.HAMI_GPU}

    @property
    def is_possibility(self) -> bool:
        """A MIG device that does not exist until it is allocated, and then says no UUID either."""
        return self.kind is DeviceKind.MIG and not self.uuid

    @property
    def card(self) -> str:
        """The id of the physical card, made of the key where the vendor gives none."""
        return self.parent_uuid or self.uuid or str(self.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceSlice:
    """One ResourceSlice of a driver that we know. `slice_count` is what the pool should have."""

    uid: str
    name: str
    driver: str
    pool: str
    generation: int
    slice_count: int
    devices: tuple[DraDevice, ...] = ()
    rejections: tuple[Rejection, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicalCard:
    """The devices that one card is published as.

    `whole` is the card itself, None where only its parts are published. `others` are its parts and
    its other forms: their sizes are never to be added to that of `whole`, nor to each other's.
    """

    id: str
    node: str
    whole: DraDevice | None
    others: tuple[DraDevice, ...] = ()

    @property
    def memory_bytes(self) -> int | None:
        """The card's own size; None where only parts are published: they need not cover it."""
        return self.whole.memory_bytes if self.whole is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class DevicePool:
    """The newest generation of one pool.

    `complete` is False while slices are missing: then absent devices are unknown, not gone.
    """

    driver: str
    name: str
    generation: int
    complete: bool
    devices: Mapping[str, DraDevice]  # by device name
    cards: tuple[PhysicalCard, ...]
    rejections: tuple[Rejection, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocatedDevice:
    """One device that a claim was given.

    `request` is "main" or "main/alternative". `admin` claims look on and use nothing. The consumed
    amounts are None where the claim consumes none of it, which is no limit. `sharing` is the
    strategy that the claim or its class configured: "time-slicing", "mps" or "". `vendor` is that
    of the driver's cards.
    """

    request: str
    driver: str
    pool: str
    device: str
    admin: bool = False
    share_id: str = ""
    memory_bytes: int | None = None
    cores: int | None = None
    sharing: str = ""
    vendor: str = ""

    @property
    def key(self) -> DeviceKey:
        """The device, as pools are indexed."""
        return DeviceKey(self.driver, self.pool, self.device)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRequest:
    """What a claim asks for. `count` is None for "all that match".

    Alternatives (`name` "main/alternative") are listed one by one, the most wanted first; a claim
    gets one of them.
    """

    name: str
    device_class: str
    count: int | None = 1
    admin: bool = False


class Consumer(NamedTuple):
    """Who may use a claim: `resource` is "pods", or "podgroups" of scheduling.k8s.io."""

    resource: str
    name: str
    uid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One ResourceClaim.

    Without `results` it is not allocated; with them and without consumers it holds its devices
    idle. `extended_resource`: Kubernetes made it for a plain resource limit.
    """

    uid: str
    namespace: str
    name: str
    requests: tuple[ClaimRequest, ...] = ()
    results: tuple[AllocatedDevice, ...] = ()
    reserved_for: tuple[Consumer, ...] = ()
    extended_resource: bool = False
    rejections: tuple[Rejection, ...] = ()

    @property
    def sharing(self) -> str:
        """The strategy of all its devices, "" where they have none or do not agree."""
        found = {result.sharing for result in self.results if not result.admin}
        return found.pop() if len(found) == 1 else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fraction:
    """What a pod asks of KAI: a part of each of `devices` cards.

    One of `portion` (0..1] and `memory_bytes` is set, or neither where the pod's figures are no
    use. `groups` name the cards by way of the reservation pods; a tenant can write them, so a group
    counts only on the node of its reservation. `received` is the scheduler's word: "Fraction",
    "Regular", "MigInstance", "" before it.
    """

    portion: float | None
    memory_bytes: int | None
    devices: int
    container: str  # "" where the pod names one that it does not have
    mps: bool
    groups: tuple[str, ...]
    received: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """A pod with which KAI holds one card for a group. `card` is "" until it has told the UUID."""

    namespace: str
    pod: str
    node: str
    group: str
    card: str

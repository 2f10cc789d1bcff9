"""Holdings that ResourceClaims declare: the scheduler's own word, written where tenants cannot.

A claim is one promise, however many pods use it. Claims for administrators look on and hold nothing
(facts/k8s.md 1.11). A claim that no pod uses holds its devices all the same, idle.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gpuatlas.join.compute import profile_ratio
from gpuatlas.join.holding import ClaimShare, Holding, requesting, users_of
from gpuatlas.join.parts import device_memory, device_partition
from gpuatlas.join.places import NodeView, claimed_in_status
from gpuatlas.model.claims import AllocatedDevice, Claim, DeviceKind, DraDevice
from gpuatlas.model.objects import Pod
from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.snapshot import Evidence, PartitionKind
from gpuatlas.model.units import plausible_ratio

_NO_MEMORY: Final = Unknown("the claim consumes no memory of the device, which is no limit")
_NO_CORES: Final = Unknown("the claim consumes no compute of the device, which is no limit")
_NO_TOTAL: Final = Unknown("the DRA driver publishes no compute of the whole card")
_STRATEGIES: Final = {"time-slicing": PartitionKind.SLICE, "mps": PartitionKind.MPS}


@dataclass(frozen=True, slots=True)
class Claimed:
    """The holdings by claims, and the shares of claims that no pod uses, by card."""

    holdings: Sequence[Holding] = ()
    idle: Mapping[str, Sequence[ClaimShare]] = field(default_factory=dict)


def claimed_holdings(view: NodeView) -> Claimed:
    """All holdings on the node that claims declare."""
    inputs = view.inputs
    by_uid = {pod.uid: pod for pod in inputs.pods if pod.holds}
    holdings: list[Holding] = []
    idle: dict[str, list[ClaimShare]] = defaultdict(list)
    for claim in inputs.claims:
        users = users_of(claim, by_uid)
        for result in claim.results:
            if result.admin:
                continue
            device = inputs.dra.devices.get(result.key)
            if device is None:
                holdings += (_lost(claim, result, pod, view) for pod in users)
                continue
            share = _share(claim, result, device, view, pods=len(users))
            card = inputs.dra.card_of[device.key]
            holdings += (_holding(claim, result, device, share, card, pod) for pod in users)
            if not users:
                idle[card].append(share)
    return Claimed(holdings, idle)


def unread_claims(view: NodeView, pod: Pod) -> Iterator[Holding]:
    """What a pod's status says of its claims where the claims themselves cannot be read."""
    for container in requesting(pod):
        for device in claimed_in_status(pod, container.name, view):
            yield Holding(
                pod=pod,
                container=container.name,
                init=False,
                vendor=device.vendor,
                card=view.inputs.dra.card_of[device.key],
                kind=_kind(device, ""),
                partition=device_partition(device),
                evidence=Evidence.POD_STATUS,
            )


def _container(claim: Claim, request: str, pod: Pod) -> tuple[str, bool]:
    """The only container that uses the request, and whether it is an init container.

    "" where several do: what the pod holds, they hold together.
    """
    main, _, _ = request.partition("/")
    if pod.extended_claim == claim.name:
        names = {e.container for e in pod.extended_requests if e.request == main}
    else:
        aliases = {used.name for used in pod.claims if used.claim == claim.name}
        names = {
            container.name
            for container in pod.containers
            for alias, wanted in container.claims
            if alias in aliases and wanted in {"", main}
        }
    mains = [c.name for c in requesting(pod) if c.name in names]
    inits = [c.name for c in pod.containers if c.kind == "init" and c.name in names]
    if len(mains) == 1:
        return mains[0], False
    return (inits[0], True) if not mains and len(inits) == 1 else ("", False)


def _kind(device: DraDevice, sharing: str) -> PartitionKind:
    if device.kind is DeviceKind.MIG:
        return PartitionKind.MIG
    return _STRATEGIES.get(sharing, PartitionKind.DRA)


def _share(
    claim: Claim, result: AllocatedDevice, device: DraDevice, view: NodeView, *, pods: int
) -> ClaimShare:
    return ClaimShare(
        id="/".join((claim.uid, result.request, str(result.key), result.share_id)),
        namespace=claim.namespace,
        claim=claim.name,
        pods=pods,
        partition=device_partition(device),
        kind=_kind(device, result.sharing),
        memory=_memory(result, device),
        compute=_compute(result, device, view),
    )


def _is_all_of_the_card(device: DraDevice) -> bool:
    return device.is_whole or device.kind is DeviceKind.VFIO


def _memory(result: AllocatedDevice, device: DraDevice) -> Reading[int] | None:
    if device.allows_multiple:
        if result.memory_bytes is None:
            return _NO_MEMORY
        return Known(result.memory_bytes, 0.0, "claim's consumed memory")
    return None if _is_all_of_the_card(device) else device_memory(device)


def _compute(result: AllocatedDevice, device: DraDevice, view: NodeView) -> Reading[float]:
    if device.allows_multiple:
        return _part(result.cores, device.cores) if result.cores else _NO_CORES
    if _is_all_of_the_card(device):
        return Known(1.0, 0.0, "whole device")
    if device.kind is DeviceKind.MIG:
        return profile_ratio(device.profile, device.model)
    card = view.inputs.dra.cards[view.inputs.dra.card_of[device.key]]
    return _part(device.cores, card.whole.cores if card.whole else None)


def _part(cores: int | None, total: int | None) -> Reading[float]:
    ratio = plausible_ratio(cores / total) if cores and total else None
    return _NO_TOTAL if ratio is None else Known(ratio, 0.0, "claim's share of the device's cores")


def _holding(
    claim: Claim,
    result: AllocatedDevice,
    device: DraDevice,
    share: ClaimShare,
    card: str,
    pod: Pod,
) -> Holding:
    container, init = _container(claim, result.request, pod)
    return Holding(
        pod=pod,
        container=container,
        init=init,
        vendor=device.vendor,
        card=card,
        kind=share.kind,
        partition=share.partition,
        evidence=Evidence.CLAIM,
        claims=(share,),
    )


def _lost(claim: Claim, result: AllocatedDevice, pod: Pod, view: NodeView) -> Holding:
    """A device that no slice of the node's pools has, or that more nodes than one can use.

    It can be of any card that another source names and no slice has.
    """
    container, init = _container(claim, result.request, pod)
    return Holding(
        pod=pod,
        container=container,
        init=init,
        vendor=result.vendor,
        card="",
        kind=PartitionKind.DRA,
        partition="",
        evidence=Evidence.UNKNOWN,
        reason=f"claim {claim.name} holds device {result.key}, which no ResourceSlice places on "
        f"node {pod.node}",
        unpublished=True,
    )


def served_by_claim(pod: Pod) -> set[tuple[str, str]]:
    """(container, resource) of limits that Kubernetes serves by a claim: not the device plugin."""
    return {(extended.container, extended.resource) for extended in pod.extended_requests}

"""Holdings that a sharing layer's pod annotation declares.

Tenants can write annotations, so a promise counts only where the node, the card and the pod's own
requests agree with it: a pod cannot give itself a card that its node lacks, nor more than one
card's worth of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gpuatlas.join.holding import Holding
from gpuatlas.join.inventory import CardFacts
from gpuatlas.model.devices import Promise
from gpuatlas.model.objects import Container, Pod
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.snapshot import Evidence, PartitionKind
from gpuatlas.model.vendors import VENDORS, core_unit, memory_unit, vendor_of_count

SOURCE: Final = "hami-annotations"
# Where each layer writes the node that its scheduler chose (facts/hami.md 3.1, 3.6).
_NODE_KEYS: Final = {"hami": "hami.io/vgpu-node", "volcano": "volcano.sh/vgpu-node"}


def _asked(container: Container, vendor: str) -> int:
    """The most cards of one vendor that the limits of one container can ask for.

    A limit of memory or cores alone means one card (facts/hami.md 4.1). A resource that we do not
    know can be the count under another name, so it counts for as many.
    """
    count, shares, others = 0, 0, 0
    row = VENDORS[vendor]
    for resource, amount in container.limits.items():
        counted = vendor_of_count(resource)
        if counted is not None:
            count += amount if counted is row else 0
        elif memory_unit(row, resource) or core_unit(row, resource):
            shares = 1
        elif resource != row.priority:
            others = max(others, amount)
    return count or others or shares


def requested_cards(pod: Pod, vendor: str) -> int:
    """The most cards of one vendor that the pod's limits can ask for: max(init, sum of others)."""
    init, main = 0, 0
    for container in pod.containers:
        asked = _asked(container, vendor)
        if container.kind == "init":
            init = max(init, asked)
        else:
            main += asked
    return max(init, main)


def _refusal(
    promise: Promise, pod: Pod, node: str, card: CardFacts | None
) -> tuple[str, str] | None:
    """Why the promise cannot be true: (reason label, text), or None."""
    placed = pod.annotations.get(_NODE_KEYS[promise.layer], "")
    if placed and placed != node:
        return "node-mismatch", f"was written for node {placed}, the pod runs on {node}"
    if card is None or card.layer != promise.layer:
        return "unknown-card", f"names card {promise.card}, which node {node} does not register"
    return None


@dataclass(slots=True)
class _Taken:
    """What the pod's promises have claimed so far.

    Init containers give back what they hold before the others start, so each of them is a claimant
    of its own beside the pod.
    """

    keys: set[tuple[str, str, str]] = field(default_factory=set)
    memory: Counter[tuple[str, str]] = field(default_factory=Counter)
    cores: Counter[tuple[str, str]] = field(default_factory=Counter)

    def refusal(self, promise: Promise, claimant: str, card: CardFacts) -> tuple[str, str] | None:
        """Why the pod cannot have this promise beside those before: (reason label, text)."""
        key = (promise.container, promise.card, promise.partition)
        if promise.container and key in self.keys:
            return "duplicate", f"names card {promise.card} twice for one container"
        device, at = card.device, (claimant, promise.card)
        memory = self.memory[at] + (promise.memory_bytes or 0)
        if device and device.memory_bytes is not None and memory > device.memory_bytes:
            return "more-than-card", f"promises {memory} bytes of a card of {device.memory_bytes}"
        cores = self.cores[at] + (promise.cores or 0)
        most = _most_cores(card)
        if most and cores > most:
            return "more-than-card", f"promises {cores} of the {most} compute units of a card"
        self.keys.add(key)
        self.memory[at], self.cores[at] = memory, cores
        return None


def _most_cores(card: CardFacts) -> int:
    """Compute units that one pod can be given of the card; 0 where nobody says."""
    registered = card.device.cores if card.device else None
    vendor = VENDORS.get(card.vendor)
    return max(registered or 0, vendor.cores_per_card or 0 if vendor else 0)


def _where(pod: Pod, promise: Promise) -> str:
    return f"pod {pod.namespace}/{pod.name} annotation {promise.source}"


def _kind(promise: Promise, card: CardFacts) -> PartitionKind:
    mode = card.device.mode if card.device is not None else ""
    if promise.partition or mode == "mig":
        return PartitionKind.MIG
    return PartitionKind.MPS if mode == "mps" else PartitionKind.VGPU


def _holding(promise: Promise, pod: Pod, card: CardFacts) -> Holding:
    kinds = {c.name: c.kind for c in pod.containers}
    kind = _kind(promise, card)
    return Holding(
        pod=pod,
        container=promise.container,
        init=kinds.get(promise.container) == "init",
        vendor=promise.vendor,
        card=promise.card,
        kind=kind,
        partition=promise.partition or str(kind),
        evidence=Evidence.ANNOTATION,
        memory_bytes=promise.memory_bytes,
        cores=promise.cores,
    )


def _unknown(promise: Promise, pod: Pod, why: str) -> Holding:
    return Holding(
        pod=pod,
        container=promise.container,
        init=False,
        vendor=promise.vendor,
        card="",
        kind=PartitionKind.VGPU,
        partition="",
        evidence=Evidence.UNKNOWN,
        reason=f"its annotation {why}",
    )


def _surplus(pod: Pod, promises: Sequence[Promise]) -> set[int]:
    """Positions of the promises beyond the number of cards that the pod asks for."""
    claims: dict[tuple[str, str], list[int]] = defaultdict(list)
    for position, promise in enumerate(promises):
        # Each init container gives its cards back before the next one starts.
        claims[promise.vendor, _claimant(promise, pod)].append(position)
    return {
        position
        for (vendor, _), positions in claims.items()
        for position in positions[requested_cards(pod, vendor) :]
    }


def _claimant(promise: Promise, pod: Pod) -> str:
    """The init container that a promise is for, "" for the others of the pod together."""
    init = {c.name for c in pod.containers if c.kind == "init"}
    return promise.container if promise.container in init else ""


def promised_holdings(
    pod: Pod, node: str, cards: Mapping[str, CardFacts]
) -> tuple[list[Holding], list[Rejection]]:
    """The pod's holdings by annotation, and the promises that were refused."""
    if not any(c.limits for c in pod.containers):
        # Nothing asked, nothing promised: the annotation was copied or forged.
        return [], [
            Rejection(SOURCE, "not-requested", _where(pod, p), "the pod asks for no device")
            for p in pod.promises[:1]
        ]
    holdings: list[Holding] = []
    rejections: list[Rejection] = []
    surplus = _surplus(pod, pod.promises)
    taken = _Taken()
    for position, promise in enumerate(pod.promises):
        card = cards.get(promise.card)
        refusal = _refusal(promise, pod, node, card)
        if position in surplus:
            refusal = "more-than-requested", "names more cards than the pod asks for"
        elif refusal is None and card is not None:
            refusal = taken.refusal(promise, _claimant(promise, pod), card)
        if refusal is not None or card is None:
            reason, text = refusal or ("unknown-card", "names an unknown card")
            rejections.append(Rejection(SOURCE, reason, _where(pod, promise), text))
            holdings.append(_unknown(promise, pod, text))
            continue
        holdings.append(_holding(promise, pod, card))
    return holdings, rejections

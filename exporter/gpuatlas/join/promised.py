"""Holdings that a sharing layer's pod annotation declares.

Tenants can write annotations, so a promise counts only where the node, the card and the pod's own
requests agree with it: a pod cannot give itself a card that its node lacks, nor more than one
card's worth of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from gpuatlas.join.holding import Holding
from gpuatlas.join.inventory import CardFacts
from gpuatlas.model.devices import Promise
from gpuatlas.model.objects import Pod
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.snapshot import Evidence, PartitionKind
from gpuatlas.model.vendors import vendor_of_count

SOURCE: Final = "hami-annotations"
# Where each layer writes the node that its scheduler chose (facts/hami.md 3.1, 3.6).
_NODE_KEYS: Final = {"hami": "hami.io/vgpu-node", "volcano": "volcano.sh/vgpu-node"}


def requested_cards(pod: Pod, vendor: str) -> int | None:
    """Cards of one vendor that the pod's limits ask for: max(init, sum of the others).

    None where no limit has a known name: count resources can be renamed, and a memory limit alone
    means one card by default.
    """
    init, main = 0, 0
    for container in pod.containers:
        asked = sum(
            count
            for resource, count in container.limits.items()
            if (row := vendor_of_count(resource)) is not None and row.name == vendor
        )
        if container.kind == "init":
            init = max(init, asked)
        else:
            main += asked
    return max(init, main) or None


def _refusal(
    promise: Promise, pod: Pod, node: str, card: CardFacts | None
) -> tuple[str, str] | None:
    """Why the promise cannot be true: (reason label, text), or None."""
    placed = pod.annotations.get(_NODE_KEYS[promise.layer], "")
    if placed and placed != node:
        return "node-mismatch", f"was written for node {placed}, the pod runs on {node}"
    if card is None or card.layer != promise.layer:
        return "unknown-card", f"names card {promise.card}, which node {node} does not register"
    size = card.device.memory_bytes if card.device else None
    if promise.memory_bytes is not None and size is not None and promise.memory_bytes > size:
        return "more-than-card", f"promises {promise.memory_bytes} bytes of a card of {size}"
    return None


def _where(pod: Pod, promise: Promise) -> str:
    return f"pod {pod.namespace}/{pod.name} annotation {promise.source}"


def _kind(promise: Promise, card: CardFacts) -> PartitionKind:
    mig = bool(promise.partition) or (card.device is not None and card.device.mode == "mig")
    return PartitionKind.MIG if mig else PartitionKind.VGPU


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
    surplus: set[int] = set()
    for vendor in {p.vendor for p in promises}:
        limit = requested_cards(pod, vendor)
        mine = [i for i, p in enumerate(promises) if p.vendor == vendor]
        if limit is not None:
            init = {c.name for c in pod.containers if c.kind == "init"}
            main = [i for i in mine if promises[i].container not in init]
            surplus |= set(main[limit:])
    return surplus


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
    taken: set[tuple[str, str, str]] = set()
    for position, promise in enumerate(pod.promises):
        card = cards.get(promise.card)
        refusal = _refusal(promise, pod, node, card)
        key = (promise.container, promise.card, promise.partition)
        if position in surplus:
            refusal = "more-than-requested", "names more cards than the pod asks for"
        elif promise.container and key in taken:
            refusal = "duplicate", f"names card {promise.card} twice for one container"
        if refusal is not None or card is None:
            reason, text = refusal or ("unknown-card", "names an unknown card")
            rejections.append(Rejection(SOURCE, reason, _where(pod, promise), text))
            holdings.append(_unknown(promise, pod, text))
            continue
        taken.add(key)
        holdings.append(_holding(promise, pod, card))
    return holdings, rejections

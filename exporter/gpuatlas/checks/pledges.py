"""What pods were promised of each card, straight from their annotations. Pure.

The join believes a promise only where node, card and request agree with it. The layer's scheduler
believes all of them, so its books are judged by these.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple

from gpuatlas.join.requests import FINISHED
from gpuatlas.model.devices import Promise
from gpuatlas.model.objects import Pod
from gpuatlas.model.units import MIB

# Where each layer writes the node that its scheduler chose (facts/hami.md 3.1, 3.6).
NODE_KEYS: Final[Mapping[str, str]] = {
    "hami": "hami.io/vgpu-node",
    "volcano": "volcano.sh/vgpu-node",
}
# Devices and containers of an annotation end with these (facts/hami.md 3.2).
_RECORDS: Final = re.compile("[:;]")


class Place(NamedTuple):
    """A card as one layer names it."""

    layer: str
    node: str
    card: str


class Part(Enum):
    """Of which containers a promise is: those that end before the others start, or the others."""

    MAIN = "main"
    INIT = "init"
    EITHER = "either"  # nobody can tell


class Pledge(NamedTuple):
    """One promise and the pod that carries it."""

    pod: Pod
    promise: Promise
    part: Part = Part.MAIN

    @property
    def record(self) -> str:
        """The promise as the annotation has it."""
        promise = self.promise
        text = self.pod.annotations.get(promise.source, "")
        found = [part for part in _RECORDS.split(text) if part.startswith(promise.card)]
        return found[0] if found else f"{promise.card},{_mib(promise)},{promise.cores or 0}"


def _mib(promise: Promise) -> int:
    return (promise.memory_bytes or 0) // MIB


Pledges = Mapping[Place, tuple[Pledge, ...]]


def node_of(pod: Pod, layer: str) -> str:
    """The node that the layer's scheduler chose for the pod, or that the pod is on."""
    return pod.annotations.get(NODE_KEYS.get(layer, ""), "") or pod.node


def chosen_pledges(pods: Iterable[Pod]) -> Pledges:
    """The promises to pods that have not ended, where the scheduler that made them books them."""
    found: dict[Place, list[Pledge]] = defaultdict(list)
    for pod in sorted(pods, key=lambda pod: pod.key):
        if pod.phase not in FINISHED:
            for promise in pod.promises:
                place = Place(promise.layer, node_of(pod, promise.layer), promise.card)
                found[place].append(Pledge(pod, promise, _part(pod, promise)))
    return {place: tuple(pledges) for place, pledges in found.items()}


def _part(pod: Pod, promise: Promise) -> Part:
    init = [container.name for container in pod.containers if container.kind == "init"]
    if not init:
        return Part.MAIN
    if not promise.container:
        return Part.EITHER
    return Part.INIT if promise.container in init else Part.MAIN


def held(place: Place, pledges: Iterable[Pledge]) -> tuple[Pledge, ...]:
    """Those of pods that are on the node of the card."""
    return tuple(p for p in pledges if p.pod.holds and p.pod.node == place.node)


def least(pledges: Sequence[Pledge], amount: Callable[[Promise], int | None]) -> int:
    """The least that the promises come to; one without an amount comes to nothing.

    Init containers give back what they hold before the others start: the sum over pods of the
    larger of the two (facts/hami.md 1.2).
    """
    if all(pledge.part is Part.MAIN for pledge in pledges):
        return plain_sum(pledges, amount)
    return sum(_least_of_pod(own, amount) for own in _by_pod(pledges))


def plain_sum(pledges: Iterable[Pledge], amount: Callable[[Promise], int | None]) -> int:
    """All promises added up, as HAMi's scheduler did up to v2.9."""
    return sum([amount(pledge.promise) or 0 for pledge in pledges])


def _least_of_pod(own: list[Pledge], amount: Callable[[Promise], int | None]) -> int:
    amounts = {part: [amount(p.promise) or 0 for p in own if p.part is part] for part in Part}
    if amounts[Part.EITHER]:
        return max(number for numbers in amounts.values() for number in numbers)
    return max([sum(amounts[Part.MAIN]), *amounts[Part.INIT]])


def _by_pod(pledges: Iterable[Pledge]) -> Iterator[list[Pledge]]:
    found: dict[str, list[Pledge]] = defaultdict(list)
    for pledge in pledges:
        found[pledge.pod.uid].append(pledge)
    yield from found.values()

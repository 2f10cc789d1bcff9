"""Reads the page of a HAMi scheduler extender: its books of what it has promised.

Names and labels of HAMi v2.4 to v2.10 (facts/hami.md 1.2). Sizes are what the layer hands out after
its scaling, never what a card has. A follower shows pods and no cards.

HAMi-DRA's monitor uses the same old names with MiB in the place of bytes (facts/hami.md 8). A limit
under one MiB is therefore refused, and so is what the same card has allocated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from gpuatlas.model.pages import Sample, SchedulerDevice, SchedulerPage
from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import MAX_TENANTS_PER_CARD, MIB
from gpuatlas.sources.hami import fields
from gpuatlas.sources.hami import samples as read
from gpuatlas.sources.hami.keys import has_core_mask, has_placeholder_memory
from gpuatlas.sources.hami.ranked import Meaning, RankedReadings
from gpuatlas.sources.hami.refusals import Refusals

SOURCE: Final = "hami-scheduler"

_LIMIT, _ALLOCATED = "limit", "allocated"
_CORES, _CORES_ALLOCATED = "cores", "cores allocated"
_SHARED, _POD = "shared", "pod"
_MODEL_PREFIX: Final = "NVIDIA-"


_MEANINGS: Final[Mapping[str, Meaning]] = {
    "hami_gpu_memory_limit_bytes": Meaning(_LIMIT, 0),
    "GPUDeviceMemoryLimit": Meaning(_LIMIT, 1),
    # Percent of a card for NVIDIA; other vendors' own units (facts/hami.md 2.3). AMD's compute
    # units become percent in the new names from v2.10.
    "hami_gpu_core_limit_ratio": Meaning(_CORES, 0),
    "GPUDeviceCoreLimit": Meaning(_CORES, 1),
    "hami_gpu_memory_allocated_bytes": Meaning(_ALLOCATED, 0),
    "GPUDeviceMemoryAllocated": Meaning(_ALLOCATED, 1),
    "hami_gpu_core_allocated_ratio": Meaning(_CORES_ALLOCATED, 0),
    "GPUDeviceCoreAllocated": Meaning(_CORES_ALLOCATED, 1),
    "hami_gpu_shared_count": Meaning(_SHARED, 0),
    "GPUDeviceSharedNum": Meaning(_SHARED, 1),
    "hami_vgpu_memory_allocated_bytes": Meaning(_POD, 0),
    "vGPUMemoryAllocated": Meaning(_POD, 1),
    "vGPUPodsDeviceAllocated": Meaning(_POD, 2),  # up to v2.7
}

SCHEDULER_NAMES: Final = frozenset(_MEANINGS) | {read.BUILD_INFO}


def read_scheduler(samples: Iterable[Sample], *, target: str, at: float) -> SchedulerPage:
    """One scheduler's page. Refused samples are listed in it; what they were about is unknown."""
    page = _Page(target)
    for sample in samples:
        page.take(sample)
    return SchedulerPage(
        target=target,
        at=at,
        devices=page.devices(),
        pods=page.pods(),
        version=page.version,
        rejections=page.refusals.result(),
    )


def _limit_value(sample: Sample) -> float:
    value = read.bytes_value(sample)
    if 0 < value < MIB:
        message = f"{sample.value!r} bytes of card memory: the page seems to count in MiB"
        raise MalformedError(fields.OUT_OF_RANGE, message)
    return value


def _cores_value(sample: Sample) -> float:
    return read.bounded_value(sample, most=fields.MAX_CORES)


def _shared_value(sample: Sample) -> float:
    return read.bounded_value(sample, most=MAX_TENANTS_PER_CARD)


_VALUES: Final[Mapping[str, Callable[[Sample], float]]] = {
    _LIMIT: _limit_value,
    _ALLOCATED: read.bytes_value,
    _CORES: _cores_value,
    _CORES_ALLOCATED: _cores_value,
    _SHARED: _shared_value,
    _POD: read.bytes_value,
}


class _Card(NamedTuple):
    node: str
    card: str


class _Share(NamedTuple):
    """One container's share of one card. `position` may be any text."""

    namespace: str
    pod: str
    position: str
    card: str


class _Page:
    """What was read of one page so far."""

    def __init__(self, target: str) -> None:
        self.refusals = Refusals(SOURCE, target)
        self.version = ""
        self._cards: dict[_Card, tuple[str, str]] = {}  # → index, model
        self._in_mib: set[_Card] = set()
        self._of_card: RankedReadings[tuple[str, _Card]] = RankedReadings()
        self._of_share: RankedReadings[_Share] = RankedReadings()
        self._unknown_pods: set[tuple[str, str]] = set()

    def take(self, sample: Sample) -> None:
        if sample.name == read.BUILD_INFO:
            self.version = self.version or read.version_of(sample)
            return
        meaning = _MEANINGS.get(sample.name)
        if meaning is None:
            return
        try:
            if meaning.quantity == _POD:
                self._take_share(sample, meaning)
            else:
                self._take_card(sample, meaning)
        except MalformedError as error:
            self.refusals.add_error(error, field=sample.name)

    def _take_card(self, sample: Sample, meaning: Meaning) -> None:
        card = _Card(read.node_of(sample), read.card_of(sample))
        _, model = self._cards.get(card, ("", ""))
        model = model or read.type_of(sample).removeprefix(_MODEL_PREFIX)
        self._cards[card] = (read.index_of(sample), model)
        if meaning.quantity == _LIMIT and 0 < sample.value < MIB:
            self._in_mib.add(card)
        value = _VALUES[meaning.quantity](sample)
        if not self._of_card.put((meaning.quantity, card), meaning.rank, value):
            self._contradicted(sample, card.card)

    def _take_share(self, sample: Sample, meaning: Meaning) -> None:
        namespace, pod = read.pod_of(sample)
        try:
            card = read.card_of(sample)
            value = _VALUES[meaning.quantity](sample)
        except MalformedError:
            self._unknown_pods.add((namespace, pod))
            raise
        share = _Share(namespace, pod, read.position_of(sample), card)
        if not self._of_share.put(share, meaning.rank, value):
            self._contradicted(sample, card)

    def _contradicted(self, sample: Sample, card: str) -> None:
        message = f"two different values for card {card}; neither is shown"
        self.refusals.add(read.CONTRADICTION, message, field=sample.name)

    def devices(self) -> dict[tuple[str, str], SchedulerDevice]:
        return {
            (card.node, card.card): self._device(card, index=index, model=model)
            for card, (index, model) in self._cards.items()
        }

    def _device(self, card: _Card, *, index: str, model: str) -> SchedulerDevice:
        memory_known = not has_placeholder_memory(card.card) and card not in self._in_mib
        cores_known = not has_core_mask(card.card)
        return SchedulerDevice(
            node=card.node,
            card=card.card,
            index=index,
            model=model,
            # A limit of 0 is how HAMi shows a card whose memory it does not know.
            limit_bytes=(self._of_card.whole((_LIMIT, card)) or None) if memory_known else None,
            limit_cores=self._of_card.get((_CORES, card)) if cores_known else None,
            allocated_bytes=self._of_card.whole((_ALLOCATED, card)) if memory_known else None,
            allocated_cores=self._of_card.get((_CORES_ALLOCATED, card)) if cores_known else None,
            shared=self._of_card.whole((_SHARED, card)),
        )

    def pods(self) -> dict[tuple[str, str], int]:
        """The sum of each pod's shares; a pod with one unknown share has no sum."""
        sums: dict[tuple[str, str], int] = {}
        unknown = set(self._unknown_pods)
        for share, value in self._of_share.items():
            pod = (share.namespace, share.pod)
            if value is None or has_placeholder_memory(share.card):
                unknown.add(pod)
            else:
                sums[pod] = sums.get(pod, 0) + int(value)
        return {pod: total for pod, total in sums.items() if pod not in unknown}

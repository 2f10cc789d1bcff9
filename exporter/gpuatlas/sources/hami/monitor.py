"""Reads the page of a HAMi vGPU monitor: what the driver and HAMi-core see on one node.

Names and labels of HAMi v2.4 to v2.10, of Volcano's monitor, of the Ascend plugin and of KAI's
isolation monitor (facts/hami.md 1.3, 1.4, facts/errata.md). Which of them serves a page is told by
the labels of its pod; nothing on the page proves it.

Known lies that a page cannot give away: v2.4 and v2.5 show 0 bytes in use on a card whose NVML read
failed; HAMi-core does not count driver and context memory of every process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from gpuatlas.model.pages import ContainerReading, HostReading, MonitorPage, Sample, Tenant
from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import MIB
from gpuatlas.sources.hami import samples as read
from gpuatlas.sources.hami.ranked import Meaning, RankedReadings
from gpuatlas.sources.hami.refusals import Refusals

SOURCE: Final = "hami-monitor"

# A container that holds this much in buffers does not use 0 bytes: the counter is broken.
_FULL_BUFFER: Final = 256 * MIB
# HAMi-core notes the last kernel at most once a second.
_JUST_NOW: Final = 2.0
_TEN_YEARS: Final = 10 * 366 * 86400.0
# Up to v2.9 the time since the last kernel can be a second below zero, by rounding.
_ROUNDING: Final = -1.0

_USED, _LIMIT, _BUFFER = "used", "limit", "buffer"
_UTILIZATION, _IDLE = "utilization", "idle"
_HOST_USED, _HOST_UTILIZATION = "host used", "host utilization"
_HOST: Final = frozenset({_HOST_USED, _HOST_UTILIZATION})


_MEANINGS: Final[Mapping[str, Meaning]] = {
    "hami_host_gpu_memory_used_bytes": Meaning(_HOST_USED, 0),
    "HostGPUMemoryUsage": Meaning(_HOST_USED, 1),
    "hami_host_gpu_utilization_ratio": Meaning(_HOST_UTILIZATION, 0),
    "HostCoreUtilization": Meaning(_HOST_UTILIZATION, 1),
    "hami_vgpu_memory_used_bytes": Meaning(_USED, 0),
    "vGPU_device_memory_usage_in_bytes": Meaning(_USED, 1),
    # The same figure once more, with byte counts in its labels up to v2.9.
    "hami_container_device_memory_bytes": Meaning(_USED, 2),
    "Device_memory_desc_of_container": Meaning(_USED, 3),
    "hami_vgpu_memory_limit_bytes": Meaning(_LIMIT, 0),
    "vGPU_device_memory_limit_in_bytes": Meaning(_LIMIT, 1),
    "hami_vgpu_memory_buffer_bytes": Meaning(_BUFFER, 0),
    "hami_container_device_utilization_ratio": Meaning(_UTILIZATION, 0),
    "Device_utilization_desc_of_container": Meaning(_UTILIZATION, 1),
    "hami_container_last_kernel_elapsed_seconds": Meaning(_IDLE, 0),
    "Device_last_kernel_of_container": Meaning(_IDLE, 1),
}
_BUFFER_LABELS: Final = ("buffer_size", "data")
_MAX_DIGITS: Final = 20  # of an unsigned 64-bit number

MONITOR_NAMES: Final = frozenset(_MEANINGS) | {read.BUILD_INFO}


def read_monitor(samples: Iterable[Sample], *, target: str, node: str, at: float) -> MonitorPage:
    """One monitor's page. `node` is "" where the API does not tell; a label may then.

    Refused samples are listed in the page; what they were about is unknown, never 0.
    """
    page = _Page(target)
    for sample in samples:
        page.take(sample)
    return MonitorPage(
        target=target,
        node=node or page.node,
        at=at,
        hosts=page.hosts(),
        containers=page.containers(),
        version=page.version,
        rejections=page.refusals.result(),
    )


def _idle_value(sample: Sample) -> float:
    if _ROUNDING <= sample.value < 0:
        return 0.0
    return read.bounded_value(sample, most=_TEN_YEARS)


_VALUES: Final[Mapping[str, Callable[[Sample], float]]] = {
    _HOST_USED: read.bytes_value,
    _HOST_UTILIZATION: read.percent_value,
    _USED: read.bytes_value,
    _LIMIT: read.bytes_value,
    _BUFFER: read.bytes_value,
    _UTILIZATION: read.percent_value,
    _IDLE: _idle_value,
}


class _Page:
    """What was read of one page so far."""

    def __init__(self, target: str) -> None:
        self.refusals = Refusals(SOURCE, target)
        self.version = ""
        self._nodes: set[str] = set()
        self._cards: dict[str, None] = {}  # that a host series names
        self._nvidia: set[str] = set()
        self._ascend: set[str] = set()
        self._tenants: dict[tuple[Tenant, str], None] = {}
        self._of_card: RankedReadings[tuple[str, str]] = RankedReadings()
        self._of_tenant: RankedReadings[tuple[str, Tenant, str]] = RankedReadings()

    @property
    def node(self) -> str:
        """The node that the page's host series name, "" where they name none or several."""
        return next(iter(self._nodes)) if len(self._nodes) == 1 else ""

    def take(self, sample: Sample) -> None:
        if sample.name == read.BUILD_INFO:
            self.version = self.version or read.version_of(sample)
            return
        meaning = _MEANINGS.get(sample.name)
        if meaning is None:
            return
        try:
            if meaning.quantity in _HOST:
                self._take_host(sample, meaning)
            else:
                self._take_container(sample, meaning)
        except MalformedError as error:
            self.refusals.add_error(error, field=sample.name)

    def _take_host(self, sample: Sample, meaning: Meaning) -> None:
        card = read.card_of(sample)
        self._cards[card] = None
        self._take_maker(card, read.type_of(sample))
        node = read.node_of(sample, optional=True)
        if node:
            self._nodes.add(node)
        value = _VALUES[meaning.quantity](sample)
        if not self._of_card.put((meaning.quantity, card), meaning.rank, value):
            self._contradicted(sample, card)

    def _take_maker(self, card: str, device_type: str) -> None:
        """HAMi writes "NVIDIA-" before every name, the Ascend plugin "Ascend-"."""
        if device_type.startswith("NVIDIA"):
            self._nvidia.add(card)
        elif device_type.startswith("Ascend-"):
            self._ascend.add(card)

    def _take_container(self, sample: Sample, meaning: Meaning) -> None:
        card, tenant = read.card_of(sample), read.tenant_of(sample)
        self._tenants[tenant, card] = None
        self._take_buffer_label(sample, tenant, card)
        value = _VALUES[meaning.quantity](sample)
        if not self._of_tenant.put((meaning.quantity, tenant, card), meaning.rank, value):
            self._contradicted(sample, card)

    def _take_buffer_label(self, sample: Sample, tenant: Tenant, card: str) -> None:
        """Up to v2.9 the size of the buffers is a label of the memory series."""
        text = next((sample.labels[name] for name in _BUFFER_LABELS if name in sample.labels), "")
        if text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS:
            self._of_tenant.put((_BUFFER, tenant, card), 1, float(text))

    def _contradicted(self, sample: Sample, card: str) -> None:
        message = f"two different values for card {card}; neither is shown"
        self.refusals.add(read.CONTRADICTION, message, field=sample.name)

    def hosts(self) -> dict[str, HostReading]:
        return {
            card: HostReading(
                used_bytes=self._host_used(card),
                utilization=self._of_card.get((_HOST_UTILIZATION, card)),
            )
            for card in self._cards
        }

    def _host_used(self, card: str) -> int | None:
        """The driver's figure. The Ascend plugin puts the sum of the containers in its place."""
        used = self._of_card.whole((_HOST_USED, card))
        if card not in self._ascend:
            return used
        counted = [
            self._of_tenant.whole((_USED, tenant, held)) or 0
            for tenant, held in self._tenants
            if held == card
        ]
        return None if counted and used == sum(counted) > 0 else used

    def containers(self) -> dict[tuple[Tenant, str], ContainerReading]:
        return {(tenant, card): self._container(tenant, card) for tenant, card in self._tenants}

    def _container(self, tenant: Tenant, card: str) -> ContainerReading:
        return ContainerReading(
            used_bytes=self._container_used(tenant, card),
            limit_bytes=self._of_tenant.whole((_LIMIT, tenant, card)),
            utilization=self._container_utilization(tenant, card),
            idle_seconds=self._of_tenant.get((_IDLE, tenant, card)),
        )

    def _container_used(self, tenant: Tenant, card: str) -> int | None:
        used = self._of_tenant.whole((_USED, tenant, card))
        buffer = self._of_tenant.get((_BUFFER, tenant, card))
        if used == 0 and buffer is not None and buffer >= _FULL_BUFFER:
            message = f"{tenant.namespace}/{tenant.pod} uses 0 bytes beside a full buffer"
            self.refusals.add(read.CONTRADICTION, message, field=f"card {card}")
            return None
        return used

    def _container_utilization(self, tenant: Tenant, card: str) -> float | None:
        """None where the figure is the whole card's, or where nobody measures it.

        HAMi-core measures only while its limiter runs, and shows 0 otherwise. A 0 beside a kernel
        that was launched just now, on a card that is working, is such a 0.
        """
        if not self._is_per_container(card):
            return None
        value = self._of_tenant.get((_UTILIZATION, tenant, card))
        idle = self._of_tenant.get((_IDLE, tenant, card))
        card_works = self._of_card.get((_HOST_UTILIZATION, card)) != 0
        if value == 0 and idle is not None and idle <= _JUST_NOW and card_works:
            return None
        return value

    def _is_per_container(self, card: str) -> bool:
        """The Ascend plugin repeats the whole card's use for each of its containers."""
        if card in self._ascend:
            return False
        return card in self._nvidia or card.startswith(("GPU-", "MIG-"))

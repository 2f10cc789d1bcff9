"""Generated series of a large cluster, as a Prometheus stores them: the input of `rules.py`.

2,000 nodes with 8 cards: dcgm-exporter with our list of counters on all; HAMi with three tenants a
card on every third node, whole cards on the others; and what `gpuatlas serve` says of it. One card
in 200 has a fault, so that alerts fire and their texts are made. Deterministic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from remote_write import Curve, Series, encoded_labels

from gpuatlas.families.catalogue import ALL_FAMILIES
from gpuatlas_harness.alert_rules import dcgm_counters, helper_rules
from gpuatlas_harness.promql import metric_names

CLUSTER: Final = "bench"
TENANTS: Final = 3
PODS_PER_WORKLOAD: Final = 6
NAMESPACES: Final = 200
MIB: Final = 2.0**20
A10G_MIB, A100_MIB = 23_028, 81_920
_LABELS: Final = {family.name: family.labels for family in ALL_FAMILIES}
_WATCHES: Final = (
    "PCIE", "NVLINK", "PMU", "MCU", "MEM", "SM", "INFOROM", "THERMAL", "POWER", "DRIVER",
)  # fmt: skip

# What a healthy card reads, beside the memory; counters stand still unless they are named here.
HEALTHY: Final[Mapping[str, Curve]] = {
    "DCGM_FI_DEV_SM_CLOCK": Curve(1_410),
    "DCGM_FI_DEV_GPU_TEMP": Curve(61),
    "DCGM_FI_DEV_MEMORY_TEMP": Curve(70),
    "DCGM_FI_DEV_GPU_TEMP_LIMIT": Curve(22),
    "DCGM_FI_DEV_SLOWDOWN_TEMP": Curve(95),
    "DCGM_FI_DEV_MEM_MAX_OP_TEMP": Curve(105),
    "DCGM_FI_DEV_POWER_USAGE": Curve(240),
    "DCGM_FI_DEV_ENFORCED_POWER_LIMIT": Curve(400),
    "DCGM_FI_DEV_POWER_MGMT_LIMIT_DEF": Curve(400),
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": Curve(9e9, 240_000),
    "DCGM_FI_DEV_GPU_UTIL": Curve(55),
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": Curve(0.5),
    "DCGM_FI_DEV_PCIE_LINK_GEN": Curve(4),
    "DCGM_FI_DEV_PCIE_MAX_LINK_GEN": Curve(4),
    "DCGM_FI_DEV_PCIE_LINK_WIDTH": Curve(16),
    "DCGM_FI_DEV_PCIE_MAX_LINK_WIDTH": Curve(16),
    "DCGM_FI_DEV_FABRIC_MANAGER_STATUS": Curve(3),
    "DCGM_FI_DEV_CLOCKS_EVENT_REASONS": Curve(4),
}
# Of 200 cards one has the first fault, one the second, and so on.
FAULTS: Final[tuple[Mapping[str, Curve], ...]] = (
    {"DCGM_FI_DEV_ROW_REMAP_PENDING": Curve(1)},
    {"DCGM_FI_DEV_GPU_TEMP_LIMIT": Curve(2)},
    {"DCGM_FI_DEV_PCIE_LINK_WIDTH": Curve(8)},
    {"DCGM_FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN_NS": Curve(9e12, 3e8)},
    {"DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL": Curve(50, 0.005)},
    {"DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": Curve(9_000, 1)},
)
# Checks whose alert is a finding alone, with one of their signals: a few nodes have each.
FINDINGS: Final = (
    ("S01", "disable-control"), ("S04", "visible-devices"), ("S09", "default-scheduler"),
    ("S12", "unhealthy"), ("S13", "failed"), ("S14", "over-schedulable"), ("S15", "split-count"),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Size:
    """How large the cluster is."""

    nodes: int = 2_000
    cards_per_node: int = 8

    @property
    def cards(self) -> int:
        return self.nodes * self.cards_per_node


@dataclass(frozen=True, kw_only=True)
class GeneratedCard:
    """One card; ``number`` counts over the cluster."""

    node: int
    index: int
    number: int

    @property
    def hami(self) -> bool:
        return self.node % 3 == 0

    @property
    def node_name(self) -> str:
        return f"gpu-{self.node:04d}"

    @property
    def uuid(self) -> str:
        return f"GPU-{self.node:08x}-0000-4000-8000-{self.index:012x}"

    @property
    def model(self) -> str:
        return "NVIDIA A10G" if self.hami else "NVIDIA A100-SXM4-80GB"

    @property
    def mib(self) -> int:
        return A10G_MIB if self.hami else A100_MIB

    @property
    def instance(self) -> str:
        return f"10.{self.node // 62_500}.{self.node // 250 % 250}.{self.node % 250 + 1}"

    @property
    def faults(self) -> Mapping[str, Curve]:
        place = self.number % 200
        return FAULTS[place] if place < len(FAULTS) else {}

    def tenants(self) -> list[Mapping[str, str]]:
        """Namespace, pod, container and workload of each."""
        numbers = range(self.number * TENANTS, (self.number + 1) * TENANTS)
        return [_tenant(number) for number in (numbers if self.hami else numbers[:1])]


def _tenant(number: int) -> Mapping[str, str]:
    workload = number // PODS_PER_WORKLOAD
    return {
        "namespace": f"team-{workload % NAMESPACES:03d}",
        "pod": f"server-{workload:05d}-5d8f9c7b6d-{number % PODS_PER_WORKLOAD:05d}",
        "container": "main",
        "workload": f"server-{workload:05d}",
    }


def cards(size: Size) -> Iterator[GeneratedCard]:
    for node in range(size.nodes):
        for index in range(size.cards_per_node):
            yield GeneratedCard(node=node, index=index, number=node * size.cards_per_node + index)


def dcgm(size: Size, names: frozenset[str] | None = None) -> Iterator[Series]:
    """The raw series of dcgm-exporter with `alerts/dcgm-counters.csv`; all, or those named."""
    fields = [name for name, (kind, _) in dcgm_counters().items() if kind != "label"]
    chosen = [name for name in fields if names is None or name in names]
    for card in cards(size):
        labels = _dcgm_labels(card)
        before, after = encoded_labels(labels)
        values = {**HEALTHY, **_memory(card), **card.faults}
        for name in chosen:
            if name != "DCGM_EXP_GPU_HEALTH_STATUS":
                yield Series(name, before, after, values.get(name, Curve(0)))
        if "DCGM_EXP_GPU_HEALTH_STATUS" in chosen:
            for watch in _WATCHES:
                _, watched = encoded_labels({**labels, "health_watch": watch})
                yield Series("DCGM_EXP_GPU_HEALTH_STATUS", before, watched, Curve(0))


def folded(size: Size) -> Iterator[Series]:
    """What the helper rules of `alerts/hardware.yaml` recorded of each card before."""
    read = {
        name: min(metric_names(rule.tree))
        for name, rule in helper_rules().items()
        if name.endswith("_total:max")
    }
    for card in cards(size):
        labels = _dcgm_labels(card)
        kept = ("cluster", "UUID", "gpu", "device", "pci_bus_id", "modelName", "Hostname")
        before, after = encoded_labels({name: labels[name] for name in kept})
        values = {**HEALTHY, **card.faults}
        for name, field in read.items():
            yield Series(name, before, after, values.get(field, Curve(0)))
        yield Series("gpu:dcgm_unexplained_slowdown:max", before, after, Curve(0))


def _dcgm_labels(card: GeneratedCard) -> dict[str, str]:
    # With whole cards the exporter names the pod; it cannot where one device name is shared out.
    tenant = {} if card.hami else dict(card.tenants()[0])
    tenant.pop("workload", None)
    return {
        "cluster": CLUSTER,
        "job": "nvidia-dcgm-exporter",
        "instance": f"{card.instance}:9400",
        "gpu": str(card.index),
        "UUID": card.uuid,
        "pci_bus_id": f"00000000:{card.index:02X}:00.0",
        "device": f"nvidia{card.index}",
        "modelName": card.model,
        "Hostname": card.node_name,
        "DCGM_FI_DRIVER_VERSION": "580.105.08",
        **tenant,
    }


def _memory(card: GeneratedCard) -> dict[str, Curve]:
    used = card.mib * 60 // 100
    return {
        "DCGM_FI_DEV_FB_USED": Curve(used),
        "DCGM_FI_DEV_FB_FREE": Curve(card.mib - used - 500),
        "DCGM_FI_DEV_FB_RESERVED": Curve(500),
    }


def hami(size: Size) -> Iterator[Series]:
    """What HAMi's scheduler and monitors say, by the names since 2.9."""
    for card in cards(size):
        if not card.hami:
            continue
        device = {
            "cluster": CLUSTER,
            "job": "hami",
            "instance": f"{card.instance}:9394",
            "device_uuid": card.uuid,
            "zone": "vGPU",
        }
        before, after = encoded_labels({**device, "node": card.node_name})
        for name, value in (
            ("hami_gpu_memory_limit_bytes", card.mib * 1.5 * MIB),
            ("hami_gpu_memory_allocated_bytes", card.mib * 0.9 * MIB),
            ("hami_gpu_core_allocated_ratio", 90),
            ("hami_host_gpu_memory_used_bytes", card.mib * 0.6 * MIB),
            ("hami_host_gpu_utilization_ratio", 55),
        ):
            yield Series(name, before, after, Curve(value))
        for tenant in card.tenants():
            shown = {key: tenant[key] for key in ("namespace", "pod", "container")}
            before, after = encoded_labels({**device, **shown, "vdevice_index": "0"})
            for name, value in (
                ("hami_vgpu_memory_limit_bytes", card.mib * 0.3 * MIB),
                ("hami_vgpu_memory_used_bytes", card.mib * 0.2 * MIB),
                ("hami_vgpu_memory_buffer_bytes", card.mib * 0.15 * MIB),
                ("hami_container_device_utilization_ratio", 18),
            ):
                yield Series(name, before, after, Curve(value))


def ups(size: Size) -> Iterator[Series]:
    """What Prometheus itself says of the targets."""
    for card in cards(size):
        if card.index == 0:
            for job, port in (("nvidia-dcgm-exporter", 9400), ("hami", 9394)):
                instance = f"{card.instance}:{port}"
                yield recorded("up", 1, job=job, instance=instance, node=card.node_name)


def ours(name: str, value: float, *values: str) -> Series:
    """A series of `gpuatlas serve`; the labels are those of its table, in their order."""
    labels = dict(zip(_LABELS[name], values, strict=True))
    before, after = encoded_labels(
        {"cluster": CLUSTER, "job": "gpuatlas", "instance": "gpuatlas:9836", **labels}
    )
    return Series(name, before, after, Curve(value))


def recorded(name: str, value: float, **labels: str) -> Series:
    """A series that a recording rule has made before."""
    before, after = encoded_labels({"cluster": CLUSTER, **labels})
    return Series(name, before, after, Curve(value))

"""The pages that the exporters of the large cluster would serve."""

from __future__ import annotations

from cluster import A10G_MIB, A100_MIB, Size, gpu_pod_name, is_hami, node_name, uuid


def _dcgm_value(name: str, card: int, total: int) -> float:
    used = total * (30 + card * 5) // 100
    return {
        "DCGM_FI_DEV_FB_USED": used,
        "DCGM_FI_DEV_FB_FREE": total - used - 500,
        "DCGM_FI_DEV_FB_RESERVED": 500,
        "DCGM_FI_DEV_GPU_UTIL": 10 + card * 10,
        "DCGM_FI_PROF_GR_ENGINE_ACTIVE": 0.1 + card * 0.1,
        "DCGM_FI_DEV_CLOCKS_EVENT_REASONS": 4,
    }.get(name, 40 + card)


DCGM_FIELDS = (
    "SM_CLOCK",
    "MEM_CLOCK",
    "MEMORY_TEMP",
    "GPU_TEMP",
    "POWER_USAGE",
    "TOTAL_ENERGY_CONSUMPTION",
    "PCIE_REPLAY_COUNTER",
    "GPU_UTIL",
    "MEM_COPY_UTIL",
    "ENC_UTIL",
    "DEC_UTIL",
    "XID_ERRORS",
    "FB_FREE",
    "FB_USED",
    "FB_RESERVED",
    "NVLINK_BANDWIDTH_TOTAL",
    "VGPU_LICENSE_STATUS",
    "UNCORRECTABLE_REMAPPED_ROWS",
    "CORRECTABLE_REMAPPED_ROWS",
    "ROW_REMAP_FAILURE",
    "CLOCKS_EVENT_REASONS",
)


def dcgm_page(node: int, size: Size) -> str:
    """dcgm-exporter 4.8.2's page of one node."""
    hami = is_hami(node)
    model, total = ("NVIDIA A10G", A10G_MIB) if hami else ("NVIDIA A100-SXM4-80GB", A100_MIB)
    lines = []
    names = [f"DCGM_FI_DEV_{f}" for f in DCGM_FIELDS] + ["DCGM_FI_PROF_GR_ENGINE_ACTIVE"]
    tenants = {} if hami else _plain_tenants(node, size)
    for name in names:
        lines += [f"# HELP {name} {name}.", f"# TYPE {name} gauge"]
        for card in range(size.cards_per_node):
            labels = (
                f'gpu="{card}",UUID="{uuid(node, card)}",pci_bus_id="00000000:0{card}:00.0",'
                f'device="nvidia{card}",modelName="{model}",Hostname="{node_name(node)}",'
                f'DCGM_FI_DRIVER_VERSION="580.105.08"{tenants.get(card, "")}'
            )
            lines.append(f"{name}{{{labels}}} {_dcgm_value(name, card, total)}")
    return "\n".join(lines) + "\n"


def _plain_tenants(node: int, size: Size) -> dict[int, str]:
    plain = [n for n in range(size.nodes) if not is_hami(n)]
    rank, found = plain.index(node), {}
    for card in range(size.cards_per_node):
        number = card * len(plain) + rank
        if number < size.gpu_pods:
            namespace = f"team-{number % size.namespaces:03d}"
            found[card] = f',container="main",namespace="{namespace}",pod="{gpu_pod_name(number)}"'
    return found


def monitor_page(tenants: list[tuple[int, int]], node: int, size: Size) -> str:
    """A HAMi 2.9 monitor's page: `tenants` are the (number, card) on the node."""
    lines = []
    for card in range(size.cards_per_node):
        labels = f'device_index="{card}",device_uuid="{uuid(node, card)}",zone="vGPU"'
        lines.append(f"hami_host_gpu_memory_used_bytes{{{labels}}} {9_000 * 1024 * 1024}")
        lines.append(f"hami_host_gpu_utilization_ratio{{{labels}}} 40")
    for number, card in tenants:
        labels = (
            f'container="main",device_uuid="{uuid(node, card)}",'
            f'namespace="team-{number % size.namespaces:03d}",pod="{gpu_pod_name(number)}",'
            f'vdevice_index="0",zone="vGPU"'
        )
        used = (1_500 + number % 900) * 1024 * 1024
        lines += [
            f"hami_vgpu_memory_used_bytes{{{labels}}} {used}",
            f"hami_vgpu_memory_limit_bytes{{{labels}}} {2 * used}",
            f"hami_container_device_utilization_ratio{{{labels}}} {number % 40}",
            f"hami_container_last_kernel_elapsed_seconds{{{labels}}} {number % 600}",
            f"hami_vgpu_memory_buffer_bytes{{{labels}}} {used - 400_000_000}",
        ]
    return "\n".join(lines) + "\n"

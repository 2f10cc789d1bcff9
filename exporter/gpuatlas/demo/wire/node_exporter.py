"""The page of a node's node_exporter (1.9.1): the memory of the machine, and what names it.

A real page has a thousand lines more; nobody here reads them. Help texts are the exporter's, which
are part of its format.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas.demo.randomness import wave
from gpuatlas.demo.state import NodeState, World
from gpuatlas.demo.wire.exposition import Page, go_float
from gpuatlas.demo.wire.nodes import KERNEL

VERSION: Final = "v1.9.1"
_MIB: Final = 1024 * 1024
_SYSTEM_SHARE: Final = 0.04  # of the machine's memory: kernel, kubelet, exporters
_POD_MIB: Final = (6_000, 10_000)  # of host memory that a pod with cards takes, quiet and busy
_CACHED_SHARE: Final = 0.5  # of what is available: pages of files that can be dropped
_MOST_USED: Final = 0.97


def node_exporter_page(node: NodeState, world: World) -> str:
    """The text that the exporter of `node` serves."""
    page = Page(by_name=True)
    for name, value in _memory(node, world).items():
        field = f"{name}_bytes"
        help_text = f"Memory information field {field}."
        page.family(f"node_memory_{field}", "gauge", help_text, [((), go_float(value))])
    help_text = "System time in seconds since epoch (1970)."
    page.family("node_time_seconds", "gauge", help_text, [((), go_float(world.at))])
    help_text = "Labeled system information as provided by the uname system call."
    page.family("node_uname_info", "gauge", help_text, [(_uname(node).items(), "1")])
    return page.text


def _uname(node: NodeState) -> Mapping[str, str]:
    return {
        "domainname": "(none)",
        "machine": "x86_64",
        "nodename": node.spec.name,
        "release": KERNEL,
        "sysname": "Linux",
        "version": "#1 SMP",
    }


def _memory(node: NodeState, world: World) -> Mapping[str, int]:
    """Bytes. What tenants hold off their card lies here."""
    total = node.spec.host_mib * _MIB
    used = min(int(_used_mib(node, world) * _MIB), int(_MOST_USED * total))
    available = total - used
    cached = int(_CACHED_SHARE * available)
    return {
        "Buffers": int(0.01 * total),
        "Cached": cached,
        "MemAvailable": available,
        "MemFree": available - cached,
        "MemTotal": total,
        "SwapFree": 0,
        "SwapTotal": 0,
    }


def _used_mib(node: NodeState, world: World) -> float:
    quiet, busy = _POD_MIB
    here = [
        pod
        for pod in world.pods
        if pod.phase == "Running" and pod.place and pod.place.node == node.spec.name
    ]
    key = (world.seed, "host memory")
    own = sum(quiet + (busy - quiet) * wave(world.at, 5400.0, *key, pod.uid) for pod in here)
    return _SYSTEM_SHARE * node.spec.host_mib + own + offloaded_mib(node)


def offloaded_mib(node: NodeState) -> int:
    """What tenants count as theirs and what does not lie on their card."""
    return sum(
        tenant.counted_mib - tenant.resident_mib for card in node.cards for tenant in card.tenants
    )

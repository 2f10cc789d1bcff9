"""Which pods belong to the sharing layers, the exporters and NVIDIA's operator. Pure.

They reach all cards of a node and ask for none, as strangers do. A tenant can copy their labels,
but not into their namespaces: what counts is where a program runs on most nodes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from gpuatlas.model.device_plugins import COMPONENT, device_plugin_of
from gpuatlas.model.objects import Pod

_NAME: Final = "app.kubernetes.io/name"
_KEYS: Final = ("app", "name", _NAME, COMPONENT)
# Beside device plugins: the programs whose pages are read (sources.kubernetes.components), and the
# operands of NVIDIA's operator and charts by `app` or `app.kubernetes.io/name` (facts/k8s.md 1.4).
PROGRAMS: Final[frozenset[str]] = frozenset(
    {
        "dcgm-exporter",
        "nvidia-dcgm-exporter",
        "nvidia-dcgm-exporter-dra",
        "gke-managed-dcgm-exporter",
        "hami-scheduler",
        "kai-vgpu-monitor",
        "gpuatlas",
        "gpu-feature-discovery",
        "gpu-operator",
        "nvidia-container-toolkit-daemonset",
        "nvidia-dcgm",
        "nvidia-device-plugin-mps-control-daemon",
        "nvidia-driver-daemonset",
        "nvidia-mig-manager",
        "nvidia-node-status-exporter",
        "nvidia-operator-validator",
    }
)
# No tenant creates pods there.
SYSTEM: Final = "kube-system"


def program_of(pod: Pod) -> str:
    """The program that the pod's labels claim, "" for none."""
    plugin = device_plugin_of(pod.labels, (container.name for container in pod.containers))
    if plugin is not None:
        return plugin.name
    return next((pod.labels[k] for k in _KEYS if pod.labels.get(k) in PROGRAMS), "")


def home_namespaces(pods: Iterable[Pod]) -> frozenset[str]:
    """The namespaces of such programs: of each the one in which it is on most nodes.

    Of equals that with the oldest pod: who came later imitates.
    """
    nodes: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    oldest: dict[tuple[str, str], float] = {}
    for pod in pods:
        program = program_of(pod)
        if program:
            place = (program, pod.namespace)
            nodes[program][pod.namespace].add(pod.node)
            oldest[place] = min(pod.created_at, oldest.get(place, pod.created_at))
    return frozenset({SYSTEM, *(_home(name, at, oldest) for name, at in nodes.items())})


def _home(program: str, at: Mapping[str, set[str]], oldest: Mapping[tuple[str, str], float]) -> str:
    return min(at, key=lambda namespace: (-len(at[namespace]), oldest[program, namespace]))


def is_infrastructure(pod: Pod, homes: frozenset[str]) -> bool:
    """Whether the pod is no tenant: such a program, or a DaemonSet beside it."""
    if pod.reservation is not None:
        return True
    daemon = pod.controller is not None and pod.controller.kind == "DaemonSet"
    return pod.namespace in homes and (daemon or program_of(pod) != "")

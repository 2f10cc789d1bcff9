"""The labels of a node with cards: from GPU feature discovery, the GPU Operator and the cloud.

Facts: facts/k8s.md 1.1 to 1.5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from gpuatlas.demo.scenario import NodeSpec, Sharing
from gpuatlas.demo.state import NodeState

ZONE: Final = "eu-test-1a"
# Models of which MIG can cut a card (facts/dcgm.md 5).
_MIG_CHIPS: Final = ("A30", "A100", "H100", "H200", "B200")
# What the DaemonSets of device plugins select nodes by (facts/hami.md 6.1).
HAMI_LABEL: Final = {"gpu": "on"}
ASCEND_LABEL: Final = {"ascend": "on"}
# An administrator's, who has to keep two installations apart.
INSTALLATION_LABEL: Final = "hami.io/installation"
OPERATOR_LABEL: Final = {"nvidia.com/gpu.deploy.device-plugin": "true"}
EXPORTER_LABEL: Final = {"nvidia.com/gpu.deploy.dcgm-exporter": "true"}
PLUGIN_LABELS: Final[Mapping[Sharing, Mapping[str, str]]] = {
    Sharing.VOLCANO: {"volcano.sh/vgpu": "on"},
    Sharing.DRA: {"nvidia.com/dra-kubelet-plugin": "true"},
}


def node_labels(node: NodeState, at: float) -> dict[str, str]:
    """All labels of one node."""
    spec = node.spec
    labels = general_labels(spec.name) | {
        "node.kubernetes.io/instance-type": spec.machine,
        "nodepool": spec.pool,
    }
    if spec.card.vendor == "ascend":
        return labels | (ASCEND_LABEL if node.sharing_label else {})
    labels |= _discovery(spec, at) | _driver(spec) | _operator(spec)
    if spec.sharing is Sharing.MIG:
        labels |= _mig(spec)
    labels |= PLUGIN_LABELS.get(spec.sharing, {})
    if spec.hami:
        labels[INSTALLATION_LABEL] = spec.hami.release
    if spec.hami and node.sharing_label:
        labels |= HAMI_LABEL
    return labels


def general_labels(name: str) -> dict[str, str]:
    """What every node has."""
    return {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "topology.kubernetes.io/region": ZONE[:-1],
        "topology.kubernetes.io/zone": ZONE,
    }


def _discovery(spec: NodeSpec, at: float) -> dict[str, str]:
    card = spec.card
    sliced = spec.sharing is Sharing.TIME_SLICING
    major, minor = card.compute_capability.split(".")
    return {
        "nvidia.com/gpu.product": card.model.replace(" ", "-") + ("-SHARED" if sliced else ""),
        "nvidia.com/gpu.memory": str(card.memory_mib),
        "nvidia.com/gpu.count": str(spec.count),
        "nvidia.com/gpu.replicas": str(spec.slots if sliced else 1),
        "nvidia.com/gpu.sharing-strategy": "time-slicing" if sliced else "none",
        "nvidia.com/gpu.family": card.family,
        "nvidia.com/gpu.compute.major": major,
        "nvidia.com/gpu.compute.minor": minor,
        "nvidia.com/gpu.mode": "compute",
        "nvidia.com/gpu.machine": spec.machine,
        "nvidia.com/mig.capable": _yes(any(chip in card.model for chip in _MIG_CHIPS)),
        # Discovery runs again once a minute; we do so once an hour, to spare the watchers.
        "nvidia.com/gfd.timestamp": str(int(at // 3600 * 3600)),
    }


def _driver(spec: NodeSpec) -> dict[str, str]:
    major, minor, revision = (*spec.driver.split("."), "", "")[:3]
    runtime_major, runtime_minor = (*spec.cuda.split("."), "0")[:2]
    return {
        "nvidia.com/cuda.driver-version.full": spec.driver,
        "nvidia.com/cuda.driver-version.major": major,
        "nvidia.com/cuda.driver-version.minor": minor,
        "nvidia.com/cuda.driver-version.revision": revision,
        "nvidia.com/cuda.driver.major": major,
        "nvidia.com/cuda.driver.minor": minor,
        "nvidia.com/cuda.driver.rev": revision,
        "nvidia.com/cuda.runtime-version.full": spec.cuda,
        "nvidia.com/cuda.runtime-version.major": runtime_major,
        "nvidia.com/cuda.runtime-version.minor": runtime_minor,
        "nvidia.com/cuda.runtime.major": runtime_major,
        "nvidia.com/cuda.runtime.minor": runtime_minor,
    }


def _operator(spec: NodeSpec) -> dict[str, str]:
    # Some layers bring a device plugin or driver of their own: the Operator's is off there.
    own_plugin = _yes(spec.sharing not in {Sharing.HAMI, Sharing.VOLCANO, Sharing.DRA})
    return {
        "feature.node.kubernetes.io/pci-10de.present": "true",
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.deploy.dcgm-exporter": _yes(bool(spec.dcgm_exporter)),
        "nvidia.com/gpu.deploy.device-plugin": own_plugin,
        "nvidia.com/gpu.deploy.driver": "true",
        "nvidia.com/gpu.deploy.gpu-feature-discovery": "true",
        "nvidia.com/gpu-driver-upgrade-state": "upgrade-done",
    }


def _mig(spec: NodeSpec) -> dict[str, str]:
    labels = {
        "nvidia.com/mig.strategy": "mixed",
        "nvidia.com/mig.config": "custom-mixed",
        "nvidia.com/mig.config.state": "success",
    }
    product = spec.card.model.replace(" ", "-")
    for profile, count in sorted(mig_counts(spec).items()):
        labels |= {
            f"nvidia.com/mig-{profile}.product": f"{product}-MIG-{profile}",
            f"nvidia.com/mig-{profile}.count": str(count),
            f"nvidia.com/mig-{profile}.replicas": "1",
            f"nvidia.com/mig-{profile}.sharing-strategy": "none",
            f"nvidia.com/mig-{profile}.memory": str(spec.card.mig[profile]),
        }
    return labels


def _yes(value: bool) -> str:  # noqa: FBT001
    return "true" if value else "false"


def mig_counts(spec: NodeSpec) -> Counter[str]:
    """How many instances of each profile the node has."""
    return Counter(profile for profiles in spec.mig.values() for profile in profiles)

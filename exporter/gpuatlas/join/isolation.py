"""Whether what a container was promised is a limit that something enforces.

Only what is certain is said: a limit that the layer's monitor publishes, a switch in the
container's own environment, a partition of the hardware. Whether a compute limit bites nobody can
know from outside (facts/hami.md 6.3, I10).
"""

from __future__ import annotations

from typing import Final

from gpuatlas.join.holding import Holding
from gpuatlas.join.node_labels import node_strategy
from gpuatlas.model.objects import Container, Node
from gpuatlas.model.readings import Known, Reading
from gpuatlas.model.snapshot import PartitionKind, Sharing

MEMORY: Final = "memory"
COMPUTE: Final = "compute"

_CONTROL: Final = "CUDA_DISABLE_CONTROL"
# What Go's strconv.ParseBool takes for true (facts/hami.md 6.3, I1).
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_POLICY: Final = "GPU_CORE_UTILIZATION_POLICY"
_NO_LIMIT: Final = frozenset({"disable", "DISABLE"})


def control_disabled(container: Container, layer: str) -> bool:
    """Whether the container switches HAMi-core off: its plugin then does not load the library.

    HAMi reads a boolean, Volcano goes by the variable's presence (facts/hami.md 3.6).
    """
    if layer == "volcano":
        return _CONTROL in container.env
    return layer == "hami" and container.env.get(_CONTROL, "") in _TRUE


def core_limit_disabled(container: Container) -> bool:
    """Whether the container tells HAMi-core not to limit its compute."""
    return container.env.get(_POLICY, "") in _NO_LIMIT


def isolated(
    holding: Holding, limit: Reading[int], node: Node, *, layer: str
) -> tuple[tuple[str, bool], ...]:
    """(resource, whether its limit is in force) of one holding, as far as that is certain.

    `limit` is the memory limit in force in bytes, where 0 is none. `layer` is the one that has the
    card ("hami", "volcano"), or "".
    """
    if _is_hard(holding, node):
        return ((MEMORY, True), (COMPUTE, True))
    container = holding.container_spec
    soft = layer if holding.kind is PartitionKind.VGPU and holding.vendor == "nvidia" else ""
    off = container is not None and control_disabled(container, soft)
    unlimited = bool(soft) and container is not None and core_limit_disabled(container)
    found: list[tuple[str, bool]] = []
    if off or isinstance(limit, Known):
        found.append((MEMORY, not off and isinstance(limit, Known) and limit.value > 0))
    if off or unlimited:
        found.append((COMPUTE, False))
    return tuple(found)


def _is_hard(holding: Holding, node: Node) -> bool:
    """A MIG instance that is the container's alone.

    The device plugin can hand out an instance several times over, and several pods can use a claim.
    """
    return (
        holding.kind is PartitionKind.MIG
        and node_strategy(node) is Sharing.PLAIN
        and not any(share.pods > 1 for share in holding.claims)
    )

"""The labels, annotations and names that KAI writes and reads. Pure: constants.

Sources: facts/k8s.md 1.9; KAI v0.2 to August 2026.
"""

from __future__ import annotations

from typing import Final

FRACTION: Final = "gpu-fraction"
MEMORY: Final = "gpu-memory"
DEVICES: Final = "gpu-fraction-num-devices"
CONTAINER: Final = "gpu-fraction-container-name"
MPS: Final = "mps"
RECEIVED: Final = "received-resource-type"
GROUP: Final = "runai-gpu-group"
GROUP_START: Final = "runai-gpu-group/"
CARD: Final = "run.ai/reserve_for_gpu_index"  # holds the UUID in spite of its name

COUNT_RESOURCE: Final = "nvidia.com/gpu"
RECEIVED_TYPES: Final = frozenset({"Fraction", "Regular", "MigInstance"})

# Where reservation pods live by default; the old one until KAI 0.5. KAI can be set up with another.
RESERVATION_NAMESPACES: Final = frozenset({"kai-resource-reservation", "runai-reservation"})
# The pods' label `app` can be set up as well, their names cannot.
RESERVATION_NAME_START: Final = "gpu-reservation-"

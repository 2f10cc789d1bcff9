"""One container's hold on one card: what attribution makes and the rest of the join reads."""

from __future__ import annotations

from dataclasses import dataclass

from gpuatlas.model.objects import Container, Pod
from gpuatlas.model.snapshot import Evidence, PartitionKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """`card` is "" where nobody can know; `reason` says why.

    `memory_bytes` and `cores` are set by promises only; the size of a whole card or of a hard
    partition is looked up from the card. `count` is the number of cards behind a holding without a
    card.
    """

    pod: Pod
    container: str
    init: bool
    vendor: str
    card: str
    kind: PartitionKind
    partition: str
    evidence: Evidence
    reason: str = ""
    memory_bytes: int | None = None
    cores: int | None = None
    count: int = 1


def requesting(pod: Pod) -> tuple[Container, ...]:
    """Containers that keep devices while the pod runs; init containers give theirs back."""
    return tuple(c for c in pod.containers if c.kind != "init")

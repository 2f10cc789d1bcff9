"""One container's hold on one card: what attribution makes and the rest of the join reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.claims import Claim
from gpuatlas.model.objects import Container, Pod
from gpuatlas.model.readings import Reading
from gpuatlas.model.snapshot import Evidence, EvidenceConflict, PartitionKind

# Evidence is listed most trusted first.
RANK: Final[Mapping[Evidence, int]] = {evidence: rank for rank, evidence in enumerate(Evidence)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimShare:
    """What a ResourceClaim was given of one card: one promise, however many pods use it.

    `pods` is their number, 0 for a claim that nobody uses. `memory` is None where it is all of the
    card. `partition` and `kind` are those of the device.
    """

    id: str
    namespace: str
    claim: str
    pods: int
    partition: str
    kind: PartitionKind
    memory: Reading[int] | None
    compute: Reading[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """`card` is "" where nobody can know; `reason` says why.

    `memory_bytes` and `cores` are set by promises only, `portion` (a share of memory and compute
    alike) by fractions, `claims` by ResourceClaims; the size of a whole card or of a hard partition
    is looked up from the card. `count` is the number of cards behind a holding without a card.
    `contender`: such a holding could be on any card of its vendor; False where the pod itself wrote
    what nobody confirms. `unpublished`: it is on none of the cards that a DRA driver publishes.
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
    portion: float | None = None
    claims: tuple[ClaimShare, ...] = ()
    count: int = 1
    contender: bool = True
    unpublished: bool = False
    conflicts: tuple[EvidenceConflict, ...] = ()

    @property
    def container_spec(self) -> Container | None:
        """What the pod says of the container; None where it is not known which one holds."""
        named = (c for c in self.pod.containers if self.container and c.name == self.container)
        return next(named, None)


def requesting(pod: Pod) -> tuple[Container, ...]:
    """Containers that use devices while the pod runs; init containers pass theirs on to them."""
    return tuple(c for c in pod.containers if c.kind != "init")


def users_of(claim: Claim, pods: Mapping[str, Pod]) -> list[Pod]:
    """Those of `pods` (by uid) for which the claim is reserved, or for whose group it is."""
    uids = {consumer.uid for consumer in claim.reserved_for if consumer.resource == "pods"}
    groups = {consumer.name for consumer in claim.reserved_for if consumer.resource == "podgroups"}
    found = [pods[uid] for uid in uids if uid in pods]
    if groups:
        found += (
            pod
            for pod in pods.values()
            if pod.uid not in uids
            and pod.namespace == claim.namespace
            and pod.scheduling.native_group in groups
            and any(used.claim == claim.name for used in pod.claims)
        )
    return sorted(found, key=lambda pod: pod.key)

"""What is known of one pool, counted and measured for the rules. Pure.

Every threshold has its source beside it. Memory is bytes, shares are ratios of one card.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from gpuatlas.advice.pools import Pool
from gpuatlas.advice.tenants import Owners, Tenant, tenants_of
from gpuatlas.advice.work import Work
from gpuatlas.model.mig_models import MigModel, compute_of, mig_model
from gpuatlas.model.readings import Unknown, value_of
from gpuatlas.model.snapshot import Card, PartitionKind, Sharing

# A window counts from this coverage on (DESIGN 7); an instant is held to the same.
ENOUGH: Final = 0.95
# Below it a card counts as under-used, from it on as busy (facts/peers.md D2, SageMaker).
BUSY: Final = 0.70
# A mean up to here is low use (facts/peers.md D2, job_defense_shield).
LOW: Final = 0.25
_BRANCH: Final = re.compile(r"([0-9]{1,6})(\.|$)")
# What the Kubernetes device plugin admits on one card (facts/k8s.md 1.3).
MPS_CLIENTS: Final = 48


@dataclass(frozen=True, kw_only=True)
class PoolFacts:
    """All that the rules look at."""

    platform: str
    model: str
    vendor: str
    drivers: tuple[str, ...]
    nodes: int
    cards: tuple[Card, ...]
    nodes_without_cards: int
    unplaced: int
    tenants: tuple[Tenant, ...]

    @cached_property
    def in_use(self) -> frozenset[Sharing]:
        """How the cards are shared now."""
        return frozenset(card.sharing for card in self.cards)

    @cached_property
    def kai(self) -> int:
        """Cards that KAI shares: a pool can have others."""
        return sum(1 for card in self.cards if card.sharing is Sharing.KAI)

    @cached_property
    def mig(self) -> MigModel | None:
        """The model's row in the table of MIG models."""
        return mig_model(self.model)

    @cached_property
    def old_driver(self) -> str:
        """The oldest driver of the pool's nodes if it is older than MIG on this model, else ""."""
        floor = self.mig.driver if self.mig else None
        branches = [(int(m[1]), text) for text in self.drivers if (m := _BRANCH.match(text))]
        if floor is None or not branches or min(branches)[0] >= floor:
            return ""
        return min(branches)[1]

    @cached_property
    def measured(self) -> int:
        """Cards of which the driver tells size, use and work."""
        return sum(1 for card in self.cards if not _unmeasured(card))

    @cached_property
    def unmeasured_because(self) -> str:
        """Why the first card is not measured; "" where all are."""
        return next(filter(None, map(_unmeasured, self.cards)), "")

    @cached_property
    def holders_unknown(self) -> str:
        """Why it is not known who holds the first such card; "" where it is known of all."""
        return next((c.tenants.reason for c in self.cards if isinstance(c.tenants, Unknown)), "")

    @cached_property
    def physical(self) -> int | None:
        """The memory of the smallest card."""
        return min(filter(None, (value_of(c.memory.physical) for c in self.cards)), default=None)

    def doing(self, work: Work) -> list[Tenant]:
        """The tenants that do this kind of work."""
        return [tenant for tenant in self.tenants if tenant.work is work]

    @cached_property
    def several_cards(self) -> int:
        """Pods that hold more than one card: whatever the others share, they need whole ones."""
        return len(self.tenants) - len(self.single)

    @cached_property
    def single(self) -> list[Tenant]:
        """Pods that hold one card or a part of it: those who could share."""
        return [tenant for tenant in self.tenants if tenant.cards <= 1]

    @cached_property
    def ganged(self) -> int:
        """Those who could share and start only together with others."""
        return sum(1 for tenant in self.single if tenant.gang)

    @cached_property
    def needs(self) -> list[int]:
        """What those who could share need, ascending; only where it is known."""
        return sorted(tenant.need for tenant in self.single if tenant.need is not None)

    @cached_property
    def computes(self) -> list[float]:
        """The shares of a card's compute that they use, ascending; only where it is known."""
        return sorted(tenant.compute for tenant in self.single if tenant.compute is not None)

    @cached_property
    def ahead(self) -> list[Tenant]:
        """Those whose need is hidden because they take memory ahead."""
        return [tenant for tenant in self.single if tenant.ahead]

    @cached_property
    def pair(self) -> int | None:
        """What the two smallest need together; None for fewer than two."""
        return sum(self.needs[:2]) if len(self.needs) > 1 else None

    @cached_property
    def works(self) -> list[float]:
        """Utilisation of the cards that are held and measured."""
        held = [c for c in self.cards if value_of(c.tenants)]
        return [u for c in held if (u := value_of(c.compute_utilization)) is not None]

    @cached_property
    def busy(self) -> int:
        """Held cards that work too much to share."""
        return sum(1 for share in self.works if share >= BUSY)

    @cached_property
    def busy_alone(self) -> int:
        """Busy cards that one tenant has: a card that several keep busy says nothing of each."""
        shares = [value_of(c.compute_utilization) for c in self.cards if value_of(c.tenants) == 1]
        return sum(1 for share in shares if share is not None and share >= BUSY)

    @cached_property
    def low(self) -> int:
        """Held cards that work little."""
        return sum(1 for share in self.works if share <= LOW)

    @cached_property
    def fullest(self) -> int:
        """The most tenants that one card has."""
        return max((value_of(card.tenants) or 0 for card in self.cards), default=0)

    @cached_property
    def namespaces(self) -> int:
        """Namespaces that the pods are from: they stand for people that need not trust another."""
        return len({tenant.namespace for tenant in self.tenants})

    @cached_property
    def workloads(self) -> int:
        """Workloads that the pods belong to; a pod without one counts for itself."""
        named = {t.workload for t in self.tenants if t.workload is not None}
        return len(named) + sum(1 for t in self.tenants if t.workload is None)

    @cached_property
    def overcommitted(self) -> int:
        """Cards that are promised beyond their memory."""
        return sum(1 for card in self.cards if value_of(card.memory.overcommitted))

    @cached_property
    def profiles(self) -> Mapping[str, int]:
        """Size of an instance by profile: as on record, and as the pool's own cards have them."""
        seen = {
            part.profile: size
            for card in self.cards
            for part in card.partitions
            if part.kind is PartitionKind.MIG and (size := value_of(part.memory_physical))
        }
        return {**(self.mig.profiles if self.mig else {}), **seen}

    @cached_property
    def dividing(self) -> list[Tenant]:
        """Pods that need no more than an instance that leaves room for another.

        No profile but that of the whole card has more than half of its memory, nor more than the
        larger half of its slices: 4 of 7, 2 of 4 (NVIDIA's MIG guide, supported profiles).
        """
        most = self.mig.instances if self.mig else 0
        if not most or self.physical is None:
            return []
        memory, compute = self.physical / 2, (most + 1) // 2 / most
        return [
            t
            for t in self.single
            if t.need is not None and t.need <= memory and (t.compute or 0.0) <= compute
        ]

    @cached_property
    def oversized(self) -> int:
        """Pods of known need that no such instance is enough for."""
        return len(self.needs) - len(self.dividing)

    @cached_property
    def largest(self) -> tuple[int, float | None]:
        """The most memory and compute of the pods that fit an instance; they may be of two."""
        shares = [t.compute for t in self.dividing if t.compute is not None]
        return max((t.need or 0 for t in self.dividing), default=0), max(shares, default=None)

    @cached_property
    def profile(self) -> str:
        """The smallest profile of known size that is enough for all of them, "" for none."""
        memory, compute = self.largest
        return self._profile_for(memory, compute or 0.0) if self.dividing else ""

    @cached_property
    def least_profile(self) -> str:
        """The profile that is enough for the smallest of them."""
        smallest = min(self.dividing, key=lambda t: t.need or 0, default=None)
        return self._profile_for(smallest.need or 0, smallest.compute or 0.0) if smallest else ""

    def _profile_for(self, memory: int, compute: float) -> str:
        fitting = [
            (size, name)
            for name, size in self.profiles.items()
            if size >= memory and compute <= compute_of(name, self.mig)
        ]
        return min(fitting)[1] if fitting else ""

    def instances_of(self, profile: str) -> int:
        """How many instances of a profile one card is divided into (facts/k8s.md 1.12)."""
        share = compute_of(profile, self.mig)
        # A seventh seven times is a little less than one in floating point.
        return int(1 / share + 1e-9) if share else 0


def covers(known: int, of: int) -> bool:
    """Whether so many of so many are enough to speak of all."""
    return known >= ENOUGH * of


def facts_of(pool: Pool, owners: Owners) -> PoolFacts:
    """The facts of one pool; `owners` are those of its snapshot."""
    return PoolFacts(
        platform=pool.key.platform,
        model=min((card.model for card in pool.cards), default=""),
        vendor=min((card.vendor for card in pool.cards), default=""),
        drivers=tuple(sorted({n.driver_version for n in pool.nodes.values()} - {""})),
        nodes=len(pool.nodes),
        cards=tuple(pool.cards),
        nodes_without_cards=sum(1 for node in pool.nodes.values() if not node.cards),
        unplaced=len({(held.namespace, held.pod) for held in pool.unplaced}),
        tenants=tenants_of(pool, owners),
    )


def _unmeasured(card: Card) -> str:
    """Why the driver's view of a card is incomplete, "" where it is complete."""
    readings = (card.memory.physical, card.memory.resident, card.compute_utilization)
    return next((r.reason for r in readings if isinstance(r, Unknown)), "")

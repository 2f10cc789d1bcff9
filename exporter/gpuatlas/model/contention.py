"""Who shared a card, when it was full, who was slowed, who is suspected: the words of DESIGN 8."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from gpuatlas.model.readings import Reading
from gpuatlas.model.snapshot import WorkloadId


class Grade(IntEnum):
    """How well a suspicion is supported. Never more than that: no grade says "caused"."""

    NONE = 0  # slowed, and the cause cannot be attributed
    SHARED = 1
    SATURATED = 2
    SUSPECT = 3
    SUPPORTED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantMoment:
    """One workload on one card at one instant; its pods on that card together.

    `share` is its part of the card's compute (1 the whole card), `entitlement` what it is promised
    of it (an equal part where nobody promised), both unknown where nobody can tell. `waiting` and
    `running` are requests of its service, `rate` its work a second (tokens or requests), `speed`
    that rate for each running request. `at_own_limit` says that it uses what it may use, `held`
    that the sharing layer holds it back.
    """

    workload: WorkloadId
    share: Reading[float]
    entitlement: Reading[float]
    waiting: float | None = None
    running: float | None = None
    rate: float | None = None
    speed: float | None = None
    at_own_limit: bool = False
    held: bool = False
    active: bool | None = None  # does work now; None: nobody can tell


@dataclass(frozen=True, slots=True, kw_only=True)
class CardMoment:
    """One shared card (or MIG instance) at one instant.

    `saturated` names what was at its limit ("compute", "dram", "memory", "pcie"; "kernels" where
    nothing better is known than that a kernel ran all the time); None where nothing that could tell
    was measured. `hardware` says why the card itself is slow, "" for not. `instance` is the hard
    partition that the tenants share, "" where it is the card.
    """

    node: str
    card: str
    index: str
    at: float
    saturated: frozenset[str] | None
    hardware: str
    tenants: tuple[TenantMoment, ...]
    instance: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowedBy:
    """A pair that has a counter. `suspect` is None where the cause cannot be attributed."""

    victim: WorkloadId
    suspect: WorkloadId | None
    grade: Grade


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentionCounts:
    """The counters so far, in seconds; they start over with the process.

    `cards` by (node, card, index): ≥ 2 active tenants and the card saturated, by more than its
    memory, which slows nobody by itself. `slowed` by pair: a second of a victim counts once for
    each of its at most three suspects, at the grade of then.
    """

    cards: Mapping[tuple[str, str, str], float]
    slowed: Mapping[SlowedBy, float]

"""Histories for tests, measured and covered unless told otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from gpuatlas.model.sizing import (
    Day,
    History,
    Proposal,
    Reservation,
    Resource,
    SizedContainer,
)
from gpuatlas.model.snapshot import Sharing
from gpuatlas.model.units import MIB
from gpuatlas.sizing.judge import judge

GIB: Final = 1024 * MIB
NOON: Final = 1_790_000_000.0
DAY: Final = 86_400.0


def a_day(ago: int = 0, **fields: Any) -> Day:
    """The day that ended `ago` days before the last: 4 GiB and 10 % of a card, one container."""
    defaults: dict[str, Any] = {
        "ends_at": NOON - ago * DAY,
        "memory_peak": 4 * GIB,
        "compute_p95": 0.1,
        "present": 1.0,
        "watched": 1.0,
        "measured": 1.0,
        "replicas": 1,
        "revisions": frozenset({"a"}),
    }
    return Day(**(defaults | fields))


def days(number: int = 14, **fields: Any) -> tuple[Day, ...]:
    """`number` days alike, the oldest first."""
    return tuple(a_day(number - 1 - index, **fields) for index in range(number))


def changed(week: Sequence[Day], ago: int, **fields: Any) -> tuple[Day, ...]:
    """The same days, of which one is another."""
    index = len(week) - 1 - ago
    return (*week[:index], replace(week[index], **fields), *week[index + 1 :])


def a_reservation(**fields: Any) -> Reservation:
    """A HAMi share of 16 GiB and half the compute of an A100 of 80 GB, limit in force."""
    defaults: dict[str, Any] = {
        "sharing": Sharing.HAMI,
        "memory": 16 * GIB,
        "compute": 0.5,
        "cards": 1,
        "containers": 1,
        "card_memory": 81_920 * MIB,
        "card_model": "NVIDIA A100-SXM4-80GB",
        "resources": {"nvidia.com/gpu": 1, "nvidia.com/gpumem": 16_384, "nvidia.com/gpucores": 50},
        "limited": True,
    }
    return Reservation(**(defaults | fields))


def whole_cards(cards: int = 1, **fields: Any) -> Reservation:
    """Whole A100s of 80 GB."""
    defaults: dict[str, Any] = {
        "sharing": Sharing.PLAIN,
        "memory": 81_920 * MIB,
        "compute": 1.0,
        "cards": cards,
        "containers": cards,
        "resources": {"nvidia.com/gpu": cards},
        "limited": None,
    }
    return a_reservation(**(defaults | fields))


def an_instance(profile: str, mebibytes: int, **fields: Any) -> Reservation:
    """A MIG instance of an A100 of 80 GB."""
    defaults: dict[str, Any] = {
        "sharing": Sharing.MIG,
        "memory": mebibytes * MIB,
        "compute": int(profile[0]) / 7,
        "profile": profile,
        "resources": {f"nvidia.com/mig-{profile}": 1},
        "limited": None,
    }
    return a_reservation(**(defaults | fields))


def a_container(**fields: Any) -> SizedContainer:
    """Container "main" of the Deployment "chat"."""
    defaults: dict[str, Any] = {
        "cluster": "",
        "namespace": "team-a",
        "kind": "Deployment",
        "name": "chat",
        "container": "main",
    }
    return SizedContainer(**(defaults | fields))


def a_history(
    week: Sequence[Day] = (), reservation: Reservation | None = None, **fields: Any
) -> History:
    """Fourteen days of `a_day` on `a_reservation`, unless told otherwise."""
    defaults: dict[str, Any] = {
        "of": a_container(),
        "reservation": reservation or a_reservation(),
        "days": tuple(week) or days(),
        "runtime": "pytorch",
    }
    return History(**(defaults | fields))


def said_of(resource: Resource, history: History) -> Proposal:
    """What is said of one resource; an error where nothing is."""
    return next(proposal for proposal in judge(history) if proposal.resource is resource)

"""Kinds of histories of shared cards with a known truth: what slows the victim, what is seen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Cause(StrEnum):
    """Why the victim is slow in an episode."""

    NEIGHBOUR = "neighbour"
    HARDWARE = "hardware"
    OWN_LIMIT = "own limit"
    OWN_LOAD = "own load"
    OWN_REQUESTS = "own requests"
    OWN_STALLS = "own stalls"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of history.

    `service`: the victim says how it fares. `shares`: who uses how much is measured. `bystanders`
    are beside the aggressor, an `elastic` one wants all it can get; `comes_and_goes`: a bystander
    has a schedule of its own; `stays`: the aggressor is always there. `missing` is about the share
    of minutes that nobody sees.
    """

    name: str
    cause: Cause | None
    service: bool = True
    shares: bool = True
    bystanders: int = 1
    comes_and_goes: bool = False
    elastic: bool = False
    stays: bool = False
    missing: float = 0.0


KINDS: Final[tuple[Kind, ...]] = (
    Kind(name="one aggressor", cause=Cause.NEIGHBOUR, bystanders=0),
    Kind(name="aggressor among the busy", cause=Cause.NEIGHBOUR, bystanders=2),
    Kind(name="aggressor that stays", cause=Cause.NEIGHBOUR, stays=True, bystanders=2),
    Kind(name="aggressor, bystander comes and goes", cause=Cause.NEIGHBOUR, comes_and_goes=True),
    Kind(
        name="aggressor that stays, bystander comes and goes",
        cause=Cause.NEIGHBOUR,
        stays=True,
        comes_and_goes=True,
    ),
    Kind(name="aggressor, missing minutes", cause=Cause.NEIGHBOUR, missing=0.08),
    Kind(
        name="aggressor, shares not measured",
        cause=Cause.NEIGHBOUR,
        shares=False,
        comes_and_goes=True,
    ),
    Kind(name="aggressor, victim without signal", cause=Cause.NEIGHBOUR, service=False),
    Kind(name="hardware slows the card", cause=Cause.HARDWARE, bystanders=2, elastic=True),
    Kind(name="victim at its own limit", cause=Cause.OWN_LIMIT, bystanders=2, elastic=True),
    Kind(name="victim's load rises", cause=Cause.OWN_LOAD, bystanders=2),
    Kind(
        name="victim's load rises, elastic neighbour",
        cause=Cause.OWN_LOAD,
        bystanders=1,
        elastic=True,
    ),
    Kind(name="victim's requests change", cause=Cause.OWN_REQUESTS, bystanders=2, elastic=True),
    Kind(
        name="victim's requests change, bystander comes and goes",
        cause=Cause.OWN_REQUESTS,
        comes_and_goes=True,
        shares=False,
    ),
    Kind(
        name="victim's requests change, busy bystander comes and goes",
        cause=Cause.OWN_REQUESTS,
        comes_and_goes=True,
        elastic=True,
    ),
    Kind(
        name="victim's requests change, shares not measured",
        cause=Cause.OWN_REQUESTS,
        comes_and_goes=True,
        shares=False,
        elastic=True,
    ),
    Kind(
        name="load rises, victim without signal",
        cause=Cause.OWN_LOAD,
        service=False,
        bystanders=2,
        elastic=True,
    ),
    Kind(name="missing minutes, hardware", cause=Cause.HARDWARE, bystanders=2, missing=0.08),
    Kind(name="nothing happens", cause=None, bystanders=2, comes_and_goes=True, elastic=True),
)


# What coarse metrics can hardly tell from an aggressor: the victim is kept from the card by its own
# processor, and a neighbour that wants all it can get takes what it leaves, each time.
INDISTINGUISHABLE: Final = Kind(
    name="victim stalls beside an elastic neighbour", cause=Cause.OWN_STALLS, elastic=True
)

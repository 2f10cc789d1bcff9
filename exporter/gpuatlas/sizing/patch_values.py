"""From proposals to the values that a manifest should have, in the manifest's own words.

The resource that stands there is the one that is changed: HAMi's and Volcano's memory and cores,
shares in percent, KAI's annotations, MIG profiles, numbers of cards, and the resources of the other
vendors (facts/hami.md 4.1, k8s.md 1.8 and 1.9). Values are rounded up, so that none is below what
was proposed. Where the manifest and the promise differ, or a unit is not known, nothing is changed
and a reason is given. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.sizing import CannotReason, Proposal, Reservation, Resource, Verdict
from gpuatlas.model.units import MIB
from gpuatlas.model.vendors import vendor_of_count
from gpuatlas.sizing.patch_places import Asked
from gpuatlas.sizing.patch_quantities import (
    KAI_FRACTION,
    KAI_MEMORY,
    NO_SUFFIX,
    CannotPatchError,
    check_share,
    cores_per_card,
    is_memory,
    legal,
    unit_in_force,
    unit_of_memory,
    up,
    vendor_of_cores,
    whole_number,
)

_PERCENT: Final = frozenset({"nvidia.com/gpumem-percentage", "volcano.sh/vgpu-memory-percentage"})
_MIG: Final = "nvidia.com/mig-"
_HUNDREDTHS: Final = 100
# What is not known for another reason may need all that it has.
_NO_NEED: Final = frozenset({CannotReason.NOT_MEASURED, CannotReason.NOT_PROMISED})
_SIZELESS: Final = "{} is a share of a card, and the size of its cards differs or is not known"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One value. `old` is as it is written, None where it is new; `new` None takes it away.

    It is a resource, in limits and requests, or with `annotation` an annotation of the pods.
    """

    name: str
    old: object
    new: int | str | None
    annotation: bool = False


def changes(proposals: Sequence[Proposal], reservation: Reservation, asked: Asked) -> list[Change]:
    """What to write for all proposals about one container.

    Raises:
        CannotPatchError: one of them cannot be written; none is then.
    """
    made: list[Change] = []
    for proposal in proposals:
        if proposal.verdict not in {Verdict.SMALLER, Verdict.LARGER} or proposal.proposed is None:
            continue
        made += _of(proposal, proposals, reservation, asked)
    different = [change for change in dict.fromkeys(made) if change.new != change.old]
    if made and not different:
        raise CannotPatchError("the next value that its resource can have is the one that it has")
    return different


def _of(
    proposal: Proposal, every: Sequence[Proposal], reservation: Reservation, asked: Asked
) -> Iterator[Change]:
    if _is_profile(proposal.target):
        yield from _profile(proposal, every, asked)
    elif proposal.resource is Resource.CARDS and any(_is_profile(p.target) for p in every):
        return  # the other profile is asked for in that number
    elif KAI_FRACTION in asked.annotations:
        yield _fraction(every, reservation, asked)
    elif proposal.resource is Resource.MEMORY:
        yield _memory(proposal, reservation, asked)
    elif proposal.resource is Resource.COMPUTE:
        yield _compute(proposal, reservation, asked)
    else:
        yield _cards(proposal, asked)


# --- Memory ---------------------------------------------------------------------------------------


def _memory(proposal: Proposal, reservation: Reservation, asked: Asked) -> Change:
    wanted = _proposed(proposal)
    if KAI_MEMORY in asked.annotations:
        old = asked.annotations[KAI_MEMORY]
        unit_in_force(KAI_MEMORY, old, MIB, reservation)
        return Change(name=KAI_MEMORY, old=old, new=str(up(wanted, MIB)), annotation=True)
    for name in asked.limits:
        if name in _PERCENT:
            return _percent(name, wanted, reservation, asked)
        unit = unit_of_memory(name)
        if unit is not None:
            old = asked.limits[name]
            if name == NO_SUFFIX and not str(old).isdecimal():
                message = f"{name} is written with a suffix, and then it is in bytes: write it anew"
                raise CannotPatchError(message)
            real = unit_in_force(name, old, unit, reservation)
            return _resource(name, old, legal(name, up(wanted, real)))
    if is_memory(proposal.target):
        _count_resource(asked)  # to a size alone the layer's webhook would add a card
        unit = unit_of_memory(proposal.target) or MIB
        return Change(name=proposal.target, old=None, new=up(wanted, unit))
    raise CannotPatchError(_absent(asked, "card memory"))


def _percent(name: str, wanted: float, reservation: Reservation, asked: Asked) -> Change:
    old = asked.limits[name]
    if not reservation.card_memory:
        raise CannotPatchError(_SIZELESS.format(name))
    check_share(name, old, reservation.memory, reservation.card_memory)
    return _resource(name, old, up(wanted * _HUNDREDTHS, reservation.card_memory))


def _fraction(every: Sequence[Proposal], reservation: Reservation, asked: Asked) -> Change:
    """KAI's fraction is of memory and compute at once: what needs more of the two decides."""
    old = asked.annotations[KAI_FRACTION]
    if not reservation.card_memory:
        raise CannotPatchError(_SIZELESS.format(KAI_FRACTION))
    needed = []
    for proposal in every:
        value = proposal.proposed if proposal.proposed is not None else proposal.present
        if proposal.reason in _NO_NEED or value is None:
            continue
        if proposal.resource is Resource.MEMORY:
            needed.append(value / reservation.card_memory)
        elif proposal.resource is Resource.COMPUTE:
            needed.append(value)
    hundredths = up(max(needed) * _HUNDREDTHS, 1)
    if hundredths >= _HUNDREDTHS:
        message = f"{KAI_FRACTION} is below 1: ask for a whole card (nvidia.com/gpu) in its place"
        raise CannotPatchError(message)
    return Change(name=KAI_FRACTION, old=old, new=f"{hundredths / _HUNDREDTHS:g}", annotation=True)


# --- Compute --------------------------------------------------------------------------------------


def _compute(proposal: Proposal, reservation: Reservation, asked: Asked) -> Change:
    for name in asked.limits:
        vendor = vendor_of_cores(name)
        if vendor is not None:
            old = asked.limits[name]
            per_card = cores_per_card(name, old, vendor, reservation.compute)
            return _resource(name, old, up(_proposed(proposal) * per_card, 1))
    raise CannotPatchError(_absent(asked, "compute"))


# --- Cards and MIG profiles -----------------------------------------------------------------------


def _cards(proposal: Proposal, asked: Asked) -> Change:
    name = _count_resource(asked)
    old = asked.limits[name]
    if proposal.present is not None and whole_number(old) != round(proposal.present):
        message = (
            f"{name} is {old} and its pods have {proposal.present:.0f}: look again when both agree"
        )
        raise CannotPatchError(message)
    return _resource(name, old, round(_proposed(proposal)))


def _count_resource(asked: Asked) -> str:
    counts = [n for n, raw in asked.limits.items() if vendor_of_count(n) and whole_number(raw)]
    if len(counts) != 1:
        raise CannotPatchError(_absent(asked, "cards") if not counts else _several(counts))
    return counts[0]


def _is_profile(target: str) -> bool:
    return target.startswith(_MIG) or bool(re.match(r"[0-9]+g\.", target))


def _profile(proposal: Proposal, every: Sequence[Proposal], asked: Asked) -> Iterator[Change]:
    """Another profile is another resource, of which it asks for as many, or as it needs."""
    name = _count_resource(asked)
    new = _MIG + proposal.target.removeprefix(_MIG).replace("+", ".")
    if proposal.resource is not Resource.CARDS and not name.startswith(_MIG):
        message = (
            f"it asks for {name}, which has one profile on all of a node: {proposal.target} takes "
            "a node that is divided so"
        )
        raise CannotPatchError(message)
    number = _number(every, asked) or whole_number(asked.limits[name])
    yield Change(name=name, old=asked.limits[name], new=None)
    yield Change(name=new, old=None, new=number)


def _number(every: Sequence[Proposal], asked: Asked) -> int | None:
    """How many cards or instances are proposed, None where it keeps its number."""
    for proposal in every:
        if proposal.resource is Resource.CARDS and proposal.proposed is not None:
            own = _is_profile(proposal.target)
            return round(_proposed(proposal)) if own else whole_number(_cards(proposal, asked).new)
    return None


# --- What all of them need ------------------------------------------------------------------------


def _resource(name: str, old: object, number: int) -> Change:
    """Text stays text, a number stays a number."""
    return Change(name=name, old=old, new=str(number) if isinstance(old, str) else number)


def _proposed(proposal: Proposal) -> float:
    assert proposal.proposed is not None  # noqa: S101 of `changes`
    return proposal.proposed


def _absent(asked: Asked, what: str) -> str:
    there = ", ".join(sorted(name for name in asked.limits if "/" in name)) or "no device"
    return f"no resource that it asks for says how much {what} it has (it asks for {there})"


def _several(names: Sequence[str]) -> str:
    return f"it asks for several kinds of cards ({', '.join(sorted(names))}): decide which"
